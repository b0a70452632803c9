// Reads the payments by link of a period and states what the service owes for them: collected, less
// commissions, less payouts and their fees, from the first known payment on. It sets the balance
// that the service states beside this. It knows no accounts of a journal.

import type { Amount } from '../../domain/amount.ts';
import { asDecimal, decimalText } from '../../domain/decimal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Payment, PaymentStatus } from '../../domain/payment.ts';
import type { Bounds } from '../../domain/period.ts';
import type { Payout } from '../../domain/published/payout.ts';
import {
  LINK_TOTALS,
  type LinkAccount,
  type LinkMoney,
  type LinkTotals,
  type PaidLink,
  type PaidOut,
} from '../comparison.ts';
import { plus, sumOf } from '../exact.ts';

/**
 * Returns whether payments in this currency can be booked. The service states their amounts in
 * FCFA, and a journal in another currency has no place for these.
 */
export function isBookable(currency: string): boolean {
  return ['XOF', 'XAF', 'FCFA'].includes(currency);
}

/**
 * Gathers the payments as they pass. Only those that succeeded in the period are kept, with a few
 * fields each.
 */
export interface LinkReading {
  readonly bounds: Bounds;
  /**
   * Totals up to the period. `null` when they are not known, and every payment since the first one
   * passes.
   */
  readonly opening: LinkTotals | null;
  /**
   * Whether the month before is closed, so that the payments that it lacks are booked in this one.
   */
  readonly isClosed: boolean;
  /**
   * Returns whether a payment or payout dated before the period, with that reference or id, is
   * late: the month before was issued without it.
   */
  readonly isLate: (at: Instant, name: string) => boolean;
  readonly paid: PaidLink[];
  readonly late: PaidLink[];
  /** Number of payments created in the period, by status. */
  readonly byStatus: Record<PaymentStatus, number>;
  before: LinkTotals;
  since: LinkTotals;
}

type LinkSums = Omit<LinkTotals, 'exact'>;
const NO_FEES = { commissions: '0', payoutFees: '0' };

const NOTHING: LinkTotals = {
  count: 0,
  collected: 0,
  commissions: 0,
  unknownCount: 0,
  unknownAmount: 0,
  paidOut: 0,
  payoutFees: 0,
};

export function beginLinks(
  bounds: Bounds,
  known: Pick<LinkReading, 'opening' | 'isClosed' | 'isLate'>,
): LinkReading {
  const { opening, isClosed, isLate } = known;
  const byStatus = { PENDING: 0, SUCCESS: 0, FAILED: 0 };
  const before = opening ?? NOTHING;
  return {
    bounds,
    opening,
    isClosed,
    isLate,
    paid: [],
    late: [],
    byStatus,
    before,
    since: NOTHING,
  };
}

/**
 * Must be called once with each payment. `fees` is its commission, a decimal; `null` when it is not
 * known.
 */
export function takeLink(reading: LinkReading, payment: Payment, fees: string | null): void {
  const { bounds, opening, isLate, paid, late, byStatus } = reading;
  const { status, reference, orderId, createdAt, operator, country, amount } = payment;
  if (createdAt >= bounds.start && createdAt < bounds.end) byStatus[status] += 1;
  if (status !== 'SUCCESS') return;
  const own = { reference, orderId, createdAt, operator, country, amount, fees };
  if (createdAt >= bounds.end) reading.since = sumTotals([reading.since, ofPayment(own)]);
  else if (createdAt >= bounds.start) paid.push(own);
  else if (opening === null) reading.before = sumTotals([reading.before, ofPayment(own)]);
  else if (isLate(createdAt, reference)) late.push(own);
}

function ofPayment({ amount, fees }: PaidLink): LinkTotals {
  const paid = { ...NOTHING, count: 1, collected: amount };
  return fees === null
    ? { ...paid, unknownCount: 1, unknownAmount: amount }
    : { ...paid, exact: { ...NO_FEES, commissions: fees } };
}

function ofPayouts(payouts: readonly PaidOut[]): LinkTotals {
  const exact = { ...NO_FEES, payoutFees: sumFees(payouts.map(({ fees }) => fees)) };
  return { ...NOTHING, paidOut: sumOf(payouts, ({ amount }) => amount), exact };
}

function sumTotals(all: readonly LinkTotals[]): LinkTotals {
  const totals = Object.fromEntries(
    LINK_TOTALS.map((key) => [key, sumOf(all, (one) => one[key])]),
  ) as LinkSums;
  const sum = (key: keyof typeof NO_FEES) =>
    sumFees(all.map(({ exact, ...one }) => exact?.[key] ?? String(one[key])));
  return { ...totals, exact: { commissions: sum('commissions'), payoutFees: sum('payoutFees') } };
}

