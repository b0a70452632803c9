// The figures of a journal, read back: its entries, and debit and credit of each account.

import type { Statement } from '../../statements/statement.ts';
import { type Compared, differencesIn } from './bank-figures.ts';
import type { FigureDifference } from './read-back.ts';

export interface ShownJournal {
  count: number;
  /** Entries stand together: another number is another entry. */
  number: string | null;
  readonly accounts: Map<string, { debit: number; credit: number }>;
}

export interface ShownRow {
  readonly number: string;
  readonly account: string;
  /** What is not a whole number in the document is NaN here. */
  readonly debit: number;
  readonly credit: number;
}

export function beginEntries(): ShownJournal {
  return { count: 0, number: null, accounts: new Map() };
}

export function takeShownRow(shown: ShownJournal, { number, account, debit, credit }: ShownRow): void {
  if (number !== shown.number) shown.count += 1;
  shown.number = number;
  const sums = shown.accounts.get(account) ?? { debit: 0, credit: 0 };
  sums.debit += debit;
  sums.credit += credit;
  shown.accounts.set(account, sums);
}

export function finishEntries(shown: ShownJournal, { journal }: Statement): readonly FigureDifference[] {
  const none = { debit: 0, credit: 0 };
  const stated = new Map(journal.accounts.map((sums) => [sums.account, sums]));
  const moved = journal.accounts
    .filter(({ role }) => role === 'wallet')
    .map(({ account }) => shown.accounts.get(account) ?? none)
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);
  const compared = [...new Set([...stated.keys(), ...shown.accounts.keys()])].flatMap((account): Compared[] => {
    const [said, found] = [stated.get(account) ?? none, shown.accounts.get(account) ?? none];
    return [
      [`debit of ${account}`, said.debit, found.debit],
      [`credit of ${account}`, said.credit, found.credit],
    ];
  });
  return differencesIn([
    ['number of entries', journal.entryCount, shown.count],
    ['closingBalance', journal.wallet.closing, journal.wallet.opening + moved],
    ...compared,
  ]);
}
