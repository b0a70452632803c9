// The fold over the lines of a ledger, in ascending sequence. It follows the recorded figures, and
// recomputes its own beside them. It reports only lines that are odd. After a drift (a recorded
// figure that does not follow) it goes on from the recorded figures.

import { type Amount, addTo, differenceOf } from '../../domain/amount.ts';
import type { Standing } from '../../domain/assumptions.ts';
import { invariant } from '../../domain/invariant.ts';
import {
  type Direction,
  directionOf,
  ENTRY_KINDS,
  type EntryKind,
  isAdjustment,
  isDirection,
  isEntryKind,
  type LedgerEntry,
  signedAmount,
} from '../../domain/ledger-entry.ts';
import type { ColumnView } from '../../domain/rows/batch-view.ts';
import { ENTRY_TABLE } from '../../domain/rows/entry-fields.ts';
import { hashText } from '../../domain/rows/hash-bytes.ts';
import { createName, type HashOf, nameIn, nameOf } from '../../domain/rows/name.ts';
import { fieldNamed, numberPlaceOf } from '../../domain/rows/row-table.ts';
import { type ChosenLines, chooseLines } from './choose-lines.ts';
import { type LineMove, moveOf, reservedMoveOf } from './move-of.ts';
import {
  ANOMALY,
  type ReplayedLine,
  type ReplaySettings,
  type ReplayState,
} from './replay-state.ts';
import { heldAt } from './tallies-seen.ts';
import type { PostedLine } from './tally.ts';
import { addLine, LINE, TALLY, type TallyTable, tallyOf } from './tally-table.ts';

export interface ReplayContext {
  readonly settings: ReplaySettings;
  readonly standing: Standing;
  /** Called only for lines with anomalies. The callee may keep the `ReplayedLine`. */
  readonly onAnomaly: (line: ReplayedLine) => void;
  /**
   * Called once for each line that the replay applied, with the move that was taken. The callee
   * must not keep `entry` or `move`: the next line is written into the same objects.
   */
  readonly applied: (entry: LedgerEntry, move: Taken) => void;
  /** The hash by which references are found. A view must carry hashes made by the same function. */
  readonly hashOf: HashOf;
}

/** The parts of a move that the replay adds up. */
type Taken = Pick<LineMove, 'from' | 'effect' | 'heldMove' | 'reservedMove'>;

const NO_KEY = { first: 0, second: 0 };

/**
 * Hashes without a secret. Use it only for small tables or trusted references, because an attacker
 * who picks colliding references makes lookups slow.
 */
export function plainHash(text: string): number {
  return hashText(NO_KEY, text);
}

const SEQUENCE = numberPlaceOf(ENTRY_TABLE, 'sequence');
const REFERENCE = fieldNamed(ENTRY_TABLE, 'operationReference');
/** The reference of the line at hand, written anew for each line. */
const NAME = createName();
const NO_TALLY = -1;

const ALONE: ChosenLines = { apply: [], others: [], leftOut: [], redeliveries: 0 };

/**
 * Takes the next line. Its sequence must be at least that of the line before. The line is applied
 * only when the next call, or `finishReplay`, shows what follows it.
 */
export function replayEntry(state: ReplayState, entry: LedgerEntry, context: ReplayContext): void {
  const waiting = state.waiting[0];
  if (waiting !== undefined && waiting.sequence === entry.sequence) {
    state.waiting.push(entry);
    return;
  }
  if (waiting !== undefined) {
    invariant(entry.sequence > waiting.sequence, 'a reading gives its lines in ascending sequence');
    applyWaiting(state, entry, context);
  }
  if (state.waiting.length !== 1) state.waiting.length = 1;
  state.waiting[0] = entry;
}

/**
 * Does what `replayEntry` does, for each row of the view. Only the rows that are odd, or must wait
 * for their successor, are copied.
 */
