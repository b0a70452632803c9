// Section 7, Opérations du mois: every operation that was created, ended or reversed in it, with whom, for what and for how
// much, so that a reader goes from a reference on paper to the operation and back.

import { invariant } from '../../../../core/domain/invariant.ts';
import { hasOperations, movesMoney } from '../../../../core/statements/statement.ts';
import type { OperationStream, StatementOperation } from '../../../../core/statements/statement-line.ts';
import { fill } from '../../../../core/words/message.ts';
import { DASH } from '../../port/wording.ts';
import { drawHeading, drawParagraph, type Flow } from '../page/flow.ts';
import { joined, type LongColumn, type LongRow, type OpenTable, openLongTable } from '../page/long-table.ts';
import { drawNote } from '../page/tables.ts';

/** As many of them as of the ledger's lines are printed at most. */
export function areOperationsTooMany({ statement, layout }: Pick<Flow, 'statement' | 'layout'>): boolean {
  return statement.operations.count > layout.ledger.mostLines;
}

export function drawOperationsElsewhere(flow: Flow): void {
  const { labels, statement, words, layout } = flow;
  const values = { count: words.amount(statement.operations.count), most: words.amount(layout.ledger.mostLines) };
  drawHeading(flow, labels.monthOperations.heading);
  drawParagraph(flow, fill(labels.monthOperations.tooLong, values));
}

/** Yields after each batch, so that what was drawn can be taken away. Throws when there are more or fewer than stated. */
export async function* drawMonthOperations(flow: Flow, operations: OperationStream): AsyncGenerator<void> {
  const table = openOperations(flow);
  let count = 0;
  for await (const batch of operations()) {
    for (const operation of batch) table.add(operation);
    count += batch.length;
    yield;
  }
  invariant(count === flow.statement.operations.count, 'a statement counts as many operations as stream beside it');
  finish(flow, table);
}

/** Turns the pages that the operations will take, without one of them. */
export function countMonthOperations(flow: Flow): void {
  const table = openOperations(flow);
  for (let operation = 0; operation < flow.statement.operations.count; operation++) table.add(null);
  finish(flow, table);
}

function finish(flow: Flow, table: OpenTable<StatementOperation>): void {
  table.finish();
  const { labels, statement } = flow;
  if (statement.operations.count > 0) return;
  drawNote(flow, hasOperations(statement) ? labels.monthOperations.empty : labels.document.operationsUnread);
}

function openOperations(flow: Flow): OpenTable<StatementOperation> {
  const { statement, labels, layout } = flow;
  const said = labels.monthOperations;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  return openLongTable<StatementOperation>(flow, {
    columns: columnsOf(flow),
    details: { title: said.details, under: 0 },
    count: statement.operations.count,
    rowOf: (operation) => rowOf(flow, operation),
    carried: null,
  });
}

function columnsOf({ labels }: Flow): readonly LongColumn[] {
  const said = labels.monthOperations.columns;
  const column = (title: string, share: number, holds: LongColumn['holds']): LongColumn => ({
    title,
    share,
    holds,
    cell: () => '',
  });
  return [
    column(said.reference, 96, 'date'),
    column(said.type, 60, 'text'),
    column(said.created, 83, 'date'),
    column(said.completed, 83, 'date'),
    column(said.state, 58, 'text'),
    column(said.amount, 46, 'figure'),
    column(said.fees, 50, 'figure'),
    column(said.net, 46, 'figure'),
  ];
}

function rowOf({ words, labels }: Flow, operation: StatementOperation): LongRow {
  const said = labels.monthOperations;
  const { operator, counterpartyName, counterpartyNumber, externalReference, description, status } = operation;
  return {
    cells: [
      operation.reference,
      said.types[operation.type],
      words.time(operation.createdLocal),
      operation.completedLocal === null ? DASH : words.time(operation.completedLocal),
      said.states[status],
      words.amount(operation.amount),
      ...[operation.fees, operation.netAmount].map((figure) => (movesMoney(status) ? words.amount(figure) : DASH)),
    ],
    whole: joined([operator, counterpartyName, counterpartyNumber, externalReference]),
    rest: description ?? '',
    tone: status === 'SUCCEEDED' ? 'plain' : 'muted',
  };
}
