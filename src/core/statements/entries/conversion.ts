// Brings the accounts of books in another currency to what they must have at a month's end, by one
// entry: cents that rows were rounded by, and what the wallet's balance is worth more or less under
// another rate.

import type { Amount } from '../../domain/amount.ts';
import { convert } from '../../domain/decimal.ts';
import { valueIn } from '../../domain/value-in.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type HeldAccount,
  isHeld,
  type JournalEntry,
  type JournalRow,
  type JournalSection,
} from '../journal.ts';
import { addBooked, dayBefore, inBooks, keyOf } from './books.ts';
import { headOf } from './make-entry.ts';
import type { JournalSums } from './post-entry.ts';

/** With its first and last day, `YYYY-MM-DD`. */
export interface BookMonth {
  readonly month: string;
  readonly first: string;
  readonly last: string;
}

/** Of one of the months, `YYYY-MM`. */
export function lastDayOf(months: readonly BookMonth[], month: string): string {
  return months.find((one) => one.month === month)!.last;
}

/**
 * One entry a month, where anything is left. The wallet's accounts, and what the service owes of
 * payments by link, come to their balance at the rate of the month's last day; any other to what
 * was posted on it at its rates, rounded once. `held`: balances at the start of the first month.
 */
export function conversions(
  { maker, totals }: JournalSums,
  months: readonly BookMonth[],
  held: readonly HeldAccount[],
): readonly JournalEntry[] {
  const { books, accounts } = maker.settings;
  const { months: sums } = totals.booked;
  if (books === undefined) return [];
  const balances = new Map(
    held.filter(({ role }) => isHeld(role)).map((one) => [one.account, { ...one }]),
  );
  return months.flatMap(({ month, first, last }) => {
    const rows = [...sums.values()].flatMap((one) =>
      one.month !== month || isHeld(one.role)
        ? []
        : centsOn(one, convert(one.amounts, books.decimals) - one.booked),
    );
    for (const one of sums.values())
      if (one.month === month && isHeld(one.role))
        valueIn(balances, one.account, () => ({ ...one, balance: 0 }));
    for (const one of balances.values()) {
      const { amounts, booked } = sums.get(keyOf(month, one)) ?? { amounts: new Map(), booked: 0 };
      const before = inBooks(books, one.balance, dayBefore(first));
      one.balance = plus(
        one.balance,
        sumOf(amounts.values(), (amount) => amount),
      );
      rows.push(
        ...centsOn(
          { ...one, auxiliary: null },
          inBooks(books, one.balance, last) - before - booked,
        ),
      );
    }
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

/** Without an amount in the wallet's currency. */
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
 * With what a year begins with. Undefined where the books are in the wallet's currency. Call last.
 */
export function bookedSection(
  { maker, totals: { booked } }: JournalSums,
  carried: JournalSection['carried'],
): Pick<JournalSection, 'books' | 'booked'> {
  const { books } = maker.settings;
  if (books === undefined) return {};
  if (carried !== undefined) addBooked(booked, books, carried.entry, null);
  const accounts = [...booked.accounts.values()].sort((a, b) => (a.account < b.account ? -1 : 1));
  return { books, booked: { entryCount: booked.entryCount, accounts } };
}
