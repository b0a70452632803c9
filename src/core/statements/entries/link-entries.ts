// Books payments by link in a journal of their own, which never touches the wallet's account. The
// service owes what customers paid, less its commissions, until it pays that out. There is one
// entry for each payment, or for the payments of each day and operator.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import { keyIn } from '../../domain/naming/names.ts';
import type { LinkAccount, LinkMoney, PaidLink, PaidOut } from '../comparison.ts';
import { sumOf } from '../exact.ts';
import type { AccountRole, EntrySource } from '../journal.ts';
import { sumFees, wholeFees } from '../service/link-account.ts';
import type { JournalBook } from './book.ts';
import { type BookMonth, lastDayOf } from './conversion.ts';
import {
  type EntryHead,
  type EntryMaker,
  type MadeEntry,
  makeEntry,
  ratesDiffer,
  taxAt,
} from './make-entry.ts';
import { type Posting, postEntry } from './post-entry.ts';
import { NO_FACTS, type PostingFacts } from './postings.ts';

export interface LinkBooking {
  readonly money: LinkMoney;
  readonly account: LinkAccount | null;
}

type LinkBook = Pick<JournalBook, 'maker' | 'shown' | 'bounds' | 'localDay'>;

/**
 * Returns the dates of an entry. A payment that came late is dated on the period's first day and
 * keeps the rates of its own day.
 */
function datesOf(
  { maker, bounds, localDay }: LinkBook,
  at: Instant,
  country: string | null,
): Dates {
  const [date, ratesOf] = [localDay(Math.max(at, bounds.start)), localDay(at)];
  return ratesDiffer(maker, [ratesOf, date], country) ? { date, ratesOf } : { date };
}

type Dates = Pick<EntryHead, 'date' | 'ratesOf'>;

/**
 * Returns the entries of one payment: the payment, and its commission where that is known and not
 * 0. With `entries: day` they are parts of the day's entries, unless they take the rates of another
 * day.
 */
export function paymentEntries(
  book: LinkBook,
  { reference, amount, fees, country, orderId, createdAt, ...payment }: PaidLink,
): readonly MadeEntry[] {
  const { maker, shown } = book;
  const dates = datesOf(book, createdAt, country);
  const { date } = dates;
  const operator = payment.operator?.toUpperCase() ?? null;
  const isDay = maker.settings.entries === 'day' && dates.ratesOf === undefined;
  const number = numberOf(
    maker,
    date,
    isDay ? `${date.slice(8)}-${operator ?? 'X'}` : ownName(reference),
  );
  const head = {
    number,
    ...dates,
    piece: isDay ? number : reference,
    operationReference: isDay ? null : reference,
    operator,
  };
  const externalReference = orderId === null ? null : shown(orderId);
  const facts = { ...NO_FACTS, operator, country, reference, externalReference };
  return [
    moved(maker, { ...head, source: 'payment' }, ['linkReceivable', 'customers', amount], {
      ...facts,
      kind: 'PAYMENT_BY_LINK',
    }),
    ...feeOf(maker, { ...head, source: 'paymentFee' }, fees, facts),
  ];
}

function payoutEntries(book: JournalBook, payout: PaidOut): readonly MadeEntry[] {
  const { maker } = book;
  const { id, reference, amount, fees, accountType: beneficiary } = payout;
  const dates = datesOf(book, payout.at, null);
  const piece = reference ?? id;
  const head = {
    number: numberOf(maker, dates.date, ownName(id)),
    ...dates,
    piece,
    operationReference: piece,
    operator: null,
  };
  const facts = { ...NO_FACTS, reference: piece, beneficiary };
  return [
    moved(maker, { ...head, source: 'payout' }, ['transfers', 'linkReceivable', amount], {
      ...facts,
      kind: 'PAYOUT',
    }),
    ...feeOf(maker, { ...head, source: 'payoutFee' }, fees, facts),
  ];
}

function numberOf({ settings, monthOf }: EntryMaker, day: string, name: string): string {
  return `${settings.links.code}-${monthOf(day)}-${name}`;
}

/**
 * Returns a reference or an id as the last part of an entry number. A text that would read as a
 * commission (`…-F`), a rest (`R-…`) or a day (`05-ORANGE`) is changed and gets digits that tell it
 * apart.
 */
