// The rolling 24-hour ceiling on cash-outs. The document does not show which instant and which
// operations count. So a day is over the ceiling only if it is over by the most lenient
// interpretation: cash-outs that succeeded, by amount without fees, by creation and by completion
// alike.

import type { Amount } from '../../../domain/amount.ts';
import type { FindingDraft } from '../../../domain/finding.ts';
import { DAY, type Instant } from '../../../domain/instant.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { Operation } from '../../../domain/operation.ts';
import { operationDraft } from '../port/check.ts';

export type PaidOut = Pick<Operation, 'reference' | 'amount' | 'createdAt'> & {
  readonly completedAt: Instant;
};

/**
 * Returns the ceiling to judge by: the highest of the known versions; 0 (no ceiling) when one of
 * them has none.
 */
export function ceilingOf(profiles: readonly Merchant[]): Amount {
  let highest = 0;
  for (const { limits } of profiles) {
    if (limits.dailyCashoutLimit === 0) return 0;
    highest = Math.max(highest, limits.dailyCashoutLimit);
  }
  return highest;
}

/**
 * Returns what the operation paid out; `null` unless it is a cash-out that succeeded and says when.
 */
export function paidOutBy(operation: Operation): PaidOut | null {
  if (
    operation.type !== 'CASHOUT' ||
    operation.status !== 'SUCCEEDED' ||
    operation.completedAt === null
  )
    return null;
  const { reference, amount, createdAt, completedAt } = operation;
  return { reference, amount, createdAt, completedAt };
}

/**
 * The ceiling may be crossed by creation and by completion this far apart (milliseconds), and it is
 * still one crossing.
 */
export const SAME_CROSSING = 2 * DAY;

/**
 * Drafts one finding for each time the ceiling is crossed after `from`, by creation and by
 * completion alike.
 */
export function judgeDailyLimit(
  paid: readonly PaidOut[],
  profiles: readonly Merchant[],
  from: Instant,
): readonly FindingDraft[] {
  const ceiling = ceilingOf(profiles);
  if (ceiling === 0) return [];
  const byCreation = crossings(paid, ceiling, (one) => one.createdAt).filter(({ at }) => at > from);
  if (byCreation.length === 0) return [];
  const byCompletion = crossings(paid, ceiling, (one) => one.completedAt);
  return byCreation
    .filter((crossing) =>
      byCompletion.some((other) => Math.abs(other.at - crossing.at) <= SAME_CROSSING),
    )
    .map(({ reference, sum, at }) => {
      const parts = {
        expected: ceiling,
        actual: sum,
        newestEvidence: at,
        about: { amount: null, createdAt: at },
      };
      return operationDraft('DAILY_CASHOUT_LIMIT_EXCEEDED', { reference, sum, ceiling }, parts);
    });
}

/**
 * Whether the ceiling is crossed by creation at all, up to `until`. If it is not, removing a
 * cash-out changes nothing.
 */
export function isCrossed(
  paid: readonly PaidOut[],
  profiles: readonly Merchant[],
  until: Instant,
): boolean {
  return crossings(paid, ceilingOf(profiles), (one) => one.createdAt).some(({ at }) => at <= until);
}

interface Crossing {
  readonly reference: string;
  readonly sum: number;
  readonly at: Instant;
}

/**
 * Returns the crossings of the ceiling, by time. Each depends only on the two days before it: after
 * 24 hours without a cash-out the ceiling may be crossed anew.
 */
function crossings(
  paid: readonly PaidOut[],
  ceiling: Amount,
  instantOf: (one: PaidOut) => Instant,
): Crossing[] {
  const inTime = [...paid].sort(
    (a, b) => instantOf(a) - instantOf(b) || (a.reference < b.reference ? -1 : 1),
  );
  const found: Crossing[] = [];
  let oldest = 0;
  let sum = 0;
  let over = false;
  for (const one of inTime) {
    const at = instantOf(one);
    while (instantOf(inTime[oldest]!) <= at - DAY) sum -= inTime[oldest++]!.amount;
    over = over && inTime[oldest] !== one;
    sum += one.amount;
    if (sum > ceiling && !over) found.push({ reference: one.reference, sum, at });
    over = sum > ceiling;
  }
  return found;
}
