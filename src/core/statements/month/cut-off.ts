// Follows the recorded figures to the cut-off. Lines are ordered by sequence and belong to a month
// by their date, and the two may disagree. So lines that are dated after the cut-off and come
// before the last line dated before it are taken off again.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import { plus } from '../exact.ts';
import type { VisitedLine } from '../line-replay.ts';
import { beginDrifts, copyDrifts, type Drift, type Drifts, type Opening } from '../opening.ts';
import type { CrossingLine } from '../section-reconciliation.ts';

export interface CutOffSide {
  recorded: Amount;
  crossing: Amount;
  readonly drifts: Drifts;
  /**
   * Effects of lines since the last line dated before the cut-off. They count only if another such
   * line follows.
   */
  pendingCrossing: Amount;
  /** Drifts of the same lines, which count in the same case. */
  readonly pendingDrifts: Drifts;
}

export interface CutOff {
  headSequence: number | null;
  readonly balance: CutOffSide;
  readonly reserved: CutOffSide;
}

const DRIFTS_KEPT = 500;

/** Begins after the lines of an opening, which all lie before the cut-off. */
export function beginCutOff({
  last,
  before,
  drifts,
}: Pick<Opening, 'last' | 'before' | 'drifts'>): CutOff {
  return {
    headSequence: last?.sequence ?? null,
    balance: beginSide((last ?? before).balance, drifts.balance),
    reserved: beginSide((last ?? before).reserved, drifts.reserved),
  };
}

function beginSide(recorded: Amount, drifts: Drifts): CutOffSide {
  return {
    recorded,
    crossing: 0,
    drifts: copyDrifts(drifts),
    pendingCrossing: 0,
    pendingDrifts: beginDrifts(),
  };
}

/**
 * Must be called with every line of the ledger, by sequence. `isBefore` is true when the line is
 * dated before the cut-off.
 */
export function followLine(cutOff: CutOff, line: VisitedLine, isBefore: boolean): void {
  const { entry, effect, move, odd } = line;
  const place = { sequence: entry.sequence, at: entry.createdAt, isFirst: odd?.before === null };
  if (odd !== null && odd.balanceDrift !== 0n)
    addDrift(cutOff.balance, { ...place, drift: odd.balanceDrift });
  if (odd !== null && odd.reservedDrift !== 0n)
    addDrift(cutOff.reserved, { ...place, drift: odd.reservedDrift });
  if (isBefore) {
    cutOff.headSequence = entry.sequence;
    settleSide(cutOff.balance, entry.balanceAfter);
    settleSide(cutOff.reserved, entry.reservedAfter);
  } else {
    cutOff.balance.pendingCrossing = plus(cutOff.balance.pendingCrossing, effect);
    cutOff.reserved.pendingCrossing = plus(cutOff.reserved.pendingCrossing, move);
  }
}

function addDrift(
  side: CutOffSide,
  { sequence, at, isFirst, drift }: Omit<Drift, 'amount'> & { readonly drift: bigint },
): void {
  const amount = plus(Number(drift), 0);
  const drifts = side.pendingDrifts;
  drifts.count += 1;
  drifts.amount = plus(drifts.amount, amount);
  if (drifts.rows.length < DRIFTS_KEPT) drifts.rows.push({ sequence, at, isFirst, amount });
}

function settleSide(side: CutOffSide, recorded: Amount): void {
  side.recorded = recorded;
  if (side.pendingCrossing !== 0) {
    side.crossing = plus(side.crossing, side.pendingCrossing);
    side.pendingCrossing = 0;
  }
  const { drifts, pendingDrifts } = side;
  if (pendingDrifts.count === 0) return;
  drifts.count += pendingDrifts.count;
  drifts.amount = plus(drifts.amount, pendingDrifts.amount);
  for (const drift of pendingDrifts.rows)
    if (drifts.rows.length < DRIFTS_KEPT) drifts.rows.push(drift);
  Object.assign(pendingDrifts, beginDrifts());
}

/**
 * Finds lines on the wrong side of one bound of the month. The side with fewer such lines is taken
 * to be the wrong one.
 */
export interface CrossingFinder {
  readonly bound: 'start' | 'end';
  readonly at: Instant;
  /** Lines dated at or after the bound that come before a line dated before it. */
  readonly early: Crossings;
  /**
   * Lines dated at or after the bound. They join `early` when a line dated before the bound
   * follows.
   */
  readonly pending: Crossings;
  /** Lines dated before the bound that come after a line dated at or after it. */
  readonly late: Crossings;
}

interface Crossings {
  rows: CrossingLine[];
  count: number;
}

const CROSSINGS_KEPT = 1_000;

export function beginCrossings(bound: 'start' | 'end', at: Instant): CrossingFinder {
  const none = (): Crossings => ({ rows: [], count: 0 });
  return { bound, at, early: none(), pending: none(), late: none() };
}

/** Must be called with every line of the ledger, by sequence. */
export function findCrossing(
  { bound, at, early, pending, late }: CrossingFinder,
  line: VisitedLine,
): void {
  const datedBefore = line.entry.createdAt < at;
  if (!datedBefore) {
    addCrossing(pending, line, { bound, datedBefore });
    return;
  }
  if (early.count + pending.count === 0) return;
  addCrossing(late, line, { bound, datedBefore });
  early.count += pending.count;
  early.rows.push(...pending.rows.slice(0, CROSSINGS_KEPT - early.rows.length));
  pending.count = 0;
  pending.rows = [];
}

function addCrossing(
  crossings: Crossings,
  { entry, effect }: VisitedLine,
  side: Pick<CrossingLine, 'bound' | 'datedBefore'>,
): void {
  crossings.count += 1;
  if (crossings.rows.length >= CROSSINGS_KEPT) return;
  const { sequence, createdAt: at, kind, operationReference } = entry;
  crossings.rows.push({ sequence, at, kind, operationReference, balanceEffect: effect, ...side });
}

export function crossingsOf({ early, late }: CrossingFinder): Crossings {
  return early.count < late.count ? early : late;
}
