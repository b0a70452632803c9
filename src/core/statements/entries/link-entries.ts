// Books payments by link in a journal of their own, which never touches the wallet's account: what customers paid is owed by the
// service until it pays it out, less its commissions. One entry for each, or for those of a day and operator.

import { asDecimal, type Decimal } from '../../domain/decimal.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LinkAccount, LinkMoney, PaidLink, PaidOut } from '../comparison.ts';
import { plus } from '../exact.ts';
import type { EntrySource, JournalEntry } from '../journal.ts';
import { wholeFees } from '../service/link-account.ts';
import { addTaxes, addToDay, addTotals, type JournalBook } from './book.ts';
import { type EntryHead, type EntryMaker, type MadeEntry, makeEntry } from './make-entry.ts';
import { NO_FACTS, type PostingFacts } from './postings.ts';

/** `YYYY-MM-DD` of an instant of the period. */
type DayOf = (instant: Instant) => string;

type Head = Pick<JournalEntry, 'number' | 'date' | 'piece' | 'operationReference' | 'operator'>;

/** Of one payment: it, and its commission where one is known that is not 0. With `entries: day` they are parts of those of the day. */
export function paymentEntries(
  { maker, shown }: Pick<JournalBook, 'maker' | 'shown'>,
  payment: PaidLink,
  dayOf: DayOf,
): readonly MadeEntry[] {
  const { reference, amount, fees, country, orderId } = payment;
  const date = dayOf(payment.createdAt);
  const operator = payment.operator?.toUpperCase() ?? null;
  const isDay = maker.settings.entries === 'day';
  const name = isDay ? [date.slice(8), ...(operator === null ? [] : [operator])].join('-') : reference;
  const number = numberOf(maker, date, name);
  const head = {
    number,
    date,
    piece: isDay ? number : reference,
    operationReference: isDay ? null : reference,
    operator,
  };
  const externalReference = orderId === null ? null : shown(orderId);
  const facts = { ...NO_FACTS, operator, country, reference, externalReference };
  const against = [
    ['linkReceivable', amount],
    ['customers', -amount],
  ] as const;
  const paid = makeEntry(maker, headOf(head, 'payment'), {
    effect: 0,
    against,
    facts: { ...facts, kind: 'PAYMENT_BY_LINK' },
  });
  return [paid, ...feeEntries(maker, { head, source: 'paymentFee', fees, facts })];
}

function payoutEntries(maker: EntryMaker, payout: PaidOut, dayOf: DayOf): readonly MadeEntry[] {
  const { id, reference, amount, fees, accountType: beneficiary } = payout;
  const date = dayOf(payout.at);
  const piece = reference ?? id;
  const head = { number: numberOf(maker, date, id), date, piece, operationReference: piece, operator: null };
  const facts = { ...NO_FACTS, reference: piece, beneficiary };
  const against = [
    ['transfers', amount],
    ['linkReceivable', -amount],
  ] as const;
  const out = makeEntry(maker, headOf(head, 'payout'), { effect: 0, against, facts: { ...facts, kind: 'PAYOUT' } });
  return [out, ...feeEntries(maker, { head, source: 'payoutFee', fees, facts })];
}

/** By itself, so that one that becomes known later adds an entry and changes none. */
function feeEntries(
  maker: EntryMaker,
  {
    head,
    source,
    fees,
    facts,
  }: {
    readonly head: Head;
    readonly source: 'paymentFee' | 'payoutFee' | 'feeRounding';
    readonly fees: string | null;
    readonly facts: PostingFacts;
  },
): readonly MadeEntry[] {
  const fee = fees === null ? 0 : wholeFees(fees);
  if (fee === 0) return [];
  const against = [
    ['fees', fee],
    ['linkReceivable', -fee],
  ] as const;
  return [
    makeEntry(maker, headOf({ ...head, number: `${head.number}-F` }, source), {
      effect: 0,
      against,
      facts: { ...facts, kind: 'PAYMENT_FEE' },
    }),
  ];
}

