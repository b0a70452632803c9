// The journal as Odoo imports it (Accounting, Journal Entries, Import records): CSV under the names of its fields, a line for
// each row, the entry's own cells on its first one alone. Entries and rows have ids, so that a file taken twice books nothing
// twice.

import type { JournalEntry } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { writeText } from '../port/write-text.ts';
import { writeCell } from '../text/csv.ts';
import { entriesOf, entryNamer, type StreamedEntry } from './stream-entries.ts';

export const odooFormat: StatementFormat = {
  name: 'odoo',
  extension: 'odoo.csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  write: (document, { language }, out) => writeText(writeOdoo(document, entriesOf(document), language), out),
};

/** Fields of `account.move`, and of its lines. Journal and account are found by their codes, a partner by its reference. */
export const ODOO_COLUMNS = [
  'id',
  'journal_id',
  'date',
  'ref',
  'line_ids/id',
  'line_ids/account_id',
  'line_ids/partner_id',
  'line_ids/name',
  'line_ids/debit',
  'line_ids/credit',
] as const;

/** The entries given, in their order. */
export async function* writeOdoo(
  { statement }: StatementDocument,
  entries: AsyncIterable<readonly StreamedEntry[]>,
  language: Language,
): AsyncGenerator<string> {
  const nameOf = entryNamer(statement, language);
  yield rowOf(ODOO_COLUMNS);
  for await (const batch of entries) {
    let text = '';
    for (const streamed of batch) {
      if (streamed.entry !== null) text += rowsOf(statement, streamed.entry, nameOf(streamed));
    }
    yield text;
  }
}

function rowsOf({ merchant, journal }: Statement, { number, date, piece, rows }: JournalEntry, name: string): string {
  const id = `pointage_${merchant.reference}_${number}`.replace(/[^\w-]/g, '_');
  return rows
    .map(({ account, auxiliary, debit, credit }, i) => {
      const own = i === 0 ? [id, journal.code, date, piece] : ['', '', '', ''];
      return rowOf([...own, `${id}_${i + 1}`, account, auxiliary?.number ?? '', name, debit, credit]);
    })
    .join('');
}

function rowOf(cells: readonly (string | number)[]): string {
  return `${cells.map((cell) => writeCell(cell, ',')).join(',')}\r\n`;
}
