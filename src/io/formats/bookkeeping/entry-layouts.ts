// The journal as accounting programs import it, with a row of text for each row of an entry: in the
// form of a "fichier des écritures comptables", Sage 100's PNM, and Odoo's CSV. The files are for
// import and are no tax declaration. Amounts are in the currency of the books; where the wallet has
// another currency, its amounts stand beside them, except in Sage's form, which has no place for
// them.

import type { Writable } from 'node:stream';
import { keyIn, nameIn } from '../../../core/domain/naming/names.ts';
import { dayOfEdition, validationOf } from '../../../core/statements/entries/validation.ts';
import {
  bookedText,
  type JournalEntry,
  type JournalRow,
} from '../../../core/statements/journal.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { FormatOptions, RevisedFormat, StatementDocument } from '../port/format.ts';
import { latin9 } from '../port/latin9.ts';
import { FEC_FILE, fecKey, sageKey, sagePiece } from '../text/keys.ts';
import { type Cell, type Layout, separated, utf8, writeRows } from '../text/layout.ts';
import { entryLabel, fecText, sageLabel, sageText } from '../text/reader-texts.ts';
import { entryNamer, journalOf, type StreamedEntry, streamEntries } from './stream-entries.ts';

interface EntryRow {
  readonly statement: Statement;
  readonly entry: JournalEntry;
  readonly row: JournalRow;
  /** Debit − credit, in the smallest unit of the books' currency. */
  readonly booked: number;
  /** Place of the row in the entry, from 0. */
  readonly index: number;
  readonly name: string;
  /** Day from which the entry does not change, `YYYY-MM-DD`. */
  readonly validOn: string;
}

interface EntryForm
  extends Omit<RevisedFormat, 'write' | 'writeChanges'>,
    Pick<Layout<EntryRow>, 'line' | 'encode'> {
  readonly columnsOf: (statement: Statement) => Layout<EntryRow>['columns'];
  /** Most characters for the name of an entry; no limit when absent. */
  readonly nameRoom?: number;
  /** Returns the first line, without its line end. */
  readonly headOf: (statement: Statement) => string;
}

function entryFormat({
  headOf,
  columnsOf,
  line,
  encode,
  nameRoom,
  ...format
}: EntryForm): RevisedFormat {
  const write = async (
    { statement }: StatementDocument,
    entries: Entries,
    dayOf: ReturnType<typeof validationOf>,
    [{ language }, out]: readonly [FormatOptions, Writable],
  ) => {
    const nameOf = entryNamer(statement, language, nameRoom);
    const layout = {
      head: `${headOf(statement)}\r\n`,
      columns: columnsOf(statement),
      line,
      encode,
    };
    await writeRows(layout, rowsOf(entries, { statement, dayOf, nameOf }), out);
  };
  return {
    ...format,
    write: (document, ...to) => {
      const { statement, lines, payments } = document;
      return write(
        document,
        streamEntries(statement.journal, lines, payments),
        validationOf(statement),
        to,
      );
    },
    writeChanges: (document, ...to) =>
      write(document, changedIn(document), () => dayOfEdition(document.statement), to),
  };
}

type Entries = AsyncIterable<readonly StreamedEntry[]>;

async function* rowsOf(
  entries: Entries,
  made: {
    readonly statement: Statement;
    readonly dayOf: ReturnType<typeof validationOf>;
    readonly nameOf: ReturnType<typeof entryNamer>;
  },
): AsyncGenerator<readonly EntryRow[]> {
  for await (const batch of entries) {
    yield batch.flatMap((streamed) => {
      const { entry } = streamed;
      if (entry === null) return [];
      const { statement, nameOf, dayOf } = made;
      const of = { statement, entry, name: nameOf(streamed), validOn: dayOf(entry) };
      const rows = entry.rows.map((row) => ({ row, booked: row.booked ?? row.debit - row.credit }));
      return rows
        .filter(({ booked }) => booked !== 0)
        .map((row, index) => ({ ...of, ...row, index }));
    });
  }
}

async function* changedIn({ statement }: StatementDocument): Entries & AsyncGenerator {
  const { entries } = statement.revision.entries ?? {};
  // Letters are left out, because they clear rows that the revision before has booked.
  yield (entries ?? []).map((entry) => {
    const rows = entry.rows.map(({ letter: _, ...row }) => row);
    return { entry: { ...entry, rows }, line: null, date: entry.date };
  });
}

