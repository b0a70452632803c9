// CSV of the month's operations, one row an operation, in the form of the ledger's CSV: with whom, for what, for how much, and
// what became of it. Dates are those of the period's zone.

import type { Language } from '../statements/statement.ts';
import type { StatementOperation } from '../statements/statement-line.ts';
import { LABELS } from '../words/tree.ts';
import { rowOf } from './csv.ts';
import type { StatementDocument, StatementFormat } from './format.ts';
import { writeText } from './write-text.ts';

export const operationsCsvFormat: StatementFormat = {
  name: 'operations',
  extension: 'operations.csv',
  mediaType: 'text/csv; charset=utf-8; profile=operations',
  write: (document, { language }, out) => writeText(piecesOf(document, language), out),
};

async function* piecesOf({ operations }: StatementDocument, language: Language): AsyncGenerator<string> {
  const said = LABELS[language].monthOperations;
  yield `\uFEFF${rowOf(Object.values(said.columns))}`;
  for await (const batch of operations()) yield batch.map((operation) => rowOf(cellsOf(operation, said))).join('');
}

/** In the order of the columns' words. */
function cellsOf(operation: StatementOperation, said: (typeof LABELS)[Language]['monthOperations']) {
  return [
    operation.reference,
    said.types[operation.type],
    operation.operator,
    operation.country,
    operation.counterpartyName,
    operation.counterpartyNumber,
    operation.description,
    operation.externalReference,
    operation.amount,
    operation.fees,
    operation.netAmount,
    said.states[operation.status],
    operation.createdLocal,
    operation.completedLocal,
  ];
}
