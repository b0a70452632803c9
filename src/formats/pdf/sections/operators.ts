// Section 2, Par opérateur: the month's lines by operator and country, and beside them, in a table of their own, the
// collections that operations state. The two populations are never mixed in one table.

import type { OperatorRow } from '../../../statements/section-movements.ts';
import type { Collections } from '../../../statements/summary.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { type Column, drawTable } from '../tables.ts';
import { DASH } from '../wording.ts';

export function drawOperators(flow: Flow): void {
  const { statement, labels, look } = flow;
  const said = labels.operators;
  const { rows, byCountry, total } = statement.operators;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: look.sizes.note });
  const toneOf = ({ operator }: OperatorRow) => (operator === null ? 'muted' : 'plain');
  drawTable(flow, { columns: columnsOf(flow, { total }), rows, total, toneOf });
  if (byCountry.length > 1) {
    drawSubheading(flow, said.byCountry);
    drawTable(flow, { columns: columnsOf(flow, { total }), rows: byCountry, total });
  }
  drawCollections(flow);
}

function columnsOf(
  { statement, labels, words }: Flow,
  { total }: { readonly total: OperatorRow },
): Column<OperatorRow>[] {
  const said = labels.operators;
  const figure = (title: string, share: number, pick: (row: OperatorRow) => number): Column<OperatorRow> => ({
    title,
    share,
    holds: 'figure',
    cell: (row) => words.amount(pick(row)),
  });
  const nameOf = (row: OperatorRow): string => {
    if (row === total) return labels.document.total;
    return row.operator ?? (row.country === null ? said.noOperation : DASH);
  };
  const { otherMovements } = statement.summary;
  return [
    { title: said.operator, share: 46, holds: 'text', cell: nameOf },
    { title: said.country, share: 24, holds: 'text', cell: ({ country }) => country ?? '' },
    figure(said.countIn, 30, ({ countIn }) => countIn),
    figure(said.grossIn, 50, ({ grossIn }) => grossIn),
    figure(said.feesIn, 40, ({ feesIn }) => feesIn),
    figure(said.countOut, 30, ({ countOut }) => countOut),
    figure(said.grossOut, 50, ({ grossOut }) => grossOut),
    figure(said.feesOut, 40, ({ feesOut }) => feesOut),
    figure(said.reversals, 44, ({ reversals }) => reversals),
    figure(said.adjustments, 44, ({ adjustments }) => adjustments),
    ...(otherMovements === 0 && total.other === 0 ? [] : [figure(said.other, 40, ({ other }) => other)]),
    figure(said.net, 52, ({ net }) => net),
    { title: said.success, share: 38, holds: 'figure', cell: ({ success }) => words.percent(success.percent) },
  ];
}

interface CollectionLine extends Collections {
  readonly operator: string;
  readonly country: string;
}

function drawCollections(flow: Flow): void {
  const { statement, labels, words, look } = flow;
  const { byOperator, byCountry, paymentCount, totalAmount, totalFees } = statement.summary;
  const said = labels.operators;
  const columns: readonly Column<CollectionLine>[] = [
    { title: said.operator, share: 30, holds: 'text', cell: ({ operator }) => operator },
    { title: said.country, share: 20, holds: 'text', cell: ({ country }) => country },
    { title: said.count, share: 16, holds: 'figure', cell: ({ count }) => words.amount(count) },
    { title: said.amount, share: 24, holds: 'figure', cell: ({ amount }) => words.amount(amount) },
    { title: said.fees, share: 20, holds: 'figure', cell: ({ fees }) => words.amount(fees) },
  ];
  const total: CollectionLine = {
    operator: labels.document.total,
    country: '',
    count: paymentCount,
    amount: totalAmount,
    fees: totalFees,
  };
  drawSubheading(flow, said.collections);
  drawParagraph(flow, said.collectionsNote, { tone: 'muted', size: look.sizes.note });
  drawTable(flow, { columns, rows: byOperator.map((row) => ({ ...row, country: '' })), total, widthShare: 0.7 });
  flow.y += 4;
  drawTable(flow, { columns, rows: byCountry.map((row) => ({ ...row, operator: '' })), total, widthShare: 0.7 });
}
