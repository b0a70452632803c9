// Payments against each other: one order that was paid more than once.

import { DAY } from '../../domain/instant.ts';
import type { Payment } from '../../domain/payment.ts';
import { draftOf } from '../check.ts';
import { type Judgement, joined, judgedAt } from '../looks.ts';
import { type LinkCase, paymentEvidence } from './link-case.ts';
import { orderPaidTwice } from './link-pages.ts';

/** A merchant may use the name of an order again: within so long of each other, and over the same amount, it is the same one. */
const SAME_ORDER_WITHIN = DAY;
const MOST_EVIDENCE = 20;

export function judgeOrders({ payments }: LinkCase): Judgement {
  const named = [...payments.values()].filter(({ orderId }) => orderId !== null);
  const orders = [...Map.groupBy(named, ({ orderId }) => orderId!)].filter(([, of]) => of.length > 1);
  return joined(
    orders.map(([order, of]) => {
      const place = `order ${order.slice(0, 120)}`;
      const paid = of.filter(({ status }) => status === 'SUCCESS').sort((a, b) => a.createdAt - b.createdAt);
      const twice = paidTogether(paid);
      if (twice.length < 2) return judgedAt('ORDER_PAID_TWICE', place, []);
      const [first, second] = twice.map(({ reference }) => reference) as [string, string];
      const figures = { order: order.slice(0, 80), amount: twice[0]!.amount, first, second, count: twice.length };
      const evidence = twice.slice(0, MOST_EVIDENCE).map((one) => paymentEvidence(one, null));
      return judgedAt('ORDER_PAID_TWICE', place, [draftOf(orderPaidTwice, figures, { inputPlace: place, evidence })]);
    }),
  );
}

/** The first of them over one amount that follow each other within a day. `paid` is in the order of time. */
function paidTogether(paid: readonly Payment[]): readonly Payment[] {
  for (const same of Map.groupBy(paid, ({ amount }) => amount).values()) {
    const at = same.findIndex((one, i) => i > 0 && one.createdAt - same[i - 1]!.createdAt <= SAME_ORDER_WITHIN);
    if (at < 0) continue;
    const end = same.findIndex((one, i) => i > at && one.createdAt - same[i - 1]!.createdAt > SAME_ORDER_WITHIN);
    return same.slice(at - 1, end < 0 ? undefined : end);
  }
  return [];
}
