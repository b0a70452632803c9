// The balances that a year begins with, summed over the months before it as they were issued, so
// that the plain-text journals of its own months go on from them. Decides nothing again: what no
// month has posted is not in it.

import { parsePeriod, periodAfter } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus } from '../exact.ts';
import { type Account, type Books, type BooksBefore, isHeld, type JournalRow } from '../journal.ts';
import type { Statement } from '../statement.ts';
import { type OpeningBalance, openingRows } from './year.ts';

export interface YearOpening extends Pick<Statement, 'merchant' | 'currency'> {
  /** That begins, `2027`; and the month before it, `2026-12`. */
  readonly year: string;
  readonly last: string;
  /** Of the rows' worth; undefined: they are in the wallet's currency alone. */
  readonly books: Pick<Books, 'currency' | 'decimals'> | undefined;
  /** By number; debits equal credits. */
  readonly rows: readonly JournalRow[];
}

/**
 * Sums issued months, ascending and at least one. `result`: the account into which charges and
 * products are closed. Null where no sum can be made: a month is missing between two, or the books
 * had another currency in an earlier one.
 */
export function openYear(
  months: readonly BooksBefore[],
  result: Account,
): Pick<YearOpening, 'books' | 'rows'> | null {
  const { terms, books: left } = months.at(-1)!;
  const isUnbroken = months.every((month, i) => i === 0 || follows(months[i - 1]!, month));
  if (!isUnbroken || months.some((month) => month.terms.currency !== terms.currency)) return null;
  const sums = new Map<string, { -readonly [K in keyof OpeningBalance]: OpeningBalance[K] }>();
  for (const { accounts, books } of months) {
    const worth = new Map(books?.accounts.map((one) => [one.account, one]));
    for (const { role, account, label: accountLabel, opening, debit, credit } of accounts) {
      // The opening of an account that an earlier month has is in its sum already.
      const isNew = !sums.has(account);
      const row = { role, account, accountLabel, auxiliary: null };
      const own = valueIn(sums, account, () => ({ ...row, balance: 0, booked: 0 }));
      const booked = worth.get(account);
      own.accountLabel = accountLabel;
      own.balance = plus(own.balance, plus(isNew ? (opening ?? 0) : 0, debit - credit));
      if (booked !== undefined)
        own.booked += (isNew ? (booked.opening ?? 0) : 0) + booked.debit - booked.credit;
    }
  }
  const books =
    terms.currency === null || left === undefined
      ? undefined
      : { currency: terms.currency, decimals: left.decimals };
  return { books, rows: openingRows([...sums.values()], result, books !== undefined) };
}

/**
 * Returns what a year begins with whose first month, of those given, is the first of the books: what
 * is declared of the accounts of money.
 */
export function openBooksWith(first: BooksBefore, result: Account): readonly JournalRow[] {
  const held = first.accounts
    .filter(({ role }) => isHeld(role))
    .map(({ role, account, label: accountLabel, opening }) => {
      return { role, account, accountLabel, auxiliary: null, balance: opening ?? 0, booked: 0 };
    });
  return openingRows(held, result, false);
}

function follows(before: BooksBefore, { period }: BooksBefore): boolean {
  const [one, other] = [parsePeriod(before.period), parsePeriod(period)];
  if (one === null || other === null) return false;
  const next = periodAfter(one);
  return next.year === other.year && next.month === other.month;
}
