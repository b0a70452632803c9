// What was open at the cut-off, and what reaches over it: money still held, operations not final, reversals of earlier
// months' operations, and lines whose date and number lie on different sides of a bound.

import type {
  CrossingLine,
  EarlierReversal,
  OpenHold,
  OpenOperation,
} from '../../../../core/statements/section-reconciliation.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameCode } from '../../../../core/words/names.ts';
import { nameKind } from '../../port/kind-names.ts';
import { drawSubheading, type Flow, pair } from '../page/flow.ts';
import { amountsIn, dateColumn, drawTable, type Table, textColumn } from '../page/tables.ts';

export function drawOpenItems(flow: Flow): void {
  drawOpenHolds(flow);
  if (hasOperations(flow.statement)) drawOpenOperations(flow);
  drawEarlierReversals(flow);
  drawCrossing(flow);
}

function drawOpenHolds(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, openHolds: title } = labels.reconciliation;
  const { rows, count, total } = statement.openHolds;
  drawSubheading(flow, counted(flow, title, { count, sum: total }));
  const figure = amountsIn<OpenHold>(words);
  drawItems<OpenHold>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => sequence),
      dateColumn(said.date, 62, ({ since }) => words.instant(since)),
      textColumn(said.reference, 110, ({ operationReference }) => operationReference ?? labels.operators.noOperation),
      textColumn(said.operator, 60, ({ operator, country }) =>
        [operator, country].filter((one) => one !== null).join(' '),
      ),
      figure(said.held, 56, ({ held }) => held),
    ],
    rows,
    count,
  });
}

function drawOpenOperations(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, openOperations: title } = labels.reconciliation;
  const { rows, count, amount: sum } = statement.openOperations;
  drawSubheading(flow, counted(flow, title, { count, sum }));
  const figure = amountsIn<OpenOperation>(words);
  drawItems<OpenOperation>(flow, {
    columns: [
      textColumn(said.reference, 82, ({ reference }) => reference),
      textColumn(said.type, 42, ({ type }) => nameCode(labels, 'types', type)),
      textColumn(said.operator, 48, ({ operator, country }) => `${operator} ${country}`),
      figure(said.amount, 44, ({ amount }) => amount),
      dateColumn(said.created, 73, ({ createdAt }) => words.instant(createdAt)),
      dateColumn(said.expires, 73, ({ expiresAt }) => words.instant(expiresAt)),
      textColumn(said.status, 60, ({ statusAsRead }) => nameCode(labels, 'statuses', statusAsRead)),
      dateColumn(said.completed, 73, ({ completedAt }) => words.instant(completedAt)),
    ],
    rows,
    count,
  });
}

function drawEarlierReversals(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, earlierReversals: title } = labels.reconciliation;
  const { rows, count, total } = statement.earlierReversals;
  drawSubheading(flow, counted(flow, title, { count, sum: total }));
  const figure = amountsIn<EarlierReversal>(words);
  drawItems<EarlierReversal>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => sequence),
      dateColumn(said.date, 62, ({ at }) => words.instant(at)),
      textColumn(said.reference, 100, ({ operationReference }) => operationReference),
      textColumn(said.type, 40, ({ type }) => nameCode(labels, 'types', type)),
      textColumn(said.operator, 50, ({ operator }) => operator),
      dateColumn(said.operationCreated, 62, ({ operationCreatedAt }) => words.instant(operationCreatedAt)),
      figure(said.amount, 50, ({ amount }) => amount),
    ],
    rows,
    count,
  });
}

function drawCrossing(flow: Flow): void {
  const { statement, labels, words, language } = flow;
  const { columns: said, crossing: title, bound: bounds } = labels.reconciliation;
  const { rows, count } = statement.crossing;
  if (count === 0) return;
  drawSubheading(flow, pair(flow, title, words.amount(count)));
  const figure = amountsIn<CrossingLine>(words);
  drawTable<CrossingLine>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => sequence),
      dateColumn(said.date, 62, ({ at }) => words.instant(at)),
      textColumn(said.kind, 90, ({ kind }) => nameKind(kind, language)),
      textColumn(said.reference, 100, ({ operationReference }) => operationReference ?? ''),
      textColumn(said.bound, 60, ({ bound }) => bounds[bound]),
      figure(said.amount, 50, ({ balanceEffect }) => balanceEffect),
    ],
    rows,
    count,
  });
}

/** Where there is none, the heading has said so. */
function drawItems<Row>(flow: Flow, table: Table<Row>): void {
  if (table.rows.length > 0) drawTable(flow, table);
}

/** The name of a table, how many rows it has, and what they sum to. */
function counted({ labels, words }: Flow, name: string, of: { readonly count: number; readonly sum: number }): string {
  return fill(labels.document.counted, { name, ...of }, words.speech);
}