/** Returns `YYYYMMDD`. */
const digitsOf = (day: string): string => day.replaceAll('-', '');

/**
 * Returns the amount of one side, 0 for the other: a whole number, or a text where the books'
 * currency has decimals.
 */
const amountOn =
  (side: 1 | -1, mark = '.') =>
  ({ statement: { journal }, booked }: EntryRow): Cell => {
    const amount = Math.max(side * booked, 0);
    return journal.books?.decimals ? bookedText(amount, journal.books).replace('.', mark) : amount;
  };

/**
 * Returns the signed amount in the wallet's currency, and that currency, where the books have
 * another one. A row that only rounds in the books' currency has neither.
 */
const foreignOf = ({ statement: { journal, currency }, row }: EntryRow): readonly [Cell, Cell] =>
  journal.books === undefined || row.debit === row.credit
    ? ['', '']
    : [row.debit - row.credit, currency];

/**
 * Columns in this order and under these names, whatever the language. A cell that is a number is
 * written with two decimals, both 0.
 */
const FEC: Readonly<Record<string, (row: EntryRow) => Cell>> = {
  JournalCode: ({ statement, entry }) => journalOf(statement, entry).code,
  JournalLib: ({ statement, entry }) => journalOf(statement, entry).label,
  EcritureNum: ({ entry }) => fecKey(entry.number),
  EcritureDate: ({ entry }) => digitsOf(entry.date),
  CompteNum: ({ row }) => fecKey(row.account),
  CompteLib: ({ row }) => row.accountLabel,
  CompAuxNum: ({ row }) => fecKey(row.auxiliary?.number ?? ''),
  CompAuxLib: ({ row }) => entryLabel(row.auxiliary?.label ?? ''),
  PieceRef: ({ entry }) => fecKey(entry.piece),
  PieceDate: ({ entry }) => digitsOf(entry.pieceDate ?? entry.date),
  EcritureLib: ({ name }) => entryLabel(name),
  Debit: amountOn(1, ','),
  Credit: amountOn(-1, ','),
  EcritureLet: ({ row }) => row.letter?.code ?? '',
  DateLet: ({ row }) => digitsOf(row.letter?.date ?? ''),
  ValidDate: ({ validOn }) => digitsOf(validOn),
  Montantdevise: (row) => foreignOf(row)[0],
  Idevise: (row) => foreignOf(row)[1],
};

/**
 * The journal as a "fichier des écritures comptables": tab-separated columns, dates as AAAAMMJJ,
 * comma decimals, ISO 8859-15.
 */
export const fecFormat = entryFormat({
  name: 'fec',
  extension: 'txt',
  mediaType: 'text/tab-separated-values; charset=iso-8859-15',
  fileName: nameFec,
  headOf: () => Object.keys(FEC).join('\t'),
  columnsOf: () => Object.values(FEC),
  line: (cells) =>
    cells.map((cell) => (typeof cell === 'number' ? `${cell},00` : fecText(cell ?? ''))).join('\t'),
  encode: latin9,
});

/**
 * Returns the file's name, `2600002BFEC20261031.txt`: the holder's tax number, `FEC`, and the last
 * day (article A. 47 A-1 of the French book of tax procedures). The merchant's reference follows
 * where several merchants have that number, and replaces the number where there is none. From the
 * second revision on its number follows, because the first file is kept.
 */
export function nameFec({ merchant, period, days, revision }: Statement): string {
  const { number = '', isShared = false } = merchant.holder?.taxNumber ?? {};
  const own = nameIn(FEC_FILE, merchant.reference);
  const last = days.at(-1)?.day ?? period.startText.local.slice(0, 10);
  const name = `${FEC_FILE.spell(number) || own}FEC${digitsOf(last)}${isShared ? `_${own}` : ''}`;
  return `${name}${revision.number > 1 ? `_r${revision.number}` : ''}.txt`;
}

/** Makes a column of Sage, cut or filled to its width. */
function filled(width: number, textOf: (row: EntryRow) => string): (row: EntryRow) => string {
  return (row) => sageText(textOf(row)).slice(0, width).padEnd(width);
}

const SAGE_WIDTH = 138;
const SAGE_NAME = 25;
const ENTRY_DIGITS = 7;

/**
 * The journal as Sage imports it: columns of fixed width, in Windows-1252. The first line names
 * whose books they are.
 */