/** Returns the sum of decimals, as a decimal; `null` counts as 0. */
export function sumFees(all: readonly (string | null)[]): string {
  return decimalText(all.reduce((sum, fees) => sum.plus(fees ?? 0), asDecimal('0')!));
}

/**
 * Returns the sum of the totals with fees rounded once. Commissions are rounded, and the fees of
 * payouts are what both come to together, rounded, less the commissions. So the amount owed is
 * rounded once too.
 */
function settled(all: readonly LinkTotals[]): LinkTotals {
  const totals = sumTotals(all);
  const { commissions: exact, payoutFees } = totals.exact!;
  const commissions = wholeFees(exact);
  return {
    ...totals,
    commissions,
    payoutFees: wholeFees(sumFees([exact, payoutFees])) - commissions,
  };
}

/** Returns fees in whole units, rounded half up, as each fee is first booked; 0 for `null`. */
export function wholeFees(fees: string | null): Amount {
  return Number(
    asDecimal(fees ?? '0')!
      .round()
      .toFixed(),
  );
}

/**
 * Returns the account and the money to book. Must be called once, when all payments have passed.
 * `balance` is what the service stated just before, a decimal; `null` when it stated no balance
 * that can be compared.
 */
export function closeAccount(
  { bounds, opening, isClosed, isLate, before: totals, since, paid, late }: LinkReading,
  {
    payouts,
    isWhole,
    ...stated
  }: { readonly payouts: readonly Payout[]; readonly isWhole: boolean } & {
    readonly balance: string | null;
    readonly at: Instant;
  },
): { readonly account: LinkAccount; readonly money: LinkMoney } {
  const out = payouts
    .filter(({ status }) => status === 'SUCCESS')
    .map(({ id, reference, amount, fees, accountType, createdAt, completedAt }): PaidOut => {
      return { id, reference, at: completedAt ?? createdAt, amount, fees, accountType };
    })
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const own = out.filter(
    ({ at, id }) => at < bounds.end && (at >= bounds.start || (isClosed && isLate(at, id))),
  );
  const payments = [...(isClosed ? late : []), ...paid];
  payments.sort((a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1));
  const earlier = opening === null ? out.filter(({ at }) => at < bounds.start) : [];
  const begun = settled([totals, ofPayouts(earlier)]);
  const before = sumFees(Object.values(begun.exact!));
  const perpetual = settled([begun, ...payments.map(ofPayment), ofPayouts(own)]);
  const now = settled([perpetual, since, ofPayouts(out.filter(({ at }) => at >= bounds.end))]);
  const pending = sumOf(payouts, ({ status, amount }) => (status === 'PENDING' ? amount : 0));
  const isExact = opening === null || opening.exact !== undefined;
  const service =
    stated.balance === null
      ? null
      : beside(stated.balance, { at: stated.at, now, pending, isExact });
  const moved = LINK_TOTALS.map((key) => [key, plus(perpetual[key], -begun[key])]);
  const { count: _, ...movements } = Object.fromEntries(moved) as LinkSums;
  const closing = owed(perpetual);
  const account = {
    opening: owed(begun),
    ...movements,
    closing,
    perpetual,
    before,
    isWhole,
    service,
  };
  const name = isClosed ? 'late' : 'missing';
  if (late.length > 0)
    Object.assign(account, {
      [name]: { count: late.length, amount: sumOf(late, ({ amount }) => amount) },
    });
  return { account, money: { payments, payouts: own, before } };
}

function owed({ collected, commissions, paidOut, payoutFees }: LinkTotals): Amount {
  return [collected, -commissions, -paidOut, -payoutFees].reduce(plus, 0);
}

/**
 * Most that the unknown commissions can be of their payments, in basis points: several times what
 * services charge. A difference beyond it stays unexplained.
 */
const MOST_RATE = 1_000;

/**
 * Compares the stated balance with ours. Our figure is off by rounding by half a unit at most; when
 * `isExact` is false, by half a unit for each known fee.
 */
function beside(
  balance: string,
  of: {
    readonly at: Instant;
    readonly now: LinkTotals;
    readonly pending: Amount;
    readonly isExact: boolean;
  },
): LinkAccount['service'] {
  const { at, now, pending, isExact } = of;
  const ours = owed(now);
  const difference = asDecimal(balance)!.minus(ours);
  const rounded = isExact ? 0.5 : (now.count - now.unknownCount) / 2;
  const charged = difference.neg().minus(pending + rounded);
  const { unknownCount: unknown, unknownAmount } = now;
  const isCharged = unknownAmount > 0 && charged.gt(0);
  const rate = isCharged ? Math.ceil(charged.times(10_000).div(unknownAmount).toNumber()) : null;
  const isExplained =
    difference.lte(rounded) && (rate === null ? charged.lte(0) : rate <= MOST_RATE);
  return {
    at,
    balance,
    ours,
    difference: decimalText(difference),
    pending,
    unknown,
    rate,
    isExplained,
  };
}
