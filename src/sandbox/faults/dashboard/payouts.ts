// Faults in payouts, and in what is said of them: limits, counters, the list, the balance.

import { HOUR } from '../../../core/domain/instant.ts';
import { CEILING_ONCE_APPROVED } from '../../../core/domain/published/payout.ts';
import { makeWrong } from '../../dashboard/answers.ts';
import { primaryOf } from '../../dashboard/payout-accounts.ts';
import { balanceOf, payoutLimits } from '../../dashboard/payouts.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import { drawInteger, type Random } from '../../random.ts';
import { pick } from '../find-cases.ts';
import type { DashboardFault } from './dashboard-fault.ts';

const LIMITS = 'payout limits';
const COUNTERS = 'payout counters';
/** For less than this a service may wait. */
const WORTH_PAYING = 2_000;
/** No ceiling that the document names. */
const NO_CEILING = 3_000_000;

export const PAYOUT_FAULTS: readonly DashboardFault[] = [
  {
    name: 'PAYOUT_LIMITS_INCONSISTENT',
    says: 'less is said to remain of the monthly ceiling than is not used of it',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const less = drawInteger(random, { from: 1, to: 99 });
      const isMade = makeWrong(life, 'compliance', ({ limits, ...answer }) => ({
        ...answer,
        limits: { ...limits, restant: limits.restant - less },
      }));
      return isMade ? LIMITS : null;
    },
  },
  {
    name: 'PAYOUT_LIMITS_INCONSISTENT/used',
    says: 'more of the monthly ceiling is said to be used than the listed payouts come to',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const more = drawInteger(random, { from: 1, to: 99 });
      const isMade = makeWrong(life, 'compliance', ({ limits, ...answer }) => {
        const { plafond, consomme, restant } = limits;
        const isRoom = restant >= more;
        return { ...answer, limits: isRoom ? { plafond, consomme: consomme + more, restant: restant - more } : limits };
      });
      return isMade ? LIMITS : null;
    },
  },
  {
    name: 'PAYOUT_CEILING_UNEXPECTED',
    says: 'the monthly ceiling is that of another state of the compliance file',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const isMade = makeWrong(life, 'compliance', ({ compliance, limits, ...answer }) => {
        if (compliance?.status === 'APPROVED') {
          const rejected = { ...compliance, status: 'REJECTED', rejectionReason: 'Document illisible' } as const;
          return { ...answer, compliance: rejected, limits };
        }
        return { ...answer, compliance, limits: withCeiling(limits, CEILING_ONCE_APPROVED) };
      });
      return isMade ? LIMITS : null;
    },
  },
  {
    name: 'PAYOUT_CEILING_UNEXPECTED/other',
    says: 'the monthly ceiling is none that the document names',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const isMade = makeWrong(life, 'compliance', ({ limits, ...answer }) => ({
        ...answer,
        limits: withCeiling(limits, NO_CEILING),
      }));
      return isMade ? LIMITS : null;
    },
  },
  {
    name: 'PAYOUT_UNRECORDED',
    says: 'a payout is left out of the list',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const gone = pick(random, endedPayouts(life));
      const listed = life.payouts.length - 1;
      // A list of a round number may be cut short.
      if (gone === null || (listed >= 10 && listed % 5 === 0)) return null;
      const isMade = makeWrong(life, 'list-disbursements', (payouts) => payouts.filter(({ id }) => id !== gone.id));
      return isMade ? COUNTERS : null;
    },
  },
  {
    name: 'PAYOUT_COUNTERS_MISMATCH',
    says: 'a payout that succeeded is counted as one that failed',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      if (endedPayouts(life).length === 0) return null;
      const isMade = makeWrong(life, 'refunds-stats', ({ requestSuccess, requestFailed, ...answer }) => ({
        requestSuccess: requestSuccess - 1,
        ...answer,
        requestFailed: requestFailed + 1,
      }));
      return isMade ? COUNTERS : null;
    },
  },
  {
    name: 'PAYOUT_OUTCOME_CHANGED',
    says: 'a payout that had succeeded has failed now',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) =>
      alterPayout(life, random, { status: 'FAILED', failureReason: 'Le virement est revenu.' }),
  },
  {
    name: 'PAYOUT_OUTCOME_CHANGED/amount',
    says: 'a payout that had succeeded is of a smaller amount now',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) => {
      const payout = pick(random, endedPayouts(life));
      if (payout === null) return null;
      payout.amount -= drawInteger(random, { from: 1, to: 99 });
      return payout.id;
    },
  },
  {
    name: 'SETTLEMENT_MISSED',
    says: 'payouts that should happen by themselves happen no more',
    shows: 'BETWEEN_LOOKS',
    plantIn: (life) => {
      const isDue = life.settlement.mode !== 'MANUAL' && primaryOf(life) !== null && life.settles;
      const balance = balanceOf(life) / 100;
      // Neither too little nor, for some days to come, too much for the ceiling: both would excuse it.
      if (!isDue || balance < WORTH_PAYING || payoutLimits(life).restant < 10 * balance) return null;
      life.settles = false;
      return 'settlement';
    },
  },
  {
    name: 'LINK_BALANCE_MISMATCH',
    says: 'the balance is one more than all that was collected, less what was paid out',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const isMade = makeWrong(life, 'get-balance', () => ({ balance: `${mostOf(life) + 1}.00` }));
      return isMade ? 'balance by link' : null;
    },
  },
];

/** Some hours ago, with success. */
function endedPayouts({ payouts, now }: DashboardLife) {
  return payouts.filter(
    ({ status, completedAt }) =>
      status === 'SUCCESS' && completedAt !== null && Date.parse(completedAt) < now - 2 * HOUR,
  );
}

function alterPayout(
  life: DashboardLife,
  random: Random,
  change: Partial<DashboardLife['payouts'][number]>,
): string | null {
  const payout = pick(random, endedPayouts(life));
  if (payout === null) return null;
  Object.assign(payout, change);
  return payout.id;
}

function withCeiling({ consomme }: { readonly consomme: number }, plafond: number) {
  return { plafond, consomme, restant: plafond - consomme };
}

/** Without any fees, and without payouts that are not through: no reading of the balance allows more. */
function mostOf({ payments, payouts, now }: DashboardLife): number {
  const collected = payments
    .filter(({ outcome, settledAt }) => outcome === 'SUCCESS' && settledAt <= now)
    .reduce((sum, { served }) => sum + served.amount, 0);
  return payouts.filter(({ status }) => status === 'SUCCESS').reduce((sum, { amount }) => sum - amount, collected);
}
