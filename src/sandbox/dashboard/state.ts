// The state of one merchant's dashboard: payments by link, drawn from the seed and the day, or from
// the number of a call; the accounts that receive payouts; the payouts, and the figures that
// follow. The wallet's operations are not among these payments.

import type { Amount } from '../../core/domain/amount.ts';
import {
  DAY,
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '../../core/domain/instant.ts';
import { LINK_LIFETIME, type PaymentStatus } from '../../core/domain/payment.ts';
import { CEILING_BY_DEFAULT, CEILING_ONCE_APPROVED } from '../../core/domain/published/payout.ts';
import { drawPhoneNumber } from '../model/operators.ts';
import type { MerchantPlan, PayoutAccountType, SettlementTerms } from '../model/plan.ts';
import {
  chance,
  drawDigits,
  drawFrom,
  drawInteger,
  drawLetters,
  drawUuid,
  drawWait,
  type Random,
  seedRandom,
  uuidOf,
} from '../model/random.ts';
import type { Draft } from '../model/served.ts';
import {
  type ComplianceFile,
  LINK_COUNTRIES,
  type LinkCountry,
  type LinkOperator,
  type ServedPayment,
  type ServedPayout,
  type ServedPayoutLimits,
  type ServedSummary,
} from '../model/served-dashboard.ts';
import type { EventQueue } from '../model/time.ts';

export type LinkOutcome = Exclude<PaymentStatus, 'PENDING'>;

export interface LinkPayment {
  readonly createdAt: Instant;
  settledAt: Instant;
  outcome: LinkOutcome;
  /** Charged when the payment succeeds, in hundredths of a unit. */
  readonly fees: number;
  /** The payment as it is served once it has succeeded. */
  readonly served: ServedPayment;
}

/** The parts of a link that a call states. */
export interface LinkWish {
  readonly amount: Amount;
  readonly country: LinkCountry;
  readonly orderId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface PayoutAccount {
  readonly id: string;
  readonly type: PayoutAccountType;
  readonly label: string;
  readonly number: string;
  /** `null` for an account of mobile money. */
  readonly bankCode: string | null;
  isPrimary: boolean;
  readonly createdAt: Instant;
}

export type DashboardEvent =
  | { readonly what: 'DAY'; readonly day: number }
  | { readonly what: 'LINK_MADE'; readonly payment: LinkPayment }
  | { readonly what: 'LINK_ENDED'; readonly payment: LinkPayment }
  | { readonly what: 'WEEKLY_REQUEST' }
  | { readonly what: 'SETTLEMENT'; readonly settlement: Settlement }
  | {
      readonly what: 'PAYOUT_ENDED';
      readonly payout: Draft<ServedPayout>;
      readonly failureReason: string | null;
    };

export interface Settlement extends SettlementTerms {
  lastSettlementAt: Instant | null;
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
  /** The state of the monthly reports: everything else follows from the payments and the time. */
  readonly reports: {
    /** Period → the instant at which it was last asked to be generated again. */
    readonly askedAgain: Map<string, Instant>;
    /** Period → the wrong summary of a planted fault. */
    readonly wrong: Map<string, ServedSummary>;
  };
  /** False after a planted fault: automatic payouts no longer happen. */
  settles: boolean;
  /** For the name of an answer, the change that a planted fault makes to it (`answers.ts`). */
  readonly wrong: Map<string, (right: unknown) => unknown>;
  /** Since when the results of payments are notified; `null` when they are not. */
  notifiedSince: Instant | null;
  /** Called with every payment as it ends. */
  onEnded: ((payment: LinkPayment) => void) | null;
}

/** "A test payment should use an amount of at least 101 FCFA." */
export const LEAST_LINK_AMOUNT: Amount = 101;
export const LEAST_PAYOUT: Amount = 100;

/** Percent of a payment by link. */
export const LINK_FEE_RATE = 1.5;
/** Percent of a payout to mobile money. */
export const MOBILE_MONEY_RATE = 1;
/** Fee of a payout to a bank, in whole units. */
export const BANK_FIXED: Amount = 500;

/** Returns what an ended payment adds to the balance, in hundredths of a unit. */
export function collectedBy({ outcome, served, fees }: LinkPayment): number {
  return outcome === 'SUCCESS' ? 100 * served.amount - fees : 0;
}

/** Returns the fees of a payout in whole units. They are charged on top of the amount. */
export function payoutFees(amount: Amount, type: PayoutAccountType): Amount {
  return type === 'BANK' ? BANK_FIXED : Math.ceil((amount * MOBILE_MONEY_RATE) / 100);
}

/**
 * The largest amount that can be paid out of `funds` with its fees; may be negative. Whole units.
 */
export function payableOf(funds: Amount, type: PayoutAccountType): Amount {
  if (type === 'BANK') return funds - BANK_FIXED;
  const amount = Math.floor((funds * 100) / (100 + MOBILE_MONEY_RATE));
  return amount + payoutFees(amount, type) > funds ? amount - 1 : amount;
}

/** The sandbox's own table: the document does not show which operator serves which country. */
const OPERATORS_OF: Readonly<Record<LinkCountry, readonly LinkOperator[]>> = {
  CI: ['orange', 'mtn', 'moov', 'wave', 'visa'],
  BF: ['orange', 'moov', 'visa'],
  ML: ['orange', 'moov', 'wave'],
  CM: ['orange', 'mtn', 'visa'],
};

/**
 * Returns the merchant's countries in which payments by link exist. When it is empty, the merchant
 * has no dashboard.
 */
export function linkCountriesOf(plan: MerchantPlan): readonly LinkCountry[] {
  return LINK_COUNTRIES.filter((country) => plan.allowedCountries.includes(country));
}

/** Returns the payments of one day, from the opening of the account on, ascending in createdAt. */
export function paymentsOfDay(
  plan: MerchantPlan,
  day: number,
  seed: string,
): readonly LinkPayment[] {
  const countries = linkCountriesOf(plan);
  const random = seedRandom(`${seed}/${plan.reference}/links/${day}`);
  const count = drawInteger(random, { from: 0, to: 2 * plan.traffic.paymentsPerDay });
  const payments: LinkPayment[] = [];
  for (let number = 1; number <= count; number += 1) {
    const createdAt = day * DAY + drawInteger(random, { from: 0, to: DAY - 1 });
    const fate = drawFate(random);
    const country = drawFrom(random, countries);
    const operator = drawFrom(random, OPERATORS_OF[country]);
    const code = `${day.toString(36)}${number.toString(36).padStart(2, '0')}`.toUpperCase();
    const payment = newPayment(createdAt, fate, {
      id: drawUuid(random),
      reference: `PAY${drawLetters(random, 4)}${code}`,
      amount: LEAST_LINK_AMOUNT + drawWait(random, plan.traffic.typicalAmount),
      country,
      provider: drawProvider(random),
      order_id: `CMD-${day}-${number}`,
      senderNumber: drawPhoneNumber(random, country),
      senderOperateur: drawCasing(random, operator),
      metadata: drawFrom(random, [
        {},
        { panier: number },
        { note: 'livré "à la main"', étages: [1, null] },
      ]),
    });
    if (createdAt >= plan.opensAt) payments.push(payment);
  }
  return payments.sort(
    (a, b) => a.createdAt - b.createdAt || (a.served.reference < b.served.reference ? -1 : 1),
  );
}

/**
 * Returns a link that a call makes now. With `isDrawn` false it is paid only if a control call
 * decides so; without a decision it expires.
 */
export function callPayment(life: DashboardLife, wish: LinkWish, isDrawn: boolean): LinkPayment {
  const { amount, country, orderId, metadata } = wish;
  life.linksCalled += 1;
  const random = seedRandom(`${life.seed}/${life.plan.reference}/called link ${life.linksCalled}`);
  const fate = drawFate(random);
  const code = `Z${life.linksCalled.toString(36).toUpperCase().padStart(4, '0')}`;
  return newPayment(life.now, isDrawn ? fate : UNPAID, {
    id: drawUuid(random),
    reference: `PAY${drawLetters(random, 4)}${code}`,
    amount,
    country,
    provider: drawProvider(random),
    order_id: orderId,
    senderNumber: drawPhoneNumber(random, country),
    senderOperateur: drawCasing(random, drawFrom(random, OPERATORS_OF[country])),
    metadata,
  });
}

/** Returns a new payment; its fees are rounded half up. */
function newPayment(
  createdAt: Instant,
  fate: Fate,
  parts: Omit<ServedPayment, 'status' | 'createdAt'>,
): LinkPayment {
  return {
    createdAt,
    settledAt: createdAt + fate.after,
    outcome: fate.outcome,
    fees: Math.round(parts.amount * LINK_FEE_RATE),
    served: { ...parts, status: 'SUCCESS', createdAt: formatInstant(createdAt) },
  };
}

/** The payment as the API serves it at `now`: PENDING until its outcome is known. */
export function servedAt({ settledAt, outcome, served }: LinkPayment, now: Instant): ServedPayment {
  return { ...served, status: settledAt <= now ? outcome : 'PENDING' };
}

function drawProvider(random: Random): string {
  return drawFrom(random, ['agrégateur-a', 'agrégateur-b']);
}

/** How a link ends, and how long after it was made. */
interface Fate {
  readonly outcome: LinkOutcome;
  readonly after: number;
}

const UNPAID: Fate = { outcome: 'FAILED', after: LINK_LIFETIME };

/**
 * Draws how a link ends. Most are paid within half an hour, and about one in seven of the paid ones
 * at any time before the link expires. Some are refused within an hour. Those that are never
 * answered expire after 24 hours.
 */
function drawFate(random: Random): Fate {
  if (chance(random, 0.08)) return UNPAID;
  if (chance(random, 0.1))
    return { outcome: 'FAILED', after: drawInteger(random, { from: 5 * SECOND, to: HOUR }) };
  const longest = chance(random, 0.15) ? LINK_LIFETIME - MINUTE : 30 * MINUTE;
  return { outcome: 'SUCCESS', after: drawInteger(random, { from: 5 * SECOND, to: longest }) };
}

/** The document says about operators: "Casing varies." */
function drawCasing(random: Random, operator: LinkOperator): string {
  const capital = operator[0]!.toUpperCase() + operator.slice(1);
  return drawFrom(random, [operator, capital, capital, operator.toUpperCase()]);
}

/**
 * Returns collections less their fees, less payouts that succeeded or are pending, with their fees;
 * in hundredths of a unit.
 */
export function balanceOf({ collected, payouts }: DashboardLife): number {
  return payouts
    .filter(({ status }) => status !== 'FAILED')
    .reduce((sum, { amount, fees }) => sum - 100 * (amount + fees), collected);
}

/**
 * Returns the ceiling of the running month (UTC), how much of it payouts have used that did not
 * fail, and what is left.
 */
export function payoutLimits({ compliance, payouts, now }: DashboardLife): ServedPayoutLimits {
  const plafond = compliance?.status === 'APPROVED' ? CEILING_ONCE_APPROVED : CEILING_BY_DEFAULT;
  const month = formatInstant(now).slice(0, 7);
  const consomme = payouts
    .filter(({ status, createdAt }) => status !== 'FAILED' && createdAt.startsWith(month))
    .reduce((sum, { amount }) => sum + amount, 0);
  return { plafond, consomme, restant: plafond - consomme };
}

/**
 * Adds a payout account; the first one is primary. Parts that are `null` are made up, except
 * `bankCode`.
 */
export function addPayoutAccount(
  life: DashboardLife,
  wish: Pick<PayoutAccount, 'type'> & {
    readonly [Part in 'label' | 'number' | 'bankCode']: string | null;
  },
): PayoutAccount {
  life.accountsAdded += 1;
  const about = `${life.seed}/${life.plan.reference}/payout account ${life.accountsAdded}`;
  const account: PayoutAccount = {
    id: uuidOf(about),
    type: wish.type,
    label: wish.label ?? (wish.type === 'BANK' ? 'Compte bancaire' : 'Compte mobile'),
    number: wish.number ?? drawDigits(seedRandom(about), 10),
    bankCode: wish.bankCode,
    isPrimary: primaryOf(life) === null,
    createdAt: life.now,
  };
  life.payoutAccounts.push(account);
  return account;
}

export function primaryOf({ payoutAccounts }: DashboardLife): PayoutAccount | null {
  return payoutAccounts.find(({ isPrimary }) => isPrimary) ?? null;
}

/** Returns the account as the API serves it. */
export function shownAccount({ createdAt, ...account }: PayoutAccount) {
  return { ...account, createdAt: formatInstant(createdAt) };
}