function headOf({ number, date, piece, operationReference, operator }: Head, source: EntrySource): EntryHead {
  return { number, date, piece, source, sequence: null, operationReference, operator, journal: 'links' };
}

function numberOf({ settings, monthOf }: EntryMaker, day: string, name: string): string {
  return `${settings.links.code}-${monthOf(day)}-${name}`;
}

export interface LinkBooking {
  readonly money: LinkMoney;
  readonly account: LinkAccount | null;
  readonly dayOf: DayOf;
  /** Of a month, `YYYY-MM`, its last day that is stated. */
  readonly lastDayOf: (month: string) => string;
}

/** Counts all of them; gives those that come with no payment: payouts, and what fees that are rounded once a month differ by. */
export function bookLinks(
  book: JournalBook,
  { money, account, dayOf, lastDayOf }: LinkBooking,
): readonly JournalEntry[] {
  const { maker } = book;
  const fees = new Map<string, FeeSums>();
  for (const payment of money.payments) {
    const made = paymentEntries(book, payment, dayOf);
    addFees(fees, 'commissions', payment.fees, maker.monthOf(made[0]!.entry.date));
    for (const one of made) {
      addTaxes(book, one, one.entry.operator);
      if (maker.settings.entries === 'day') addToDay(book, one.entry);
      else addTotals(book, one.entry);
    }
  }
  const payouts = money.payouts.flatMap((payout) => {
    const made = payoutEntries(maker, payout, dayOf);
    addFees(fees, 'payoutFees', payout.fees, maker.monthOf(made[0]!.entry.date));
    return made;
  });
  const roundings = roundingsOf(fees, account).flatMap(([month, difference]) => {
    const date = lastDayOf(month);
    const number = `${maker.settings.links.code}-${month}`;
    const head = { number, date, piece: `${number}-F`, operationReference: null, operator: null };
    return feeEntries(maker, { head, source: 'feeRounding', fees: String(difference), facts: NO_FACTS });
  });
  return [...payouts, ...roundings].map((one) => {
    addTaxes(book, one, null);
    return one.entry;
  });
}

type Fee = 'commissions' | 'payoutFees';

/** Of a month, exact and as its entries have them. */
interface FeeSums {
  readonly exact: Record<Fee, Decimal>;
  entered: number;
}

function addFees(sums: Map<string, FeeSums>, fee: Fee, fees: string | null, month: string): void {
  const nothing = asDecimal('0')!;
  const own = sums.get(month) ?? { exact: { commissions: nothing, payoutFees: nothing }, entered: 0 };
  sums.set(month, own);
  if (fees === null) return;
  own.exact[fee] = own.exact[fee].plus(asDecimal(fees)!);
  own.entered = plus(own.entered, wholeFees(fees));
}

/** So that the account of the service is what it owes exactly, to half a unit, at the end of every month. */
function roundingsOf(
  sums: ReadonlyMap<string, FeeSums>,
  account: LinkAccount | null,
): readonly (readonly [string, number])[] {
  const months = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
  const reached = (fee: Fee): Decimal => {
    const end = asDecimal(account?.perpetual[fee] ?? '0')!;
    return account === null ? end : months.reduce((left, [, { exact }]) => left.minus(exact[fee]), end);
  };
  const at: Record<Fee, Decimal> = { commissions: reached('commissions'), payoutFees: reached('payoutFees') };
  return months.map(([month, { exact, entered }]) => {
    const booked = (['commissions', 'payoutFees'] as const).map((fee) => {
      const before = at[fee];
      at[fee] = before.plus(exact[fee]);
      return wholeFees(at[fee].toFixed()) - wholeFees(before.toFixed());
    });
    return [month, plus(plus(booked[0]!, booked[1]!), -entered)] as const;
  });
}
