// The desk at which one merchant's books are reconciled: lines and operations are taken in as they come, and an
// operation is put away once its lines and its final state agree, so that memory does not grow with the history.

import { judgeAdjustment } from '../checks/across/circumstances.ts';
import { takeCharge } from '../checks/across/pricing.ts';
import type { CheckContext, OperationCase } from '../checks/check.ts';
import { LINE_CHECKS } from '../checks/registry.ts';
import { cast, vote } from '../domain/assumptions.ts';
import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { hasLapsed, isFinal, type Operation } from '../domain/operation.ts';
import type { NotChecked, OperationVersion, RejectedRow } from '../domain/snapshot.ts';
import { hashText } from '../domain/text-hash.ts';
import { fitReadings } from '../replay/fit-readings.ts';
import { type ReplayContext, replayEntry } from '../replay/replay-entry.ts';
import { type ReplayedLine, SIGN } from '../replay/replayed-line.ts';
import { beginTally, type Tally } from '../replay/tally.ts';
import type { Books, Gap, Identities, ReconcileSettings } from './books.ts';
import type { ComparedReports } from './compare-reports.ts';
import { noteIdentity, repeatedHashes } from './identity-list.ts';
import { caseOf, isSound, isTooNew } from './judge-operation.ts';
import { forgetPaidOut, notePaidOut } from './paid-out.ts';
import { sumLines, sumOperation } from './sums.ts';

export interface Desk {
  readonly books: Books;
  readonly identities: Identities;
  readonly settings: ReconcileSettings;
  readonly context: CheckContext;
  readonly replaying: ReplayContext;
  /** createdAt of the last line taken; infinity when there are no more. */
  readUntil: Instant;
  /** What the service published beside the ledger, compared; null: nothing was, and its absence is noted as any other. */
  compared: ComparedReports | null;
  /** Working set at which the next sweep puts away what is settled. */
  sweepAt: number;
  /** Number of cash-outs kept for the daily ceiling at which those of judged days are forgotten. */
  forgetAt: number;
}

type Opening = ReconcileSettings['opening'];

const SWEEP_FLOOR = 1_000;
const RECENT = 500;
const REJECTED_KEPT = 1_000;
const JUMPS_KEPT = 1_000;
const PAID_OUT_LIMIT = 50_000;

export function openDesk(books: Books, identities: Identities, settings: ReconcileSettings): Desk {
  const context: CheckContext = { ...settings, standing: books.standing };
  const noting = { identities, context };
  const replaying: ReplayContext = {
    standing: books.standing,
    settings: {
      currency: settings.currency,
      opening: settings.opening,
      earliest: Math.min(...settings.profiles.map((profile) => profile.createdAt)) - settings.clockTolerance,
      latest: settings.watermark + settings.clockTolerance,
    },
    tell: (line) => tellLine(books, line, { context, opening: settings.opening }),
    applied: ({ entry }) => noteEntry(books, entry, noting),
  };
  if (settings.profiles.length === 0) Object.assign(replaying.settings, { earliest: Number.NEGATIVE_INFINITY });
  return {
    books,
    identities,
    settings,
    context,
    replaying,
    readUntil: Number.NEGATIVE_INFINITY,
    compared: null,
    sweepAt: SWEEP_FLOOR,
    forgetAt: PAID_OUT_LIMIT,
  };
}

/** Takes lines in ascending sequence. `idHashes`: `hashText` of their ids, where they are at hand; else NaN. */
export function takeEntries(desk: Desk, entries: readonly LedgerEntry[], idHashes?: ArrayLike<number>): void {
  const { replay } = desk.books;
  if (!desk.identities.suspectAll) noteIds(desk.identities, entries, idHashes);
  for (const entry of entries) replayEntry(replay, entry, desk.replaying);
  desk.readUntil = entries.at(-1)?.createdAt ?? desk.readUntil;
  if (replay.tallies.size >= desk.sweepAt) putAway(desk);
}

/** A line that repeats the one before it is a second delivery of it: what is suspected is looked up, and that costs time. */
function noteIds(identities: Identities, entries: readonly LedgerEntry[], idHashes?: ArrayLike<number>): void {
  invariant(idHashes === undefined || idHashes.length === entries.length, 'each line comes with its own hash');
  for (let i = 0; i < entries.length; i += 1) {
    const { id, sequence } = entries[i]!;
    if (sequence === identities.lastSequence && id === identities.lastId) continue;
    const known = idHashes === undefined ? Number.NaN : idHashes[i]!;
    noteIdentity(identities.ids, Number.isNaN(known) ? hashText(id) : known);
    identities.lastSequence = sequence;
    identities.lastId = id;
  }
}

/** Operations that have no line by now have none. */
export function endEntries(desk: Desk): void {
  desk.readUntil = Number.POSITIVE_INFINITY;
}

function tellLine(
  books: Books,
  line: ReplayedLine,
  { context, opening }: { readonly context: CheckContext; readonly opening: Opening },
): void {
  for (const check of LINE_CHECKS) {
    if ((check.wokenBy & line.signs) !== 0) books.lineDrafts.push(...check.find(line, context));
  }
  if (line.signs & SIGN.duplicate) books.leftOut.push(...line.leftOut);
  if (line.signs & SIGN.reference) {
    books.orphans.set(line.entry.sequence, { kind: line.entry.kind, amount: line.entry.amount });
  }
  const off = line.balanceGap !== 0n || line.reservedGap !== 0n;
  if (!off && (line.signs & SIGN.jump) === 0) return;
  const gap = gapAt(line, books.replay.lastCreatedAt, opening);
  if (off) books.gaps.push(gap);
  else if (books.harmlessJumps.length < JUMPS_KEPT) books.harmlessJumps.push(gap);
}

