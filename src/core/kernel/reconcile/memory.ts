// The part of one merchant's books that is in memory while they are reconciled. Takes lines and
// operations as they come, a batch at a time. It settles nothing, and asks for nothing.

import { addTo } from '../../domain/amount.ts';
import { cast } from '../../domain/assumptions.ts';
import type { Instant } from '../../domain/instant.ts';
import {
  directionOf,
  type EntryKind,
  isAdjustment,
  isReversal,
  type LedgerEntry,
  signedAmount,
} from '../../domain/ledger-entry.ts';
import { hasLapsed, KNOWN_OPERATORS, type Operation, unlessBlank } from '../../domain/operation.ts';
import { columnsOf } from '../../domain/rows/batch-view.ts';
import { ENTRY_TABLE } from '../../domain/rows/entry-fields.ts';
import { addHash, createHashList, type HashList } from '../../domain/rows/hash-table.ts';
import { createName, nameIn, nameOf } from '../../domain/rows/name.ts';
import { OPERATION_TABLE } from '../../domain/rows/operation-fields.ts';
import { storeFrom, storeRow } from '../../domain/rows/row-store.ts';
import { fieldNamed, numberPlaceOf } from '../../domain/rows/row-table.ts';
import {
  type Batch,
  countOf,
  lastOf,
  type Note,
  type OperationVersion,
  type RejectedRow,
} from '../../domain/snapshot.ts';
import { judgeAdjustment, noteStrange, type SeenClock } from '../checks/across/circumstances.ts';
import { retakeCharge, takeCharge } from '../checks/across/pricing.ts';
import { type DateBounds, finishDates, noteDate } from '../checks/lines/dates.ts';
import { LINE_CHECKS } from '../checks/lines/line-checks.ts';
import type { CheckContext } from '../checks/port/check.ts';
import type { Drift } from '../replay/choose-lines.ts';
import type { LineMove } from '../replay/move-of.ts';
import {
  finishReplay,
  type ReplayContext,
  replayEntry,
  replayView,
} from '../replay/replay-entry.ts';
import { ANOMALY, type ReplayedLine } from '../replay/replay-state.ts';
import { operationIn } from '../replay/tallies-seen.ts';
import { setOperation, tallyOf } from '../replay/tally-table.ts';
import type { Books, ReconcileSettings } from './books.ts';
import { noteAdjustment } from './corrections/correction-lines.ts';
import {
  anomaliesAt,
  beginCutBooks,
  type CutBooks,
  type CutOfSession,
  noteLeftOut,
  takeAtCut,
} from './cut-books.ts';
import { forgetPaidOut, notePaidOut } from './paid-out.ts';
import { beginSignatures, type Signatures } from './signature.ts';
import { sumOperation } from './sums.ts';

export interface Memory {
  readonly books: Books;
  readonly identities: Identities;
  readonly settings: ReconcileSettings;
  readonly context: CheckContext;
  /** `null` where the books are judged as of the reading. */
  readonly cutBooks: CutBooks | null;
  /**
   * Set where the books are dated later than the clock that they were read by. `null` where they
   * are not, or where it is not known yet.
   */
  readonly clockBehind: SeenClock['behind'];
  readonly replaying: ReplayContext;
  readonly signatures: Signatures;
  /**
   * Batches of operations that were taken and not yet released, the oldest first. The newest
   * operations are in them.
   */
  readonly newest: Batch<OperationVersion>[];
  /** `createdAt` of the last line taken; infinity when there are no more lines. */
  readUntil: Instant;
  /** How many operations are at hand when the next search for settled ones begins. */
  sweepAt: number;
  /**
   * How many cash-outs are kept for the daily ceiling when those of judged days are forgotten next.
   */
  forgetAt: number;
}

type Opening = ReconcileSettings['opening'];

export const SWEEP_FLOOR = 1_000;
const REJECTED_KEPT = 1_000;
const JUMPS_KEPT = 1_000;
const PAID_OUT_LIMIT = 50_000;
const REFERENCE = fieldNamed(OPERATION_TABLE, 'reference');
const SEQUENCE = numberPlaceOf(ENTRY_TABLE, 'sequence');
const ID_HASH = fieldNamed(ENTRY_TABLE, 'id').hashPlace;
/** The reference of the operation at hand, written anew for each operation. */
const NAME = createName();

