// Makes the entries of a journal: amounts against roles become rows of accounts, taxes get rows of
// their own, and the entry gets its number. Every entry balances in itself.

import type { Amount } from '../../domain/amount.ts';
import { invariant } from '../../domain/invariant.ts';
import { sumOf } from '../exact.ts';
import type {
  Account,
  AccountRole,
  CommissionInvoice,
  FeeTax,
  JournalEntry,
  JournalRow,
  JournalSettings,
} from '../journal.ts';
import { bookRows, rateAt } from './books.ts';
import {
  type Against,
  type FindAccount,
  NO_FACTS,
  openRules,
  type PostingFacts,
} from './postings.ts';

export interface EntryMaker {
  readonly settings: JournalSettings;
  /** Returns the month (`YYYY-MM`) in which an entry of that day (`YYYY-MM-DD`) is numbered. */
  readonly monthOf: (day: string) => string;
  readonly accountOf: FindAccount;
  /** The merchant's country, which is used for operations that have none. */
  readonly country: string | null;
}

export type EntryHead = Omit<JournalEntry, 'rows'>;

/** Fields of the head of an entry that belongs to no line, operation or operator. */
export const OF_NONE = { sequence: null, operationReference: null, operator: null } as const;

/**
 * The tax in an entry's commission, for the month's sums: `whole` is the commission with its tax,
 * `stated` the tax, rounded.
 */
export interface EntryTax {
  readonly tax: FeeTax;
  readonly whole: Amount;
  readonly stated: Amount;
}

export interface MadeEntry {
  readonly entry: JournalEntry;
  readonly taxes: readonly EntryTax[];
}

export function openEntries(
  settings: JournalSettings,
  month: Pick<EntryMaker, 'monthOf' | 'country'>,
): EntryMaker {
  return { settings, ...month, accountOf: openRules(settings) };
}

export function ownNumber(
  { settings, monthOf }: EntryMaker,
  { day, name }: { readonly day: string; readonly name: string },
): string {
  return `${settings.code}-${monthOf(day)}-${name}`;
}

/**
 * Returns the head of an entry that belongs to no line, operation or operator. Its number is its
 * piece.
 */
export function headOf<const Source extends JournalEntry['source']>(
  maker: EntryMaker,
  source: Source,
  { date, name }: { readonly date: string; readonly name: string },
) {
  const number = ownNumber(maker, { day: date, name });
  return { number, date, piece: number, source, ...OF_NONE };
}

/**
 * Makes an entry. `effect` is the amount on the wallet's account, 0 for an entry that does not
 * touch it. `against` must sum to −effect.
 */
export function makeEntry(
  maker: EntryMaker,
  head: EntryHead,
  money: { readonly effect: Amount; readonly against: Against; readonly facts: PostingFacts },
): MadeEntry {
  const { effect, against, facts } = money;
  invariant(sumOf(against, ([, amount]) => amount) === -effect, 'an accounting entry balances');
  const country = facts.country ?? maker.country;
  const { books, taxes: configured } = maker.settings;
  const day = head.ratesOf ?? head.date;
  const tax = taxAt(configured, { date: day, country });
  const taxes: EntryTax[] = [];
  const invoice = maker.settings.commissionInvoices?.[maker.monthOf(head.date)];
  const rows = effect === 0 ? [] : [...rowsOf(maker, 'wallet', { amount: effect, facts, head })];
  for (const [role, amount] of against) {
    if (amount === 0) continue;
    if (role === 'fees' && invoice !== undefined && head.journal === undefined) {
      rows.push(clearing(maker, invoice, { amount, day: head.date }));
      continue;
    }
    const stated = role === 'fees' && tax !== null ? taxIn(amount, tax.bps) : 0;
    if (role === 'fees' && tax !== null) taxes.push({ tax, whole: amount, stated });
    const apart = tax?.isRecoverable === true ? stated : 0;
    if (amount !== apart)
      rows.push(...rowsOf(maker, role, { amount: amount - apart, facts, head }));
    if (apart !== 0) rows.push(taxRow(maker, tax!, apart, facts));
  }
  return { entry: { ...head, rows: bookRows(books, debitsFirst(rows), day) }, taxes };
}

