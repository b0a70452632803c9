// The books as they stood at a cut: the end of a month, of a year, of a day, or any past instant.
// Says which lines had been posted by then and what each operation was, so that they are judged as
// they were. No finding is dated: what is found at a cut lies before it.
//
// An operation is what it was when the end came: by `completedAt`, of a REVERSED one by
// `updatedAt`; by the earliest that it was served with in its state. A line is there when it is
// stated before the end, or when it is on its way: its operation had ended, and it came within the
// lawful delay. The recorded figures follow the sequence: they are those of the last line that is
// stated before the end.

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
  /** The first instant behind the cut. */
  readonly end: Instant;
  /** What puts lines into another month than that of their date. */
  readonly dating: Dating;
  /**
   * By reference, operations that were served in their state with an earlier end than now, and that
   * end. Absent: none is known.
   */
  readonly ended?: EndedBefore | undefined;
}

export type EndedBefore = ReadonlyMap<
  string,
  Pick<Operation, 'status' | 'completedAt' | 'updatedAt'>
>;

/** A service that touches an operation later moves it into no other month. */
function asEnded(operation: Operation, ended: EndedBefore | undefined): Operation {
  const known = ended?.get(operation.reference);
  return known === undefined || known.status !== operation.status
    ? operation
    : { ...operation, ...known };
}

export interface Cut extends CutAt {
  /** Sequence of the last line that is stated before the end; null: none is. */
  readonly head: number | null;
  /** Sequence of the last line that may be on its way; at least `head`. */
  readonly last: number | null;
  /** The books have rows, before the cut or behind it; and lines that are stated behind it. */
  readonly hasRows: boolean;
  readonly hasLater: boolean;
  /** True for a line that had not been posted by then, and is not on its way. */
  isBehind(line: CutLine): boolean;
  /** True for a line behind the head that counts all the same: it was on its way. */
  isOnItsWay(line: CutLine): boolean;
  /**
   * The operation as it was; null: it was created later. `named`: a line before the end names it,
   * whatever its clock says.
   */
  operationAt(operation: Operation, named?: boolean): Operation | null;
}

export type CutLine = Pick<LedgerEntry, 'sequence' | 'createdAt' | 'kind' | 'operationReference'>;

/**
 * Gathers what a cut must know of the books: call `scanOperation` for all operations, then
 * `scanLine` for all lines, in their order.
 */
export interface CutScan extends CutAt {
  /** How far the clocks of a line and of its operation may disagree, in milliseconds. */
  readonly tolerance: number;
  /** Operations that may have lines on their way over the end, by reference. */
  readonly near: Map<string, Operation>;
  /**
   * Operations of which a line before the end says what their own instants do not: whether they had
   * settled, or were reversed.
   */
  readonly undecided: Set<string>;
  /**
   * When the first line that settles it is stated: any of them shows it, for the clocks of two
   * lines disagree as well.
   */
  readonly settled: Map<string, Instant>;
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

/** `copy` gives an operation that may be kept, where the one given is good for the call alone. */
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
    // It succeeds while it lives, or not at all.
    if (isUnclear(operation) && livesUntil(operation) < end) return true;
    const isNear = at < end + tolerance || isUnclear(operation);
    return isNear && (settled.has(reference) || reversed.has(reference));
  };
  // No later row says when it was submitted: until then it is CREATED, and holds nothing.
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
      // Its own instant may be that of the reversal: then a line says when it had succeeded, or how
      // long it lived.
      const isDated = endOf(operation) < end && !isUnclear(operation);
      const byLine = Math.max(
        createdAt,
        Math.min(settled.get(reference) ?? end - 1, livesUntil(operation)),
      );
      const endedAt = isDated ? endOf(operation) : Math.min(endOf(operation), byLine);
      return { ...operation, status: 'SUCCEEDED', updatedAt: endedAt, completedAt: endedAt };
    }
    if (!hasEnded(operation, endOf(operation))) return openThen(operation);
    // What touched it since, and left it in its state, is behind the cut.
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
 * An operation's own line that came too late for a closed month: its date decides what the
 * operation was, and not what the month recorded.
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
 * `completedAt` is missing, or may be that of the reversal: only a line says when it had settled.
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