/** Begins to take rows into the books. `resumed` says that the books come from a checkpoint. */
export function openMemory(
  books: Books,
  settings: ReconcileSettings,
  {
    resumed,
    hashOf,
    cut,
  }: {
    readonly resumed: boolean;
    readonly hashOf: Identities['hashOf'];
    readonly cut: CutOfSession | null;
  },
): Memory {
  const identities = beginIdentityLists({ suspectAll: resumed, hashOf });
  const adjustedAt = settings.adjustedAt?.toSorted((a, b) => a - b) ?? null;
  const latest = settings.watermark + settings.clockTolerance;
  const deadlinesAt = cut?.cut.end ?? settings.watermark;
  const context: CheckContext = {
    ...settings,
    adjustedAt,
    standing: books.standing,
    latest,
    deadlinesAt,
  };
  const cutBooks = cut === null ? null : beginCutBooks(cut);
  const noting = { identities, context, dates: dateBounds(settings) };
  const replaying: ReplayContext = {
    standing: books.standing,
    settings: { currency: settings.currency, opening: settings.opening },
    onAnomaly: (line) => {
      if (cutBooks !== null) noteLeftOut(cutBooks, line);
      const anomalies = cutBooks === null ? line.anomalies : anomaliesAt(cutBooks, line);
      if (anomalies !== 0)
        takeAnomaly(
          books,
          { ...line, anomalies },
          { opening: settings.opening, head: cut?.cut.head ?? null },
        );
    },
    applied: (entry, move) => {
      if (cutBooks === null || !takeAtCut(cutBooks, entry, move))
        noteEntry(books, entry, move, noting);
      else noteDate(books, entry, noting.dates);
    },
    hashOf,
  };
  return {
    books,
    identities,
    settings,
    context,
    cutBooks,
    clockBehind: null,
    replaying,
    signatures: beginSignatures(context),
    newest: [],
    readUntil: Number.NEGATIVE_INFINITY,
    sweepAt: SWEEP_FLOOR,
    forgetAt: PAID_OUT_LIMIT,
  };
}

/**
 * Takes the next lines, which must come in ascending sequence over all batches. Keeps no view of
 * the batch.
 */
export function takeEntries(memory: Memory, batch: Batch<LedgerEntry>): void {
  const view = columnsOf<LedgerEntry, LedgerEntry>(batch);
  takeRejected(memory, batch.rejected);
  const { replay } = memory.books;
  if (!memory.identities.suspectAll) noteIds(memory.identities, batch);
  if (view === null) for (const entry of batch.rows) replayEntry(replay, entry, memory.replaying);
  else replayView(replay, view, memory.replaying);
  const last = lastOf(batch)?.createdAt;
  if (last === undefined) return;
  memory.readUntil = last;
  const { knownFrom } = memory.books;
  if (knownFrom !== null && knownFrom <= memory.context.latest) return;
  const dateOf = (row: number): Instant =>
    (view === null ? batch.rows[row]! : view.copy(row)).createdAt;
  const [first, second] = [dateOf(0), dateOf(Math.min(1, countOf(batch) - 1))];
  // A single line may be dated wrongly. The first line's date is not believed where two other lines
  // are earlier.
  memory.books.knownFrom = first > second && first > last ? Math.min(second, last) : first;
}

/** Notes that all lines were taken: an operation that has no line by now has none. */
export function endEntries(memory: Memory): void {
  memory.readUntil = Number.POSITIVE_INFINITY;
}

/** Applies the last lines. Call once, after all rows were taken and before anything is recalled. */
export function finishEntries(memory: Memory): void {
  const { books, settings, replaying } = memory;
  finishReplay(books.replay, replaying);
  finishDates(books, dateBounds(settings));
}

function dateBounds({ profiles, clockTolerance, watermark }: ReconcileSettings): DateBounds {
  const opened = profiles.map(({ createdAt }) => createdAt - clockTolerance);
  const earliest = opened.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...opened);
  return { earliest, latest: watermark + clockTolerance };
}

function takeAnomaly(
  books: Books,
  line: ReplayedLine,
  { opening, head }: { readonly opening: Opening; readonly head: number | null },
): void {
  for (const check of LINE_CHECKS) {
    const draft = (check.wokenBy & line.anomalies) === 0 ? null : check.find(line);
    if (draft !== null) books.lineDrafts.push(draft);
  }
  if (line.anomalies & ANOMALY.duplicate) books.leftOut.push(...line.leftOut);
  if (line.anomalies & ANOMALY.reference) {
    books.orphans.set(line.entry.sequence, { kind: line.entry.kind, amount: line.entry.amount });
  }
  noteStray(books, line, opening);
  if (head !== null && line.entry.sequence > head) return;
  const off = line.balanceDrift !== 0n || line.reservedDrift !== 0n;
  if (!off && (line.anomalies & ANOMALY.jump) === 0) return;
  const drift = driftAt(line, books.replay.lastCreatedAt, opening);
  if (off) books.drifts.push(drift);
  else if (books.harmlessJumps.length < JUMPS_KEPT) books.harmlessJumps.push(drift);
}

/**
 * Notes what a line moved that no operation requires: all of it where the line names none, else
 * what it moved other than its kind does.
 */
