// Makes the balances that a year begins with: the sums of the issued months before it, so that the
// plain-text journals of the year's own months go on from them. Nothing is decided anew: what no
// month has posted is not in the sums.

import { parsePeriod, periodAfter } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus } from '../exact.ts';
import { type Account, type Books, type BooksBefore, isHeld, type JournalRow } from '../journal.ts';
import type { Statement } from '../statement.ts';
import { type OpeningBalance, openingRows } from './year.ts';

export interface YearOpening extends Pick<Statement, 'merchant' | 'currency'> {
  /** The year that begins, `2027`. */
  readonly year: string;
  /** The month before it, `2026-12`. */
  readonly last: string;
  /**
   * Currency and decimals of the rows' `booked`; `undefined` when the books are in the wallet's
   * currency.
   */
  readonly books: Pick<Books, 'currency' | 'decimals'> | undefined;
  /** Balances by account number; debits equal credits. */
  readonly rows: readonly JournalRow[];
}

/**
 * Sums issued months, which must be ascending and at least one. `result` is the account into which
 * charges and products are closed. Returns `null` where no sum can be made, because a month is
 * missing between two or the books had another currency in an earlier month.
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
      // For an account that an earlier month has, the opening is in its sum already.
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
 * Returns what the first year of the books begins with: the balances declared for the accounts of
 * money in `first`, which must be the first month of the books.
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
