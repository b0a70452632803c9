// The state of one merchant's dashboard, and how it begins. Everything that happens later is a function of this state, so that
// advancing in one step or in many gives the same answers.

import { DAY, HOUR, type Instant } from '../../core/domain/instant.ts';
import { addEvent, type EventQueue, emptyQueue } from '../event-queue.ts';
import { accountCreatedAt, type MerchantPlan, type SettlementTerms } from '../plan.ts';
import { type ComplianceFile, plannedFile } from './compliance-file.ts';
import { type LinkPayment, linkCountriesOf } from './payments.ts';
import { addPayoutAccount, type PayoutAccount } from './payout-accounts.ts';
import type { ServedPayout, ServedSummary } from './served-dashboard.ts';
import { nextTimeOfDay } from './time-of-day.ts';

type Draft<Value> = { -readonly [Key in keyof Value]: Value[Key] };

export type DashboardEvent =
  | { readonly what: 'DAY'; readonly day: number }
  | { readonly what: 'LINK_MADE'; readonly payment: LinkPayment }
  | { readonly what: 'LINK_ENDED'; readonly payment: LinkPayment }
  | { readonly what: 'WEEKLY_REQUEST' }
  | { readonly what: 'SETTLEMENT'; readonly settlement: Settlement }
  | { readonly what: 'PAYOUT_ENDED'; readonly payout: Draft<ServedPayout>; readonly failureReason: string | null };

export interface Settlement extends SettlementTerms {
  lastSettlementAt: Instant | null;
}

/** What is kept of the monthly reports: everything else follows from the payments and the time. */
export interface ReportsLife {
  /** Period → the instant at which it was last asked to be generated again. */
  readonly askedAgain: Map<string, Instant>;
  /** Period → the summary that stands instead of the right one (a planted fault). */
  readonly wrong: Map<string, ServedSummary>;
}

export interface DashboardLife {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly queue: EventQueue<DashboardEvent>;
  now: Instant;
  /** False while the account is not ACTIVE: nothing is collected and nothing is paid out. */
  isActive: boolean;
  /** Ascending in createdAt. */
  readonly payments: LinkPayment[];
  /** Links made by calls so far. */
  linksCalled: number;
  /** Successes less their fees, hundredths of a unit. */
  collected: number;
  /** Oldest first. */
  readonly payouts: Draft<ServedPayout>[];
  readonly payoutAccounts: PayoutAccount[];
  /** Payout accounts added so far, those removed included. */
  accountsAdded: number;
  settlement: Settlement;
  compliance: ComplianceFile | null;
  readonly reports: ReportsLife;
  /** False: automatic payouts happen no more (a planted fault). */
  settles: boolean;
  /** Name of an answer → what a planted fault makes of it (`answers.ts`). */
  readonly wrong: Map<string, (right: unknown) => unknown>;
  /** Since when somebody is told how payments end; null: nobody is. */
  toldSince: Instant | null;
  /** Is handed every payment as it ends. */
  onEnded: ((payment: LinkPayment) => void) | null;
}

const WEEK = 7 * DAY;
/** The first Monday of the epoch, 09:00 UTC. */
const MONDAY = 4 * DAY + 9 * HOUR;

/** Merchants that the plan gives payments ask for a payout every Monday at 09:00 UTC; those that calls have made do not. */
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
    toldSince: null,
    onEnded: null,
  };
  for (const type of payoutAccounts) addPayoutAccount(life, { type, label: null, number: null, bankCode: null });
  const { opensAt, traffic } = plan;
  if (traffic.paymentsPerDay > 0 && linkCountriesOf(plan).length > 0) {
    addEvent(life.queue, { at: opensAt, event: { what: 'DAY', day: Math.floor(opensAt / DAY) } });
    const first = MONDAY + Math.ceil((opensAt - MONDAY) / WEEK) * WEEK;
    addEvent(life.queue, { at: first, event: { what: 'WEEKLY_REQUEST' } });
  }
  planSettlement(life, opensAt);
  return life;
}

/** Enters the first automatic payout after `from`; none in MANUAL. */
export function planSettlement({ queue, settlement }: DashboardLife, from: Instant): void {
  const { mode, time, timezone } = settlement;
  if (mode === 'MANUAL' || time === null) return;
  addEvent(queue, { at: nextTimeOfDay(from, { time, timezone }), event: { what: 'SETTLEMENT', settlement } });
}
