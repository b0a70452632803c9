// Section 2, Par opérateur: the month's lines by operator and country, and beside them, in a table of their own, the
// collections that operations state. The two populations are never mixed in one table.

import type { OperatorRow } from '../../../../core/statements/section-movements.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import type { Collections } from '../../../../core/statements/summary.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../flow.ts';
import { amountsIn, type Column, drawNote, drawTable, figureColumn, textColumn } from '../tables.ts';
import { DASH } from '../wording.ts';

export function drawOperators(flow: Flow): void {
  const { statement, labels, layout } = flow;
  const said = labels.operators;
  const { rows, byCountry, total } = statement.operators;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const toneOf = ({ operator }: OperatorRow) => (operator === null ? 'muted' : 'plain');
  drawTable(flow, { columns: columnsOf(flow, 'operator'), rows, total, toneOf });
  if (byCountry.length > 1) {
    drawSubheading(flow, said.byCountry);
    drawTable(flow, { columns: columnsOf(flow, 'country'), rows: byCountry, total });
  }
  drawCollections(flow);
}

/** `by`: what names a row; of an operator its country is shown as well. */
function columnsOf({ statement, labels, words }: Flow, by: 'operator' | 'country'): Column<OperatorRow>[] {
  const said = labels.operators;
  const { total } = statement.operators;
  const figure = amountsIn<OperatorRow>(words);
  const nameOf = (row: OperatorRow): string => {
    if (row === total) return labels.document.total;
    if (by === 'country') return row.country ?? DASH;
    return row.operator ?? (row.country === null ? said.noOperation : DASH);
  };
  const names: readonly Column<OperatorRow>[] =
    by === 'country'
      ? [{ title: said.country, share: 74, holds: 'text', cell: nameOf }]
      : [
          { title: said.operator, share: 50, holds: 'text', mostLines: 2, cell: nameOf },
          { title: said.country, share: 30, holds: 'text', cell: ({ country }) => country ?? '' },
        ];
  const { otherMovements } = statement.summary;
  return [
    ...names,
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
  readonly name: string;
}

function drawCollections(flow: Flow): void {
  const { statement, labels, layout } = flow;
  const { byOperator, byCountry } = statement.summary;
  const said = labels.operators;
  drawSubheading(flow, said.collections, 80);
  if (!hasOperations(statement)) {
    drawNote(flow, labels.document.operationsUnread);
    return;
  }
  drawParagraph(flow, said.collectionsNote, { tone: 'muted', size: layout.sizes.note });
  drawCollectionTable(
    flow,
    said.operator,
    byOperator.map((row) => ({ ...row, name: row.operator })),
  );
  flow.y += 6;
  drawCollectionTable(
    flow,
    said.country,
    byCountry.map((row) => ({ ...row, name: row.country })),
  );
}

/** Also the days' table: what was collected under each name, and the month's total. */
export function drawCollectionTable(flow: Flow, title: string, rows: readonly CollectionLine[]): void {
  const { paymentCount: count, totalAmount: amount, totalFees: fees } = flow.statement.summary;
  drawPaidTable(flow, title, { rows, total: { name: flow.labels.document.total, count, amount, fees } });
}

/** `fees` absent: they are not known. */
export type PaidLine = Omit<CollectionLine, 'fees'> & { readonly fees?: number };

export function drawPaidTable(
  flow: Flow,
  title: string,
  { rows, total }: { readonly rows: readonly PaidLine[]; readonly total: PaidLine },
): void {
  const { labels, words } = flow;
  const said = labels.operators;
  const columns: readonly Column<PaidLine>[] = [
    textColumn(title, 40, ({ name }) => name),
    figureColumn(said.count, 18, ({ count }) => words.amount(count)),
    figureColumn(said.amount, 24, ({ amount }) => words.amount(amount)),
    ...(total.fees === undefined ? [] : [figureColumn(said.fees, 20, ({ fees = 0 }: PaidLine) => words.amount(fees))]),
  ];
  drawTable(flow, { columns, rows, total, widthShare: 0.66 });
}
