// What is at hand of one merchant's books while they are reconciled: takes lines and operations as they come, a batch at
// a time. Settles nothing, and asks for nothing.

import { judgeAdjustment } from '../checks/across/circumstances.ts';
import { retakeCharge, takeCharge } from '../checks/across/pricing.ts';
import type { CheckContext } from '../checks/check.ts';
import { LINE_CHECKS } from '../checks/registry.ts';
import { addTo } from '../domain/amount.ts';
import { cast } from '../domain/assumptions.ts';
import type { Instant } from '../domain/instant.ts';
import { directionOf, type EntryKind, isAdjustment, type LedgerEntry } from '../domain/ledger-entry.ts';
import { hasLapsed, isKnownOperator, type Operation } from '../domain/operation.ts';
import { type Batch, lastOf, type NotChecked, type OperationVersion, type RejectedRow } from '../domain/snapshot.ts';
import type { Drift } from '../replay/drift.ts';
import type { LineMove } from '../replay/move-of.ts';
import { finishReplay, type ReplayContext, replayEntry, replayView } from '../replay/replay-entry.ts';
import { ANOMALY, type ReplayedLine } from '../replay/replayed-line.ts';
import { beginTally } from '../replay/tally.ts';
import { type Books, beginIdentityLists, type Identities, type ReconcileSettings } from './books.ts';
import { noteAdjustment } from './corrections/correction-lines.ts';
import { addHash } from './hash-list.ts';
import { hashAt } from './identity-list.ts';
import { forgetPaidOut, notePaidOut } from './paid-out.ts';
import { noteStrange } from './strange-names.ts';
import { sumOperation } from './sums.ts';

export interface Memory {
  readonly books: Books;
  readonly identities: Identities;
  readonly settings: ReconcileSettings;
  readonly context: CheckContext;
  readonly replaying: ReplayContext;
  /** createdAt of the last line taken; infinity when there are no more. */
  readUntil: Instant;
  /** Number of operations at hand at which those that have settled are looked for. */
  sweepAt: number;
  /** Number of cash-outs kept for the daily ceiling at which those of judged days are forgotten. */
  forgetAt: number;
}

type Opening = ReconcileSettings['opening'];

export const SWEEP_FLOOR = 1_000;
const RECENT = 500;
const REJECTED_KEPT = 1_000;
const JUMPS_KEPT = 1_000;
const PAID_OUT_LIMIT = 50_000;

/** `resumed`: the books go on from a checkpoint. */
export function openMemory(
  books: Books,
  settings: ReconcileSettings,
  { resumed, hashOf }: { readonly resumed: boolean; readonly hashOf: Identities['hashOf'] },
): Memory {
  const identities = beginIdentityLists({ suspectAll: resumed, hashOf });
  const adjustedAt = settings.adjustedAt?.toSorted((a, b) => a - b) ?? null;
  const context: CheckContext = { ...settings, adjustedAt, standing: books.standing };
  const noting = { identities, context };
  const replaying: ReplayContext = {
    standing: books.standing,
    settings: {
      currency: settings.currency,
      opening: settings.opening,
      earliest: Math.min(...settings.profiles.map((profile) => profile.createdAt)) - settings.clockTolerance,
      latest: settings.watermark + settings.clockTolerance,
    },
    onAnomaly: (line) => takeAnomaly(books, line, { context, opening: settings.opening }),
    applied: (entry, move) => noteEntry(books, entry, move, noting),
  };
  if (settings.profiles.length === 0) Object.assign(replaying.settings, { earliest: Number.NEGATIVE_INFINITY });
  return {
    books,
    identities,
    settings,
    context,
    replaying,
    readUntil: Number.NEGATIVE_INFINITY,
    sweepAt: SWEEP_FLOOR,
    forgetAt: PAID_OUT_LIMIT,
  };
}

/** Takes the next lines, in ascending sequence; their order over all batches is that of the ledger. Keeps no view. */
export function takeEntries(memory: Memory, batch: Batch<LedgerEntry>): void {
  const { view } = batch;
  takeRejected(memory, batch.rejected);
  const { replay } = memory.books;
  if (!memory.identities.suspectAll) noteIds(memory.identities, batch);
  if (view == null) for (const entry of batch.rows) replayEntry(replay, entry, memory.replaying);
  else replayView(replay, view, memory.replaying);
  memory.readUntil = lastOf(batch)?.createdAt ?? memory.readUntil;
}

/** A line that repeats the one before it is a second delivery of it: what is suspected is looked up, and that costs time. */
function noteIds(identities: Identities, batch: Batch<LedgerEntry>): void {
  const { view, hashes } = batch;
  if (view == null) {
    batch.rows.forEach(({ id, sequence }, i) => {
      noteId(identities, sequence, hashAt(hashes, i, { text: id, hashOf: identities.hashOf }));
    });
    return;
  }
  for (let i = 0; i < view.count; i += 1) noteId(identities, view.at(i).sequence, view.hash(i));
}

function noteId(identities: Identities, sequence: number, hash: number): void {
  if (sequence === identities.lastSequence && hash === identities.lastHash) return;
  addHash(identities.ids, hash);
  identities.lastSequence = sequence;
  identities.lastHash = hash;
}

/** Operations that have no line by now have none. */
export function endEntries(memory: Memory): void {
  memory.readUntil = Number.POSITIVE_INFINITY;
}

/** Applies the last lines. Call once, after all rows were taken and before anything is recalled. */
export function finishEntries(memory: Memory): void {
  finishReplay(memory.books.replay, memory.replaying);
}

