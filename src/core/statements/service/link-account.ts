// What the service owes a merchant of its payments by link: collected, less commissions, less what was paid out, from the first known
// payment to the end of a period; and beside it the balance that the service states, read as the checks on payouts read it. Knows
// no accounts of a journal.

import { compareBalance } from '../../checks/payouts/balance.ts';
import { beginTotals, countPayment, type PaymentTally } from '../../checks/payouts/payment-totals.ts';
import { allKnown, wholeList } from '../../checks/payouts/payout-case.ts';
import type { Amount } from '../../domain/amount.ts';
import { asDecimal, decimalText } from '../../domain/decimal.ts';
import { DAY, type Instant, MINUTE } from '../../domain/instant.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Bounds } from '../../domain/period.ts';
import type { Payout } from '../../domain/published/payout.ts';
import type { KeptPayouts, PayoutsRead } from '../../domain/published/payout-place.ts';
import type { LinkAccount, LinkMoney, LinkTotals, PaidLink, PaidOut, StatedBalance } from '../comparison.ts';
import { plus, safe, sumOf } from '../exact.ts';
import type { JournalSettings } from '../journal.ts';

/** The service states amounts in FCFA: a journal in another currency has no place for them. */
export function isBookable(currency: string): boolean {
  return ['XOF', 'XAF', 'FCFA'].includes(currency);
}

type Sums = { -readonly [K in keyof LinkTotals]: LinkTotals[K] };

export interface AccountReading {
  readonly bounds: Bounds;
  /** Up to the period; what passed is in it, unless the reading began with it. */
  readonly before: Sums;
  readonly beginsWithTotals: boolean;
  /** Of the period. */
  readonly paid: PaidLink[];
  /** All that passed, and the totals that it began with: what a balance is compared with. */
  readonly tally: PaymentTally;
}

const NOTHING: LinkTotals = {
  count: 0,
  collected: 0,
  commissions: '0',
  unknownCount: 0,
  unknownAmount: 0,
  paidOut: 0,
  payoutFees: '0',
};

/** How far the service's clock may be from ours. */
const CLOCKS = 5 * MINUTE;

/** `opening`: up to the period's start; null: every payment since the first one passes. */
export function beginAccount(bounds: Bounds, opening: LinkTotals | null, askedAt: Instant): AccountReading {
  const tally = beginTotals({ zones: [], askedAt, clockTolerance: CLOCKS });
  const { count, collected, commissions, unknownCount, unknownAmount } = opening ?? NOTHING;
  Object.assign(tally.all.certain.SUCCESS, { count, amount: BigInt(collected) });
  const unknown = { count: unknownCount, amount: BigInt(unknownAmount) };
  Object.assign(tally.fees.certain, { known: asDecimal(commissions)!, unknown });
  return { bounds, before: { ...(opening ?? NOTHING) }, beginsWithTotals: opening !== null, paid: [], tally };
}

/** Each payment once. `fees`: a decimal; null: they are not known. */
export function takeForAccount(reading: AccountReading, payment: Payment, fees: string | null): void {
  const { bounds, before, beginsWithTotals, paid, tally } = reading;
  const { status, reference, orderId, createdAt, operator, country, amount } = payment;
  if (createdAt < bounds.start && beginsWithTotals) return;
  countPayment(tally, payment, fees);
  if (status !== 'SUCCESS' || createdAt >= bounds.end) return;
  if (createdAt < bounds.start) addPaid(before, payment, fees);
  else paid.push({ reference, orderId, createdAt, operator, country, amount, fees });
}

function addPaid(sums: Sums, { amount }: Pick<PaidLink, 'amount'>, fees: string | null): void {
  sums.count += 1;
  sums.collected = plus(sums.collected, amount);
  if (fees !== null) sums.commissions = added(sums.commissions, fees);
  else {
    sums.unknownCount += 1;
    sums.unknownAmount = plus(sums.unknownAmount, amount);
  }
}

function addPaidOut(sums: Sums, { amount, fees }: PaidOut): void {
  sums.paidOut = plus(sums.paidOut, amount);
  sums.payoutFees = added(sums.payoutFees, fees ?? '0');
}

function added(one: string, other: string): string {
  return decimalText(asDecimal(one)!.plus(asDecimal(other)!));
}

/** To whole units, half up. */
export function wholeFees(fees: string): Amount {
  return safe(BigInt(asDecimal(fees)!.round().toFixed()));
}

/** One look at payouts, and what earlier ones saw of them. */
export interface PayoutsSeen {
  readonly read: Pick<PayoutsRead, 'from' | 'until' | 'before' | 'after' | 'payouts'>;
  readonly kept: Pick<KeptPayouts, 'payouts'>;
  /** Of the revision before. */
  readonly issued: readonly PaidOut[];
}