function gapAt({ entry, before, balanceGap, reservedGap }: ReplayedLine, from: Instant | null, opening: Opening): Gap {
  const { direction, amount, balanceAfter, reservedAfter, operationReference } = entry;
  const { balance, reserved } = before ?? opening ?? { balance: 0, reserved: 0 };
  return {
    after: before === null ? null : before.sequence,
    sequence: entry.sequence,
    from,
    to: entry.createdAt,
    balance: balanceGap.toString(),
    reserved: reservedGap.toString(),
    before: { balance, reserved },
    line: { direction, amount, balanceAfter, reservedAfter, operationReference },
  };
}

function noteEntry(books: Books, entry: LedgerEntry, desk: { identities: Identities; context: CheckContext }): void {
  if (entry.currency !== desk.identities.lastCurrency) {
    desk.identities.lastCurrency = entry.currency;
    books.currencies.add(entry.currency);
  }
  if (desk.identities.suspectAll) books.suspectIds.add(entry.id);
  if (entry.kind.charCodeAt(0) !== 65 || !entry.kind.startsWith('ADJUSTMENT_')) return;
  const draft = judgeAdjustment(entry, desk.context.adjustedAt);
  if (draft !== null) books.lineDrafts.push(draft);
}

/** Takes operations, each once, in its newest version. */
export function takeOperations(desk: Desk, versions: readonly OperationVersion[]): void {
  for (const version of versions) takeOperation(desk, version);
  if (desk.books.replay.tallies.size >= desk.sweepAt) putAway(desk);
}

function takeOperation(desk: Desk, { operation, previous }: OperationVersion): void {
  const { books, identities, settings } = desk;
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
  }
  sumOperation(books.operationSums, operation, 1);
  notePaidOut(books, { operation, replaced }, settings.profiles);
  if (books.paidOut.size >= desk.forgetAt) {
    forgetPaidOut(books, settings.profiles);
    desk.forgetAt = PAID_OUT_LIMIT + 2 * books.paidOut.size;
  }
  noteRecent(books, operation);
  // A lapsed operation may share its reference with the next attempt; it can no longer become live.
  const shared = hasLapsed(operation.status) ? null : operation.externalReference;
  if (shared !== null && identities.suspectAll) books.suspectExternalReferences.add(shared);
  else if (shared !== null && replaced === null) noteIdentity(identities.externalReferences, hashText(shared));
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

export function takeRejected(desk: Desk, rows: readonly RejectedRow[]): void {
  for (const row of rows) {
    if (desk.books.rejected.has(row.place)) continue;
    desk.books.rejectedCount += 1;
    if (desk.books.rejected.size < REJECTED_KEPT) desk.books.rejected.set(row.place, row);
  }
}

export function takeNotChecked(desk: Desk, notes: readonly NotChecked[]): void {
  for (const note of notes) desk.books.notChecked.set(note.what, note);
}

/** Puts away every operation whose lines and final state agree. */
export function putAway(desk: Desk): void {
  const { books, context, settings } = desk;
  if (settings.keepsAll) return;
  // A map of its own for those that stay: a map that others were deleted from outlives them, and keeps them alive.
  const left = new Map<string, Tally>();
  for (const tally of books.replay.tallies.values()) {
    if (isBeyondJudging(tally, settings)) continue;
    const settled = isAwaited(tally, desk.readUntil) ? null : settledCase(tally, context);
    if (settled === null) {
      left.set(tally.reference, tally);
      continue;
    }
    vote(books.votes, fitReadings(settled.operation, settled.facts), 1);
    sumLines(books.lineSums, settled, 1);
  }
  books.replay.tallies = left;
  desk.sweepAt = SWEEP_FLOOR + 2 * books.replay.tallies.size;
}

/**
 * Nothing will ever be said of it, for a whole part of the books is missing, and that is said once. Its lines matter to
 * the lines that follow as long as it holds money.
 */
function isBeyondJudging(tally: Tally, { holds }: ReconcileSettings): boolean {
  return !holds.ledger || (!holds.operations && tally.held === 0);
}

/** Its lines, if it ever has any, are still to come: the ledger has not been read up to its last change. */
function isAwaited({ operation, lines }: Tally, readUntil: Instant): boolean {
  return lines.length === 0 && operation !== null && operation.updatedAt >= readUntil;
}

/** The case of an operation that may be put away; null while something is open, unknown or wrong about it. */
function settledCase(tally: Tally, context: CheckContext): OperationCase | null {
  const { operation, lines } = tally;
  if (operation === null || !isFinal(operation.status) || tally.held !== 0 || tally.judgedAt === lines.length)
    return null;
  // A version that replaces one already put away is judged with all its lines, which only a recall brings back.
  if (tally.previous !== null || isTooNew(tally, context)) return null;
  const subject = caseOf(tally);
  if (subject.facts.unknown.lines.length > 0) return null;
  if (isSound(subject, context)) return subject;
  tally.judgedAt = lines.length;
  return null;
}

/** Looks through a reading's rows once more for the identities that were seen twice. */
export interface Suspicion {
  readonly entry: (entry: LedgerEntry) => void;
  readonly operation: (operation: Operation) => void;
}

/** Null when every id and every partner's reference was seen once: no row need be looked at again. */
export function suspectRepeated({ books, identities }: Desk): Suspicion | null {
  const ids = repeatedHashes(identities.ids);
  const references = repeatedHashes(identities.externalReferences);
  if (ids.size + references.size === 0) return null;
  return {
    entry: ({ id }) => void (ids.size > 0 && ids.has(hashText(id)) && books.suspectIds.add(id)),
    operation: ({ externalReference: shared }) =>
      void (shared !== null && references.has(hashText(shared)) && books.suspectExternalReferences.add(shared)),
  };
}
