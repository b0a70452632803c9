// The life of one merchant's dashboard as events in time.

import { DAY, type Instant } from '../../core/domain/instant.ts';
import { assertNever } from '../../core/domain/invariant.ts';
import { addEvent, nextInstant, takeEvent } from '../event-queue.ts';
import { endLink, enterLink } from './links.ts';
import { paymentsOfDay } from './payments.ts';
import { primaryOf } from './payout-accounts.ts';
import { balanceOf, endPayout, payoutLimits, requestPayout } from './payouts.ts';
import { type DashboardLife, planSettlement, type Settlement } from './state.ts';
import { LEAST_PAYOUT, payableOf } from './terms.ts';
import { nextTimeOfDay } from './time-of-day.ts';

/** Lets everything happen that is due up to and including `until`; nothing where that is in the past. */
export function advanceDashboard(life: DashboardLife, until: Instant): void {
  for (let at = nextInstant(life.queue); at !== null && at <= until; at = nextInstant(life.queue)) {
    const event = takeEvent(life.queue);
    life.now = Math.max(life.now, at);
    switch (event.what) {
      case 'DAY':
        beginDay(life, event.day);
        break;
      case 'LINK_MADE':
        if (life.isActive) enterLink(life, event.payment);
        break;
      case 'LINK_ENDED':
        endLink(life, event.payment);
        break;
      case 'WEEKLY_REQUEST':
        requestWeekly(life);
        break;
      case 'SETTLEMENT':
        settle(life, event.settlement);
        break;
      case 'PAYOUT_ENDED':
        endPayout(life, event.payout, event.failureReason);
        break;
      default:
        assertNever(event);
    }
  }
  life.now = Math.max(life.now, until);
}

/** From `at` on the account may collect and pay out, or may not. */
export function setActive(life: DashboardLife, at: Instant, isActive: boolean): void {
  advanceDashboard(life, at);
  life.isActive = isActive;
}

function beginDay({ plan, seed, queue }: DashboardLife, day: number): void {
  for (const payment of paymentsOfDay(plan, day, seed)) {
    addEvent(queue, { at: payment.createdAt, event: { what: 'LINK_MADE', payment } });
  }
  addEvent(queue, { at: (day + 1) * DAY, event: { what: 'DAY', day: day + 1 } });
}

/** All that there is, up to a quarter of the month's ceiling: the fifth request of a month may pass it, and fail. */
function requestWeekly(life: DashboardLife): void {
  addEvent(life.queue, { at: life.now + 7 * DAY, event: { what: 'WEEKLY_REQUEST' } });
  if (life.settlement.mode !== 'MANUAL') return;
  payOut(life, payoutLimits(life).plafond / 4);
}

/** "T0: every day at the chosen time; T1: every two days": all that there is and the ceiling has room for. */
function settle(life: DashboardLife, settlement: Settlement): void {
  if (settlement !== life.settlement) return;
  const { mode, time, timezone } = settlement;
  planSettlement(life, mode === 'T0' ? life.now : nextTimeOfDay(life.now, { time: time!, timezone }));
  if (life.settles && payOut(life, payoutLimits(life).restant)) settlement.lastSettlementAt = life.now;
}

/** To the primary account; false where there is none, or too little to pay out. */
function payOut(life: DashboardLife, most: number): boolean {
  const account = primaryOf(life);
  if (account === null || !life.isActive) return false;
  const amount = Math.min(most, payableOf(Math.floor(balanceOf(life) / 100), account.type));
  if (amount < LEAST_PAYOUT) return false;
  requestPayout(life, { amount, account, mode: life.settlement.mode });
  return true;
}
