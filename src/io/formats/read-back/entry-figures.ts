// Journals, read back: their entries, and debit and credit of each account; in the FEC form, the
// plain-text journal, and the files for Sage and Odoo.

import type { Books, JournalSection } from '../../../core/statements/journal.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { fecKey, sageKey } from '../text/keys.ts';
import {
  type Compared,
  cellsUnder,
  csvRows,
  differencesIn,
  type FigureDifference,
  linesOf,
  numberIn,
  type ReadBack,
} from './read-back.ts';

interface Sums {
  readonly debit: number;
  readonly credit: number;
}

/**
 * NaN where the document shows no amount. Whole numbers: of the smallest unit, where the books are
 * in another currency.
 */
interface ShownRow extends Sums {
  /** Rows of an entry follow each other: another number is another entry. */
  readonly number: string;
  readonly account: string;
  /** Signed, in the wallet's currency: where the books are in another, and the form has both. */
  readonly foreign?: number;
}

/**
 * `shownAs`: an account's number as the form has it; accounts that it has alike are one.
 * `isOfBooks`: debits and credits are in the currency of the books, where that is not the wallet's.
 */
function entryReader(
  rowsIn: (file: AsyncIterable<Uint8Array>, books: Books | undefined) => AsyncIterable<ShownRow>,
  shownAs: (account: string) => string = (account) => account,
  isOfBooks = true,
): ReadBack {
  return async (file, { statement }) => {
    const accounts = new Map<string, Sums>();
    let count = 0;
    let last: string | null = null;
    let off = 0;
    const { books, booked } = statement.journal;
    for await (const { number, account, foreign, ...sums } of rowsIn(file, books)) {
      if (number !== last) count += 1;
      last = number;
      off += sums.debit - sums.credit;
      addSums(accounts, account, sums);
      if (foreign !== undefined)
        addSums(accounts, account + FOREIGN, { debit: foreign, credit: 0 });
    }
    const shown = { count, accounts, booked: isOfBooks ? booked : undefined };
    return [
      ...differencesIn([['debit less credit', 0, off]]),
      ...compareEntries(shown, statement, shownAs),
    ];
  };
}

/**
 * Behind an account's number: what it has in the wallet's currency, where its amounts are in that
 * of the books.
 */
const FOREIGN = ' (amount)';

function compareEntries(
  {
    count,
    accounts,
    booked,
  }: { readonly count: number; readonly accounts: ReadonlyMap<string, Sums> } & Pick<
    JournalSection,
    'booked'
  >,
  { journal }: Statement,
  shownAs: (account: string) => string,
): readonly FigureDifference[] {
  const stated = new Map<string, Sums>();
  const carried = journal.carried?.entry.rows ?? [];
  const opened = carried.filter((row) => booked === undefined || row.booked !== 0);
  for (const { account, debit, credit } of booked?.accounts ?? journal.accounts)
    addSums(stated, shownAs(account), { debit, credit });
  for (const { account, debit, credit, booked: worth } of opened)
    addSums(stated, shownAs(account), booked === undefined ? { debit, credit } : sidesOf(worth!));
  for (const { account, foreign } of [
    ...(booked?.accounts ?? []),
    ...opened.map(({ account, debit, credit }) => ({ account, foreign: debit - credit })),
  ])
    if (accounts.has(account + FOREIGN))
      addSums(stated, account + FOREIGN, { debit: foreign, credit: 0 });
  const own = journal.accounts.filter(({ role }) => role === 'wallet');
  const moved = [...new Set(own.map(({ account }) => shownAs(account)))]
    .map((account) => accounts.get(account) ?? NONE)
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);
  const closing = (carried.length === 0 ? journal.wallet.opening : 0) + moved;
  const compared = [...new Set([...stated.keys(), ...accounts.keys()])].flatMap(
    (account): Compared[] => {
      const [ours, theirs] = [stated.get(account) ?? NONE, accounts.get(account) ?? NONE];
      return [
        [`debit of ${account}`, ours.debit, theirs.debit],
        [`credit of ${account}`, ours.credit, theirs.credit],
      ];
    },
  );
  return differencesIn([
    ['number of entries', (booked ?? journal).entryCount + (opened.length === 0 ? 0 : 1), count],
    [
      'closingBalance',
      journal.wallet.closing,
      booked === undefined ? closing : journal.wallet.closing,
    ],
    ...compared,
  ]);
}

function sidesOf(amount: number): Sums {
  return { debit: Math.max(amount, 0), credit: Math.max(-amount, 0) };
}

const NONE: Sums = { debit: 0, credit: 0 };