function takeAnomaly(
  books: Books,
  line: ReplayedLine,
  { context, opening }: { readonly context: CheckContext; readonly opening: Opening },
): void {
  for (const check of LINE_CHECKS) {
    if ((check.wokenBy & line.anomalies) !== 0) books.lineDrafts.push(...check.find(line, context));
  }
  if (line.anomalies & ANOMALY.duplicate) books.leftOut.push(...line.leftOut);
  if (line.anomalies & ANOMALY.reference) {
    books.orphans.set(line.entry.sequence, { kind: line.entry.kind, amount: line.entry.amount });
  }
  noteStray(books, line, opening);
  const off = line.balanceDrift !== 0n || line.reservedDrift !== 0n;
  if (!off && (line.anomalies & ANOMALY.jump) === 0) return;
  const drift = driftAt(line, books.replay.lastCreatedAt, opening);
  if (off) books.drifts.push(drift);
  else if (books.harmlessJumps.length < JUMPS_KEPT) books.harmlessJumps.push(drift);
}

/** What a line moved that is no operation's: the whole of it where it names none, else what its kind does not move. */
function noteStray(
  books: Books,
  { entry, before, effect, reservedDrift, anomalies }: ReplayedLine,
  opening: Opening,
): void {
  const { kind, sequence, amount, operationReference } = entry;
  if ((anomalies & (ANOMALY.reference | ANOMALY.unknown | ANOMALY.direction)) === 0 || isAdjustment(kind)) return;
  const from = (before ?? opening)?.reserved ?? 0;
  const heldMove = operationReference === null ? entry.reservedAfter - from - Number(reservedDrift) : 0;
  if (anomalies & ANOMALY.reference) {
    books.strays.push({ sequence, balance: effect, reserved: heldMove });
  } else if (anomalies & ANOMALY.unknown) {
    addTo(books.adjusted.balance, effect);
    addTo(books.adjusted.reserved, heldMove);
  } else {
    const ofKind = directionOf(kind as EntryKind);
    const usual = ofKind === 'CREDIT' ? amount : ofKind === 'DEBIT' ? -amount : 0;
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
  { effect, heldMove }: LineMove,
  memory: { identities: Identities; context: CheckContext },
): void {
  if (entry.currency !== memory.identities.lastCurrency) {
    memory.identities.lastCurrency = entry.currency;
    books.currencies.add(entry.currency);
  }
  if (memory.identities.suspectAll) books.suspectIds.add(entry.id);
  if (!isAdjustment(entry.kind)) return;
  addTo(books.adjusted.balance, effect);
  if (entry.operationReference === null) addTo(books.adjusted.reserved, heldMove);
  noteAdjustment(books, entry, effect);
  books.lineDrafts.push(...judgeAdjustment(entry, memory.context.adjustedAt));
}

/** Takes the next operations, each once, in its newest version. */
export function takeOperations(memory: Memory, { rows, rejected, hashes }: Batch<OperationVersion>): void {
  takeRejected(memory, rejected);
  rows.forEach((version, i) => {
    takeOperation(memory, version, hashes?.[i] ?? Number.NaN);
  });
}

/** `hash`: of the partner's reference, NaN where it must be made. */
function takeOperation(memory: Memory, { operation, previous }: OperationVersion, hash: number): void {
  const { books, identities, settings } = memory;
  const { tallies } = books.replay;
  let tally = tallies.get(operation.reference);
  if (tally === undefined) {
    tally = beginTally(operation.reference);
    tallies.set(operation.reference, tally);
  }
  const replaced = previous ?? tally.operation;
  if (replaced === null) {
    books.operations += 1;
    cast(books.votes.feeRounding, takeCharge(books.pricing, operation, settings.profiles), 1);
  } else {
    sumOperation(books.operationSums, replaced, -1);
    // A charge is taken once, and what it said of prices cannot be taken back.
    if (!isChargedAlike(replaced, operation)) books.replayAgain = true;
    retakeCharge(books.pricing, operation);
  }
  sumOperation(books.operationSums, operation, 1);
  notePaidOut(books, { operation, replaced }, settings.profiles);
  if (books.paidOut.size >= memory.forgetAt) {
    forgetPaidOut(books, settings.profiles);
    memory.forgetAt = PAID_OUT_LIMIT + 2 * books.paidOut.size;
  }
  noteRecent(books, operation);
  if (!isKnownOperator(operation.operator)) noteStrange(books.strangeOperators, operation.operator);
  // A lapsed operation may share its reference with the next attempt; it can no longer become live.
  const shared = hasLapsed(operation.status) ? null : operation.externalReference;
  if (shared !== null && identities.suspectAll) books.suspectExternalReferences.add(shared);
  else if (shared !== null && replaced === null)
    addHash(identities.externalReferences, Number.isNaN(hash) ? identities.hashOf(shared) : hash);
  tally.previous ??= previous;
  tally.operation = operation;
  tally.judgedAt = -1;
}

function isChargedAlike(a: Operation, b: Operation): boolean {
  return a.type === b.type && a.amount === b.amount && a.fees === b.fees && a.createdAt === b.createdAt;
}

/** Operations come in the order of their creation: the newest are the last ones. */
function noteRecent(books: Books, operation: Operation): void {
  books.recent.push(operation);
  if (books.recent.length >= 2 * RECENT) books.recent = books.recent.slice(-RECENT);
}

export function takeRejected(memory: Memory, rows: readonly RejectedRow[]): void {
  for (const row of rows) {
    if (memory.books.rejected.has(row.place)) continue;
    memory.books.rejectedCount += 1;
    if (memory.books.rejected.size < REJECTED_KEPT) memory.books.rejected.set(row.place, row);
  }
}

export function takeNotChecked(memory: Memory, notes: readonly NotChecked[]): void {
  for (const note of notes) memory.books.notChecked.set(note.what, note);
}
