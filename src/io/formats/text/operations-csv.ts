// CSV of the month's operations, one row an operation, in the form of the ledger's CSV: with whom, for what, for how much, and
// what became of it. Dates are those of the period's zone.

import type { Language } from '../../../core/statements/statement.ts';
import type { StatementOperation } from '../../../core/statements/statement-line.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import { writeText } from '../port/write-text.ts';
import { rowOf } from './csv.ts';

export const operationsCsvFormat: StatementFormat = {
  name: 'operations',
  extension: 'operations.csv',
  mediaType: 'text/csv; charset=utf-8; profile=operations',
  write: (document, { language }, out) => writeText(piecesOf(document, language), out),
};

type Said = Labels['monthOperations'];

/** In this order (docs/STATEMENTS.md). */
const CELLS: Readonly<
  Record<keyof Said['columns'], (operation: StatementOperation, said: Said) => string | number | null>
> = {
  reference: (operation) => operation.reference,
  type: (operation, said) => said.types[operation.type],
  operator: (operation) => operation.operator,
  country: (operation) => operation.country,
  name: (operation) => operation.counterpartyName,
  number: (operation) => operation.counterpartyNumber,
  description: (operation) => operation.description,
  partner: (operation) => operation.externalReference,
  amount: (operation) => operation.amount,
  fees: (operation) => operation.fees,
  net: (operation) => operation.netAmount,
  state: (operation, said) => said.states[operation.status],
  created: (operation) => operation.createdLocal,
  completed: (operation) => operation.completedLocal,
};

async function* piecesOf({ operations }: StatementDocument, language: Language): AsyncGenerator<string> {
  const said = LABELS[language].monthOperations;
  const names = Object.keys(CELLS) as (keyof Said['columns'])[];
  const cells = Object.values(CELLS);
  yield `\uFEFF${rowOf(names.map((name) => said.columns[name]))}`;
  for await (const batch of operations())
    yield batch.map((operation) => rowOf(cells.map((cell) => cell(operation, said)))).join('');
}
