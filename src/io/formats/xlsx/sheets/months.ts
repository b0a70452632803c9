// Par mois: the months of a year, each the sum of its days on the sheet of days.

import type { MonthRow } from '../../../../core/statements/section-movements.ts';
import { placeName, type RowRange, rangeName } from '../address.ts';
import { type Cells, formula, headers, text, total } from '../cell.ts';
import { addHeading, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetPlan, startSheet } from '../sheet-plan.ts';
import { DAY, DAY_WIDTHS, type Days, HEADER_ROW } from './days.ts';

/** Columns that are sums of a month's days, and what they come to. */
const SUMMED: readonly (readonly [column: number, pick: (row: MonthRow) => number, kind: 'count' | 'amount'])[] = [
  [DAY.entries, (row) => row.entryCount, 'count'],
  [DAY.countIn, (row) => row.countIn, 'count'],
  [DAY.grossIn, (row) => row.grossIn, 'amount'],
  [DAY.feesIn, (row) => row.feesIn, 'amount'],
  [DAY.countOut, (row) => row.countOut, 'count'],
  [DAY.grossOut, (row) => row.grossOut, 'amount'],
  [DAY.feesOut, (row) => row.feesOut, 'amount'],
  [DAY.reversals, (row) => row.reversals, 'amount'],
  [DAY.adjustments, (row) => row.adjustments, 'amount'],
  [DAY.other, (row) => row.other, 'amount'],
  [DAY.net, (row) => row.net, 'amount'],
  [DAY.collections, (row) => row.collections.count, 'count'],
  [DAY.collectedAmount, (row) => row.collections.amount, 'amount'],
  [DAY.collectedFees, (row) => row.collections.fees, 'amount'],
];

export function planMonths(context: SheetContext, days: Days, months: readonly MonthRow[]): SheetPlan {
  const { labels, statement } = context;
  const sheet = startSheet(labels.workbook.sheets.months);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.days.note, 'note')]);
  const first = HEADER_ROW + 1;
  const range: RowRange = { sheet: sheet.name, first, last: first + months.length - 1 };
  const { summary } = statement;
  sheet.add(
    cellsOf(labels.workbook.days.total, {
      opening: total(placeName({ sheet: sheet.name, column: DAY.opening, row: range.first }), summary.openingBalance),
      closing: total(placeName({ sheet: sheet.name, column: DAY.closing, row: range.last }), summary.closingBalance),
      reserved: total(placeName({ sheet: sheet.name, column: DAY.reserved, row: range.last }), summary.closingReserved),
      sumOf: (column, pick, kind) => {
        const result = months.reduce((sum, row) => sum + pick(row), 0);
        return total(`SUM(${rangeName(range, column)})`, result, kind);
      },
    }),
  );
  sheet.add(headers([labels.workbook.months.month, ...labels.workbook.days.columns.slice(1)]));
  let from = 0;
  for (const row of months) {
    const length = statement.days.filter(({ day }) => day.startsWith(row.month)).length;
    sheet.add(
      monthCells(row, { ...days.range, first: days.range.first + from, last: days.range.first + from + length - 1 }),
    );
    from += length;
  }
  return planOf(sheet, {
    widths: DAY_WIDTHS,
    frozenRows: HEADER_ROW,
    table: { headerRow: HEADER_ROW, columns: DAY_WIDTHS.length, lastRow: range.last },
  });
}

function monthCells(row: MonthRow, days: RowRange): Cells {
  const at = (column: number, of: 'first' | 'last'): string => placeName({ sheet: days.sheet, column, row: days[of] });
  return cellsOf(row.month, {
    opening: formula(at(DAY.opening, 'first'), row.opening),
    closing: formula(at(DAY.closing, 'last'), row.closing),
    reserved: formula(at(DAY.reserved, 'last'), row.closingReserved),
    sumOf: (column, pick, kind) => formula(`SUM(${rangeName(days, column)})`, pick(row), { kind }),
  });
}

type Cell = NonNullable<Cells[number]>;

function cellsOf(
  name: string,
  cells: {
    readonly opening: Cell;
    readonly closing: Cell;
    readonly reserved: Cell;
    readonly sumOf: (column: number, pick: (row: MonthRow) => number, kind: 'count' | 'amount') => Cell;
  },
): Cells {
  const summed = new Map(SUMMED.map(([column, pick, kind]) => [column, cells.sumOf(column, pick, kind)]));
  return DAY_WIDTHS.map((_, i) => {
    const column = i + 1;
    if (column === DAY.day) return text(name);
    if (column === DAY.opening) return cells.opening;
    if (column === DAY.closing) return cells.closing;
    return column === DAY.reserved ? cells.reserved : summed.get(column)!;
  });
}