export const sageFormat = entryFormat({
  name: 'sage',
  extension: 'pnm',
  nameRoom: SAGE_NAME,
  mediaType: 'text/x-sage-pnm; charset=windows-1252',
  headOf: ({ merchant }) => sageText(merchant.name ?? merchant.reference).slice(0, 30),
  columnsOf: () => [
    filled(3, ({ statement, entry }) => journalOf(statement, entry).code),
    filled(6, ({ entry }) => entry.date.replace(/^\d\d(\d\d)-(\d\d)-(\d\d)$/, '$3$2$1')),
    // "Opérations diverses", because an entry is neither an invoice nor its payment.
    () => 'OD',
    filled(13, ({ row }) => sageKey(row.account)),
    ({ row }) => (row.auxiliary === null ? ' ' : 'X'),
    filled(13, ({ row }) => sageKey(row.auxiliary?.number ?? '')),
    filled(13, ({ entry }) => sagePiece(entry.piece)),
    filled(SAGE_NAME, ({ name }) => sageLabel(sageText(name), SAGE_NAME)),
    // Means and day of payment, which are left empty.
    filled(1 + 6, () => ''),
    ({ booked }) => (booked > 0 ? 'D' : 'C'),
    (row) => String(amountOn(row.booked > 0 ? 1 : -1)(row)).padStart(20),
    // `N`: an entry that counts, and not a simulated one.
    () => 'N',
    filled(ENTRY_DIGITS, ({ entry: { sequence } }) =>
      sequence === null ? '' : String(sequence).slice(-ENTRY_DIGITS).padStart(ENTRY_DIGITS, '0'),
    ),
  ],
  line: (cells) => cells.join('').padEnd(SAGE_WIDTH),
  // One byte for each character, because `sageText` leaves only such characters.
  encode: (text) => Buffer.from(text, 'latin1'),
});

/** Returns a value of the entry on its first row, and an empty text on the others. */
const onFirst =
  (pick: (row: EntryRow) => string) =>
  (row: EntryRow): string =>
    row.index === 0 ? pick(row) : '';

const odooText = (text: string): string => text.replace(/[^\w-]/g, '_');
/**
 * Returns an entry number for an id. It must not end like the id of a row (`_1`), and after `_` it
 * must not look like the beginning of another number.
 */
const odooNumber = (number: string): string =>
  odooText(number).replace(/_(?![A-Za-z]+(?:_|$))/g, '-');

/**
 * Returns the id of an entry. Entries and rows have ids so that a file that is imported twice books
 * nothing twice.
 */
const odooId = ({ statement, entry }: EntryRow): string =>
  `pointage_${keyIn(120, odooText, statement.merchant.reference)}_${keyIn(120, odooNumber, entry.number)}`;

/**
 * Fields of `account.move`, and of its lines. Odoo finds a journal and an account by their codes,
 * and a partner by its reference.
 */
const ODOO: Readonly<Record<string, (row: EntryRow) => Cell>> = {
  id: onFirst(odooId),
  journal_id: onFirst(({ statement, entry }) => journalOf(statement, entry).code),
  date: onFirst(({ entry }) => entry.date),
  ref: onFirst(({ entry }) => entry.piece),
  'line_ids/id': (row) => `${odooId(row)}_${row.index + 1}`,
  'line_ids/account_id': ({ row }) => row.account,
  'line_ids/partner_id': ({ row }) => row.auxiliary?.number ?? '',
  'line_ids/name': ({ name }) => entryLabel(name),
  'line_ids/debit': amountOn(1),
  'line_ids/credit': amountOn(-1),
};

const ODOO_FOREIGN: typeof ODOO = {
  ...ODOO,
  'line_ids/currency_id': (row) => foreignOf(row)[1],
  'line_ids/amount_currency': (row) => foreignOf(row)[0],
};
const odooOf = ({ journal }: Statement): typeof ODOO =>
  journal.books === undefined ? ODOO : ODOO_FOREIGN;

/**
 * The journal as Odoo imports it (Accounting, Journal Entries, Import records): CSV with the names
 * of Odoo's fields.
 */
export const odooFormat = entryFormat({
  name: 'odoo',
  extension: 'odoo.csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  headOf: (statement) => separated(',')(Object.keys(odooOf(statement))),
  columnsOf: (statement) => Object.values(odooOf(statement)),
  line: separated(','),
  encode: utf8,
});