export function replayView(
  state: ReplayState,
  view: ColumnView<LedgerEntry, LedgerEntry>,
  context: ReplayContext,
): void {
  const { batch, count } = view;
  const { numbers, table } = batch;
  const look = { field: REFERENCE, hashOf: context.hashOf };
  for (let i = 0; i < count; i += 1) {
    const row = view.rowOf(i);
    const sequence = numbers[row * table.numbers + SEQUENCE]!;
    const next =
      i + 1 < count ? numbers[view.rowOf(i + 1) * table.numbers + SEQUENCE]! : Number.NaN;
    const waiting = state.waiting[0];
    const isAlone = next > sequence && waiting?.sequence !== sequence;
    if (isAlone && waiting !== undefined) {
      invariant(sequence > waiting.sequence, 'a reading gives its lines in ascending sequence');
      applyWaiting(state, view.at(i), context);
      state.waiting.length = 0;
    }
    const isPlain =
      isAlone && nameIn(NAME, batch, row, look) && applyPlain(state, view.at(i), context);
    if (!isPlain) replayEntry(state, view.copy(i), context);
  }
}

/**
 * Applies the lines that still wait for a successor. Call once, after the last line of the ledger
 * and before anything is concluded.
 */
export function finishReplay(state: ReplayState, context: ReplayContext): void {
  if (state.waiting.length > 0) applyWaiting(state, null, context);
  state.waiting = [];
  closeGroup(state, NO_TALLY, context);
}

function applyWaiting(state: ReplayState, next: LedgerEntry | null, context: ReplayContext): void {
  if (state.waiting.length === 1) {
    applyEntry(state, state.waiting[0]!, ALONE, context);
    return;
  }
  const chosen = chooseLines(state.last, state.waiting, next);
  state.redeliveries += chosen.redeliveries;
  chosen.apply.forEach((entry, i) => {
    applyEntry(state, entry, i === 0 ? chosen : ALONE, context);
  });
}

/** The kinds that are neither reversals nor adjustments, with their directions. */
const PLAIN: ReadonlyMap<string, Direction> = new Map(
  ENTRY_KINDS.filter((kind) => !excuses(kind)).map((kind) => [kind, directionOf(kind)]),
);

/**
 * Applies a line with nothing odd about it, without the work that looks for anomalies. `NAME` must
 * be the reference of the line. Returns false, and has changed nothing, where the line may have an
 * anomaly or a figure is below zero: then the caller must use `applyEntry`.
 */
function applyPlain(state: ReplayState, entry: LedgerEntry, context: ReplayContext): boolean {
  const { last, group, availableBelow, tallies } = state;
  const { standing, settings } = context;
  const { amount, balanceAfter, reservedAfter } = entry;
  const direction = PLAIN.get(entry.kind);
  if (direction !== entry.direction || entry.currency !== settings.currency) return false;
  if (last === null || entry.sequence !== last.sequence + 1 || !(amount > 0)) return false;
  // What is available is at least 0 even without `settling`. So neither a figure below zero nor a
  // hold of more than was available is possible.
  if (reservedAfter < 0 || balanceAfter < reservedAfter || availableBelow) return false;
  if (group.balanceBelowFrom !== null || group.availableBelowFrom !== null) return false;
  const row = tallyOf(tallies, NAME);
  const tally = heldAt(tallies, row);
  const observed = reservedAfter - last.reserved;
  const effect = signedAmount(entry);
  if (last.balance + effect !== balanceAfter) return false;
  if (
    reservedMoveOf(entry, direction, { observed, afterJump: false, tally, standing }) !== observed
  )
    return false;
  if (row !== group.tally) closeGroup(state, row, context);
  PLAIN_MOVE.from = last;
  PLAIN_MOVE.effect = effect;
  PLAIN_MOVE.heldMove = observed;
  PLAIN_MOVE.reservedMove = observed;
  advance(state, entry, PLAIN_MOVE, row);
  context.applied(entry, PLAIN_MOVE);
  return true;
}

/**
 * The move of the plain line at hand. All plain lines share the object, so that none is allocated.
 */
const PLAIN_MOVE = {
  from: { sequence: 0, balance: 0, reserved: 0 },
  effect: 0,
  heldMove: 0,
  reservedMove: 0,
};

function applyEntry(
  state: ReplayState,
  entry: LedgerEntry,
  chosen: ChosenLines,
  context: ReplayContext,
): void {
  const { operationReference } = entry;
  if (operationReference !== null) nameOf(NAME, operationReference, context.hashOf);
  const tally = operationReference === null ? NO_TALLY : tallyOf(state.tallies, NAME);
  if (tally !== state.group.tally || tally === NO_TALLY) closeGroup(state, tally, context);
  const { standing, settings } = context;
  const held = heldAt(state.tallies, tally);
  const move = moveOf(entry, {
    before: state.last,
    opening: settings.opening,
    tally: held,
    standing,
  });
  const anomalies =
    anomaliesAt(state, entry, move) |
    anomaliesOfEntry(entry, tally, settings) |
    (chosen.others.length > 0 ? ANOMALY.duplicate : 0);
  if (anomalies !== 0) context.onAnomaly(replayedLineOf(state, entry, { move, anomalies, chosen }));
  advance(state, entry, move, tally);
  noteBelowZero(state, entry, tally);
  context.applied(entry, move);
}

