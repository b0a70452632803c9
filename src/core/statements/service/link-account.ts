// The payments by link of a period as they are read, and what the service owes of them: collected, less commissions, less payouts and their fees, from the first
// known payment on; and beside it the balance that the service states. Knows no accounts of a journal.

import type { Amount } from '../../domain/amount.ts';
import { asDecimal, type Decimal, decimalText } from '../../domain/decimal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Payment, PaymentStatus } from '../../domain/payment.ts';
import type { Bounds } from '../../domain/period.ts';
import type { Payout } from '../../domain/published/payout.ts';
import {
  LINK_TOTALS,
  type LinkAccount,
  type LinkMoney,
  type LinkRests,
  type LinkTotals,
  type PaidLink,
  type PaidOut,
} from '../comparison.ts';
import { plus, sumOf } from '../exact.ts';

/** The service states amounts in FCFA: a journal in another currency has no place for them. */
export function isBookable(currency: string): boolean {
  return ['XOF', 'XAF', 'FCFA'].includes(currency);
}

/** Of a period's payments, as they pass. Holds those that succeeded in it, a few words each. */
export interface LinkReading {
  readonly bounds: Bounds;
  /** Up to the period; null: every payment since the first one passes. */
  readonly opening: LinkTotals | null;
  /** The month before is, so that what it lacks is booked in this one. */
  readonly isClosed: boolean;
  /** Of what is dated before the period, by its reference or id: the month before was issued without it. */
  readonly isLate: (at: Instant, name: string) => boolean;
  readonly paid: PaidLink[];
  readonly late: PaidLink[];
  /** Of the period. */
  readonly byStatus: Record<PaymentStatus, number>;
  before: LinkTotals;
  since: LinkTotals;
}

type LinkSums = Omit<LinkTotals, 'rests'>;

const NOTHING: LinkTotals = {
  count: 0,
  collected: 0,
  commissions: 0,
  unknownCount: 0,
  unknownAmount: 0,
  paidOut: 0,
  payoutFees: 0,
};

export function beginLinks(bounds: Bounds, known: Pick<LinkReading, 'opening' | 'isClosed' | 'isLate'>): LinkReading {
  const { opening, isClosed, isLate } = known;
  const byStatus = { PENDING: 0, SUCCESS: 0, FAILED: 0 };
  const before = opening ?? NOTHING;
  return { bounds, opening, isClosed, isLate, paid: [], late: [], byStatus, before, since: NOTHING };
}

/** Each payment once. `fees`: a decimal; null: they are not known. */
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
    : { ...paid, commissions: wholeFees(fees), rests: { ...NO_RESTS, commissions: restOf([{ fees }]) } };
}

function ofPayouts(payouts: readonly PaidOut[]): LinkTotals {
  const payoutFees = sumOf(payouts, ({ fees }) => wholeFees(fees));
  const rests = { ...NO_RESTS, payoutFees: restOf(payouts) };
  return { ...NOTHING, paidOut: sumOf(payouts, ({ amount }) => amount), payoutFees, rests };
}

function sumTotals(all: readonly LinkTotals[]): LinkTotals {
  const totals = Object.fromEntries(LINK_TOTALS.map((key) => [key, sumOf(all, (one) => one[key])])) as LinkSums;
  return { ...totals, rests: sumRests(all.map(({ rests = NO_RESTS }) => rests)) };
}

export const NO_RESTS: LinkRests = { commissions: '0', payoutFees: '0' };

export function sumRests(all: readonly LinkRests[]): LinkRests {
  const sum = (key: keyof LinkRests) => decimalText(all.reduce((total, one) => total.plus(one[key]), asDecimal('0')!));
  return { commissions: sum('commissions'), payoutFees: sum('payoutFees') };
}

/** What fees are more than each of them in whole units. */
export function restOf(all: readonly { readonly fees: string | null }[]): string {
  const of = ({ fees }: (typeof all)[number]) => asDecimal(fees ?? '0')!.minus(wholeFees(fees));
  return decimalText(all.reduce((sum, one) => sum.plus(of(one)), asDecimal('0')!));
}

