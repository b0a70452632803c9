// The state of one simulated merchant, and how it begins. Everything that happens later is a function of this state, so
// that advancing in one step or in many gives the same books.

import type { Amount, Currency } from '../../core/domain/amount.ts';
import { DAY, formatInstant, type Instant } from '../../core/domain/instant.ts';
import type { MerchantStatus } from '../../core/domain/merchant.ts';
import type { WalletStatus } from '../../core/domain/wallet.ts';
import type { Books, WalletTotals } from '../books.ts';
import { hintOf, signingSecret } from '../credentials.ts';
import { advanceDashboard, setActive } from '../dashboard/advance.ts';
import { answersOf } from '../dashboard/answers.ts';
import { reportsOf } from '../dashboard/reports.ts';
import { type DashboardLife, openDashboard } from '../dashboard/state.ts';
import { paymentsNow } from '../dashboard/statistics.ts';
import { addEvent, type EventQueue, emptyQueue } from '../event-queue.ts';
import { feeOf } from '../fee.ts';
import {
  accountCreatedAt,
  type MerchantPlan,
  type PlannedMove,
  type PlannedSlip,
  type SlipKind,
  walletCurrencyOf,
} from '../plan.ts';
import { drawFrom, drawLetters, drawUuid, drawWait, type Random, seedRandom } from '../random.ts';
import type { ServedEntry, ServedMerchant, ServedNotification, ServedOperation, ServedWallet } from '../served.ts';
import type { Step } from './fates.ts';
import { drawPhoneNumber } from './operators.ts';

type Draft<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** An operation and the moves still before it. */
export interface Life {
  operation: Draft<ServedOperation>;
  steps: readonly Step[];
  /** Where its notifications go instead of the account's URL, if anywhere. */
  readonly callbackUrl?: string;
  world: World;
}

/**
 * What a caller does must not change what is drawn later: beside the books stands the world that there would be without any
 * call. `BOTH`: drawn, and it happened. `CALLED`: it happened because of a call. `DRAWN`: it would have happened, and a call
 * has prevented it; it draws its chances and leaves no trace in the books.
 */
export type World = 'BOTH' | 'CALLED' | 'DRAWN';

/** What decides whether a cash-out is taken. */
export interface Funds {
  balance: Amount;
  reserved: Amount;
  /** Commissions of open cash-outs that their holds do not cover. */
  promisedFees: Amount;
  /** Cash-outs of the last 30 hours, for the daily ceiling. */
  recentCashouts: { readonly at: Instant; readonly netAmount: Amount }[];
}

export type SimulationEvent =
  | { readonly what: 'ARRIVAL' }
  | { readonly what: 'STEP'; readonly life: Life }
  | { readonly what: 'ADJUSTMENT' }
  | { readonly what: 'PRICE_CHANGE' }
  | { readonly what: 'MOVE'; readonly move: PlannedMove };

/** A slip that has happened: what an audit should name, and where. */
export interface Slipped {
  readonly kind: SlipKind;
  readonly at: Instant;
  readonly sequence: number | null;
  readonly operationReference: string;
}

export interface Simulation extends Funds {
  readonly plan: MerchantPlan;
  readonly currency: Currency;
  readonly random: Random;
  /** For whatever follows from calls. */
  readonly callRandom: Random;
  /** The world without calls: its funds, and the states that the plan alone has given. */
  readonly drawn: Funds & { account: MerchantStatus; wallet: WalletStatus };
  walletStatus: WalletStatus;
  readonly queue: EventQueue<SimulationEvent>;
  now: Instant;
  merchant: ServedMerchant;
  /** Lines posted and not yet taken away, in ascending sequence. */
  entries: ServedEntry[];
  /** Operations not yet taken away, in ascending createdAt. */
  lives: Life[];
  /** Notified and not yet taken away, in ascending createdAt. */
  notifications: ServedNotification[];
  /** Is handed every notification as it is made, with the URL that its operation was given, or null. */
  onNotified: ((notification: ServedNotification, callbackUrl: string | null) => void) | null;
  sequence: number;
  totals: WalletTotals;
  /** Added to the served wallet's figures: 0 unless a fault was planted in them. */
  walletOffset: { readonly balance: Amount; readonly reserved: Amount; readonly available: Amount };
  readonly walletId: string;
  readonly merchantId: string;
  walletUpdatedAt: Instant;
  /** External references of lapsed cash-ins that the partner will use again. */
  retries: string[];
  /** Operations asked for so far, those refused included. */
  requested: number;
  /** Operations created by calls so far. */
  called: number;
  slips: readonly PlannedSlip[];
  slipped: Slipped[];
  /** Of the dashboard API; brought up to `now` when it is asked for (`dashboardOf`). */
  readonly dashboard: DashboardLife;
}