function replayedLineOf(
  { last, settling }: ReplayState,
  entry: LedgerEntry,
  {
    move,
    anomalies,
    chosen,
  }: { readonly move: LineMove; readonly anomalies: number; readonly chosen: ChosenLines },
): ReplayedLine {
  const { from, direction, effect, heldMove } = move;
  return {
    entry,
    before: last === null ? null : { ...last },
    direction,
    effect,
    balanceDrift: differenceOf(entry.balanceAfter, BigInt(from.balance) + BigInt(effect)),
    reservedDrift: differenceOf(entry.reservedAfter, BigInt(from.reserved) + BigInt(heldMove)),
    availableBefore: BigInt(from.balance) - BigInt(from.reserved) + BigInt(settling),
    availableAfter: null,
    anomalies,
    excused: false,
    others: chosen.others,
    leftOut: chosen.leftOut,
  };
}

function anomaliesAt(state: ReplayState, posted: PostedLine, move: LineMove): number {
  const { from, direction, balanceOff, reservedOff } = move;
  let anomalies = 0;
  if (move.afterJump) anomalies |= ANOMALY.jump;
  if (balanceOff || reservedOff) {
    anomalies |=
      state.last === null
        ? ANOMALY.opening
        : (balanceOff ? ANOMALY.balance : 0) | (reservedOff ? ANOMALY.reserved : 0);
  }
  if (direction === 'HOLD' && posted.amount > from.balance - from.reserved + state.settling)
    anomalies |= ANOMALY.holdTooLarge;
  if (posted.reservedAfter < 0 && from.reserved >= 0) anomalies |= ANOMALY.reservedBelow;
  return anomalies;
}

/** The anomalies that the line shows by itself, whatever the line before. */
function anomaliesOfEntry(entry: LedgerEntry, tally: number, settings: ReplaySettings): number {
  const { kind, direction } = entry;
  let anomalies = 0;
  if (!(entry.amount > 0)) anomalies |= ANOMALY.amount;
  if (directionOf(kind as EntryKind) !== direction) {
    anomalies |= isEntryKind(kind) && isDirection(direction) ? ANOMALY.direction : ANOMALY.unknown;
  }
  if (settings.currency !== null && entry.currency !== settings.currency)
    anomalies |= ANOMALY.currency;
  if (tally === NO_TALLY && isEntryKind(kind) && !isAdjustment(kind))
    anomalies |= ANOMALY.reference;
  return anomalies;
}

function advance(state: ReplayState, posted: PostedLine, move: Taken, tally: number): void {
  const { from, effect, heldMove } = move;
  const availableBefore = from.balance - from.reserved + state.settling;
  state.firstSequence ??= posted.sequence;
  follow(state, posted);
  state.lastCreatedAt = posted.createdAt;
  state.entries += 1;
  addTo(state.recomputed, effect);
  addTo(state.held, heldMove);
  if (tally !== NO_TALLY)
    state.settling += takeLine(state.tallies, tally, posted, move, availableBefore);
}

/**
 * Adds the line to its operation's tally. Returns by how much the operation's `settling` has risen.
 */
function takeLine(
  table: TallyTable,
  row: number,
  posted: PostedLine,
  move: Taken,
  availableBefore: Amount,
): Amount {
  const at = row * TALLY.width;
  const { figures } = table;
  const { kind } = posted;
  if (kind === 'CASHOUT_HOLD' && Number.isNaN(figures[at + TALLY.availableBefore]!)) {
    figures[at + TALLY.availableBefore] = availableBefore;
  }
  const before = figures[at + TALLY.held]!;
  const wasSettling = figures[at + TALLY.settling]!;
  const held = before + move.heldMove;
  // A fee that comes alone settles only its own amount: the debit may be missing, and then the hold
  // of the amount is not yet spent.
  const isDebited = kind === 'CASHOUT_DEBIT' || (wasSettling > 0 && wasSettling === before);
  const settling = isDebited
    ? held
    : wasSettling + (kind === 'CASHOUT_FEE' ? posted.amount + move.heldMove : 0);
  figures[at + TALLY.held] = held;
  // `settling` never exceeds `held`: it is 0 once nothing is held. So a tally that is recalled
  // later starts like one that was never settled.
  figures[at + TALLY.settling] = Math.max(0, Math.min(settling, held));
  addLine(table, row, posted, move);
  return figures[at + TALLY.settling]! - wasSettling;
}

