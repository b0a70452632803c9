// A journal in the currency of the merchant's books, where the wallet has another. Entries are kept in the wallet's and converted on
// their way out, each row by itself at the rate of its day, so that what clears another clears it there too. The cents that an entry
// is off by then are on its row of the wallet, else on its largest; a balance is revalued by the program that the books are kept in.

import type { Amount } from '../../domain/amount.ts';
import { convert } from '../../domain/decimal.ts';
import { StatementRefused, safe, sumOf } from '../exact.ts';
import type { Books, JournalEntry, JournalRow } from '../journal.ts';

export interface BookedRow extends JournalRow {
  /** Debit − credit, in the smallest unit of the books' currency. */
  readonly booked: Amount;
}

const CFA = ['XOF', 'XAF'];

/** With the rates of the wallet's currency in a period alone; undefined: the books are in it. Throws where its first day has none. */
export function openBooks(books: Books | undefined, of: string, [first, last]: readonly string[]): Books | undefined {
  if (books === undefined || books.currency === of) return undefined;
  const { currency } = books;
  const own = books.rates.filter((rate) => rate.of === of && rate.from <= last!);
  const rates = own.sort((a, b) => (a.from < b.from ? -1 : 1));
  // Fixed by treaty, without an end (decision 98/683/EC of the Council; BCEAO, BEAC): one euro is 655.957 of either.
  const units = currency === 'EUR' ? 655.957 : 1;
  if (CFA.includes(of) && ['EUR', ...CFA].includes(currency)) rates.unshift({ of, from: '', units, worth: 1 });
  if (rates.some(({ from }) => from <= first!)) return { ...books, rates };
  const rate = `{ "of": "${of}", "from": "${first}", "units": …, "worth": … }`;
  const message = `The books are kept in ${currency}, and no rate of ${of} is in force on ${first}: put one into journal.books.rates, ${rate}.`;
  throw new StatementRefused('NO_RATE', message);
}

/** A signed amount of the wallet's currency, half away from 0. */
export function inBooks(books: Books | undefined, amount: Amount, day: string): Amount {
  if (books === undefined) return amount;
  const { units, worth } = books.rates.findLast(({ from }) => from <= day) ?? books.rates[0]!;
  return safe(convert(amount, [units, worth], books.decimals));
}

/** Σ `booked` is 0. */
export function bookedRows(
  books: Books | undefined,
  { date, rows }: Pick<JournalEntry, 'date' | 'rows'>,
): readonly BookedRow[] {
  const own = rows.map((row) => ({ ...row, booked: inBooks(books, row.debit - row.credit, date) }));
  const off = sumOf(own, ({ booked }) => booked);
  const most = own.reduce((one, row) => (Math.abs(row.booked) > Math.abs(one.booked) ? row : one));
  const bearer = own.find(({ role }) => role === 'wallet') ?? most;
  return own.map((row) => (row === bearer ? { ...row, booked: row.booked - off } : row));
}

/** `14.94`: amounts in books are far below 2^52. */
export function bookedText(booked: Amount, { decimals }: Pick<Books, 'decimals'>): string {
  return (booked / 10 ** decimals).toFixed(decimals);
}
