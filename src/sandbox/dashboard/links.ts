// Links made by calls, and how a payment ends: paid, refused, cancelled, or expired after 24 hours.

import { addEvent, dropEvents } from '../event-queue.ts';
import { callPayment, type LinkOutcome, type LinkPayment, type LinkWish } from './payments.ts';
import type { DashboardLife } from './state.ts';

/** A new link at the present instant, PENDING. `isDrawn` false: nobody pays it unless somebody decides so. */
export function makeLink(life: DashboardLife, wish: LinkWish, isDrawn: boolean): LinkPayment {
  life.linksCalled += 1;
  const seed = `${life.seed}/${life.plan.reference}`;
  const payment = callPayment(wish, { seed, number: life.linksCalled, now: life.now, isDrawn });
  enterLink(life, payment);
  return payment;
}

/** Enters a payment among those that are there, and plans its end. */
export function enterLink(life: DashboardLife, payment: LinkPayment): void {
  life.payments.push(payment);
  addEvent(life.queue, { at: payment.settledAt, event: { what: 'LINK_ENDED', payment } });
}

/** What was planned for it happens now. */
export function endLink(life: DashboardLife, payment: LinkPayment): void {
  if (payment.outcome === 'SUCCESS') life.collected += 100 * payment.served.amount - payment.fees;
  life.onEnded?.(payment);
}

/** Somebody decides, at the present instant, what becomes of a payment that is PENDING. */
export function decideLink(life: DashboardLife, payment: LinkPayment, outcome: LinkOutcome): void {
  dropEvents(life.queue, (event) => event.what === 'LINK_ENDED' && event.payment === payment);
  payment.outcome = outcome;
  payment.settledAt = life.now;
  endLink(life, payment);
}
