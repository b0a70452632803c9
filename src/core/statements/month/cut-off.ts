// Follows the recorded figures to the cut-off. The sequence is the order and the date decides the
// month, so the two may disagree: lines dated after the cut-off that come before the last line
// dated before it are taken off again.

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
  /** Since the last line dated before the cut-off: counts only if another one follows. */
  pendingCrossing: Amount;
  readonly pendingDrifts: Drifts;
}

export interface CutOff {
  headSequence: number | null;
  readonly balance: CutOffSide;
  readonly reserved: CutOffSide;
}

const DRIFTS_KEPT = 500;

/** After lines that all lie before the cut-off. */
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

/** Takes every line of the ledger, by sequence. `isBefore`: it is dated before the cut-off. */
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
 * Lines on the wrong side of one bound of the month; which side is wrong is the side with fewer
 * lines.
 */
export interface CrossingFinder {
  readonly bound: 'start' | 'end';
  readonly at: Instant;
  /** Dated from the bound on, but before a line dated before it. */
  readonly early: Crossings;
  readonly pending: Crossings;
  /** Dated before the bound, but after a line dated from it on. */
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

/** Takes every line of the ledger, by sequence. */
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
