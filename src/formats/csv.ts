// CSV of the month's ledger, one row a line: UTF-8 with a byte order mark, `;` between cells, as French Excel opens it, and
// one header line. A text that a spreadsheet would take for a formula is disarmed; numbers are plain and unquoted.

import type { Language } from '../statements/statement.ts';
import type { StatementLine } from '../statements/statement-line.ts';
import { LABELS } from '../words/tree.ts';
import type { StatementDocument, StatementFormat } from './format.ts';
import { nameKind } from './kind-names.ts';
import { writeText } from './write-text.ts';

export const csvFormat: StatementFormat = {
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  write: (document, { language }, out) => writeText(piecesOf(document, language), out),
};

type Cell = string | number | null;

export interface Column {
  readonly title: Readonly<Record<Language, string>>;
  readonly cell: (line: StatementLine, language: Language) => Cell;
}

const column = (fr: string, en: string, cell: Column['cell']): Column => ({ title: { fr, en }, cell });

/** In this order (docs/STATEMENTS.md). */
export const COLUMNS: readonly Column[] = [
  column('Séquence', 'Sequence', (line) => line.sequence),
  column('Date', 'Date', (line) => line.localTime.slice(0, 10)),
  column('Heure', 'Time', (line) => line.localTime.slice(11)),
  column('Code', 'Code', (line) => line.kind),
  column('Nature', 'Kind', (line, language) => nameKind(line.kind, language)),
  column('Libellé', 'Label', (line) => line.label),
  column('Référence', 'Reference', (line) => line.operationReference),
  column('Référence du partenaire', 'Partner reference', (line) => line.externalReference),
  column('Tiers', 'Counterparty', (line) => line.counterpartyName),
  column('Numéro du tiers', 'Counterparty number', (line) => line.counterpartyNumber),
  column('Opérateur', 'Operator', (line) => line.operator),
  column('Pays', 'Country', (line) => line.country),
  column('Montant', 'Amount', (line) => line.amount),
  column('Débit', 'Debit', (line) => line.debit),
  column('Crédit', 'Credit', (line) => line.credit),
  column('Solde', 'Balance', (line) => line.balance),
  column('Mouvement réservé', 'Reserved movement', (line) => line.reservedMove),
  column('Réservé', 'Reserved', (line) => line.reserved),
  column('Solde comptabilisé', 'Recorded balance', (line) => line.recordedBalance),
  column('Réservé comptabilisé', 'Recorded reserved', (line) => line.recordedReserved),
  column('Signalements', 'Flags', (line, language) =>
    line.flags.map((flag) => LABELS[language].workbook.flags[flag]).join(', '),
  ),
  column('Écriture', 'Journal entry', (line) => line.entry?.number ?? null),
  column('Pièce', 'Piece', (line) => line.entry?.piece ?? null),
  column('Identifiant', 'Id', (line) => line.id),
];

async function* piecesOf({ lines }: StatementDocument, language: Language): AsyncGenerator<string> {
  yield `\uFEFF${rowOf(COLUMNS.map(({ title }) => title[language]))}`;
  for await (const batch of lines()) {
    let text = '';
    for (const line of batch) text += rowOf(COLUMNS.map(({ cell }) => cell(line, language)));
    yield text;
  }
}

/** A row of cells as it stands in a file. */
export function rowOf(cells: readonly Cell[]): string {
  return `${cells.map((cell) => writeCell(cell)).join(';')}\r\n`;
}

/** A number as its digits, a text quoted where RFC 4180 asks for it, nothing for null. */
export function writeCell(cell: Cell, separator: ';' | ',' = ';'): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const safe = disarm(cell);
  return safe.includes(separator) || /["\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What begins like a formula gets an apostrophe before it; also after full-width signs, which some programs take alike. */
function disarm(text: string): string {
  return /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
}