/**
 * Returns whether the tax of the country `of`, or the rate of the books' currency, differs between
 * the two days. An entry then states the day whose rates it takes.
 */
export function ratesDiffer(
  { settings: { taxes, books }, country }: EntryMaker,
  [one, other]: readonly [string, string],
  of: string | null,
): boolean {
  const taxOn = (date: string) => taxAt(taxes, { date, country: of ?? country });
  return (
    taxOn(one) !== taxOn(other) ||
    (books !== undefined && rateAt(books, one) !== rateAt(books, other))
  );
}

/**
 * Puts debits before credits, as a journal is read. A row without an amount is left out, unless it
 * has an amount in books of another currency.
 */
export function debitsFirst(rows: readonly JournalRow[]): readonly JournalRow[] {
  const side = ({ debit, credit, booked = 0 }: JournalRow): number => debit - credit || booked;
  return [...rows.filter((row) => side(row) > 0), ...rows.filter((row) => side(row) < 0)];
}

/**
 * Makes the entry for the difference between the month's tax, rounded once, and the sum of the
 * taxes that its entries state. It moves the difference between the expense and the tax.
 */
export function roundingEntry(
  maker: EntryMaker,
  head: EntryHead,
  {
    tax,
    difference,
    facts,
  }: { readonly tax: FeeTax; readonly difference: Amount; readonly facts: PostingFacts },
): JournalEntry {
  const rows = [
    taxRow(maker, tax, difference, facts),
    ...rowsOf(maker, 'fees', { amount: -difference, facts, head }),
  ];
  return { ...head, rows: bookRows(maker.settings.books, debitsFirst(rows), head.date) };
}

/**
 * Returns the row on the service's account for a withheld commission, or for clearing it. Both have
 * the letter of the invoice that clears them.
 */
function clearing(
  maker: EntryMaker,
  { number: code, date }: CommissionInvoice,
  { amount, day }: { readonly amount: Amount; readonly day: string },
): JournalRow {
  return { ...serviceRow(maker, amount), letter: { code, date: date > day ? date : day } };
}

/** Returns a row on the account that the service has as a supplier. */
function serviceRow({ accountOf }: EntryMaker, amount: Amount): JournalRow {
  const facts = { ...NO_FACTS, kind: 'COMMISSION_INVOICE', operator: 'SERVICE' };
  const { account, auxiliary } = accountOf('suppliers', facts);
  return sided({ role: 'suppliers', ...named(account), auxiliary }, amount);
}

/**
 * Makes the entries of the invoices for commissions in the period's months. Each posts the expense
 * and its tax against what was withheld, which it clears; the difference stays open. `withheld`
 * holds the sums by invoice number, and must be complete.
 */
export function invoiceEntries(
  maker: EntryMaker,
  withheld: ReadonlyMap<string, readonly [amount: Amount, booked: Amount]>,
  months: readonly { readonly month: string; readonly last: string }[],
): readonly JournalEntry[] {
  const { taxes, books, commissionInvoices } = maker.settings;
  return months.flatMap(({ month, last: date }) => {
    const invoice = commissionInvoices?.[month];
    if (invoice === undefined) return [];
    const { number: piece, date: pieceDate, net, tax: stated } = invoice;
    const head = {
      number: ownNumber(maker, { day: date, name: 'F' }),
      date,
      piece,
      pieceDate,
      ...OF_NONE,
    };
    const tax = taxAt(taxes, { date, country: maker.country });
    const apart = tax?.isRecoverable === false ? 0 : stated;
    const [cleared, booked] = withheld.get(piece) ?? [0, 0];
    const rest = clearing(maker, invoice, { amount: -cleared, day: date });
    const { account } = maker.accountOf('feeTax', NO_FACTS);
    const rows = [
      ...rowsOf(maker, 'fees', {
        amount: net + stated - apart,
        facts: NO_FACTS,
        head: { ...head, source: 'invoice' },
      }),
      sided({ role: 'feeTax', ...named(tax?.account ?? account), auxiliary: null }, apart),
      books === undefined ? rest : { ...rest, booked: -booked },
      serviceRow(maker, cleared - net - stated),
    ];
    return [{ ...head, source: 'invoice', rows: bookRows(books, debitsFirst(rows), date) }];
  });
}