/** A merchant that has just opened: no lines, no operations. Throws RangeError for a plan that contradicts itself. */
export function openSimulation(plan: MerchantPlan, seed: string): Simulation {
  const random = seedRandom(`${seed}/${plan.reference}`);
  const currency = walletCurrencyOf(plan);
  requireCreditsAbove(plan);
  const simulation: Simulation = {
    plan,
    currency,
    random,
    callRandom: seedRandom(`${seed}/${plan.reference}/calls`),
    drawn: { ...noFunds(), account: plan.status, wallet: plan.walletStatus },
    walletStatus: plan.walletStatus,
    queue: emptyQueue(),
    now: accountCreatedAt(plan),
    merchant: openAccount(plan, random, hintOf(signingSecret({ reference: plan.reference, seed }, 0))),
    entries: [],
    lives: [],
    notifications: [],
    onNotified: null,
    sequence: 0,
    ...noFunds(),
    totals: { totalCollected: 0, totalDisbursed: 0, totalFees: 0 },
    walletOffset: { balance: 0, reserved: 0, available: 0 },
    walletId: drawUuid(random),
    merchantId: drawUuid(random),
    walletUpdatedAt: accountCreatedAt(plan),
    retries: [],
    requested: 0,
    called: 0,
    slips: plan.slips.toSorted((a, b) => a.from - b.from),
    slipped: [],
    dashboard: openDashboard(plan, seed),
  };
  if (plan.traffic.operationsPerDay > 0) {
    addEvent(simulation.queue, { at: plan.opensAt + drawWait(random, DAY / 24), event: { what: 'ARRIVAL' } });
  }
  scheduleAdjustment(simulation, plan.opensAt + 2 * DAY);
  if (plan.priceChange !== null) {
    addEvent(simulation.queue, { at: plan.priceChange.at, event: { what: 'PRICE_CHANGE' } });
  }
  for (const move of plan.moves) addEvent(simulation.queue, { at: move.at, event: { what: 'MOVE', move } });
  return simulation;
}

function noFunds(): Funds {
  return { balance: 0, reserved: 0, promisedFees: 0, recentCashouts: [] };
}

/** Enters a notification among those made, and hands it on. */
export function notifyOf(
  simulation: Simulation,
  notification: ServedNotification,
  callbackUrl: string | null = null,
): void {
  simulation.notifications.push(notification);
  simulation.onNotified?.(notification, callbackUrl);
}

/** Plans the next adjustment after `from`; none when the plan has none. */
export function scheduleAdjustment(simulation: Simulation, from: Instant): void {
  const { adjustmentsPerMonth } = simulation.plan.traffic;
  if (adjustmentsPerMonth === 0) return;
  const wait = drawWait(simulation.random, (30 * DAY) / adjustmentsPerMonth);
  addEvent(simulation.queue, { at: from + wait, event: { what: 'ADJUSTMENT' } });
}

/** What a new commitment may use: `available`, less commissions already promised to open cash-outs. */
export function spendable({ balance, reserved, promisedFees }: Funds): Amount {
  return balance - reserved - promisedFees;
}

/** Adds to the funds of the worlds concerned; the parts are signed. */
export function addFunds(
  simulation: Simulation,
  world: World,
  parts: Partial<Pick<Funds, 'balance' | 'reserved' | 'promisedFees'>>,
): void {
  if (world !== 'DRAWN') addTo(simulation, parts);
  if (world !== 'CALLED') addTo(simulation.drawn, parts);
}

