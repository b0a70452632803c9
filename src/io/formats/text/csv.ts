// CSV of the month's ledger, with a row for each line, and of its operations, with a row for each
// operation. UTF-8 with a byte order mark, `;` between cells, as French Excel opens it, and one
// header line. Dates are in the period's zone.

import type { Language } from '../../../core/statements/statement.ts';
import type { StatementLine, StatementOperation } from '../../../core/statements/statement-line.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';
import type { StatementFormat } from '../port/format.ts';
import { nameKind } from '../port/wording.ts';
import { type Cell, type Layout, rowOf, separated, utf8, writeRows } from './layout.ts';

export const csvFormat: StatementFormat = {
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv; charset=utf-8',
  write: ({ lines }, { language }, out) =>
    writeRows(layoutOf(LEDGER, LABELS[language].ledgerColumns, language), lines(), out),
};

export const operationsCsvFormat: StatementFormat = {
  name: 'operations',
  extension: 'operations.csv',
  mediaType: 'text/csv; charset=utf-8; profile=operations',
  write: ({ operations }, { language }, out) =>
    writeRows(
      layoutOf(OPERATIONS, LABELS[language].monthOperations.columns, language),
      operations(),
      out,
    ),
};

/** Columns in their order (docs/STATEMENTS.md). */
type Columns<Key extends string, Row> = Readonly<
  Record<Key, (row: Row, language: Language) => Cell>
>;

/**
 * Columns of the ledger. `moment` and `check` are missing, because only a page and a workbook have
 * them.
 */
const LEDGER: Columns<Exclude<keyof Labels['ledgerColumns'], 'moment' | 'check'>, StatementLine> = {
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
  flags: (line, language) =>
    line.flags.map((flag) => LABELS[language].ledger.flags[flag]).join(', '),
  journalEntry: (line) => line.entry?.number ?? null,
  piece: (line) => line.entry?.piece ?? null,
  id: (line) => line.id,
};

export const COLUMNS = Object.keys(LEDGER) as readonly (keyof typeof LEDGER)[];

const OPERATIONS: Columns<keyof Labels['monthOperations']['columns'], StatementOperation> = {
  reference: (operation) => operation.reference,
  type: (operation, language) => LABELS[language].monthOperations.types[operation.type],
  operator: (operation) => operation.operator,
  country: (operation) => operation.country,
  name: (operation) => operation.counterpartyName,
  number: (operation) => operation.counterpartyNumber,
  description: (operation) => operation.description,
  partner: (operation) => operation.externalReference,
  amount: (operation) => operation.amount,
  fees: (operation) => operation.fees,
  net: (operation) => operation.netAmount,
  state: (operation, language) => LABELS[language].monthOperations.states[operation.status],
  created: (operation) => operation.createdLocal,
  completed: (operation) => operation.completedLocal,
};

function layoutOf<Key extends string, Row>(
  columns: Columns<Key, Row>,
  titles: Readonly<Record<Key, string>>,
  language: Language,
): Layout<Row> {
  const picks = Object.entries(columns) as [Key, Columns<Key, Row>[Key]][];
  const toCell = (pick: Columns<Key, Row>[Key]) => (row: Row) => pick(row, language);
  return {
    head: `\uFEFF${rowOf(picks.map(([key]) => titles[key]))}`,
    columns: picks.map(([, pick]) => toCell(pick)),
    line: separated(';'),
    encode: utf8,
  };
}
