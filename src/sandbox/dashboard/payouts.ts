// Payouts of what was collected by link: requested by the merchant or by the settings, PENDING for some hours, then SUCCESS or
// FAILED. What passes the monthly ceiling fails at once. Balance, limits and counters follow from the list.

import type { Amount } from '../../core/domain/amount.ts';
import { HOUR, type Instant } from '../../core/domain/instant.ts';
import { CEILING_BY_DEFAULT, CEILING_ONCE_APPROVED } from '../../core/domain/published/payout.ts';
import { addEvent, dropEvents } from '../event-queue.ts';
import { chance, drawInteger, seedRandom, uuidOf } from '../random.ts';
import { writeInstant } from '../simulation/instant-text.ts';
import type { PayoutAccount } from './payout-accounts.ts';
import type { ServedDisbursementCounters, ServedPayout, ServedPayoutLimits } from './served-dashboard.ts';
import type { DashboardLife } from './state.ts';
import { payoutFees } from './terms.ts';

const CEILING_PASSED = 'Le plafond mensuel est dépassé.';
const REFUSED_THERE = 'Le compte bénéficiaire a refusé le virement.';

/** What was collected less fees, less payouts that succeeded or are pending with theirs; hundredths of a unit. */
export function balanceOf({ collected, payouts }: DashboardLife): number {
  return payouts
    .filter(({ status }) => status !== 'FAILED')
    .reduce((sum, { amount, fees }) => sum - 100 * (amount + fees), collected);
}

/** The ceiling of the running month (UTC), what was requested of it and has not failed, and what is left. */
export function payoutLimits({ compliance, payouts, now }: DashboardLife): ServedPayoutLimits {
  const plafond = compliance?.status === 'APPROVED' ? CEILING_ONCE_APPROVED : CEILING_BY_DEFAULT;
  const month = writeInstant(now).slice(0, 7);
  const consomme = payouts
    .filter(({ status, createdAt }) => status !== 'FAILED' && createdAt.startsWith(month))
    .reduce((sum, { amount }) => sum + amount, 0);
  return { plafond, consomme, restant: plafond - consomme };
}

/** Of all time. */
export function disbursementCounters({ payouts }: DashboardLife): ServedDisbursementCounters {
  const count = (wanted: ServedPayout['status']): number => payouts.filter(({ status }) => status === wanted).length;
  return { requestSuccess: count('SUCCESS'), requestPending: count('PENDING'), requestFailed: count('FAILED') };
}

/** The balance must allow it: that is left to the caller. `isDrawn` false: it stays PENDING until somebody decides. */
export function requestPayout(
  life: DashboardLife,
  wish: { readonly amount: Amount; readonly account: PayoutAccount; readonly mode: ServedPayout['mode'] },
  isDrawn = true,
): ServedPayout {
  const { amount, account, mode } = wish;
  const number = life.payouts.length + 1;
  const about = `${life.seed}/${life.plan.reference}/payout ${number}`;
  const isRefused = amount > payoutLimits(life).restant;
  const now = writeInstant(life.now);
  const payout: DashboardLife['payouts'][number] = {
    id: uuidOf(about),
    reference: `DEC-${String(number).padStart(6, '0')}`,
    amount,
    fees: payoutFees(amount, account.type),
    status: isRefused ? 'FAILED' : 'PENDING',
    mode,
    payoutAccountId: account.id,
    accountType: account.type,
    createdAt: now,
    completedAt: isRefused ? now : null,
    failureReason: isRefused ? CEILING_PASSED : null,
  };
  life.payouts.push(payout);
  if (isRefused || !isDrawn) return payout;
  const random = seedRandom(about);
  const at: Instant = life.now + drawInteger(random, { from: HOUR, to: 12 * HOUR });
  const failureReason = chance(random, 0.06) ? REFUSED_THERE : null;
  addEvent(life.queue, { at, event: { what: 'PAYOUT_ENDED', payout, failureReason } });
  return payout;
}

/** At the present instant; null: it succeeds. */
export function endPayout(
  life: DashboardLife,
  payout: DashboardLife['payouts'][number],
  failureReason: string | null,
): void {
  dropEvents(life.queue, (event) => event.what === 'PAYOUT_ENDED' && event.payout === payout);
  payout.status = failureReason === null ? 'SUCCESS' : 'FAILED';
  payout.completedAt = writeInstant(life.now);
  payout.failureReason = failureReason;
}