interface RowOf {
  readonly amount: Amount;
  readonly facts: PostingFacts;
  readonly head: EntryHead;
}

/**
 * Returns the rows of an amount against a role. Where a rule gives a counterpart, the amount is a
 * sale or an expense: the invoice is posted beside the payment, and the two rows of the party get a
 * letter because they clear each other.
 */
function rowsOf(
  { accountOf }: EntryMaker,
  role: AccountRole,
  { amount, facts, head }: RowOf,
): readonly JournalRow[] {
  const { account, auxiliary, counterpart } = accountOf(role, facts);
  const party = { role, ...named(account), auxiliary };
  if (counterpart === null) return [sided(party, amount)];
  const { sequence, number, date } = head;
  const both = { ...party, letter: { code: sequence === null ? number : codeOf(sequence), date } };
  return [
    sided(both, amount),
    sided(both, -amount),
    sided({ role, ...named(counterpart), auxiliary: null }, amount),
  ];
}

/**
 * Returns the code of a letter: `AAA` for 0, `AAB` for 1 …. It is made from the sequence of the
 * first line that is cleared, so that every letter has a code of its own that never changes.
 */
export function codeOf(sequence: number): string {
  let code = '';
  for (let rest = sequence; rest > 0; rest = Math.floor(rest / 26))
    code = String.fromCharCode(65 + (rest % 26)) + code;
  return code.padStart(3, 'A');
}

function named({ number, label }: Account): Pick<JournalRow, 'account' | 'accountLabel'> {
  return { account: number, accountLabel: label };
}

/** A row without its amount and its letter. */
export type RowParty = Omit<JournalRow, 'debit' | 'credit' | 'letter'>;

export function sided<Party extends RowParty>(
  row: Party,
  amount: Amount,
): Party & Pick<JournalRow, 'debit' | 'credit'> {
  return amount > 0 ? { ...row, debit: amount, credit: 0 } : { ...row, debit: 0, credit: -amount };
}

function taxRow(
  { accountOf }: EntryMaker,
  tax: FeeTax,
  amount: Amount,
  facts: PostingFacts,
): JournalRow {
  const { account, auxiliary } = accountOf('feeTax', facts);
  return sided({ role: 'feeTax', ...named(tax.account ?? account), auxiliary }, amount);
}

// Taxes that commissions contain. Each entry states its own tax, rounded half away from 0. An
// invoice for a month would round once for each operator and tax, so one entry carries the
// difference. No entry depends on another.

/**
 * Returns the tax that applies on a day in a country; `null` when none does. Of several, it is the
 * one that began last, and of those that began together the one configured last.
 */
export function taxAt(
  taxes: readonly FeeTax[],
  { date, country }: { readonly date: string; readonly country: string | null },
): FeeTax | null {
  if (taxes.length === 0) return null;
  const valid = taxes.filter(
    ({ from, countries }) =>
      (from === null || from <= date) &&
      (countries === null || (country !== null && countries.includes(country))),
  );
  return valid.toSorted((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1)).at(-1) ?? null;
}

/**
 * Returns the tax in an amount that contains it; signed, rounded half away from 0. `bps` are basis
 * points of the amount without tax.
 */
export function taxIn(whole: Amount, bps: number): Amount {
  const rate = BigInt(bps);
  const size = BigInt(Math.abs(whole));
  return Math.sign(whole) * Number((2n * size * rate + 10_000n + rate) / (2n * (10_000n + rate)));
}
