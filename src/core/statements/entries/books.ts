// A journal in the currency of the merchant's books, where the wallet has another currency. Each
// row of an entry is converted at one rate when the entry is made, so that rows that clear each
// other in the wallet's currency clear each other in the books too. `conversion.ts` brings the
// accounts to the balances that they must have.

import type { Amount } from '../../domain/amount.ts';
import { convert } from '../../domain/decimal.ts';
import { DAY } from '../../domain/instant.ts';
import { formatPeriod, parsePeriod, periodAfter } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus, StatementRefused, safe, sumOf } from '../exact.ts';
import {
  type Account,
  type AccountTotals,
  type BookedTotals,
  type Books,
  type BooksBefore,
  isHeld,
  isOpenItem,
  type JournalEntry,
  type JournalRow,
} from '../journal.ts';

const CFA = ['XOF', 'XAF'];

/**
 * Returns the books with only the rates of the currency `of`, up to the period's last day. Returns
 * `undefined` when the books are kept in that currency. Throws `StatementRefused` when no rate is
 * in force on the period's first day.
 */
export function openBooks(
  books: Books | undefined,
  of: string,
  [first, last]: readonly string[],
): Books | undefined {
  if (books === undefined || books.currency === of) return undefined;
  const { currency } = books;
  const own = books.rates.filter((rate) => rate.of === of && rate.from <= last!);
  const rates = own.sort((a, b) => (a.from < b.from ? -1 : 1));
  // Fixed by treaty, without an end (decision 98/683/EC of the Council; BCEAO, BEAC): one euro is
  // 655.957 of either.
  const units = currency === 'EUR' ? 655.957 : 1;
  if (CFA.includes(of) && ['EUR', ...CFA].includes(currency))
    rates.unshift({ of, from: '', units, worth: 1 });
  if (rates.some(({ from }) => from <= first!)) return { ...books, rates };
  const rate = `{ "of": "${of}", "from": "${first}", "units": …, "worth": … }`;
  const message = `The books are kept in ${currency}, and no rate of ${of} is in force on ${first}: put one into journal.books.rates, ${rate}.`;
  throw new StatementRefused('NO_RATE', message);
}

/**
 * Returns the books at the rates that months were issued at: those hold up to the end of the latest
 * issued month, and the configured rates take over on the next day. Decimals stay as they were.
 * `issued` is that month; `null` when none is known.
 */
export function bindRates(books: Books | undefined, issued: BooksBefore | null): Books | undefined {
  const month = parsePeriod(issued?.period ?? '');
  if (books === undefined || issued?.books === undefined || month === null) return books;
  if (issued.terms.currency !== books.currency || issued.books.rates.length === 0) return books;
  const { of } = issued.books.rates[0]!;
  const next = `${formatPeriod(periodAfter(month))}-01`;
  const configured = books.rates
    .filter((rate) => rate.of === of)
    .sort((a, b) => (a.from < b.from ? -1 : 1));
  const current = configured.findLast(({ from }) => from <= next);
  const later = configured.filter(({ from }) => from > next);
  // Rates fixed by treaty have no first day. They are left out here because `openBooks` adds them.
  const kept = issued.books.rates.filter(({ from }) => from !== '');
  const last = issued.books.rates.at(-1)!;
  const isSame = current?.units === last.units && current.worth === last.worth;
  const takenOver = current === undefined || isSame ? [] : [{ ...current, from: next }];
  const { decimals } = issued.books;
  return { ...books, decimals, rates: [...kept, ...takenOver, ...later] };
}

/**
 * Returns the rate in force on a day, `YYYY-MM-DD`. A day before the first rate gets the first
 * rate.
 */
export function rateAt({ rates }: Books, day: string): Books['rates'][number] {
  return rates.findLast(({ from }) => from <= day) ?? rates[0]!;
}

/**
 * Converts a signed amount from the wallet's currency at the rate of the day, rounded half away
 * from 0. Returns the amount as it is when the books are in the wallet's currency.
 */
export function inBooks(books: Books | undefined, amount: Amount, day: string): Amount {
  return books === undefined
    ? amount
    : safe(convert([[rateAt(books, day), amount]], books.decimals));
}

