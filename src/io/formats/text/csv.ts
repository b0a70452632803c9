// CSV of the month's ledger, one row a line: UTF-8 with a byte order mark, `;` between cells, as French Excel opens it, and
// one header line. A text that a spreadsheet would take for a formula is disarmed; numbers are plain and unquoted.

import type { Language } from '../../../core/statements/statement.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { nameKind } from '../port/kind-names.ts';
import { flat } from '../port/one-line.ts';
import { writeText } from '../port/write-text.ts';

export const csvFormat: StatementFormat = {
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  write: (document, { language }, out) => writeText(piecesOf(document, language), out),
};

type Cell = string | number | null;

type ColumnName = keyof Labels['ledgerCsv'];

const CELLS: Readonly<Record<ColumnName, (line: StatementLine, language: Language) => Cell>> = {
  sequence: (line) => line.sequence,
  date: (line) => line.localTime.slice(0, 10),
  time: (line) => line.localTime.slice(11),
  code: (line) => line.kind,
  kind: (line, language) => nameKind(line.kind, language),
  label: (line) => line.label,
  reference: (line) => line.operationReference,
  partnerReference: (line) => line.externalReference,
  counterparty: (line) => line.counterpartyName,
  counterpartyNumber: (line) => line.counterpartyNumber,
  operator: (line) => line.operator,
  country: (line) => line.country,
  amount: (line) => line.amount,
  debit: (line) => line.debit,
  credit: (line) => line.credit,
  balance: (line) => line.balance,
  reservedMove: (line) => line.reservedMove,
  reserved: (line) => line.reserved,
  recordedBalance: (line) => line.recordedBalance,
  recordedReserved: (line) => line.recordedReserved,
  flags: (line, language) => line.flags.map((flag) => LABELS[language].workbook.flags[flag]).join(', '),
  journalEntry: (line) => line.entry?.number ?? null,
  piece: (line) => line.entry?.piece ?? null,
  id: (line) => line.id,
};

/** In this order (docs/STATEMENTS.md). */
export const COLUMNS = Object.keys(CELLS) as readonly ColumnName[];

async function* piecesOf({ lines }: StatementDocument, language: Language): AsyncGenerator<string> {
  const cells = Object.values(CELLS);
  yield `\uFEFF${rowOf(COLUMNS.map((name) => LABELS[language].ledgerCsv[name]))}`;
  for await (const batch of lines()) {
    let text = '';
    for (const line of batch) text += rowOf(cells.map((cell) => cell(line, language)));
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
  const safe = disarm(flat(cell));
  return safe.includes(separator) || /["\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * What begins like a formula gets an apostrophe before it; also with full-width signs, and after spaces or characters that are not seen,
 * which some programs pass over.
 */
export function disarm(text: string): string {
  return /^[\s\p{Cf}]*[=+\-@＝＋－＠]/u.test(text) ? `'${text}` : text;
}
