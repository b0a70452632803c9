// Par opérateur: the ledger's figures by operator and country, by operator and by country, with success rates; and the
// collections by operator and by country, which are another population and stand in tables of their own.

import type { OperatorRow } from '../../../../core/statements/section-movements.ts';
import type { Collections } from '../../../../core/statements/summary.ts';
import { columnLetters, type RowRange, rangeName, rowRange } from '../address.ts';
import { amount, blank, type Cell, type Cells, count, formula, headers, spread, text, total } from '../cell.ts';
import { addHeading, addSection, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetDraft, type SheetPlan, startSheet } from '../sheet-plan.ts';

/** Columns, in the order of `labels.workbook.operators.columns`. */
const COLUMN = {
  operator: 1,
  country: 2,
  countIn: 3,
  grossIn: 4,
  feesIn: 5,
  countOut: 6,
  grossOut: 7,
  feesOut: 8,
  reversals: 9,
  adjustments: 10,
  other: 11,
  net: 12,
  succeeded: 13,
  final: 14,
  rate: 15,
} as const;
const WIDTHS = [22, 8, 9, 15, 13, 9, 15, 13, 13, 13, 12, 15, 11, 11, 10];

export interface CollectionTotals {
  readonly count: string;
  readonly amount: string;
  readonly fees: string;
}

export interface Operators {
  readonly plan: SheetPlan;
  /** Total net of the table by operator and country, by operator, by country. */
  readonly nets: readonly string[];
  readonly byOperator: CollectionTotals;
  readonly byCountry: CollectionTotals;
  /** The collections by operator, for the chart. */
  readonly names: string;
  readonly amounts: string;
}

export function planOperators(context: SheetContext): Operators {
  const { labels, statement } = context;
  const { operators, summary } = statement;
  const sheet = startSheet(labels.workbook.sheets.operators);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.operators.note, 'note')]);
  const whole = addTable({
    sheet,
    context,
    title: labels.workbook.operators.byBoth,
    rows: operators.rows,
    whole: operators.total,
  });
  const ownOperators = tableOf(operators.byOperator, operators.rows, 'operator');
  const ownCountries = tableOf(operators.byCountry, operators.rows, 'country');
  const { total: sums } = operators;
  const operatorTable = addTable({
    sheet,
    context,
    title: labels.workbook.operators.byOperator,
    rows: ownOperators,
    whole: sums,
  });
  const countryTable = addTable({
    sheet,
    context,
    title: labels.workbook.operators.byCountry,
    rows: ownCountries,
    whole: sums,
  });
  sheet.add([text(labels.workbook.operators.collectionsNote, 'note')]);
  const byOperator = addCollections(sheet, context, {
    title: labels.workbook.operators.collectionsByOperator,
    rows: summary.byOperator.map((row) => ({ ...row, name: row.operator })),
  });
  const byCountry = addCollections(sheet, context, {
    title: labels.workbook.operators.collectionsByCountry,
    rows: summary.byCountry.map((row) => ({ ...row, name: row.country })),
  });
  return {
    plan: planOf(sheet, { widths: WIDTHS, frozenRows: 2, table: whole.table }),
    nets: [whole, operatorTable, countryTable].map(({ net }) => net),
    byOperator: byOperator.totals,
    byCountry: byCountry.totals,
    names: rangeName(byOperator.range, COLUMN.operator),
    amounts: rangeName(byOperator.range, COLUMN.grossIn),
  };
}

/** The lines of no known operation belong to each of the tables; where a table leaves them out, they are added. */
function tableOf(
  rows: readonly OperatorRow[],
  all: readonly OperatorRow[],
  side: 'operator' | 'country',
): readonly OperatorRow[] {
  const unknown = all.find((row) => row.operator === null && row.country === null);
  return unknown === undefined || rows.some((row) => row[side] === null) ? rows : [...rows, unknown];
}

interface TableTask {
  readonly sheet: SheetDraft;
  readonly context: SheetContext;
  readonly title: string;
  readonly rows: readonly OperatorRow[];
  readonly whole: OperatorRow;
}

