// The life of one merchant's dashboard as events in time: links are made and end, payouts are
// requested and end. Everything that happens is a function of the state, so that advancing in one
// step or in many gives the same answers.

import type { Amount } from '../../core/domain/amount.ts';
import { DAY, formatInstant, HOUR, type Instant } from '../../core/domain/instant.ts';
import { accountCreatedAt, type MerchantPlan, type SettlementTerms } from '../model/plan.ts';
import { chance, drawInteger, seedRandom, uuidOf } from '../model/random.ts';
import type { ServedPayout } from '../model/served-dashboard.ts';
import {
  addEvent,
  dropEvents,
  emptyQueue,
  type Happens,
  nextTimeOfDay,
  takeUntil,
} from '../model/time.ts';
import { plannedFile } from './compliance-file.ts';
import {
  addPayoutAccount,
  balanceOf,
  callPayment,
  collectedBy,
  type DashboardEvent,
  type DashboardLife,
  LEAST_PAYOUT,
  type LinkOutcome,
  type LinkPayment,
  type LinkWish,
  linkCountriesOf,
  type PayoutAccount,
  payableOf,
  paymentsOfDay,
  payoutFees,
  payoutLimits,
  primaryOf,
  type Settlement,
} from './state.ts';

const WEEK = 7 * DAY;
/** The first Monday of the epoch, 09:00 UTC. */
const MONDAY = 4 * DAY + 9 * HOUR;

/**
 * Opens a dashboard. Merchants that have payments by their plan request a payout every Monday at
 * 09:00 UTC; merchants whose payments come from calls do not.
 */
export function openDashboard(plan: MerchantPlan, seed: string): DashboardLife {
  const { compliance, payoutAccounts, settlement } = plan.dashboard;
  const life: DashboardLife = {
    plan,
    seed,
    queue: emptyQueue(),
    now: accountCreatedAt(plan),
    isActive: plan.status === 'ACTIVE',
    payments: [],
    linksCalled: 0,
    collected: 0,
    payouts: [],
    payoutAccounts: [],
    accountsAdded: 0,
    settlement: { ...settlement, lastSettlementAt: null },
    compliance: compliance === null ? null : plannedFile(plan, { seed, status: compliance }),
    reports: { askedAgain: new Map(), wrong: new Map() },
    settles: true,
    wrong: new Map(),
    notifiedSince: null,
    onEnded: null,
  };
  for (const type of payoutAccounts)
    addPayoutAccount(life, { type, label: null, number: null, bankCode: null });
  const { opensAt, traffic } = plan;
  if (traffic.paymentsPerDay > 0 && linkCountriesOf(plan).length > 0) {
    addEvent(life.queue, { at: opensAt, event: { what: 'DAY', day: Math.floor(opensAt / DAY) } });
    const first = MONDAY + Math.ceil((opensAt - MONDAY) / WEEK) * WEEK;
    addEvent(life.queue, { at: first, event: { what: 'WEEKLY_REQUEST' } });
  }
  planSettlement(life, opensAt);
  return life;
}

/**
 * Makes everything happen that is due up to and including `until`. Does nothing when `until` is in
 * the past.
 */
export function advanceDashboard(life: DashboardLife, until: Instant): void {
  for (const { at, event } of takeUntil(life.queue, until)) {
    life.now = Math.max(life.now, at);
    HAPPENS[event.what](life, event as never);
  }
  life.now = Math.max(life.now, until);
}

const HAPPENS: Happens<DashboardLife, DashboardEvent> = {
  DAY: (life, { day }) => beginDay(life, day),
  LINK_MADE: (life, { payment }) => life.isActive && enterLink(life, payment),
  LINK_ENDED: (life, { payment }) => endLink(life, payment),
  WEEKLY_REQUEST: requestWeekly,
  SETTLEMENT: (life, { settlement }) => settle(life, settlement),
  PAYOUT_ENDED: (life, { payout, failureReason }) => endPayout(life, payout, failureReason),
};

function beginDay({ plan, seed, queue }: DashboardLife, day: number): void {
  for (const payment of paymentsOfDay(plan, day, seed)) {
    addEvent(queue, { at: payment.createdAt, event: { what: 'LINK_MADE', payment } });
  }
  addEvent(queue, { at: (day + 1) * DAY, event: { what: 'DAY', day: day + 1 } });
}

/**
 * Requests the whole balance, but at most a quarter of the month's ceiling: the fifth request of a
 * month may pass the ceiling, and fail.
 */
