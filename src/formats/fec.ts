// The journal in the form of a "fichier des écritures comptables": 18 tab-separated columns, dates as AAAAMMJJ, comma
// decimals, ISO 8859-15. For software that reads this form; it is no declaration, and its amounts are in the statement's
// currency.

import { invariant } from '../domain/invariant.ts';
import { localText, openZone } from '../domain/zone.ts';
import type { JournalRow } from '../statements/journal.ts';
import type { Language } from '../statements/statement.ts';
import type { StatementLine } from '../statements/statement-line.ts';
import type { StatementDocument, StatementFormat } from './format.ts';
import { nameKind } from './kind-names.ts';
import { latin9 } from './latin9.ts';
import { oneLine } from './one-line.ts';
import { writeBytes } from './write-text.ts';

export const fecFormat: StatementFormat = {
  name: 'fec',
  extension: 'txt',
  mediaType: 'text/tab-separated-values; charset=iso-8859-15',
  write: (document, { language }, out) => writeBytes(piecesOf(document, language), out),
};

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

async function* piecesOf(document: StatementDocument, language: Language): AsyncGenerator<Uint8Array> {
  yield latin9(`${FEC_COLUMNS.join('\t')}\r\n`);
  const validated = validDate(document);
  for await (const batch of document.lines()) {
    let text = '';
    for (const line of batch) {
      for (const row of line.entry?.rows ?? []) text += rowOf(line, row, { document, language, validated });
    }
    yield latin9(text);
  }
}

interface FecForm {
  readonly document: StatementDocument;
  readonly language: Language;
  readonly validated: string;
}

function rowOf(line: StatementLine, row: JournalRow, { document, language, validated }: FecForm): string {
  const { journal } = document.statement;
  const entry = line.entry!;
  const date = entry.date.replaceAll('-', '');
  const cells = [
    journal.code,
    journal.label,
    entry.number,
    date,
    row.account,
    row.accountLabel,
    '',
    '',
    entry.piece,
    date,
    oneLine(line.label ?? '') || nameKind(line.kind, language),
    `${row.debit},00`,
    `${row.credit},00`,
    '',
    '',
    validated,
    '',
    '',
  ];
  return `${cells.map(oneLine).join('\t')}\r\n`;
}

/** The day on which the statement was made: from then on its entries are not changed. */
function validDate({ statement }: StatementDocument): string {
  const zone = openZone(statement.period.zone);
  invariant(zone !== null, `the statement's zone ${statement.period.zone} is not known`);
  return localText(zone, statement.generatedAt).slice(0, 10).replaceAll('-', '');
}