function noteStray(
  books: Books,
  { entry, before, effect, reservedDrift, anomalies }: ReplayedLine,
  opening: Opening,
): void {
  const { kind, sequence, amount, operationReference } = entry;
  if (
    (anomalies & (ANOMALY.reference | ANOMALY.unknown | ANOMALY.direction)) === 0 ||
    isAdjustment(kind)
  )
    return;
  const from = (before ?? opening)?.reserved ?? 0;
  const heldMove =
    operationReference === null
      ? Number(BigInt(entry.reservedAfter) - BigInt(from) - reservedDrift)
      : 0;
  const isUnknown = (anomalies & ANOMALY.unknown) !== 0;
  if (anomalies & ANOMALY.reference || (isUnknown && operationReference === null)) {
    books.strays.push({ sequence, balance: effect, reserved: heldMove });
  } else if (isUnknown) {
    addTo(books.adjusted.balance, effect);
    addTo(books.adjusted.reserved, heldMove);
  } else {
    const usual = signedAmount({ direction: directionOf(kind as EntryKind), amount });
    if (effect !== usual) books.strays.push({ sequence, balance: effect - usual, reserved: 0 });
  }
}

function driftAt(
  { entry, before, balanceDrift, reservedDrift }: ReplayedLine,
  from: Instant | null,
  opening: Opening,
): Drift {
  const { direction, amount, balanceAfter, reservedAfter, operationReference } = entry;
  const { balance, reserved } = before ?? opening ?? { balance: 0, reserved: 0 };
  return {
    after: before === null ? null : before.sequence,
    sequence: entry.sequence,
    from,
    to: entry.createdAt,
    balance: balanceDrift.toString(),
    reserved: reservedDrift.toString(),
    before: { balance, reserved },
    line: { direction, amount, balanceAfter, reservedAfter, operationReference },
  };
}

function noteEntry(
  books: Books,
  entry: LedgerEntry,
  move: Pick<LineMove, 'effect' | 'heldMove'>,
  memory: { identities: Identities; context: CheckContext; dates: DateBounds },
): void {
  if (entry.currency !== memory.identities.lastCurrency) {
    memory.identities.lastCurrency = entry.currency;
    books.currencies.add(entry.currency);
  }
  if (memory.identities.suspectAll) books.suspectIds.add(entry.id);
  noteDate(books, entry, memory.dates);
  if (entry.operationReference === null && isReversal(entry.kind))
    noteAdjustment(books, entry, move.effect);
  if (!isAdjustment(entry.kind)) return;
  addTo(books.adjusted.balance, move.effect);
  if (entry.operationReference === null) addTo(books.adjusted.reserved, move.heldMove);
  noteAdjustment(books, entry, move.effect);
  books.lineDrafts.push(...judgeAdjustment(entry, memory.context.adjustedAt));
}

/** Takes the next operations, each once, in its newest version. Keeps no view. */
export function takeOperations(memory: Memory, batch: Batch<OperationVersion>): void {
  const view = columnsOf<Operation, OperationVersion>(batch);
  takeRejected(memory, batch.rejected);
  const { hashOf } = memory.identities;
  const { tallies } = memory.books.replay;
  const look = { field: REFERENCE, hashOf };
  for (let i = 0; view !== null && i < view.count; i += 1) {
    nameIn(NAME, view.batch, view.rowOf(i), look);
    const row = takeOperation(memory, view.at(i), view.hash(i));
    setOperation(tallies, row, storeFrom(tallies.operations, view.batch, view.rowOf(i)));
  }
  for (const [i, version] of view === null ? batch.rows.entries() : []) {
    nameOf(NAME, version.operation.reference, hashOf);
    const row = takeOperation(memory, version, batch.hashes?.[i] ?? Number.NaN);
    setOperation(tallies, row, storeRow(tallies.operations, version.operation));
  }
}

/**
 * Takes one operation, whose reference must be in `NAME`. Returns the row of its tally. `hash` is
 * that of the partner's reference, NaN where it must still be made.
 */