function addSums(accounts: Map<string, Sums>, account: string, { debit, credit }: Sums): void {
  const sums = accounts.get(account) ?? NONE;
  accounts.set(account, { debit: sums.debit + debit, credit: sums.credit + credit });
}

const FEC_TITLES = ['EcritureNum', 'CompteNum', 'Debit', 'Credit', 'Montantdevise'] as const;
const FEC_FOREIGN = /^(-?\d+),00$/;

/** NaN where it has no such decimals, and behind them zeros. */
function amountIn(text: string, books: Books | undefined): number {
  const form = new RegExp(`^(\\d+)(?:[.,](\\d{${books?.decimals ?? 0}})0*)?$`);
  const [, whole, part = ''] = form.exec(text) ?? [];
  return whole === undefined ? Number.NaN : Number(whole + part);
}

/** Tab-separated columns by their names, amounts with a decimal comma. */
export const readFec = entryReader(async function* (file, books) {
  for await (const [number, account, debit, credit, foreign] of cellsUnder(
    FEC_TITLES,
    'FEC',
    tabbedRows(file),
  )) {
    const row = { number, account, debit: amountIn(debit, books), credit: amountIn(credit, books) };
    yield books === undefined
      ? row
      : { ...row, foreign: foreign === '' ? 0 : numberIn(foreign, FEC_FOREIGN) };
  }
}, fecKey);

async function* tabbedRows(file: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  for await (const line of linesOf(file, 'iso-8859-15')) yield line.replace(/\r$/, '').split('\t');
}

const NUMBER = /^ {4}; number:([^,]*),/;
/** Account, whose number is its first word; amount and its currency. */
const POSTING = /^ {4}(\S+) .*? {2}(-?[\d.]+) ("[^"]*"|\S+)/;
const CURRENCY = /^commodity (.+)$/;

/**
 * The postings of each entry with a number, in the currency that is declared first: the wallet's.
 * The opening, posted before the first one, is no entry of the month.
 */
export const readJournal = entryReader(
  async function* (file) {
    let number: string | null = null;
    let own: string | undefined;
    for await (const line of linesOf(file)) {
      own ??= CURRENCY.exec(line)?.[1];
      number = NUMBER.exec(line)?.[1] ?? (line === '' ? null : number);
      const [, account, amount, currency] = POSTING.exec(line) ?? [];
      if (number === null || account === undefined) continue;
      yield { number, account, ...sidesOf(currency === own ? Number(amount) : 0) };
    }
  },
  (account) => /^[^\s;:"|(){}[\]@=*!~<>%]*/.exec(account)![0],
  false,
);

/** First and last character of account, side and amount, counted from 1. */
const SAGE_PLACES = { account: [12, 24], side: [84, 84], amount: [85, 104] } as const;

/** Columns by their places, as they are published. An entry goes on until it balances. */
export const readSage = entryReader(async function* (file, books) {
  let entries = 0;
  let open = 0;
  for await (const line of linesOf(file, 'windows-1252')) {
    const at = ([first, last]: readonly [number, number]): string =>
      line.slice(first - 1, last).trim();
    if (entries > 0) {
      const amount = amountIn(at(SAGE_PLACES.amount), books);
      const [debit, credit] = at(SAGE_PLACES.side) === 'D' ? [amount, 0] : [0, amount];
      yield { number: String(entries), account: at(SAGE_PLACES.account), debit, credit };
      open += debit - credit;
    }
    // The first line names whose books they are.
    if (open === 0) entries += 1;
  }
  if (entries === 0) throw new Error('This is not in the form of Sage: its first line is missing.');
}, sageKey);

const ODOO_FIELDS = ['id', 'line_ids/account_id', 'line_ids/debit', 'line_ids/credit'] as const;
const ODOO_FOREIGN = [...ODOO_FIELDS, 'line_ids/amount_currency'] as const;

/**
 * As Odoo reads it: columns by the names of their fields; a row without cells of its entry belongs
 * to the entry above it.
 */
export const readOdoo = entryReader(async function* (file, books) {
  const titles = books === undefined ? ODOO_FIELDS : ODOO_FOREIGN;
  let number = '';
  for await (const [id, account, debit, credit, foreign] of cellsUnder(
    titles,
    'CSV for Odoo',
    csvRows(file, ','),
  )) {
    if (id !== '') number = id;
    const row = { number, account, debit: amountIn(debit, books), credit: amountIn(credit, books) };
    yield books === undefined ? row : { ...row, foreign: foreign === '' ? 0 : numberIn(foreign) };
  }
});
