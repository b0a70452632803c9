// The state of one simulated wallet, how it begins, and how lines are posted to its ledger:
// sequence numbers, running figures and times. Everything that happens later is a function of this
// state. A posted line never changes.

import type { Amount, Currency } from '../../core/domain/amount.ts';
import { DAY, formatInstant, type Instant } from '../../core/domain/instant.ts';
import { directionOf } from '../../core/domain/ledger-entry.ts';
import type { MerchantStatus, WalletStatus } from '../../core/domain/merchant.ts';
import type { OperationStatus } from '../../core/domain/operation.ts';
import { drawLineDescription, drawPhoneNumber } from '../model/operators.ts';
import {
  accountCreatedAt,
  type Expected,
  type MerchantPlan,
  NO_TOTALS,
  type PlannedMove,
  type PlannedSlip,
  type WalletTotals,
  walletCurrencyOf,
} from '../model/plan.ts';
import { feeOf, type Post } from '../model/postings.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  drawLetters,
  drawUuid,
  drawWait,
  type Random,
  seedRandom,
} from '../model/random.ts';
import type {
  Draft,
  ServedEntry,
  ServedMerchant,
  ServedNotification,
  ServedOperation,
  ServedWallet,
} from '../model/served.ts';
import { addEvent, type EventQueue, emptyQueue } from '../model/time.ts';

/** A move to another state at an instant. `failureCode` is set only on a move to FAILED. */
export interface Step {
  readonly at: Instant;
  readonly to: OperationStatus;
  readonly failureCode?: string | undefined;
}

/** An operation and the steps that are still before it. */
export interface Life {
  operation: Draft<ServedOperation>;
  steps: readonly Step[];
  /**
   * The URL that its notifications go to instead of the account's; absent when it has none of its
   * own.
   */
  readonly callbackUrl?: string;
  world: World;
}

/**
 * In which of two worlds an operation exists. Calls must not change what is drawn later. So the
 * simulation keeps, besides the books, a second world: the one without any call. `BOTH`: the
 * operation was drawn, and it happened. `CALLED`: it happened because of a call. `DRAWN`: it would
 * have happened, but a call has prevented it. It still draws its chances, and leaves no trace in
 * the books.
 */
export type World = 'BOTH' | 'CALLED' | 'DRAWN';

/** The figures that decide whether a cash-out is taken. */
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

/** A slip that has happened, with the finding that an audit should reach. */
export interface Slipped extends Expected {
  readonly at: Instant;
}

/** The state of one wallet, with its account and operations. */
export interface WalletLife extends Funds {
  readonly plan: MerchantPlan;
  readonly currency: Currency;
  readonly random: Random;
  /** Chance for everything that follows from calls. */
  readonly callRandom: Random;
  /** The world without calls: its funds, and the states of account and wallet by the plan alone. */
  readonly drawn: Funds & { account: MerchantStatus; wallet: WalletStatus };
  walletStatus: WalletStatus;
  readonly queue: EventQueue<SimulationEvent>;
  now: Instant;
  merchant: ServedMerchant;
  /** The lines that were posted, ascending by sequence, less those that a fault has removed. */
  entries: ServedEntry[];
  /** The operations, ascending in createdAt, less those that a fault has removed. */
  lives: Life[];
  /** The notifications, ascending in createdAt, less those that a fault has removed. */
  notifications: ServedNotification[];
  /** Called with every notification as it is made, and with the URL of its operation, or `null`. */
  onNotified: ((notification: ServedNotification, callbackUrl: string | null) => void) | null;
  sequence: number;
  totals: WalletTotals;
  /**
   * Added to the figures of the wallet as it is served. All are 0 unless a fault was planted in
   * them.
   */
  walletOffset: { readonly balance: Amount; readonly reserved: Amount; readonly available: Amount };
  readonly walletId: string;
  readonly merchantId: string;
  walletUpdatedAt: Instant;
  /** External references of lapsed cash-ins that the partner will use again. */
  retries: string[];
  /** Number of operations requested so far, including refused ones. */
  requested: number;
  /** Number of operations created by calls so far. */
  called: number;
  slips: readonly PlannedSlip[];
  slipped: Slipped[];
}

/**
 * Opens a wallet without lines and operations. Throws RangeError for a plan that contradicts
 * itself.
 */
export function openWallet(
  plan: MerchantPlan,
  seed: string,
  webhookSecretHint: string,
): WalletLife {
  const random = seedRandom(`${seed}/${plan.reference}`);
  const currency = walletCurrencyOf(plan);
  requireCreditsAbove(plan);
  const simulation: WalletLife = {
    plan,
    currency,
    random,
    callRandom: seedRandom(`${seed}/${plan.reference}/calls`),
    drawn: { ...noFunds(), account: plan.status, wallet: plan.walletStatus },
    walletStatus: plan.walletStatus,
    queue: emptyQueue(),
    now: accountCreatedAt(plan),
    merchant: openAccount(plan, random, webhookSecretHint),
    entries: [],
    lives: [],
    notifications: [],
    onNotified: null,
    sequence: 0,
    ...noFunds(),
    totals: NO_TOTALS,
    walletOffset: { balance: 0, reserved: 0, available: 0 },
    walletId: drawUuid(random),
    merchantId: drawUuid(random),
    walletUpdatedAt: accountCreatedAt(plan),
    retries: [],
    requested: 0,
    called: 0,
    slips: plan.slips.toSorted((a, b) => a.from - b.from),
    slipped: [],
  };
  if (plan.traffic.operationsPerDay > 0) {
    addEvent(simulation.queue, {
      at: plan.opensAt + drawWait(random, DAY / 24),
      event: { what: 'ARRIVAL' },
    });
  }
  scheduleAdjustment(simulation, plan.opensAt + 2 * DAY);
  if (plan.priceChange !== null) {
    addEvent(simulation.queue, { at: plan.priceChange.at, event: { what: 'PRICE_CHANGE' } });
  }
  for (const move of plan.moves)
    addEvent(simulation.queue, { at: move.at, event: { what: 'MOVE', move } });
  return simulation;
}

