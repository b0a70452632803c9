// Faults in payouts and in what is published of them (limits, counters, the list, the balance), in payments by link, and in their
// statistics. Notifications that were sent stay as they were.

import { DAY, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import { LINK_LIFETIME } from '../../../core/domain/payment.ts';
import { CEILING_ONCE_APPROVED } from '../../../core/domain/published/payout.ts';
import { answerOf, makeWrong } from '../../dashboard/answers.ts';
import { endLink } from '../../dashboard/life.ts';
import {
  balanceOf,
  type DashboardLife,
  type LinkOutcome,
  type LinkPayment,
  payoutLimits,
  primaryOf,
} from '../../dashboard/state.ts';
import { drawInteger, drawLetters, drawUuid, type Random } from '../../model/random.ts';
import { writeInstant } from '../../model/time.ts';
import { pick } from '../port/find-cases.ts';
import { type DashboardFault, replacePayment } from '../port/planting.ts';

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

export const PAYMENT_FAULTS: readonly DashboardFault[] = [
  {
    name: 'PAYMENT_OVERDUE',
    says: 'a link that nobody paid never ends',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const expired = oldPayments(life, 'FAILED').filter(
        ({ createdAt, settledAt }) =>
          settledAt === createdAt + LINK_LIFETIME && settledAt < (life.toldSince ?? life.now),
      );
      const payment = pick(random, expired);
      if (payment === null) return null;
      payment.settledAt = Number.POSITIVE_INFINITY;
      return payment.served.reference;
    },
  },
  {
    name: 'PAYMENT_OUTCOME_CHANGED',
    says: 'a payment that had succeeded has failed now',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) => alterPayment(life, random, (payment) => [{ ...payment, outcome: 'FAILED' }]),
  },
  {
    name: 'PAYMENT_OUTCOME_CHANGED/vanished',
    says: 'a payment that had succeeded is served no more',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) => alterPayment(life, random, () => []),
  },
  {
    name: 'PAYMENT_FIELD_CHANGED',
    says: 'the amount of a payment that had succeeded is another now',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) => {
      const more = drawInteger(random, { from: 1, to: 99 });
      return alterPayment(life, random, ({ served, ...payment }) => [
        { ...payment, served: { ...served, amount: served.amount + more } },
      ]);
    },
  },
  {
    name: 'PAYMENT_FIELD_CHANGED/order',
    says: 'a payment that had succeeded belongs to another order now',
    shows: 'AFTER_A_LOOK',
    plantIn: (life, random) =>
      alterPayment(life, random, ({ served, ...payment }) => [
        { ...payment, served: { ...served, order_id: `${served.order_id}-B` } },
      ]),
  },
  {
    name: 'ORDER_PAID_TWICE',
    says: 'a customer pays one order by two links',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const like = pick(random, oldPayments(life, 'SUCCESS'));
      if (like === null) return null;
      const order_id = `${like.served.order_id}-A`;
      const paid = [life.now - 5 * MINUTE, life.now].map((createdAt): LinkPayment => {
        const [id, reference] = [drawUuid(random), `PAY${drawLetters(random, 8)}`];
        const served = { ...like.served, id, reference, order_id, createdAt: writeInstant(createdAt) };
        return { ...like, createdAt, settledAt: life.now, served };
      });
      life.payments.push(...paid);
      life.payments.sort((one, other) => one.createdAt - other.createdAt);
      for (const payment of paid) endLink(life, payment);
      return paid[0]!.served.reference;
    },
  },
  {
    name: 'PAYMENT_EVENT_MISSING',
    says: 'the next success of a payment is notified to nobody',
    shows: 'WHEN_NOTIFIED',
  },
  {
    name: 'PAYMENT_EVENT_CONTRADICTS',
    says: 'the next success of a payment is notified as a failure',
    shows: 'WHEN_NOTIFIED',
  },
  {
    name: 'PAYMENT_EVENT_CONTRADICTS/amount',
    says: 'the next success of a payment is notified with another amount',
    shows: 'WHEN_NOTIFIED',
  },
  {
    name: 'PAYMENT_EVENT_UNKNOWN',
    says: 'beside the next success of a payment that of another is notified, which never was',
    shows: 'WHEN_NOTIFIED',
  },
];

/** Made some days ago, but not so long that nobody looks at them any more, and ended. */
function oldPayments({ payments, now }: DashboardLife, wanted: LinkOutcome): readonly LinkPayment[] {
  return payments.filter(
    ({ createdAt, settledAt, outcome }) =>
      outcome === wanted && settledAt <= now && createdAt < now - 2 * DAY && createdAt > now - 50 * DAY,
  );
}

/** Of a payment that succeeded, and that was not all paid out. */
function alterPayment(
  life: DashboardLife,
  random: Random,
  alter: (payment: LinkPayment) => readonly LinkPayment[],
): string | null {
  const funds = balanceOf(life);
  const payment = pick(
    random,
    oldPayments(life, 'SUCCESS').filter(({ served }) => 100 * served.amount <= funds),
  );
  if (payment === null) return null;
  replacePayment(life, payment, alter(payment));
  return payment.served.reference;
}

/** More than all payments that may have been paid meanwhile. */
const MANY = 1_000;

export const COUNT_FAULTS: readonly DashboardFault[] = [
  {
    name: 'PAYMENT_COUNT_MISMATCH',
    says: 'the statistics count far more payments than there are',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const isMade = makeWrong(life, 'merchants-transactions-count', ({ total, success, ...answer }) => ({
        total: total + MANY,
        success: success + MANY,
        ...answer,
      }));
      return isMade ? 'statistics of all' : null;
    },
  },
  {
    name: 'PAYMENT_COUNT_MISMATCH/month',
    says: 'the statistics of a month count far more payments than there are',
    shows: 'AT_ONCE',
    plantIn: (life) => {
      const [wrong] = answerOf(life, 'merchants-monthly-transactions-count').slice(-1);
      if (wrong === undefined) return null;
      const { month } = wrong;
      const isMade = makeWrong(life, 'merchants-monthly-transactions-count', (months) =>
        months.map((one) =>
          one.month === month ? { ...one, total: one.total + MANY, success: one.success + MANY } : one,
        ),
      );
      return isMade ? `statistics of ${month}` : null;
    },
  },
  {
    name: 'PAYMENT_COUNT_MISMATCH/day',
    says: 'the statistics of a day state one unit less than was paid',
    shows: 'AT_ONCE',
    plantIn: (life, random) => {
      const wrong = pick(random, settledDays(life));
      if (wrong === null) return null;
      const isMade = makeWrong(life, 'merchants-transactions-flow', (days) =>
        days.map((one) => (one.date === wrong ? { ...one, amount: one.amount - 1 } : one)),
      );
      return isMade ? `statistics of ${wrong}` : null;
    },
  },
];

/** Days that have payments, all of which ended some time ago. */
function settledDays({ payments, now }: DashboardLife): readonly string[] {
  const until = writeInstant(now - 3 * DAY).slice(0, 10);
  const paid = payments.filter(({ outcome }) => outcome === 'SUCCESS');
  return [...new Set(paid.map(({ served }) => served.createdAt.slice(0, 10)))].filter((day) => day < until);
}
