// Faults in payments by link. What was notified of a payment stays as it was notified.

import { DAY, MINUTE } from '../../../core/domain/instant.ts';
import { LINK_LIFETIME } from '../../../core/domain/payment.ts';
import { endLink } from '../../dashboard/links.ts';
import type { LinkOutcome, LinkPayment } from '../../dashboard/payments.ts';
import { balanceOf } from '../../dashboard/payouts.ts';
import type { DashboardLife } from '../../dashboard/state.ts';
import { drawInteger, drawLetters, drawUuid, type Random } from '../../random.ts';
import { writeInstant } from '../../simulation/instant-text.ts';
import { pick } from '../find-cases.ts';
import { type DashboardFault, replacePayment } from './dashboard-fault.ts';

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