/** The whole units of both, rounded together and halves up, and what is left of each then. */
export function settleRests({ commissions, payoutFees }: LinkRests) {
  const whole = (rest: Decimal): number => rest.plus('0.5').floor().toNumber();
  const [ofPayments, all] = [asDecimal(commissions)!, asDecimal(commissions)!.plus(payoutFees)];
  const units = { commissions: whole(ofPayments), payoutFees: whole(all) - whole(ofPayments) };
  const left = ofPayments.minus(units.commissions);
  const rests = { commissions: decimalText(left), payoutFees: decimalText(all.minus(whole(all)).minus(left)) };
  return { units, rests };
}

/** Of all that was booked, up to the end of the money's period. */
export function restsAfter({ before = NO_RESTS, payments, payouts }: LinkMoney): LinkRests {
  const own = { commissions: restOf(payments), payoutFees: restOf(payouts) };
  return settleRests(sumRests([before, own])).rests;
}

function settled(all: readonly LinkTotals[]): LinkTotals {
  const totals = sumTotals(all);
  const { units, rests } = settleRests(totals.rests!);
  const commissions = plus(totals.commissions, units.commissions);
  return { ...totals, commissions, payoutFees: plus(totals.payoutFees, units.payoutFees), rests };
}

/** In whole units, half up, as each of them is booked first; null: 0. */
export function wholeFees(fees: string | null): Amount {
  return Number(
    asDecimal(fees ?? '0')!
      .round()
      .toFixed(),
  );
}

/** Call once, when all payments have passed. `balance`: stated by the service just before; null: by none that can be compared. */
export function closeAccount(
  { bounds, opening, isClosed, isLate, before, since, paid, late }: LinkReading,
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
  const own = out.filter(({ at, id }) => at < bounds.end && (at >= bounds.start || (isClosed && isLate(at, id))));
  const payments = [...(isClosed ? late : []), ...paid];
  payments.sort((a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1));
  const earlier = opening === null ? out.filter(({ at }) => at < bounds.start) : [];
  const begun = settled([before, ofPayouts(earlier)]);
  const perpetual = settled([begun, ...payments.map(ofPayment), ofPayouts(own)]);
  const now = settled([perpetual, since, ofPayouts(out.filter(({ at }) => at >= bounds.end))]);
  const pending = sumOf(payouts, ({ status, amount }) => (status === 'PENDING' ? amount : 0));
  const service =
    stated.balance === null
      ? null
      : beside(stated.balance, {
          at: stated.at,
          now,
          pending,
          isExact: opening?.rests !== undefined || opening === null,
        });
  const moved = LINK_TOTALS.map((key) => [key, plus(perpetual[key], -begun[key])]);
  const { count: _, ...movements } = Object.fromEntries(moved) as LinkSums;
  const account = {
    opening: owed(begun),
    ...movements,
    closing: owed(perpetual),
    perpetual,
    before: begun.rests,
    isWhole,
    service,
  };
  const name = isClosed ? 'late' : 'missing';
  if (late.length > 0)
    Object.assign(account, { [name]: { count: late.length, amount: sumOf(late, ({ amount }) => amount) } });
  return { account, money: { payments, payouts: own, before: begun.rests } };
}

function owed({ collected, commissions, paidOut, payoutFees }: LinkTotals): Amount {
  return [collected, -commissions, -paidOut, -payoutFees].reduce(plus, 0);
}

/** Basis points of payments: several times what services charge. Commissions above it explain nothing. */
const MOST_RATE = 1_000;

/** Our figure is rounded by a half at most; `isExact` false: each known fee may be. */
function beside(
  balance: string,
  {
    at,
    now,
    pending,
    isExact,
  }: { readonly at: Instant; readonly now: LinkTotals; readonly pending: Amount; readonly isExact: boolean },
): LinkAccount['service'] {
  const ours = owed(now);
  const difference = asDecimal(balance)!.minus(ours);
  const rounded = isExact ? 0.5 : (now.count - now.unknownCount) / 2;
  const charged = difference.neg().minus(pending + rounded);
  const { unknownCount: unknown, unknownAmount } = now;
  const isCharged = unknownAmount > 0 && charged.gt(0);
  const rate = isCharged ? Math.ceil(charged.times(10_000).div(unknownAmount).toNumber()) : null;
  const isExplained = difference.lte(rounded) && (rate === null ? charged.lte(0) : rate <= MOST_RATE);
  return { at, balance, ours, difference: decimalText(difference), pending, unknown, rate, isExplained };
}
