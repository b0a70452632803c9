// What was open at the cut-off, and what reaches over it: money still held, operations not final, reversals of earlier
// months' operations, and lines whose date and number lie on different sides of a bound.

import type {
  CrossingLine,
  EarlierReversal,
  OpenHold,
  OpenOperation,
} from '../../../statements/section-reconciliation.ts';
import { nameKind } from '../../kind-names.ts';
import { drawSubheading, type Flow, pair } from '../flow.ts';
import { type Column, drawTable } from '../tables.ts';

export function drawOpenItems(flow: Flow): void {
  drawOpenHolds(flow);
  drawOpenOperations(flow);
  drawEarlierReversals(flow);
  drawCrossing(flow);
}

const text = <Row>(title: string, share: number, cell: (row: Row) => string): Column<Row> => ({
  title,
  share,
  holds: 'text',
  cell,
});

const date = <Row>(title: string, share: number, cell: (row: Row) => string): Column<Row> => ({
  title,
  share,
  holds: 'date',
  cell,
});

const figure = <Row>(title: string, share: number, cell: (row: Row) => string): Column<Row> => ({
  title,
  share,
  holds: 'figure',
  cell,
});

function drawOpenHolds(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, openHolds: title } = labels.reconciliation;
  const { rows, count, total } = statement.openHolds;
  drawSubheading(flow, pair(flow, title, `${words.amount(count)} (${words.amount(total)})`));
  drawTable<OpenHold>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => words.amount(sequence)),
      date(said.date, 62, ({ since }) => words.instant(since)),
      text(said.reference, 110, ({ operationReference }) => operationReference ?? labels.operators.noOperation),
      text(said.operator, 60, ({ operator, country }) => [operator, country].filter((one) => one !== null).join(' ')),
      figure(said.held, 56, ({ held }) => words.amount(held)),
    ],
    rows,
    count,
  });
}

function drawOpenOperations(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, openOperations: title } = labels.reconciliation;
  const { rows, count, amount: sum } = statement.openOperations;
  drawSubheading(flow, pair(flow, title, `${words.amount(count)} (${words.amount(sum)})`));
  drawTable<OpenOperation>(flow, {
    columns: [
      text(said.reference, 82, ({ reference }) => reference),
      text(said.type, 42, ({ type }) => type),
      text(said.operator, 48, ({ operator, country }) => `${operator} ${country}`),
      figure(said.amount, 44, ({ amount }) => words.amount(amount)),
      date(said.created, 73, ({ createdAt }) => words.instant(createdAt)),
      date(said.expires, 73, ({ expiresAt }) => words.instant(expiresAt)),
      text(said.status, 60, ({ statusAsRead }) => statusAsRead),
      date(said.completed, 73, ({ completedAt }) => words.instant(completedAt)),
    ],
    rows,
    count,
  });
}

function drawEarlierReversals(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { columns: said, earlierReversals: title } = labels.reconciliation;
  const { rows, count, total } = statement.earlierReversals;
  drawSubheading(flow, pair(flow, title, `${words.amount(count)} (${words.amount(total)})`));
  drawTable<EarlierReversal>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => words.amount(sequence)),
      date(said.date, 62, ({ at }) => words.instant(at)),
      text(said.reference, 100, ({ operationReference }) => operationReference),
      text(said.type, 40, ({ type }) => type),
      text(said.operator, 50, ({ operator }) => operator),
      date(said.operationCreated, 62, ({ operationCreatedAt }) => words.instant(operationCreatedAt)),
      figure(said.amount, 50, ({ amount }) => words.amount(amount)),
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
  drawTable<CrossingLine>(flow, {
    columns: [
      figure(said.sequence, 30, ({ sequence }) => words.amount(sequence)),
      date(said.date, 62, ({ at }) => words.instant(at)),
      text(said.kind, 90, ({ kind }) => nameKind(kind, language)),
      text(said.reference, 100, ({ operationReference }) => operationReference ?? ''),
      text(said.bound, 60, ({ bound }) => bounds[bound]),
      figure(said.amount, 50, ({ balanceEffect }) => words.amount(balanceEffect)),
    ],
    rows,
    count,
  });
}