function noFunds(): Funds {
  return { balance: 0, reserved: 0, promisedFees: 0, recentCashouts: [] };
}

/** Adds a notification and passes it to `onNotified`. */
export function notifyOf(
  simulation: WalletLife,
  notification: ServedNotification,
  callbackUrl: string | null = null,
): void {
  simulation.notifications.push(notification);
  simulation.onNotified?.(notification, callbackUrl);
}

/** Plans the next adjustment after `from`, if the plan has adjustments. */
export function scheduleAdjustment(simulation: WalletLife, from: Instant): void {
  const { adjustmentsPerMonth } = simulation.plan.traffic;
  if (adjustmentsPerMonth === 0) return;
  const wait = drawWait(simulation.random, (30 * DAY) / adjustmentsPerMonth);
  addEvent(simulation.queue, { at: from + wait, event: { what: 'ADJUSTMENT' } });
}

export function lifeNamed({ lives }: WalletLife, reference: string | undefined): Life | undefined {
  return lives.find(({ operation }) => operation.reference === reference);
}

/**
 * Returns the amount that a new cash-out may use: `available`, less commissions already promised to
 * open cash-outs.
 */
export function spendable({ balance, reserved, promisedFees }: Funds): Amount {
  return balance - reserved - promisedFees;
}

/** Returns the funds of the worlds in which an operation exists. */
export function fundsOf(simulation: WalletLife, world: World): readonly Funds[] {
  if (world === 'BOTH') return [simulation, simulation.drawn];
  return world === 'CALLED' ? [simulation] : [simulation.drawn];
}

/** Adds to the funds of the worlds in which an operation exists. The parts are signed. */
export function addFunds(
  simulation: WalletLife,
  world: World,
  parts: Partial<Pick<Funds, 'balance' | 'reserved' | 'promisedFees'>>,
): void {
  for (const funds of fundsOf(simulation, world)) {
    funds.balance += parts.balance ?? 0;
    funds.reserved += parts.reserved ?? 0;
    funds.promisedFees += parts.promisedFees ?? 0;
  }
}

export function operates({
  merchant,
  walletStatus,
}: Pick<WalletLife, 'merchant' | 'walletStatus'>): boolean {
  return merchant.status === 'ACTIVE' && walletStatus === 'ACTIVE';
}

export function walletOf(simulation: WalletLife): ServedWallet {
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

function openAccount(
  plan: MerchantPlan,
  random: Random,
  webhookSecretHint: string,
): ServedMerchant {
  const host = `${plan.reference.toLowerCase().replaceAll('_', '-')}.example`;
  const drawnNumber = drawPhoneNumber(random, plan.country);
  const webhookUrl = drawFrom(random, [
    `https://${host}/webhooks`,
    `https://${host}/notifications`,
  ]);
  // Eight draws without use, so that later draws stay the same.
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

/**
 * Throws RangeError when a collection could leave nothing to credit at one of the plan's prices.
 */
function requireCreditsAbove(plan: MerchantPlan): void {
  const amount = plan.limits.minCashinAmount;
  for (const pricing of [plan.pricing, plan.priceChange?.pricing ?? plan.pricing]) {
    if (feeOf({ type: 'CASHIN', amount }, { pricing, rounding: 'CEILING' }) >= amount) {
      throw new RangeError(
        `plan ${plan.reference}: the commission on a cash-in of ${amount} leaves nothing to credit`,
      );
    }
  }
}

interface Group {
  readonly posts: readonly Post[];
  /** Absent when the lines belong to no operation. */
  readonly operation?: ServedOperation;
  /** The description of every line; absent to draw one by kind, or none. */
  readonly description?: string;
  readonly world: World;
}

/** Most milliseconds by which a line is dated before it is posted. */
const CLOCK_SPREAD = 2_000;

/**
 * Appends the lines of one transaction at the present instant. In the world without calls only the
 * funds change.
 */
export function postLines(
  simulation: WalletLife,
  { posts, operation, world, ...group }: Group,
): void {
  const { plan } = simulation;
  if (posts.length === 0) return;
  const random = world === 'CALLED' ? simulation.callRandom : simulation.random;
  const gap = chance(random, plan.traffic.sequenceGapRate)
    ? drawInteger(random, { from: 1, to: 3 })
    : 0;
  if (world !== 'DRAWN') simulation.sequence += gap;
  const askedAt =
    operation === undefined ? Number.NEGATIVE_INFINITY : Date.parse(operation.createdAt);
  for (const post of posts) {
    addFunds(simulation, world, post);
    const id = drawUuid(random);
    const description = group.description ?? drawLineDescription(random, post.kind);
    // The time at which the transaction began. It may be out of step with the sequence, but is
    // never later than now or before its operation.
    const began = simulation.now - drawInteger(random, { from: 0, to: CLOCK_SPREAD });
    if (world === 'DRAWN') continue;
    simulation.sequence += 1;
    simulation.entries.push({
      id,
      sequence: simulation.sequence,
      direction: directionOf(post.kind),
      kind: post.kind,
      amount: post.amount,
      currency: simulation.currency,
      balanceAfter: simulation.balance,
      reservedAfter: simulation.reserved,
      operationReference: operation?.reference ?? null,
      description,
      createdAt: formatInstant(Math.max(began, askedAt)),
    });
  }
  if (world !== 'DRAWN') simulation.walletUpdatedAt = simulation.now;
}