function addTo(funds: Funds, parts: Partial<Pick<Funds, 'balance' | 'reserved' | 'promisedFees'>>): void {
  funds.balance += parts.balance ?? 0;
  funds.reserved += parts.reserved ?? 0;
  funds.promisedFees += parts.promisedFees ?? 0;
}

/** True when new operations may be created. */
export function operates({ merchant, walletStatus }: Pick<Simulation, 'merchant' | 'walletStatus'>): boolean {
  return merchant.status === 'ACTIVE' && walletStatus === 'ACTIVE';
}

/** Puts account and wallet into other states, at the present instant. */
export function moveStates(simulation: Simulation, { account, wallet }: Omit<PlannedMove, 'at'>): void {
  if (account !== undefined) {
    simulation.merchant = { ...simulation.merchant, status: account };
    setActive(simulation.dashboard, simulation.now, account === 'ACTIVE');
  }
  if (wallet === undefined || wallet === simulation.walletStatus) return;
  simulation.walletStatus = wallet;
  simulation.walletUpdatedAt = simulation.now;
}

/** The wallet as the API serves it now. */
export function walletOf(simulation: Simulation): ServedWallet {
  const { balance, reserved, walletOffset: offset, totals } = simulation;
  return {
    walletId: simulation.walletId,
    merchantId: simulation.merchantId,
    currency: simulation.currency,
    balance: balance + offset.balance,
    reserved: reserved + offset.reserved,
    available: balance - reserved + offset.available,
    status: simulation.walletStatus,
    ...totals,
    updatedAt: formatInstant(simulation.walletUpdatedAt),
  };
}

/** Up to the present instant. */
export function dashboardOf({ dashboard, now }: Simulation): DashboardLife {
  advanceDashboard(dashboard, now);
  return dashboard;
}

/** What the dashboard serves now: payments by link ascending in createdAt, reports newest first, answers about payouts. */
export function publishedBy(simulation: Simulation): Pick<Books, 'payments' | 'reports' | 'payouts'> {
  const life = dashboardOf(simulation);
  return { payments: paymentsNow(life), reports: reportsOf(life), payouts: answersOf(life) };
}

/** The books as they stand, copied: later events do not change them. */
export function booksOf(simulation: Simulation): Books {
  return {
    policy: simulation.plan.policy,
    asOf: simulation.now,
    merchant: simulation.merchant,
    wallet: walletOf(simulation),
    entries: [...simulation.entries],
    operations: simulation.lives.map(({ operation }) => ({ ...operation })),
    notifications: [...simulation.notifications],
    ...publishedBy(simulation),
  };
}

function openAccount(plan: MerchantPlan, random: Random, webhookSecretHint: string): ServedMerchant {
  const host = `${plan.reference.toLowerCase().replaceAll('_', '-')}.example`;
  const drawnNumber = drawPhoneNumber(random, plan.country);
  const webhookUrl = drawFrom(random, [`https://${host}/webhooks`, `https://${host}/notifications`]);
  // Eight draws that nothing needs any more: what is drawn after them stays as it was.
  drawLetters(random, 8);
  return {
    reference: plan.reference,
    name: plan.name,
    legalName: plan.legalName,
    email: plan.contact?.email ?? `compta@${host}`,
    phoneNumber: plan.contact?.phoneNumber ?? drawnNumber,
    country: plan.country,
    status: plan.status,
    allowedCountries: plan.allowedCountries,
    webhookUrl,
    webhookSecretHint,
    pricing: plan.pricing,
    limits: plan.limits,
    metadata: drawFrom(random, [null, { segment: 'démonstration' }]),
    createdAt: formatInstant(accountCreatedAt(plan)),
  };
}

/** A collection must leave something to credit, whatever the price. */
function requireCreditsAbove(plan: MerchantPlan): void {
  const amount = plan.limits.minCashinAmount;
  for (const pricing of [plan.pricing, plan.priceChange?.pricing ?? plan.pricing]) {
    if (feeOf({ type: 'CASHIN', amount }, { pricing, rounding: 'CEILING' }) >= amount) {
      throw new RangeError(`plan ${plan.reference}: the commission on a cash-in of ${amount} leaves nothing to credit`);
    }
  }
}
