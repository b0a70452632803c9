// Payouts of what was collected by link: one request every Monday at 09:00 UTC, refused when it would pass the monthly
// ceiling. They exist only as the limits and counters that the API shows; the document shows no record of one.

import { DAY, HOUR, type Instant } from '../../domain/instant.ts';
import { monthInUtc } from '../../domain/service-report.ts';
import type { MerchantPlan } from '../plan.ts';
import { writeInstant } from '../simulation/instant-text.ts';
import { linkPayments, servedAt } from './payments.ts';
import type { ServedDisbursementCounters, ServedPayoutLimits } from './served-dashboard.ts';

/** "2 000 000 FCFA once the compliance file is approved": the simulated merchants' files all are. */
const PAYOUT_CEILING = 2_000_000;

const WEEK = 7 * DAY;
/** The first Monday of the epoch, 09:00. */
const MONDAY = 4 * DAY + 9 * HOUR;
/** A request waits so long for its outcome. */
const SETTLED_AFTER = 6 * HOUR;

/** The ceiling of the running month, what was requested of it, and what is left. */
export function payoutLimitsAt(plan: MerchantPlan, run: { readonly seed: string; readonly now: Instant }) {
  const { from } = monthInUtc(writeInstant(run.now).slice(0, 7));
  const used = payouts(plan, run)
    .filter(({ at, isRefused }) => at >= from && !isRefused)
    .reduce((sum, { amount }) => sum + amount, 0);
  return { plafond: PAYOUT_CEILING, consomme: used, restant: PAYOUT_CEILING - used } satisfies ServedPayoutLimits;
}

export function disbursementCountersAt(
  plan: MerchantPlan,
  run: { readonly seed: string; readonly now: Instant },
): ServedDisbursementCounters {
  const all = payouts(plan, run);
  const isPending = (at: Instant): boolean => at + SETTLED_AFTER > run.now;
  return {
    requestSuccess: all.filter(({ at, isRefused }) => !isRefused && !isPending(at)).length,
    requestPending: all.filter(({ at, isRefused }) => !isRefused && isPending(at)).length,
    requestFailed: all.filter(({ isRefused }) => isRefused).length,
  };
}

/** Each Monday the collections of the week before, in ascending time. */
function payouts(plan: MerchantPlan, run: { readonly seed: string; readonly now: Instant }) {
  const payments = linkPayments(plan, run);
  const requests: { readonly at: Instant; readonly amount: number; readonly isRefused: boolean }[] = [];
  const usedIn = new Map<string, number>();
  for (let at = MONDAY + Math.ceil((plan.opensAt - MONDAY) / WEEK) * WEEK; at <= run.now; at += WEEK) {
    const collected = payments.filter(
      (payment) =>
        payment.createdAt >= at - WEEK && payment.createdAt < at && servedAt(payment, at).status === 'SUCCESS',
    );
    const amount = collected.reduce((sum, { served }) => sum + served.amount, 0);
    if (amount === 0) continue;
    const month = writeInstant(at).slice(0, 7);
    const used = usedIn.get(month) ?? 0;
    const isRefused = used + amount > PAYOUT_CEILING;
    if (!isRefused) usedIn.set(month, used + amount);
    requests.push({ at, amount, isRefused });
  }
  return requests;
}
