// Par jour: every day of the month, from opening to closing, and beside the ledger's figures the collections of the day.

import { columnLetters, type RowRange, rangeName, rowRange } from '../address.ts';
import { amount, type Cells, count, day, formula, headers, spread, text, total } from '../cell.ts';
import { addHeading, type SheetContext } from '../sheet-context.ts';
import { planOf, type SheetPlan, startSheet } from '../sheet-plan.ts';

/** Columns, in the order of `labels.workbook.days.columns`. */
export const DAY = {
  day: 1,
  entries: 2,
  opening: 3,
  countIn: 4,
  grossIn: 5,
  feesIn: 6,
  countOut: 7,
  grossOut: 8,
  feesOut: 9,
  reversals: 10,
  adjustments: 11,
  other: 12,
  net: 13,
  closing: 14,
  reserved: 15,
  collections: 16,
  collectedAmount: 17,
  collectedFees: 18,
} as const;
export const DAY_WIDTHS = [12, 8, 15, 8, 14, 12, 8, 14, 12, 13, 13, 11, 14, 15, 14, 11, 15, 13];
const COUNTS: readonly number[] = [DAY.entries, DAY.countIn, DAY.countOut, DAY.collections];
export const HEADER_ROW = 5;

export interface Days {
  readonly plan: SheetPlan;
  /** The rows of the statement's days. */
  readonly range: RowRange;
  /** Where charts and controls find the figures. */
  readonly dates: string;
  readonly closings: string;
  readonly totals: Readonly<
    Record<'entries' | 'net' | 'closing' | 'collections' | 'collectedAmount' | 'collectedFees', string>
  >;
}

type Collected = SheetContext['statement']['summary']['byDay'][number];

export function planDays(context: SheetContext): Days {
  const { labels, statement } = context;
  const sheet = startSheet(labels.workbook.sheets.days);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.days.note, 'note')]);
  const rows = rowsOf(context);
  const range = rowRange(sheet.name, HEADER_ROW + 1, rows.length);
  const totalRow = sheet.add(totalsOf(context, range, statement.days.length));
  sheet.add(headers(labels.workbook.days.columns));
  sheet.addAll(rows);
  const at = (column: number): string => sheet.at({ column, row: totalRow });
  const monthDays = rowRange(sheet.name, HEADER_ROW + 1, statement.days.length);
  return {
    plan: planOf(sheet, {
      widths: DAY_WIDTHS,
      frozenRows: HEADER_ROW,
      table: { headerRow: HEADER_ROW, columns: DAY_WIDTHS.length, lastRow: range.last },
    }),
    range: monthDays,
    dates: rangeName(monthDays, DAY.day),
    closings: rangeName(monthDays, DAY.closing),
    totals: {
      entries: at(DAY.entries),
      net: at(DAY.net),
      closing: at(DAY.closing),
      collections: at(DAY.collections),
      collectedAmount: at(DAY.collectedAmount),
      collectedFees: at(DAY.collectedFees),
    },
  };
}

/** The days of the month; then days on which a collection succeeded although the zone puts them in no day of it. */
function rowsOf({ statement }: SheetContext): readonly Cells[] {
  const collected = new Map(statement.summary.byDay.map((row) => [row.day, row]));
  const known = new Set(statement.days.map((row) => row.day));
  const rows = statement.days.map((row, i) => {
    const at = HEADER_ROW + 1 + i;
    const here = (column: number): string => `${columnLetters(column)}${at}`;
    const before = `${columnLetters(DAY.closing)}${at - 1}`;
    const taken = `${here(DAY.feesIn)}-${here(DAY.grossOut)}-${here(DAY.feesOut)}`;
    const given = `${here(DAY.reversals)}+${here(DAY.adjustments)}+${here(DAY.other)}`;
    return [
      day(row.day),
      count(row.entryCount),
      i === 0 ? amount(row.opening) : formula(before, row.opening),
      count(row.countIn),
      amount(row.grossIn),
      amount(row.feesIn),
      count(row.countOut),
      amount(row.grossOut),
      amount(row.feesOut),
      amount(row.reversals),
      amount(row.adjustments),
      amount(row.other),
      formula(`${here(DAY.grossIn)}-${taken}+${given}`, row.net),
      formula(`${here(DAY.opening)}+${here(DAY.net)}`, row.closing),
      amount(row.closingReserved),
      ...collectedCells(collected.get(row.day)),
    ];
  });
  const others = statement.summary.byDay.filter((row) => !known.has(row.day));
  const gap = Array.from({ length: DAY.reserved - 1 }, () => null);
  return [...rows, ...others.map((row) => [day(row.day), ...gap, ...collectedCells(row)])];
}

function collectedCells(row: Collected | undefined): Cells {
  return [count(row?.count ?? 0), amount(row?.amount ?? 0), amount(row?.fees ?? 0)];
}

function totalsOf({ labels, statement }: SheetContext, range: RowRange, days: number): Cells {
  const { operators, summary } = statement;
  const { closingBalance, openingBalance } = summary;
  const sums: Readonly<Record<number, number>> = {
    [DAY.entries]: summary.entryCount,
    [DAY.countIn]: operators.total.countIn,
    [DAY.grossIn]: operators.total.grossIn,
    [DAY.feesIn]: operators.total.feesIn,
    [DAY.countOut]: operators.total.countOut,
    [DAY.grossOut]: operators.total.grossOut,
    [DAY.feesOut]: operators.total.feesOut,
    [DAY.reversals]: operators.total.reversals,
    [DAY.adjustments]: operators.total.adjustments,
    [DAY.other]: operators.total.other,
    [DAY.net]: closingBalance - openingBalance,
    [DAY.collections]: summary.paymentCount,
    [DAY.collectedAmount]: summary.totalAmount,
    [DAY.collectedFees]: summary.totalFees,
  };
  const cells = Object.entries(sums).map(([column, result]) => {
    const kind = COUNTS.includes(Number(column)) ? 'count' : 'amount';
    return [column, total(`SUM(${rangeName(range, Number(column))})`, result, kind)];
  });
  const last = `${columnLetters(DAY.closing)}${HEADER_ROW + Math.max(days, 1)}`;
  const lastHeld = `${columnLetters(DAY.reserved)}${HEADER_ROW + Math.max(days, 1)}`;
  return spread(DAY_WIDTHS.length, 'total', {
    ...Object.fromEntries(cells),
    1: text(labels.workbook.days.total, 'total'),
    [DAY.opening]: total(`${columnLetters(DAY.opening)}${HEADER_ROW + 1}`, openingBalance),
    [DAY.closing]: total(last, closingBalance),
    [DAY.reserved]: total(lastHeld, summary.closingReserved),
  });
}
