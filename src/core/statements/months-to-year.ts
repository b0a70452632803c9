// The bridge from the months of a year to the year, by account. A month has the lines that it
// received. A year has besides them the operations that ended in it and have their line in the next
// year, and takes back those of the year before.

import { plus, sumOf } from './exact.ts';
import { type AccountTotals, isClosed, type JournalRow, type JournalSection } from './journal.ts';
import type { Circumstances } from './statement.ts';

/**
 * Balances are debit − credit. `months` + `transitBefore` + `transitAfter` + `otherwise` = `year`.
 */
export interface MonthsToYear extends Pick<AccountTotals, 'account' | 'label'> {
  /**
   * Balance at the end of the last month, as a certificate of closing and the journals of the
   * months have it.
   */
  readonly months: number;
  /** What operations in transit at the start of the year add. */
  readonly transitBefore: number;
  /** What operations in transit at the end of the year add. */
  readonly transitAfter: number;
  /** What the year states more than its months did when they were issued. */
  readonly otherwise: number;
  readonly year: number;
}

/**
 * Returns the accounts whose balance differs between the months and the year, by number; none for a
 * month.
 */
export function monthsToYear({
  journal,
  circumstances: { asIssued = [] },
  days,
}: {
  readonly journal: JournalSection;
  readonly circumstances: Pick<Circumstances, 'asIssued'>;
  readonly days: readonly { readonly day: string }[];
}): readonly MonthsToYear[] {
  const transits = journal.others.filter(({ source }) => source === 'transit');
  const first = days[0]?.day;
  const sumsOf = (rows: readonly JournalRow[]): ReadonlyMap<string, number> =>
    new Map(
      [...Map.groupBy(rows, ({ account }) => account)].map(([account, own]) => [
        account,
        sumOf(own, ({ debit, credit }) => debit - credit),
      ]),
    );
  const before = sumsOf(transits.flatMap(({ date, rows }) => (date === first ? rows : [])));
  const after = sumsOf(transits.flatMap(({ date, rows }) => (date === first ? [] : rows)));
  const issued = new Map(asIssued.map((one) => [one.account, one.stated - one.issued]));
  const result = journal.terms.accounts.openingResult;
  const charges = [...before].filter(([account]) => isClosed(account));
  const accounts = new Map(journal.accounts.map((one) => [one.account, one]));
  const numbers = new Set([...accounts.keys(), ...issued.keys(), result]);
  return [...numbers].sort().flatMap((account): readonly MonthsToYear[] => {
    // For an account of the balance sheet, the opening has what the year before posted for
    // operations in transit, and the year takes it back. So only accounts that are closed with the
    // year, and the result, have a difference.
    const transitBefore = isClosed(account)
      ? (before.get(account) ?? 0)
      : account === result
        ? -sumOf(charges, ([, amount]) => amount) || 0
        : 0;
    const transitAfter = after.get(account) ?? 0;
    const otherwise = issued.get(account) ?? 0;
    const { balance: year = 0, label = '' } = accounts.get(account) ?? {};
    const isSame = transitBefore === 0 && transitAfter === 0 && otherwise === 0;
    const months = [transitBefore, transitAfter, otherwise].reduce(
      (left, one) => plus(left, -one),
      year,
    );
    return isSame ? [] : [{ account, label, months, transitBefore, transitAfter, otherwise, year }];
  });
}