function requestWeekly(life: DashboardLife): void {
  addEvent(life.queue, { at: life.now + 7 * DAY, event: { what: 'WEEKLY_REQUEST' } });
  if (life.settlement.mode !== 'MANUAL') return;
  payOut(life, payoutLimits(life).plafond / 4);
}

/**
 * Pays out the whole balance, but at most what the ceiling leaves, at the times that the document
 * gives: "T0: every day at the chosen time; T1: every two days". Does nothing when the settings
 * have changed since the event was planned.
 */
function settle(life: DashboardLife, settlement: Settlement): void {
  if (settlement !== life.settlement) return;
  const { mode, time, timezone } = settlement;
  planSettlement(
    life,
    mode === 'T0' ? life.now : nextTimeOfDay(life.now, { time: time!, timezone }),
  );
  if (life.settles && payOut(life, payoutLimits(life).restant))
    settlement.lastSettlementAt = life.now;
}

/**
 * Pays out to the primary account. Returns false when there is no such account or too little money.
 */
function payOut(life: DashboardLife, most: number): boolean {
  const account = primaryOf(life);
  if (account === null || !life.isActive) return false;
  const amount = Math.min(most, payableOf(Math.floor(balanceOf(life) / 100), account.type));
  if (amount < LEAST_PAYOUT) return false;
  requestPayout(life, { amount, account, mode: life.settlement.mode });
  return true;
}

/**
 * Changes the settings from the present instant on. Payouts planned under the earlier settings are
 * void.
 */
export function changeSettlement(life: DashboardLife, terms: SettlementTerms): void {
  life.settlement = { ...terms, lastSettlementAt: life.settlement.lastSettlementAt };
  planSettlement(life, life.now);
}

/** Plans the first automatic payout after `from`; none in MANUAL. */
function planSettlement({ queue, settlement }: DashboardLife, from: Instant): void {
  const { mode, time, timezone } = settlement;
  if (mode === 'MANUAL' || time === null) return;
  addEvent(queue, {
    at: nextTimeOfDay(from, { time, timezone }),
    event: { what: 'SETTLEMENT', settlement },
  });
}

/**
 * Makes a new link at the present instant, PENDING. With `isDrawn` false it is paid only by a
 * decision (a call of the sandbox's control API).
 */
export function makeLink(life: DashboardLife, wish: LinkWish, isDrawn: boolean): LinkPayment {
  const payment = callPayment(life, wish, isDrawn);
  enterLink(life, payment);
  return payment;
}

/** Adds a payment to the others and plans its end. */
function enterLink(life: DashboardLife, payment: LinkPayment): void {
  life.payments.push(payment);
  addEvent(life.queue, { at: payment.settledAt, event: { what: 'LINK_ENDED', payment } });
}

/** Makes the planned end of a payment happen now. */
export function endLink(life: DashboardLife, payment: LinkPayment): void {
  life.collected += collectedBy(payment);
  life.onEnded?.(payment);
}

/** Ends a PENDING payment at the present instant, by a decision. */
export function decideLink(life: DashboardLife, payment: LinkPayment, outcome: LinkOutcome): void {
  dropEvents(life.queue, (event) => event.what === 'LINK_ENDED' && event.payment === payment);
  payment.outcome = outcome;
  payment.settledAt = life.now;
  endLink(life, payment);
}

const CEILING_PASSED = 'Le plafond mensuel est dépassé.';
const REFUSED_THERE = 'Le compte bénéficiaire a refusé le virement.';

/**
 * Requests a payout. The caller must check that the balance allows it. With `isDrawn` false it
 * stays PENDING until a decision.
 */
export function requestPayout(
  life: DashboardLife,
  wish: {
    readonly amount: Amount;
    readonly account: PayoutAccount;
    readonly mode: ServedPayout['mode'];
  },
  isDrawn = true,
): ServedPayout {
  const { amount, account, mode } = wish;
  const number = life.payouts.length + 1;
  const about = `${life.seed}/${life.plan.reference}/payout ${number}`;
  const isRefused = amount > payoutLimits(life).restant;
  const now = formatInstant(life.now);
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

/** Ends a payout at the present instant. It succeeds when `failureReason` is `null`. */
export function endPayout(
  life: DashboardLife,
  payout: DashboardLife['payouts'][number],
  failureReason: string | null,
): void {
  dropEvents(life.queue, (event) => event.what === 'PAYOUT_ENDED' && event.payout === payout);
  payout.status = failureReason === null ? 'SUCCESS' : 'FAILED';
  payout.completedAt = formatInstant(life.now);
  payout.failureReason = failureReason;
}
