// Makes one entry a month that brings the accounts of books in another currency to the amounts that
// they must have at the month's end. It posts the cents by which rows were rounded, and what a
// change of rate adds to or takes from the worth of the wallet's balance.

import type { Amount } from '../../domain/amount.ts';
import { convert } from '../../domain/decimal.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type Books,
  type HeldAccount,
  isHeld,
  type JournalEntry,
  type JournalRow,
  type JournalSection,
} from '../journal.ts';
import { inBooks, keyOf } from './books.ts';
import { headOf } from './make-entry.ts';
import type { JournalSums } from './post-entry.ts';

/** A month (`YYYY-MM`) with its first and last day (`YYYY-MM-DD`). */
export interface BookMonth {
  readonly month: string;
  readonly first: string;
  readonly last: string;
}

/** Returns the last day of `month` (`YYYY-MM`), which must be one of `months`. */
export function lastDayOf(months: readonly BookMonth[], month: string): string {
  return months.find((one) => one.month === month)!.last;
}

/**
 * Returns what accounts are worth on a day (`YYYY-MM-DD`), by their numbers. The accounts of one
 * role are together worth their sum, to the cent: the account with the largest balance takes the
 * cents that rounding leaves.
 */
export function worthOf(
  books: Books | undefined,
  held: readonly HeldAccount[],
  day: string,
): ReadonlyMap<string, Amount> {
  const worth = new Map(
    held.map(({ account, balance }) => [account, inBooks(books, balance, day)]),
  );
  for (const own of Map.groupBy(held, ({ role }) => role).values()) {
    const whole = inBooks(
      books,
      sumOf(own, ({ balance }) => balance),
      day,
    );
    const off = whole - sumOf(own, ({ account }) => worth.get(account)!);
    const { account } = own.reduce((most, one) =>
      Math.abs(one.balance) > Math.abs(most.balance) ? one : most,
    );
    worth.set(account, plus(worth.get(account)!, off));
  }
  return worth;
}

/**
 * Returns one entry for each month in which an account needs one. The wallet's accounts, and what
 * the service owes for payments by link, come to the worth of their balance at the rate of the
 * month's last day. Any other account comes to what was posted on it at the rates of its entries,
 * rounded once. `held` has the balances at the start of the first month, and `worth` what the books
 * have for them.
 */
export function conversions(
  { maker, totals }: JournalSums,
  months: readonly BookMonth[],
  {
    held,
    worth,
  }: { readonly held: readonly HeldAccount[]; readonly worth: ReadonlyMap<string, Amount> },
): readonly JournalEntry[] {
  const { books, accounts } = maker.settings;
  const { months: sums } = totals.booked;
  if (books === undefined) return [];
  const balances = new Map(
    held.filter(({ role }) => isHeld(role)).map((one) => [one.account, { ...one }]),
  );
  let before = worth;
  return months.flatMap(({ month, last }) => {
    const rows = [...sums.values()].flatMap((one) =>
      one.month !== month || isHeld(one.role)
        ? []
        : centsOn(one, convert(one.amounts, books.decimals) - one.booked),
    );
    for (const one of sums.values())
      if (one.month === month && isHeld(one.role))
        valueIn(balances, one.account, () => ({ ...one, balance: 0 }));
    const all = [...balances.values()].map((one) => ({
      ...one,
      ...(sums.get(keyOf(month, one)) ?? { amounts: new Map(), booked: 0 }),
      ...{ role: one.role, account: one.account, label: one.label },
    }));
    for (const { account, amounts } of all) {
      const one = balances.get(account)!;
      one.balance = plus(
        one.balance,
        sumOf(amounts.values(), (amount) => amount),
      );
    }
    const now = worthOf(books, [...balances.values()], last);
    for (const { booked, ...one } of all) {
      const posted = plus(before.get(one.account) ?? 0, booked);
      rows.push(...centsOn({ ...one, auxiliary: null }, now.get(one.account)! - posted));
    }
    before = now;
    if (rows.length === 0) return [];
    const rest = -sumOf(rows, ({ booked }) => booked!);
    const role = rest > 0 ? 'exchangeLoss' : 'exchangeGain';
    rows.push(
      ...centsOn(
        { role, account: accounts[role].number, label: accounts[role].label, auxiliary: null },
        rest,
      ),
    );
    rows.sort(
      (a, b) => Math.sign(b.booked!) - Math.sign(a.booked!) || (a.account < b.account ? -1 : 1),
    );
    return [{ ...headOf(maker, 'conversion', { date: last, name: 'D' }), rows }];
  });
}

/** Returns a row with an amount in the books' currency and none in the wallet's; no row for 0. */
function centsOn(
  {
    role,
    account,
    label: accountLabel,
    auxiliary,
  }: Omit<HeldAccount, 'balance'> & Pick<JournalRow, 'auxiliary'>,
  booked: Amount,
): JournalRow[] {
  return booked === 0
    ? []
    : [{ role, account, accountLabel, auxiliary, debit: 0, credit: 0, booked }];
}

/**
 * Returns the journal's part in the books' currency; empty where the books are in the wallet's
 * currency. `accounts` are those of the journal. `worth` is what the books had at the start for
 * accounts with an opening. Must be called after all entries are posted.
 */
export function bookedSection(
  { maker, totals: { booked } }: JournalSums,
  accounts: JournalSection['accounts'],
  worth: ReadonlyMap<string, Amount>,
): Pick<JournalSection, 'books' | 'booked'> {
  const { books } = maker.settings;
  if (books === undefined) return {};
  const rows = accounts.flatMap(({ account, opening: known }) => {
    const opening = known === null ? null : (worth.get(account) ?? 0);
    const moved = booked.accounts.get(account);
    if (moved === undefined && (opening ?? 0) === 0) return [];
    return [{ debit: 0, credit: 0, foreign: 0, ...moved, account, opening }];
  });
  return { books, booked: { entryCount: booked.entryCount, accounts: rows } };
}