/** Call once, when all payments have passed. */
export function closeAccount(
  reading: AccountReading,
  { seen, payoutFees }: { readonly seen: PayoutsSeen; readonly payoutFees: JournalSettings['links']['payoutFees'] },
): { readonly account: LinkAccount; readonly money: LinkMoney } {
  const { bounds, before, beginsWithTotals, paid } = reading;
  const known = wholeList(seen);
  const payouts = allKnown(seen.read.payouts ?? [], seen.kept.payouts);
  const listed = new Set(payouts.map(({ id }) => id));
  const out = [
    ...payouts.filter(({ status }) => status === 'SUCCESS').map((payout) => paidOutOf(payout, payoutFees)),
    ...seen.issued.filter(({ id }) => !listed.has(id)),
  ];
  for (const one of out) if (one.at < bounds.start && !beginsWithTotals) addPaidOut(before, one);
  const ended = out.filter(({ at }) => at >= bounds.start && at < bounds.end);
  const payoutsHere = inOrder(ended, ({ at, id }) => [at, id]);
  const payments = inOrder(paid, ({ createdAt, reference }) => [createdAt, reference]);
  const end: Sums = { ...before };
  for (const one of payments) addPaid(end, one, one.fees);
  for (const one of payoutsHere) addPaidOut(end, one);
  const after = { ...end };
  for (const one of out) if (one.at >= bounds.end) addPaidOut(after, one);
  const off = (pick: (sums: LinkTotals) => Amount): Amount => plus(pick(end), -pick(before));
  const account: LinkAccount = {
    opening: balanceOf(before),
    collected: off((sums) => sums.collected),
    commissions: off((sums) => wholeFees(sums.commissions)),
    paidOut: off((sums) => sums.paidOut),
    payoutFees: off((sums) => wholeFees(sums.payoutFees)),
    closing: balanceOf(end),
    unknown: { count: off((sums) => sums.unknownCount), amount: off((sums) => sums.unknownAmount) },
    payoutsAreWhole: known !== null,
    perpetual: end,
    stated: statedBalance(reading, seen, { payouts: known, after }),
  };
  return { account, money: { payments, payouts: payoutsHere } };
}

/** By time, and at one time by name. */
function inOrder<Row>(rows: readonly Row[], keyOf: (row: Row) => readonly [at: Instant, name: string]): readonly Row[] {
  const compare = ([at, name]: readonly [Instant, string], [other, another]: readonly [Instant, string]): number =>
    at - other || (name === another ? 0 : name < another ? -1 : 1);
  return rows.toSorted((a, b) => compare(keyOf(a), keyOf(b)));
}

function paidOutOf(payout: Payout, payoutFees: JournalSettings['links']['payoutFees']): PaidOut {
  const { id, reference, amount, fees, accountType, createdAt, completedAt } = payout;
  const included = payoutFees === 'included' && fees !== null ? wholeFees(fees) : 0;
  const kept = included === 0 ? fees : String(included);
  return { id, reference, at: completedAt ?? createdAt, amount: plus(amount, -included), fees: kept, accountType };
}

function balanceOf({ collected, commissions, paidOut, payoutFees }: LinkTotals): Amount {
  return [collected, -wholeFees(commissions), -paidOut, -wholeFees(payoutFees)].reduce(plus, 0);
}

/** Later than this the payments since the end of the period are not read for the sake of a balance. */
const COMPARED_WITHIN = 62 * DAY;

export function comparesBalance(bounds: Bounds, now: Instant): boolean {
  return now < bounds.end + COMPARED_WITHIN;
}

/** `after`: at the end of the period, and what was paid out since. */
function statedBalance(
  { bounds, tally }: AccountReading,
  { read }: PayoutsSeen,
  { payouts, after }: { readonly payouts: readonly Payout[] | null; readonly after: LinkTotals },
): StatedBalance {
  const balance = read.before.balance?.balance ?? null;
  const why =
    balance === null
      ? 'none'
      : !comparesBalance(bounds, read.from)
        ? 'old'
        : payouts === null
          ? 'payouts'
          : JSON.stringify(read.before.counters) !== JSON.stringify(read.after.counters)
            ? 'moved'
            : null;
  if (balance === null || payouts === null || why !== null) return { notCompared: why ?? 'none' };
  const { all, fees } = tally;
  const collected = all.certain.SUCCESS.amount + all.young.SUCCESS.amount;
  const commissions = fees.certain.known.plus(fees.young.known);
  const own = asDecimal(collected.toString())!
    .minus(commissions)
    .minus(after.paidOut)
    .minus(asDecimal(after.payoutFees)!);
  const isExact = balance === read.after.balance?.balance;
  const { nearest, untold } = compareBalance(asDecimal(balance)!, { payments: tally, payouts, isExact });
  const pending = payouts.filter(({ status }) => status === 'PENDING');
  return {
    notCompared: null,
    at: read.from,
    balance,
    ours: decimalText(own),
    difference: decimalText(asDecimal(balance)!.minus(own)),
    pending: sumOf(pending, ({ amount }) => amount),
    unknown: untold,
    isExplained: nearest.isZero(),
  };
}
