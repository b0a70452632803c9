// The books as they stood at a cut: the end of a month, of a year, of a day, or any past instant. A
// fact after the cut must change nothing in the report.
//
// Operations are served in their present state only, so their state at the cut is inferred. An
// operation had ended if its `completedAt` (without one, its `updatedAt`) lies before the end; a
// reversal counts if `updatedAt` does. Where clocks are too close, or `completedAt` is unclear, the
// lines before the end decide. A line counts by the date at which it is stated. A later one counts
// when it was on its way: its operation had ended, and it came within the lawful delay of a day.
//
// Example, cut at the end of October: a cash-out completes on 31 October, 23:59, its debit is dated
// 1 November, 00:01, and it is reversed on 3 November. At the cut it is SUCCEEDED, its debit
// counts, and its REVERSAL_CREDIT does not. The recorded figures are those of the last line that is
// stated before the end (`head`), here a line before the debit.

import type { Instant } from '../../domain/instant.ts';
import { isReversal, type LedgerEntry } from '../../domain/ledger-entry.ts';
import {
  askedAt,
  asOpen,
  endOf,
  hasSettled,
  isFinal,
  LAWFUL_DELAY,
  livesUntil,
  type Operation,
  settles,
} from '../../domain/operation.ts';
import { type Dating, possibleAt, statedAt } from '../../domain/period.ts';

export interface CutAt {
  /** The first instant after the period. */
  readonly end: Instant;
  /**
   * The closed months and the replaced dates, which put some lines into another month than that of
   * their date.
   */
  readonly dating: Dating;
  /**
   * Operations that an earlier reading served in the same state with an earlier end than they have
   * now, with that end, by reference. Absent where none is known.
   */
  readonly ended?: EndedBefore | undefined;
}

export type EndedBefore = ReadonlyMap<
  string,
  Pick<Operation, 'status' | 'completedAt' | 'updatedAt'>
>;

/**
 * Returns the operation with the earliest end it was served with in its present state. A service
 * that touches an operation later must not move it into another month.
 */
function asEnded(operation: Operation, ended: EndedBefore | undefined): Operation {
  const known = ended?.get(operation.reference);
  return known === undefined || known.status !== operation.status
    ? operation
    : { ...operation, ...known };
}

export interface Cut extends CutAt {
  /** Sequence of the last line that is stated before the end; `null` where there is none. */
  readonly head: number | null;
  /**
   * Sequence of the last line that is stated before the end or may be on its way; at least `head`.
   * `null` where there is no such line.
   */
  readonly last: number | null;
  /** The books have rows at all, before the cut or behind it. */
  readonly hasRows: boolean;
  /** The books have lines that are stated at or after the end. */
  readonly hasLater: boolean;
  /**
   * True for a line that does not count: it is stated at or after the end, and is not on its way.
   */
  isBehind(line: CutLine): boolean;
  /**
   * True for a line that is stated at or after the end and counts all the same, because it was on
   * its way then.
   */
  isOnItsWay(line: CutLine): boolean;
  /**
   * Returns the operation as it was at the end, or `null` where it was created later. `named` says
   * that a line before the end names it: then it existed, whatever its own clock says.
   */
  operationAt(operation: Operation, named?: boolean): Operation | null;
}

export type CutLine = Pick<LedgerEntry, 'sequence' | 'createdAt' | 'kind' | 'operationReference'>;

/**
 * Gathers what a cut must know of the books. Call `scanOperation` for all operations, then
 * `scanLine` for all lines in ascending sequence, then `cutOf`.
 */
export interface CutScan extends CutAt {
  /** How far the clocks of a line and of its operation may disagree, in milliseconds. */
  readonly tolerance: number;
  /**
   * Operations that ended so close to the end that their lines may come after it, or whose state at
   * the end is not sure, by reference.
   */
  readonly near: Map<string, Operation>;
  /**
   * References of operations whose own instants do not say whether they had ended, or were
   * reversed, by the end. A line before the end decides.
   */
  readonly undecided: Set<string>;
  /**
   * For operations of `undecided`: when their first settling line is stated. Each settling line
   * shows that the operation had ended. The first is enough, because the clocks of two lines may
   * disagree too.
   */
  readonly settled: Map<string, Instant>;
  /** Those of `undecided` that a reversal line before the end names. */
  readonly reversed: Set<string>;
  head: number | null;
  last: number | null;
  hasRows: boolean;
  hasLater: boolean;
}

export function beginScan({ end, dating, ended }: CutAt, tolerance: number): CutScan {
  const none = {
    near: new Map(),
    undecided: new Set<string>(),
    settled: new Map<string, Instant>(),
    reversed: new Set<string>(),
  };
  return {
    end,
    dating,
    ended,
    tolerance,
    ...none,
    head: null,
    last: null,
    hasRows: false,
    hasLater: false,
  };
}

/**
 * Takes the next operation. `copy` must return a copy of `served` that may be kept, because
 * `served` itself may be overwritten after the call.
 */