function ownName(text: string): string {
  return keyIn(Infinity, (one) => one.replace(/^(?=R-|\d\d-[A-Z])|-F$/, '_'), text);
}

/**
 * Returns the entry of a commission by itself, so that a commission that becomes known later adds
 * an entry and changes none.
 */
function feeOf(
  maker: EntryMaker,
  head: Head,
  fees: string | null,
  facts: PostingFacts,
): readonly MadeEntry[] {
  const fee = wholeFees(fees);
  const own = { ...head, number: `${head.number}-F` };
  return fee === 0
    ? []
    : [moved(maker, own, ['fees', 'linkReceivable', fee], { ...facts, kind: 'PAYMENT_FEE' })];
}

type Head = Omit<EntryHead, 'journal' | 'sequence'> & { readonly source: EntrySource };

function moved(
  maker: EntryMaker,
  head: Head,
  [debit, credit, amount]: readonly [AccountRole, AccountRole, Amount],
  facts: PostingFacts,
): MadeEntry {
  const against = [
    [debit, amount],
    [credit, -amount],
  ] as const;
  return makeEntry(
    maker,
    { ...head, sequence: null, journal: 'links' },
    { effect: 0, against, facts },
  );
}

/**
 * Posts the payments. Returns the entries that remain to be posted: payouts, the months' roundings,
 * and with `entries: day` the payments that are not part of a day's entry.
 */
export function bookLinks(
  book: JournalBook,
  { money }: LinkBooking,
  months: readonly BookMonth[],
): readonly Posting[] {
  const isDay = book.maker.settings.entries === 'day';
  const apart: Posting[] = [];
  for (const one of money.payments.flatMap((payment) => paymentEntries(book, payment))) {
    if (isDay && one.entry.ratesOf !== undefined) apart.push(one);
    else postEntry(book.sums, { ...one, isOfDay: isDay });
  }
  const payouts = money.payouts.flatMap((payout) => payoutEntries(book, payout));
  return [...apart, ...payouts, ...restEntries(book, money, months)];
}

/**
 * Returns one entry for each month, operator, country and tax: the sum of all commissions, rounded
 * once, less what was booked commission by commission. The fees of payouts come last.
 */
function restEntries(
  book: JournalBook,
  money: LinkMoney,
  months: readonly BookMonth[],
): readonly MadeEntry[] {
  const { maker } = book;
  const { taxes } = maker.settings;
  const placed = (at: Instant, country: string | null) => {
    const { date, ratesOf: day = date } = datesOf(book, at, country);
    return {
      day,
      month: maker.monthOf(date),
      tax: taxes.indexOf(taxAt(taxes, { date: day, country: country ?? maker.country })!),
    };
  };
  const charged = [
    ...money.payments.map(({ operator, country, createdAt, fees }) => {
      return {
        ...placed(createdAt, country),
        operator: operator?.toUpperCase() ?? 'X',
        country,
        fees,
      };
    }),
    ...money.payouts.map(({ at, fees }) => ({
      ...placed(at, null),
      operator: null,
      country: null,
      fees,
    })),
  ];
  const groups = Map.groupBy(charged, ({ month, operator, country, tax }) =>
    JSON.stringify([month, operator ?? '\uffff', country, tax]),
  );
  let exact = money.before ?? '0';
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => {
      const { day, month, operator, country, tax } = own[0]!;
      const known = wholeFees(exact);
      exact = sumFees([exact, ...own.map(({ fees }) => fees)]);
      const amount = wholeFees(exact) - known - sumOf(own, ({ fees }) => wholeFees(fees));
      if (amount === 0) return [];
      const date = lastDayOf(months, month);
      const parts = ['R', operator, country, tax < 0 ? null : `T${tax + 1}`];
      const number = numberOf(maker, date, parts.filter((part) => part !== null).join('-'));
      const ratesOf = ratesDiffer(maker, [day, date], country) ? { ratesOf: day } : {};
      const of = { operator: operator === 'X' ? null : operator, source: 'feeRounding' as const };
      const head = { number, date, ...ratesOf, piece: number, operationReference: null, ...of };
      const facts = { ...NO_FACTS, operator: of.operator, country, kind: 'PAYMENT_FEE' };
      return [moved(maker, head, ['fees', 'linkReceivable', amount], facts)];
    });
}