/**
 * Returns the day before, `YYYY-MM-DD`: a balance is carried into a day at the rate of the day
 * before.
 */
export function dayBefore(day: string): string {
  return new Date(Date.parse(day) - DAY).toISOString().slice(0, 10);
}

/**
 * Returns the rows of one entry with their amounts in the books' currency, which sum to 0 and stay
 * on their sides. Rows that have such an amount already keep it. The others are converted, and the
 * cents left by rounding go to the wallet's row first, then to the largest of the other rows. Rows
 * that others may clear take cents last, so that they stay exact.
 */
export function bookRows(
  books: Books | undefined,
  rows: readonly JournalRow[],
  day: string,
): readonly JournalRow[] {
  if (books === undefined) return rows;
  const amounts = rows.map(
    ({ debit, credit, booked }) => booked ?? inBooks(books, debit - credit, day),
  );
  let off = sumOf(amounts, (amount) => amount);
  const rank = ({ role }: JournalRow): number =>
    role === 'wallet' || role === 'transit' ? 0 : isOpenItem(role) ? 2 : 1;
  const places = rows.flatMap(({ booked }, i) => (booked === undefined ? [i] : []));
  places.sort(
    (a, b) => rank(rows[a]!) - rank(rows[b]!) || Math.abs(amounts[b]!) - Math.abs(amounts[a]!),
  );
  for (const place of places) {
    const amount = amounts[place]! - off;
    const kept = rows[place]!.debit > 0 ? Math.max(amount, 0) : Math.min(amount, 0);
    off -= amounts[place]! - kept;
    amounts[place] = kept;
  }
  return rows.map((row, i) => ({ ...row, booked: amounts[i]! }));
}

/**
 * What one month has posted on an account. The wallet's accounts and what the service owes have one
 * sum each; any other account has one for each auxiliary account.
 */
interface MonthSums
  extends Pick<AccountTotals, 'role' | 'account' | 'label'>,
    Pick<JournalRow, 'auxiliary'> {
  readonly month: string;
  /** Debit − credit in the wallet's currency, by the rate at which it was converted. */
  readonly amounts: Map<Books['rates'][number], Amount>;
  booked: Amount;
}

export interface BookedSums {
  entryCount: number;
  readonly months: Map<string, MonthSums>;
  readonly accounts: Map<string, { -readonly [K in keyof BookedTotals]: BookedTotals[K] }>;
}

export function beginBooked(): BookedSums {
  return { entryCount: 0, months: new Map(), accounts: new Map() };
}

/**
 * Adds an entry to the sums. `month` (`YYYY-MM`) is `null` for an entry whose cents another entry
 * takes back.
 */
export function addBooked(
  sums: BookedSums,
  books: Books,
  entry: JournalEntry,
  month: string | null,
): void {
  const rate = rateAt(books, entry.ratesOf ?? entry.date);
  const rows = entry.rows.filter(({ booked = 0 }) => booked !== 0);
  if (rows.length > 0) sums.entryCount += 1;
  for (const { account, booked, debit, credit } of rows) {
    const own = valueIn(sums.accounts, account, () => ({
      account,
      opening: null,
      debit: 0,
      credit: 0,
      foreign: 0,
    }));
    own[booked! > 0 ? 'debit' : 'credit'] += Math.abs(booked!);
    own.foreign = plus(own.foreign, debit - credit);
  }
  for (const { debit, credit, booked, accountLabel: label, ...row } of month === null
    ? []
    : entry.rows) {
    const of = { ...row, label, month: month!, auxiliary: isHeld(row.role) ? null : row.auxiliary };
    const own = valueIn(sums.months, keyOf(month!, of), () => ({
      ...of,
      amounts: new Map(),
      booked: 0,
    }));
    own.booked = plus(own.booked, booked!);
    own.amounts.set(rate, plus(own.amounts.get(rate) ?? 0, debit - credit));
  }
}

export function keyOf(
  month: string,
  { account, auxiliary }: { account: string; auxiliary?: Account | null },
): string {
  return JSON.stringify([month, account, auxiliary?.number]);
}
