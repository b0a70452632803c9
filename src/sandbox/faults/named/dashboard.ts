// Faults in payments by link, in payouts and what is published about them (limits, counters, the
// list, the balance), and in statistics. Notifications that were sent stay as they were.

import { DAY, formatInstant, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import { LINK_LIFETIME } from '../../../core/domain/payment.ts';
import { CEILING_ONCE_APPROVED } from '../../../core/domain/published/payout.ts';
import { answerOf, makeWrong } from '../../dashboard/answers.ts';
import { endLink } from '../../dashboard/life.ts';
import {
  balanceOf,
  collectedBy,
  type DashboardLife,
  type LinkOutcome,
  type LinkPayment,
  payoutLimits,
  primaryOf,
} from '../../dashboard/state.ts';
import { drawLetters, drawUuid, type Random, seedRandom } from '../../model/random.ts';
import { drawFew, pick } from '../port/find-cases.ts';
import { type DashboardFault, wordsOf } from '../port/planting.ts';

const LIMITS = 'payout limits';
const COUNTERS = 'payout counters';
/** A balance below this may lawfully wait to be paid out. */
const WORTH_PAYING = 2_000;
/** A ceiling that the document does not have. */
const NO_CEILING = 3_000_000;
/** More than the payments that may have been paid between two requests. */
const MANY = 1_000;

export const LINK_AND_PAYOUT_FAULTS = defineDashboardFaults({
  PAYMENT_OVERDUE: (life, random) => {
    const expired = oldPayments(life, 'FAILED').filter(
      ({ createdAt, settledAt }) =>
        settledAt === createdAt + LINK_LIFETIME && settledAt < (life.notifiedSince ?? life.now),
    );
    const payment = pick(random, expired);
    if (payment === null) return null;
    payment.settledAt = Number.POSITIVE_INFINITY;
    return payment.served.reference;
  },
  PAYMENT_OUTCOME_CHANGED: afterALook(
    alterPayment((payment) => [{ ...payment, outcome: 'FAILED' }]),
  ),
  'PAYMENT_OUTCOME_CHANGED/vanished': afterALook(alterPayment(() => [])),
  PAYMENT_FIELD_CHANGED: afterALook((life, random) => {
    const more = drawFew(random);
    return alterPayment((payment) => [stated(payment, { amount: payment.served.amount + more })])(
      life,
      random,
    );
  }),
  'PAYMENT_FIELD_CHANGED/order': afterALook(
    alterPayment((payment) => [stated(payment, { order_id: `${payment.served.order_id}-B` })]),
  ),
  ORDER_PAID_TWICE: (life, random) => {
    const like = pick(random, oldPayments(life, 'SUCCESS'));
    if (like === null) return null;
    const order_id = `${like.served.order_id}-A`;
    const paid = [life.now - 5 * MINUTE, life.now].map((createdAt): LinkPayment => {
      const [id, reference] = [drawUuid(random), `PAY${drawLetters(random, 8)}`];
      const served = {
        ...like.served,
        id,
        reference,
        order_id,
        createdAt: formatInstant(createdAt),
      };
      return { ...like, createdAt, settledAt: life.now, served };
    });
    life.payments.push(...paid);
    life.payments.sort((one, other) => one.createdAt - other.createdAt);
    for (const payment of paid) endLink(life, payment);
    return paid[0]!.served.reference;
  },
  PAYMENT_EVENT_MISSING: whenNotified(() => []),
  PAYMENT_EVENT_CONTRADICTS: whenNotified((payment) => [{ ...payment, outcome: 'FAILED' }]),
  'PAYMENT_EVENT_CONTRADICTS/amount': whenNotified((payment) => [
    stated(payment, { amount: payment.served.amount + 1_000 }),
  ]),
  PAYMENT_EVENT_UNKNOWN: whenNotified((payment) => {
    const random = seedRandom(`another than ${payment.served.reference}`);
    return [payment, stated(payment, { reference: `PAY${drawLetters(random, 8)}` })];
  }),
  PAYOUT_LIMITS_INCONSISTENT: (life, random) => {
    const less = drawFew(random);
    return makeWrong(life, 'compliance', LIMITS, ({ limits, ...answer }) => ({
      ...answer,
      limits: { ...limits, restant: limits.restant - less },
    }));
  },
  'PAYOUT_LIMITS_INCONSISTENT/used': (life, random) => {
    const more = drawFew(random);
    return makeWrong(life, 'compliance', LIMITS, ({ limits, ...answer }) => {
      const { plafond, consomme, restant } = limits;
      const isRoom = restant >= more;
      return {
        ...answer,
        limits: isRoom ? { plafond, consomme: consomme + more, restant: restant - more } : limits,
      };
    });
  },
  PAYOUT_CEILING_UNEXPECTED: (life) =>
    makeWrong(life, 'compliance', LIMITS, ({ compliance, limits, ...answer }) => {
      if (compliance?.status === 'APPROVED') {
        const rejected = {
          ...compliance,
          status: 'REJECTED',
          rejectionReason: 'Document illisible',
        } as const;
        return { ...answer, compliance: rejected, limits };
      }
      return { ...answer, compliance, limits: withCeiling(limits, CEILING_ONCE_APPROVED) };
    }),
  'PAYOUT_CEILING_UNEXPECTED/other': (life) =>
    makeWrong(life, 'compliance', LIMITS, ({ limits, ...answer }) => ({
      ...answer,
      limits: withCeiling(limits, NO_CEILING),
    })),
  PAYOUT_UNRECORDED: (life, random) => {
    const gone = pick(random, endedPayouts(life));
    const listed = life.payouts.length - 1;
    // The list is not judged when its length is a round number, because it may then be cut short.
    if (gone === null || (listed >= 10 && listed % 5 === 0)) return null;
    return makeWrong(life, 'list-disbursements', COUNTERS, (payouts) =>
      payouts.filter(({ id }) => id !== gone.id),
    );
  },
  PAYOUT_COUNTERS_MISMATCH: (life) => {
    if (endedPayouts(life).length === 0) return null;
    return makeWrong(
      life,
      'refunds-stats',
      COUNTERS,
      ({ requestSuccess, requestFailed, ...answer }) => ({
        requestSuccess: requestSuccess - 1,
        ...answer,
        requestFailed: requestFailed + 1,
      }),
    );
  },
  PAYOUT_OUTCOME_CHANGED: afterALook((life, random) => {
    const payout = pick(random, endedPayouts(life));
    if (payout === null) return null;
    return Object.assign(payout, { status: 'FAILED', failureReason: 'Le virement est revenu.' }).id;
  }),
  'PAYOUT_OUTCOME_CHANGED/amount': afterALook((life, random) => {
    const payout = pick(random, endedPayouts(life));
    if (payout === null) return null;
    payout.amount -= drawFew(random);
    return payout.id;
  }),
  SETTLEMENT_MISSED: {
    shows: 'BETWEEN_LOOKS',
    plantIn: (life) => {
      const isDue = life.settlement.mode !== 'MANUAL' && primaryOf(life) !== null && life.settles;
      const balance = balanceOf(life) / 100;
      // A small balance would excuse a missed payout, and so would a ceiling that leaves too little
      // for it in the next days.
      if (!isDue || balance < WORTH_PAYING || payoutLimits(life).restant < 10 * balance)
        return null;
      life.settles = false;
      return 'settlement';
    },
  },
  LINK_BALANCE_MISMATCH: (life) =>
    makeWrong(life, 'get-balance', 'balance by link', () => ({
      balance: `${mostOf(life) + 1}.00`,
    })),
  PAYMENT_COUNT_MISMATCH: (life) =>
    makeWrong(
      life,
      'merchants-transactions-count',
      'statistics of all',
      ({ total, success, ...answer }) => ({
        total: total + MANY,
        success: success + MANY,
        ...answer,
      }),
    ),
  'PAYMENT_COUNT_MISMATCH/month': (life) => {
    const month = answerOf(life, 'merchants-monthly-transactions-count').at(-1)?.month;
    if (month === undefined) return null;
    return makeWrong(
      life,
      'merchants-monthly-transactions-count',
      `statistics of ${month}`,
      (months) =>
        months.map((one) =>
          one.month === month
            ? { ...one, total: one.total + MANY, success: one.success + MANY }
            : one,
        ),
    );
  },
  'PAYMENT_COUNT_MISMATCH/day': (life, random) => {
    const wrong = pick(random, settledDays(life));
    if (wrong === null) return null;
    return makeWrong(life, 'merchants-transactions-flow', `statistics of ${wrong}`, (days) =>
      days.map((one) => (one.date === wrong ? { ...one, amount: one.amount - 1 } : one)),
    );
  },
});

type Plant = NonNullable<DashboardFault['plantIn']>;
type Shown = Pick<DashboardFault, 'shows' | 'plantIn' | 'notified'>;

/** Adds names and words. A fault that is given as a function shows at once. */
function defineDashboardFaults(
  faults: Readonly<Record<string, Plant | Shown>>,
): readonly DashboardFault[] {
  return Object.entries(faults).map(([name, fault]) => {
    const shown: Shown = typeof fault === 'function' ? { shows: 'AT_ONCE', plantIn: fault } : fault;
    return { name, says: wordsOf(name), ...shown };
  });
}

function afterALook(plantIn: Plant): Shown {
  return { shows: 'AFTER_A_LOOK', plantIn };
}

function whenNotified(notified: NonNullable<DashboardFault['notified']>): Shown {
  return { shows: 'WHEN_NOTIFIED', notified };
}

/** Returns the payment with other values in the fields that are served. */
function stated(payment: LinkPayment, changes: Partial<LinkPayment['served']>): LinkPayment {
  return { ...payment, served: { ...payment.served, ...changes } };
}

/**
 * Returns ended payments that were made some days ago, but recently enough for a look to read them.
 */
function oldPayments(
  { payments, now }: DashboardLife,
  wanted: LinkOutcome,
): readonly LinkPayment[] {
  return payments.filter(
    ({ createdAt, settledAt, outcome }) =>
      outcome === wanted &&
      settledAt <= now &&
      createdAt < now - 2 * DAY &&
      createdAt > now - 50 * DAY,
  );
}

/**
 * Replaces a payment that succeeded by others. It takes one whose amount the balance still covers.
 * What follows from payments changes with it.
 */
function alterPayment(alter: (payment: LinkPayment) => readonly LinkPayment[]) {
  return (life: DashboardLife, random: Random): string | null => {
    const funds = balanceOf(life);
    const payment = pick(
      random,
      oldPayments(life, 'SUCCESS').filter(({ served }) => 100 * served.amount <= funds),
    );
    if (payment === null) return null;
    const others = alter(payment);
    life.payments.splice(life.payments.indexOf(payment), 1, ...others);
    life.collected += others.reduce((sum, one) => sum + collectedBy(one), 0) - collectedBy(payment);
    return payment.served.reference;
  };
}

/** Returns payouts that succeeded some hours ago. */
function endedPayouts({ payouts, now }: DashboardLife) {
  return payouts.filter(
    ({ status, completedAt }) =>
      status === 'SUCCESS' && completedAt !== null && Date.parse(completedAt) < now - 2 * HOUR,
  );
}

function withCeiling({ consomme }: { readonly consomme: number }, plafond: number) {
  return { plafond, consomme, restant: plafond - consomme };
}

/**
 * Returns the highest balance under any interpretation: without any fees, and counting only payouts
 * that succeeded.
 */
function mostOf({ payments, payouts, now }: DashboardLife): number {
  const collected = payments
    .filter(({ outcome, settledAt }) => outcome === 'SUCCESS' && settledAt <= now)
    .reduce((sum, { served }) => sum + served.amount, 0);
  return payouts
    .filter(({ status }) => status === 'SUCCESS')
    .reduce((sum, { amount }) => sum - amount, collected);
}

/** Returns days with payments, all of which ended some time ago. */
function settledDays({ payments, now }: DashboardLife): readonly string[] {
  const until = formatInstant(now - 3 * DAY).slice(0, 10);
  const paid = payments.filter(({ outcome }) => outcome === 'SUCCESS');
  return [...new Set(paid.map(({ served }) => served.createdAt.slice(0, 10)))].filter(
    (day) => day < until,
  );
}
