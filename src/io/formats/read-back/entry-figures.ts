// Journals, read back: their entries, and debit and credit of each account; and the readers of the FEC form, the plain-text
// journal, and the files for Sage and Odoo.

import type { Statement } from '../../../core/statements/statement.ts';
import { type Compared, differencesIn } from './bank-figures.ts';
import { rowsOf } from './ledger-figures.ts';
import { type FigureDifference, linesOf, type ReadBack, textOf } from './read-back.ts';

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

function beginEntries(): ShownJournal {
  return { count: 0, number: null, accounts: new Map() };
}

function takeShownRow(shown: ShownJournal, { number, account, debit, credit }: ShownRow): void {
  if (number !== shown.number) shown.count += 1;
  shown.number = number;
  addSums(shown.accounts, account, { debit, credit });
}

/** `shownAs`: an account's number as the form has it; accounts that it has alike are one. */
function finishEntries(
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

const TITLES = ['EcritureNum', 'CompteNum', 'Debit', 'Credit'] as const;

/** Reads the FEC form back: tab-separated columns by their names, amounts with a decimal comma. */
export const readFec: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let places: readonly number[] | null = null;
  for await (const line of linesOf(file, 'iso-8859-15')) {
    const cells = line.replace(/\r$/, '').split('\t');
    if (places === null) {
      places = TITLES.map((title) => cells.indexOf(title));
      continue;
    }
    const [number = '', account = '', debit = '', credit = ''] = places.map((place) => cells[place] ?? '');
    takeShownRow(shown, { number, account, debit: amountOf(debit), credit: amountOf(credit) });
  }
  if (places === null || places.includes(-1)) throw new Error(`This is no FEC: it lacks ${TITLES.join(', or ')}.`);
  return finishEntries(shown, statement);
};

function amountOf(text: string): number {
  const [, whole] = /^(\d+),00$/.exec(text) ?? [];
  return whole === undefined ? Number.NaN : Number(whole);
}

const NUMBER = /^ {4}; number:([^,]*),/;
/** Account, whose number is its first word; amount. */
const POSTING = /^ {4}(\S+) .*? {2}(-?\d+) /;

/**
 * Reads the plain-text journal back: the postings of every entry that bears a number. What is posted before the first
 * one, the opening, is no entry of the month.
 */
export const readJournal: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let number: string | null = null;
  for await (const line of linesOf(file)) {
    number = NUMBER.exec(line)?.[1] ?? (line === '' ? null : number);
    const [, account, amount] = POSTING.exec(line) ?? [];
    if (number === null || account === undefined) continue;
    const value = Number(amount);
    takeShownRow(shown, { number, account, debit: Math.max(value, 0), credit: Math.max(-value, 0) });
  }
  return finishEntries(shown, statement, (account) => /^[^\s;:"|(){}[\]@=*!~<>%]*/.exec(account)![0]);
};

/** First and last character of account, side and amount, counted from 1. */
const PLACES = { account: [12, 24], side: [84, 84], amount: [85, 104] } as const;
const LONGEST_ACCOUNT = 13;

/** Reads the Sage form back: columns by their places, as they are published. An entry goes on until it balances. */
export const readSage: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let isFirst = true;
  let entries = 1;
  let open = 0;
  for await (const ended of linesOf(file, 'windows-1252')) {
    const line = ended.replace(/\r$/, '');
    const at = (column: keyof typeof PLACES): string => line.slice(PLACES[column][0] - 1, PLACES[column][1]).trim();
    if (!isFirst) {
      const amount = /^\d+$/.test(at('amount')) ? Number(at('amount')) : Number.NaN;
      const [debit, credit] = at('side') === 'D' ? [amount, 0] : [0, amount];
      takeShownRow(shown, { number: String(entries), account: at('account'), debit, credit });
      open += debit - credit;
      if (open === 0) entries += 1;
    }
    isFirst = false;
  }
  if (isFirst) throw new Error('This is not in the form of Sage: it names nobody.');
  return finishEntries(shown, statement, (account) => account.slice(0, LONGEST_ACCOUNT));
};

const FIELDS = ['id', 'line_ids/account_id', 'line_ids/debit', 'line_ids/credit'] as const;

/**
 * Reads the CSV for Odoo back, as Odoo does: columns by the names of their fields, and a row without cells of its entry
 * belongs to the entry above it.
 */
export const readOdoo: ReadBack = async (file, { statement }) => {
  const shown = beginEntries();
  let places: readonly number[] | null = null;
  let entry = '';
  for await (const cells of rowsOf(textOf(file), ',')) {
    if (places === null) {
      places = FIELDS.map((field) => cells.indexOf(field));
      continue;
    }
    const [id = '', account = '', debit = '', credit = ''] = places.map((place) => cells[place] ?? '');
    if (id !== '') entry = id;
    takeShownRow(shown, { number: entry, account, debit: plainAmount(debit), credit: plainAmount(credit) });
  }
  if (places === null || places.includes(-1))
    throw new Error(`This is no CSV for Odoo: it lacks ${FIELDS.join(', or ')}.`);
  return finishEntries(shown, statement);
};

function plainAmount(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}