function addTable({ sheet, context, title, rows, whole }: TableTask) {
  const { labels } = context;
  addSection(sheet, title, WIDTHS.length);
  const headerRow = sheet.add(headers(labels.workbook.operators.columns));
  const range = rowRange(sheet.name, headerRow + 1, rows.length);
  rows.forEach((row, i) => {
    const unknown = row.operator === null && row.country === null;
    const name = unknown ? labels.workbook.operators.unknown : (row.operator ?? labels.workbook.operators.all);
    sheet.add([text(name), text(row.country), ...rowCells(row, headerRow + 1 + i, 'plain', columnFigure)]);
  });
  if (rows.length === 0) sheet.skip();
  const sum = (figure: number, column: number): Cell =>
    total(`SUM(${rangeName(range, column)})`, figure, isCount(column) ? 'count' : 'amount');
  const totalRow = sheet.rows.length + 1;
  sheet.add([
    text(labels.workbook.operators.total, 'total'),
    blank('total'),
    ...rowCells(whole, totalRow, 'total', sum),
  ]);
  return {
    table: { headerRow, columns: WIDTHS.length, lastRow: range.last },
    net: sheet.at({ column: COLUMN.net, row: totalRow }),
  };
}

function isCount(column: number): boolean {
  return ([COLUMN.countIn, COLUMN.countOut, COLUMN.succeeded, COLUMN.final] as number[]).includes(column);
}

function columnFigure(figure: number, column: number): Cell | null {
  return isCount(column) ? count(figure) : amount(figure);
}

type Figure = (figure: number, column: number) => Cell | null;

function rowCells(row: OperatorRow, at: number, style: 'plain' | 'total', figure: Figure): Cells {
  const here = (column: number): string => `${columnLetters(column)}${at}`;
  const taken = `${here(COLUMN.feesIn)}-${here(COLUMN.grossOut)}-${here(COLUMN.feesOut)}`;
  const given = `${here(COLUMN.reversals)}+${here(COLUMN.adjustments)}+${here(COLUMN.other)}`;
  const { succeeded, final } = row.success;
  return [
    figure(row.countIn, COLUMN.countIn),
    figure(row.grossIn, COLUMN.grossIn),
    figure(row.feesIn, COLUMN.feesIn),
    figure(row.countOut, COLUMN.countOut),
    figure(row.grossOut, COLUMN.grossOut),
    figure(row.feesOut, COLUMN.feesOut),
    figure(row.reversals, COLUMN.reversals),
    figure(row.adjustments, COLUMN.adjustments),
    figure(row.other, COLUMN.other),
    formula(`${here(COLUMN.grossIn)}-${taken}+${given}`, row.net, { style }),
    figure(succeeded, COLUMN.succeeded),
    figure(final, COLUMN.final),
    final === 0
      ? blank(style)
      : formula(`${here(COLUMN.succeeded)}/${here(COLUMN.final)}`, succeeded / final, { kind: 'percent', style }),
  ];
}

interface CollectionTable {
  readonly title: string;
  readonly rows: readonly ({ readonly name: string } & Collections)[];
}

/** Count, amount and fees stand under those of the tables above. */
function addCollections(sheet: SheetDraft, { labels, statement }: SheetContext, { title, rows }: CollectionTable) {
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const width = COLUMN.feesIn;
  addSection(sheet, title, width);
  sheet.add(headers(labels.workbook.operators.collectionColumns));
  const range: RowRange = rowRange(sheet.name, sheet.rows.length + 1, rows.length);
  for (const row of rows) sheet.add([text(row.name), null, count(row.count), amount(row.amount), amount(row.fees)]);
  if (rows.length === 0) sheet.skip();
  const row = sheet.add(
    spread(width, 'total', {
      1: text(labels.workbook.operators.total, 'total'),
      [COLUMN.countIn]: total(`SUM(${rangeName(range, COLUMN.countIn)})`, paymentCount, 'count'),
      [COLUMN.grossIn]: total(`SUM(${rangeName(range, COLUMN.grossIn)})`, totalAmount),
      [COLUMN.feesIn]: total(`SUM(${rangeName(range, COLUMN.feesIn)})`, totalFees),
    }),
  );
  const at = (column: number): string => sheet.at({ column, row });
  const totals: CollectionTotals = {
    count: at(COLUMN.countIn),
    amount: at(COLUMN.grossIn),
    fees: at(COLUMN.feesIn),
  };
  return { range, totals };
}
