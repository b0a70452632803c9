// The figures of a journal, read back: its entries, and debit and credit of each account.

import type { Statement } from '../../../core/statements/statement.ts';
import { type Compared, differencesIn } from './bank-figures.ts';
import type { FigureDifference } from './read-back.ts';

interface Sums {
  readonly debit: number;
  readonly credit: number;
}

export interface ShownJournal {
  count: number;
  /** Entries stand together: another number is another entry. */
  number: string | null;
  readonly accounts: Map<string, Sums>;
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
  addSums(shown.accounts, account, { debit, credit });
}

/** `shownAs`: an account's number as the form has it; accounts that it has alike are one. */
export function finishEntries(
  shown: ShownJournal,
  { journal }: Statement,
  shownAs: (account: string) => string = (account) => account,
): readonly FigureDifference[] {
  const stated = new Map<string, Sums>();
  for (const { account, debit, credit } of journal.accounts) addSums(stated, shownAs(account), { debit, credit });
  const wallets = new Set(
    journal.accounts.filter(({ role }) => role === 'wallet').map(({ account }) => shownAs(account)),
  );
  const moved = [...wallets]
    .map((account) => shown.accounts.get(account) ?? NONE)
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);
  const compared = [...new Set([...stated.keys(), ...shown.accounts.keys()])].flatMap((account): Compared[] => {
    const [said, found] = [stated.get(account) ?? NONE, shown.accounts.get(account) ?? NONE];
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

const NONE: Sums = { debit: 0, credit: 0 };

function addSums(accounts: Map<string, Sums>, account: string, { debit, credit }: Sums): void {
  const sums = accounts.get(account) ?? NONE;
  accounts.set(account, { debit: sums.debit + debit, credit: sums.credit + credit });
}