function takeOperation(
  memory: Memory,
  { operation, previous }: OperationVersion,
  hash: number,
): number {
  const { books, settings } = memory;
  const { tallies } = books.replay;
  const row = tallyOf(tallies, NAME);
  const replaced = previous ?? operationIn(tallies, row);
  if (replaced === null) {
    books.operations += 1;
    cast(books.votes.feeRounding, takeCharge(books.pricing, operation, settings.profiles), 1);
  } else {
    sumOperation(books.operationSums, replaced, -1);
    // A charge is taken only once, because what it showed about prices cannot be taken back. If it
    // has changed, the books must be replayed.
    const isAlike = (['type', 'amount', 'fees', 'createdAt'] as const).every(
      (name) => replaced[name] === operation[name],
    );
    if (!isAlike) books.replayAgain = true;
    retakeCharge(books.pricing, operation);
  }
  sumOperation(books.operationSums, operation, 1);
  notePaidOut(books, { operation, replaced }, settings.profiles);
  if (books.paidOut.size >= memory.forgetAt) {
    forgetPaidOut(books, settings.profiles);
    memory.forgetAt = PAID_OUT_LIMIT + 2 * books.paidOut.size;
  }
  if (!KNOWN_OPERATORS.has(operation.operator))
    noteStrange(books.strangeOperators, operation.operator);
  noteShared(memory, operation, { hash, isFirst: replaced === null });
  if (previous !== null && !tallies.previous.has(row)) tallies.previous.set(row, previous);
  return row;
}

/**
 * Notes the partner's reference of a live operation. A lapsed one may share its reference with the
 * next attempt, and never becomes live again.
 */
function noteShared(
  { books, identities }: Memory,
  operation: Operation,
  { hash, isFirst }: { readonly hash: number; readonly isFirst: boolean },
): void {
  if (hasLapsed(operation.status)) return;
  if (isFirst && !identities.suspectAll && !Number.isNaN(hash)) {
    addHash(identities.externalReferences, hash);
    return;
  }
  const externalReference = unlessBlank(operation.externalReference);
  if (externalReference === null) return;
  if (identities.suspectAll) books.suspectExternalReferences.add(externalReference);
  else if (isFirst) addHash(identities.externalReferences, identities.hashOf(externalReference));
}

export function takeRejected(memory: Memory, rows: readonly RejectedRow[]): void {
  for (const row of rows) {
    if (memory.books.rejected.has(row.place)) continue;
    memory.books.rejectedCount += 1;
    if (memory.books.rejected.size < REJECTED_KEPT) memory.books.rejected.set(row.place, row);
  }
}

export function takeNotChecked(memory: Memory, notes: readonly Note[]): void {
  for (const note of notes) memory.books.notChecked.set(`${note.what}\n${note.code ?? ''}`, note);
}

// Finds texts that were seen twice. Keeps a hash of each text, so that the ids of millions of lines
// need not be held. Equal hashes are only a suspicion: at the end the rows are looked up exactly.

interface Identities {
  readonly ids: HashList;
  readonly externalReferences: HashList;
  /**
   * The books come from a checkpoint. Then every new identity is looked up, because the lists do
   * not have the old ones.
   */
  readonly suspectAll: boolean;
  /** The hash of a text whose row came without one. */
  readonly hashOf: (text: string) => number;
  /** Currency of the line before, so that most lines need no look into the set of currencies. */
  lastCurrency: string | null;
  /** Sequence of the line that was last noted in `ids`. */
  lastSequence: number;
  /** Hash of the id that was last noted in `ids`. */
  lastHash: number;
}

function beginIdentityLists({
  suspectAll,
  hashOf,
}: Pick<Identities, 'suspectAll' | 'hashOf'>): Identities {
  const lists = { ids: createHashList(false), externalReferences: createHashList(false) };
  return {
    ...lists,
    suspectAll,
    hashOf,
    lastCurrency: null,
    lastSequence: Number.NaN,
    lastHash: Number.NaN,
  };
}

/**
 * Notes the ids of lines. A line that repeats the one before it is a second delivery and is not
 * noted, because each suspicion costs a look-up.
 */
function noteIds(identities: Identities, batch: Batch<LedgerEntry>): void {
  const view = columnsOf<LedgerEntry, LedgerEntry>(batch);
  if (view === null) {
    batch.rows.forEach(({ id, sequence }, i) => {
      noteId(
        identities,
        sequence,
        hashAt(batch.hashes, i, { text: id, hashOf: identities.hashOf }),
      );
    });
    return;
  }
  const { numbers, table } = view.batch;
  for (let i = 0; i < view.count; i += 1) {
    const at = view.rowOf(i) * table.numbers;
    noteId(identities, numbers[at + SEQUENCE]!, numbers[at + ID_HASH]!);
  }
}

function noteId(identities: Identities, sequence: number, hash: number): void {
  if (sequence === identities.lastSequence && hash === identities.lastHash) return;
  addHash(identities.ids, hash);
  identities.lastSequence = sequence;
  identities.lastHash = hash;
}

/** Returns the hash that came with a row, or makes that of the text where none came. */
export function hashAt(
  hashes: ArrayLike<number> | undefined,
  index: number,
  own: { readonly text: string; readonly hashOf: (text: string) => number },
): number {
  const hash = hashes?.[index] ?? Number.NaN;
  return Number.isNaN(hash) ? own.hashOf(own.text) : hash;
}