/**
 * Sets `state.last` to the figures of the line. The object is changed in place, because a new
 * object for each line would be a twentieth of all that a replay allocates.
 */
function follow(state: ReplayState, { sequence, balanceAfter, reservedAfter }: PostedLine): void {
  const { last } = state;
  if (last === null) {
    state.last = { sequence, balance: balanceAfter, reserved: reservedAfter };
    return;
  }
  last.sequence = sequence;
  last.balance = balanceAfter;
  last.reserved = reservedAfter;
}

// Figures below zero. They are judged where a group ends (lines of one operation that follow each
// other): inside a group, a debit may stand before the release or the credit that covers it. An
// episode below zero is reported once, at its first line.

/**
 * Notes in the group, after a line was applied, whether the balance and what is available are below
 * zero. Money of `settling` counts as available.
 */
function noteBelowZero(state: ReplayState, entry: LedgerEntry, tally: number): void {
  const { group } = state;
  const takes = entry.direction === 'DEBIT' && excuses(entry.kind);
  if (takes || (state.availableBelow && state.belowExcused)) state.correctedUntil = entry.sequence;
  if (entry.balanceAfter >= 0) group.balanceBelowFrom = null;
  else group.balanceBelowFrom ??= entry;
  if (entry.balanceAfter < 0 && excuses(entry.kind)) group.excuses = true;
  const available = entry.balanceAfter - entry.reservedAfter + state.settling;
  if (available >= 0) group.availableBelowFrom = null;
  else {
    if (group.availableBelowFrom === null) group.availableThere = available;
    group.availableBelowFrom ??= entry;
    if (
      excuses(entry.kind) ||
      (state.correctedUntil !== null && beganAt(state.tallies, tally) <= state.correctedUntil)
    )
      group.excuses = true;
  }
}

/** Sequence of the first line of the operation in that row; infinity where the line names none. */
function beganAt({ figures, lines }: TallyTable, row: number): number {
  if (row === NO_TALLY) return Number.POSITIVE_INFINITY;
  return lines.figures[figures[row * TALLY.width + TALLY.firstLine]! * LINE.width]!;
}

/** True for reversals and adjustments: a correction may lawfully take a wallet below zero. */
function excuses(kind: string): boolean {
  return kind.startsWith('REVERSAL_') || kind.startsWith('ADJUSTMENT_');
}

/**
 * Ends the current group, reports a figure that went below zero in it, and begins the next group.
 * `next` is the row of its tally, −1 for a line that names no operation.
 */
function closeGroup(
  state: ReplayState,
  next: number,
  context: { readonly onAnomaly: (line: ReplayedLine) => void },
): void {
  const { group } = state;
  const excused = group.excuses || (state.availableBelow && state.belowExcused);
  if (group.balanceBelowFrom !== null && !state.balanceBelow) {
    context.onAnomaly({ ...lineBelowZero(group.balanceBelowFrom, ANOMALY.balanceBelow), excused });
  }
  if (group.availableBelowFrom !== null && !state.availableBelow) {
    const line = lineBelowZero(group.availableBelowFrom, ANOMALY.availableBelow);
    context.onAnomaly({ ...line, excused, availableAfter: BigInt(group.availableThere) });
  }
  state.balanceBelow = group.balanceBelowFrom !== null;
  state.availableBelow = group.availableBelowFrom !== null;
  state.belowExcused = state.availableBelow && excused;
  group.tally = next;
  group.balanceBelowFrom = null;
  group.availableBelowFrom = null;
  group.excuses = false;
}

function lineBelowZero(entry: LedgerEntry, anomaly: number): ReplayedLine {
  const none = {
    balanceDrift: 0n,
    reservedDrift: 0n,
    availableBefore: 0n,
    availableAfter: null,
    others: [],
    leftOut: [],
  };
  return {
    ...none,
    entry,
    before: null,
    direction: 'DEBIT',
    effect: 0,
    anomalies: anomaly,
    excused: false,
  };
}