export function scanOperation(scan: CutScan, served: Operation, copy: () => Operation): void {
  const { end, tolerance } = scan;
  const operation = asEnded(served, scan.ended);
  scan.hasRows = true;
  const { reference, createdAt } = operation;
  if (createdAt >= end || !isFinal(operation.status)) return;
  const instants = [
    endOf(operation),
    ...(operation.status === 'REVERSED' ? [operation.updatedAt] : []),
  ];
  const isNear = instants.some((at) => at >= end - LAWFUL_DELAY && at < end + tolerance);
  const isUndecided = instants.some(
    (at) => at >= end && (at < end + tolerance || isUnclear(operation)),
  );
  if (isNear || isUndecided) scan.near.set(reference, copy());
  if (isUndecided) scan.undecided.add(reference);
}

export function scanLine(scan: CutScan, line: CutLine): void {
  const { end, dating, near, undecided, settled, reversed } = scan;
  const at = statedAt(line, dating);
  const reference = line.operationReference;
  scan.hasRows = true;
  if (at < end) {
    scan.head = line.sequence;
    scan.last = line.sequence;
    if (reference === null || undecided.size === 0 || !undecided.has(reference)) return;
    if (isReversal(line.kind)) reversed.add(reference);
    else if (settles(line.kind) && !settled.has(reference)) settled.set(reference, at);
    return;
  }
  scan.hasLater = true;
  if (reference === null) return;
  const mayCome = at < end + LAWFUL_DELAY + scan.tolerance && near.has(reference);
  if (mayCome || isOfClosed(line, scan)) scan.last = line.sequence;
}

export function cutOf(scan: CutScan): Cut {
  const { end, dating, ended, tolerance, near, settled, reversed, head, last, hasRows, hasLater } =
    scan;
  const hasEnded = (operation: Operation, at: Instant): boolean => {
    if (at < end) return true;
    const { reference } = operation;
    // It can have succeeded only while it was alive, and its lifetime was over by then.
    if (isUnclear(operation) && livesUntil(operation) < end) return true;
    const isNear = at < end + tolerance || isUnclear(operation);
    return isNear && (settled.has(reference) || reversed.has(reference));
  };
  // No row says when an operation was submitted. One created around the end may have been CREATED
  // still, and then it need not hold anything.
  const openThen = (operation: Operation): Operation =>
    operation.createdAt >= end - tolerance
      ? { ...asOpen(operation), status: 'CREATED' }
      : asOpen(operation);
  const operationAt = (served: Operation, named = false): Operation | null => {
    const operation = asEnded(served, ended);
    const { reference, status, createdAt, updatedAt } = operation;
    if (createdAt >= end) return named ? openThen(operation) : null;
    if (!isFinal(status)) return updatedAt < end ? operation : openThen(operation);
    if (
      status === 'REVERSED' &&
      updatedAt >= end &&
      !(updatedAt < end + tolerance && reversed.has(reference))
    ) {
      if (!hasEnded(operation, endOf(operation))) return openThen(operation);
      // Its `completedAt` may be the instant of the reversal. Then its settling line says when it
      // had succeeded, or else the end of its lifetime does.
      const isDated = endOf(operation) < end && !isUnclear(operation);
      const byLine = Math.max(
        createdAt,
        Math.min(settled.get(reference) ?? end - 1, livesUntil(operation)),
      );
      const endedAt = isDated ? endOf(operation) : Math.min(endOf(operation), byLine);
      return { ...operation, status: 'SUCCEEDED', updatedAt: endedAt, completedAt: endedAt };
    }
    if (!hasEnded(operation, endOf(operation))) return openThen(operation);
    // An update after the end that left the state as it was is behind the cut, and must not show.
    const touchedAt = Math.max(createdAt, endOf(operation));
    return updatedAt >= end && status !== 'REVERSED'
      ? { ...operation, updatedAt: touchedAt }
      : operation;
  };
  const isOnItsWay = (line: CutLine): boolean => {
    const at = statedAt(line, dating);
    if (at < end) return false;
    if (isOfClosed(line, { end, dating })) return true;
    const operation =
      line.operationReference === null ? undefined : near.get(line.operationReference);
    if (operation === undefined) return false;
    const then = operationAt(operation);
    const asked = then === null ? null : askedAt(then, line.kind);
    return asked !== null && asked < end + tolerance && at - asked <= LAWFUL_DELAY;
  };
  return {
    end,
    dating,
    ended,
    head,
    last,
    hasRows,
    hasLater,
    operationAt,
    isOnItsWay,
    isBehind: (line) => statedAt(line, dating) >= end && !isOnItsWay(line),
  };
}

/**
 * True for a line of an operation that is dated before the end and was served after its month was
 * closed. Its date still shows the state of the operation at the cut, but the closed month does not
 * state the line.
 */
function isOfClosed(line: CutLine, { end, dating }: CutAt): boolean {
  if (
    dating.closed.length === 0 ||
    line.operationReference === null ||
    !/^(CASH|REVERSAL_)/.test(line.kind)
  )
    return false;
  return possibleAt(line, dating) < end && statedAt(line, dating) >= end;
}

/**
 * True where only a line can say when the operation settled: its `completedAt` is missing, or may
 * be the instant of the reversal.
 */
export function isUnclear({
  status,
  completedAt,
  updatedAt,
}: Pick<Operation, 'status' | 'completedAt' | 'updatedAt'>): boolean {
  return (
    hasSettled(status) &&
    (completedAt === null || (status === 'REVERSED' && completedAt === updatedAt))
  );
}
