// The journal in the form of a "fichier des écritures comptables": 18 tab-separated columns, dates as AAAAMMJJ, comma
// decimals, ISO 8859-15. For software that reads this form; it is no declaration, and its amounts are in the statement's
// currency.

import { invariant } from '../../../core/domain/invariant.ts';
import { localText, openZone } from '../../../core/domain/zone.ts';
import type { JournalEntry, JournalRow } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { latin9 } from '../port/latin9.ts';
import { oneLine } from '../port/one-line.ts';
import { writeBytes } from '../port/write-text.ts';
import { disarm } from '../text/csv.ts';
import { entriesOf, entryNamer, type StreamedEntry } from './stream-entries.ts';

export const fecFormat: StatementFormat = {
  name: 'fec',
  extension: 'txt',
  mediaType: 'text/tab-separated-values; charset=iso-8859-15',
  fileName: nameFec,
  write: (document, { language }, out) => writeBytes(writeFec(document, entriesOf(document), language), out),
};

/**
 * `2600002BFEC20261031.txt`: the holder's tax number, `FEC`, the last day (article A. 47 A-1 of the French book of tax procedures),
 * and from the second revision on its number, since the first is kept. Without a tax number, the merchant's reference.
 */
export function nameFec({ merchant, period, days, revision }: Statement): string {
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '');
  const id = plain(merchant.holder?.taxNumber?.number ?? '') || plain(merchant.reference) || 'X';
  const last = days.at(-1)?.day ?? period.startText.local.slice(0, 10);
  return `${id}FEC${plain(last)}${revision.number > 1 ? `_r${revision.number}` : ''}.txt`;
}

/** In this order, under these names, whatever the language. */
export const FEC_COLUMNS = [
  'JournalCode',
  'JournalLib',
  'EcritureNum',
  'EcritureDate',
  'CompteNum',
  'CompteLib',
  'CompAuxNum',
  'CompAuxLib',
  'PieceRef',
  'PieceDate',
  'EcritureLib',
  'Debit',
  'Credit',
  'EcritureLet',
  'DateLet',
  'ValidDate',
  'Montantdevise',
  'Idevise',
] as const;

/** The entries given, in their order. */
export async function* writeFec(
  document: StatementDocument,
  entries: AsyncIterable<readonly StreamedEntry[]>,
  language: Language,
): AsyncGenerator<Uint8Array> {
  yield latin9(`${FEC_COLUMNS.join('\t')}\r\n`);
  const { journal } = document.statement;
  const nameOf = entryNamer(document.statement, language);
  const form = { journal, validated: validDate(document) };
  for await (const batch of entries) {
    let text = '';
    for (const streamed of batch) {
      const { entry } = streamed;
      if (entry !== null) text += rowsOf(entry, { ...form, name: nameOf(streamed) });
    }
    yield latin9(text);
  }
}

interface FecForm {
  readonly journal: { readonly code: string; readonly label: string };
  readonly validated: string;
  readonly name: string;
}

/** One line of text for each row of the entry. */
function rowsOf(entry: JournalEntry, form: FecForm): string {
  return entry.rows.map((row) => `${cellsOf(entry, row, form).map(oneLine).map(disarm).join('\t')}\r\n`).join('');
}

function cellsOf(entry: JournalEntry, row: JournalRow, { journal, validated, name }: FecForm): readonly string[] {
  const date = entry.date.replaceAll('-', '');
  const { auxiliary } = row;
  const account = [row.account, row.accountLabel, auxiliary?.number ?? '', auxiliary?.label ?? ''];
  const amounts = [`${row.debit},00`, `${row.credit},00`];
  return [
    ...[journal.code, journal.label, entry.number, date],
    ...account,
    ...[entry.piece, date, name],
    ...amounts,
    ...['', '', validated, '', ''],
  ];
}

/** The day on which the statement was made: from then on its entries are not changed. */
function validDate({ statement }: StatementDocument): string {
  const zone = openZone(statement.period.zone);
  invariant(zone !== null, `the statement's zone ${statement.period.zone} is not known`);
  return localText(zone, statement.generatedAt).slice(0, 10).replaceAll('-', '');
}
