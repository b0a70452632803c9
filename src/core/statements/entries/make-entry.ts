// Makes the entries of a journal: amounts against roles become rows of accounts, taxes stated by themselves, and the entry gets
// its number. Every entry balances in itself.

import type { Amount } from '../../domain/amount.ts';
import { invariant } from '../../domain/invariant.ts';
import { sumOf } from '../exact.ts';
import type { AccountRole, FeeTax, JournalEntry, JournalRow, JournalSettings } from '../journal.ts';
import { taxAt, taxIn } from './fee-taxes.ts';
import { type FindAccount, openRules, type PostingFacts } from './posting-rules.ts';
import type { Against } from './postings.ts';

export interface EntryMaker {
  readonly settings: JournalSettings;
  /** `YYYY-MM`, in which an entry of that day (`YYYY-MM-DD`) has its number. */
  readonly monthOf: (day: string) => string;
  readonly accountOf: FindAccount;
  /** Of the merchant: where an operation says none. */
  readonly country: string | null;
}

export type EntryHead = Omit<JournalEntry, 'rows'>;

/** What an entry says of taxes, for the month's sums. */
export interface EntryTax {
  readonly tax: FeeTax;
  readonly whole: Amount;
  readonly stated: Amount;
}

export interface MadeEntry {
  readonly entry: JournalEntry;
  readonly taxes: readonly EntryTax[];
}

export function openEntries(settings: JournalSettings, month: Pick<EntryMaker, 'monthOf' | 'country'>): EntryMaker {
  return { settings, ...month, accountOf: openRules(settings) };
}

/** Of a line: its sequence. Lines that share one are told apart by their place among them, from 2 on. */
export function lineNumber(
  maker: EntryMaker,
  { day, sequence, place }: { readonly day: string; readonly sequence: number; readonly place: number },
): string {
  const shared = place < 2 ? '' : `-${place}`;
  return ownNumber(maker, { day, name: `${String(sequence).padStart(6, '0')}${shared}` });
}

export function ownNumber(
  { settings, monthOf }: EntryMaker,
  { day, name }: { readonly day: string; readonly name: string },
): string {
  return `${settings.code}-${monthOf(day)}-${name}`;
}

/** `effect`: on the wallet's account, 0 for an entry that does not touch it. `against` sums to −effect. */
export function makeEntry(
  maker: EntryMaker,
  head: EntryHead,
  money: { readonly effect: Amount; readonly against: Against; readonly facts: PostingFacts },
): MadeEntry {
  const { effect, against, facts } = money;
  invariant(sumOf(against, ([, amount]) => amount) === -effect, 'an accounting entry balances');
  const country = facts.country ?? maker.country;
  const tax = taxAt(maker.settings.taxes, { date: head.date, country });
  const taxes: EntryTax[] = [];
  const rows: JournalRow[] = effect === 0 ? [] : [rowOf(maker, 'wallet', effect, facts)];
  for (const [role, amount] of against) {
    if (amount === 0) continue;
    const stated = role === 'fees' && tax !== null ? taxIn(amount, tax.bps) : 0;
    if (role === 'fees' && tax !== null) taxes.push({ tax, whole: amount, stated });
    const apart = tax?.isRecoverable === true ? stated : 0;
    if (amount !== apart) rows.push(rowOf(maker, role, amount - apart, facts));
    if (apart !== 0) rows.push(taxRow(maker, tax!, apart, facts));
  }
  // Debits first, as a journal is read.
  const sides = [...rows.filter((row) => row.debit > 0), ...rows.filter((row) => row.credit > 0)];
  return { entry: { ...head, rows: sides }, taxes };
}

/** What one rounding for the month differs by from the sum of its entries, between the expense and the tax. */
export function roundingEntry(
  maker: EntryMaker,
  head: EntryHead,
  { tax, difference, facts }: { readonly tax: FeeTax; readonly difference: Amount; readonly facts: PostingFacts },
): JournalEntry {
  const rows = [taxRow(maker, tax, difference, facts), rowOf(maker, 'fees', -difference, facts)];
  return { ...head, rows: rows.sort((a, b) => b.debit - a.debit) };
}

function rowOf({ accountOf }: EntryMaker, role: AccountRole, amount: Amount, facts: PostingFacts): JournalRow {
  const { account, auxiliary } = accountOf(role, facts);
  return { role, account: account.number, accountLabel: account.label, auxiliary, ...sidesOf(amount) };
}

function taxRow(maker: EntryMaker, tax: FeeTax, amount: Amount, facts: PostingFacts): JournalRow {
  const row = rowOf(maker, 'feeTax', amount, facts);
  return tax.account === null ? row : { ...row, account: tax.account.number, accountLabel: tax.account.label };
}

function sidesOf(amount: Amount): { readonly debit: Amount; readonly credit: Amount } {
  return amount > 0 ? { debit: amount, credit: 0 } : { debit: 0, credit: -amount };
}
