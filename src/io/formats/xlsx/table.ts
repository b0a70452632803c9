// A declared table on a sheet: a head for each column, a row each, and the total below or above them, with the formulas that the
// columns declare beside the figures that the model computed.

import { invariant } from '../../../core/domain/invariant.ts';
import type { Column, Form, Table, Tone } from '../../../core/statements/tables/table.ts';
import { fill } from '../../../core/words/message.ts';
import { columnLetters, type RowRange, rangeName, rowRange } from './address.ts';
import {
  amount,
  blank,
  type Cell,
  type CellStyle,
  count,
  dateTime,
  day,
  figure,
  headers,
  localDateTime,
  percent,
  rate,
  serial,
  text,
  wrapped,
} from './cell.ts';
import type { SheetContext } from './sheet-context.ts';
import type { SheetDraft, SheetPlan } from './sheet-plan.ts';

/** The rows of a table, and what is written with them. */
export interface TableRows<Row> {
  readonly rows: readonly Row[];
  /** Only the figures of columns that a total row holds are looked at. */
  readonly total?: Partial<Row>;
  /** The total stands above the head, where it stays in sight. */
  readonly totalAbove?: boolean;
  /** How many rows there are when not all are shown. */
  readonly count?: number;
  /** So many first rows are of the period, and hold its first and last figures; all unless given. */
  readonly proper?: number;
}

interface TableWords<Row, Key extends string> {
  /** By the keys of the columns. */
  readonly titles: Readonly<Record<Key, string>>;
  /** Instead of the column's own, of the row with that number; null: the column's own. */
  readonly formulaOf?: (column: Column<Row, Key>, index: number) => string | null;
}

/** Where the figures of a table stand, by the keys of its columns. */
export interface TablePlaces<Key extends string> {
  /** The rows of the period; where there is none, the empty row after the head. */
  readonly range: RowRange;
  /** What can be filtered. */
  readonly table: NonNullable<SheetPlan['table']>;
  /** The cell of the total. */
  total(key: Key): string;
  /** A column's cells. */
  column(key: Key): string;
  cell(key: Key, index: number): string;
}

/** The sheet becomes as wide as its widest table. */
export function addTable<Row, Key extends string>(
  sheet: SheetDraft,
  context: SheetContext,
  { columns, toneOf }: Table<Row, Key>,
  { titles, ...given }: TableRows<Row> & TableWords<Row, Key>,
): TablePlaces<Key> {
  const { rows, total, totalAbove = false, count: all = rows.length, proper = rows.length, formulaOf } = given;
  const columnOf = (key: Key): number => columns.findIndex((column) => column.key === key) + 1;
  columns.forEach(({ width = DEFAULT_WIDTH }, i) => {
    sheet.widths[i] = Math.max(sheet.widths[i] ?? 0, width);
  });
  const headerRow = sheet.rows.length + (totalAbove ? 2 : 1);
  const range = rowRange(sheet.name, headerRow + 1, proper);
  const { last } = rowRange(sheet.name, headerRow + 1, rows.length);
  const totalRow = totalAbove ? headerRow - 1 : last + 1;
  const addTotal = (): void => {
    if (total === undefined) return;
    const cells = columns.map((column, i) =>
      i === 0
        ? text(context.labels.document.total, 'total')
        : totalCell(context, column, { total, range, last, column: i + 1 }),
    );
    sheet.add(cells.map((cell, i) => cell ?? ownFormula(i)));
  };
  const ownFormula = (i: number): Cell => {
    const column = columns[i]!;
    const value = column.sum === 'formula' ? valueCell(context, column, total as Row, 'total') : null;
    return value === null
      ? blank('total')
      : { ...value, formula: bodyOf(column.formula!, columnOf, { row: totalRow }) };
  };
  if (totalAbove) addTotal();
  sheet.add(headers(columns.map(({ key }) => titles[key])));
  const missing = (column: Column<Row, Key>): string | null =>
    column.missing === undefined ? null : (titles as Readonly<Record<string, string>>)[column.missing]!;
  rows.forEach((row, index) => {
    const at = { row: range.first + index, isFirst: index === 0 };
    const style = STYLES[toneOf?.(row) ?? 'plain'];
    sheet.add(
      columns.map((column) => {
        const value = valueCell(context, column, row, style);
        if (value === null) return text(missing(column), style);
        const body = formulaOf?.(column, index) ?? bodyOf(column.formula, columnOf, at);
        return body === null ? value : { ...value, formula: body };
      }),
    );
  });
  if (rows.length === 0) sheet.skip();
  if (!totalAbove) addTotal();
  if (all > rows.length) {
    sheet.add([text(fill(context.labels.document.more, { count: all - rows.length }, context.speech), 'note')]);
  }
  return {
    range,
    table: { headerRow, columns: columns.length, lastRow: last },
    total: (key) => sheet.at({ column: columnOf(key), row: totalRow }),
    column: (key) => rangeName(range, columnOf(key)),
    cell: (key, index) => sheet.at({ column: columnOf(key), row: range.first + index }),
  };
}

const DEFAULT_WIDTH = 14;
const STYLES: Readonly<Record<Tone, CellStyle>> = { plain: 'plain', strong: 'total', muted: 'memo', alert: 'alert' };

/** Null for a column whose total has no figure, or is made by the column's own formula. */
function totalCell<Row>(
  context: SheetContext,
  column: Column<Row>,
  {
    total,
    range,
    last,
    column: at,
  }: { readonly total: Partial<Row>; readonly range: RowRange; readonly last: number; readonly column: number },
): Cell | null {
  const { sum } = column;
  if (sum === undefined || sum === 'formula') return null;
  const value = valueCell(context, column, total as Row, 'total');
  const whole = rangeName({ ...range, last }, at);
  const row = sum === 'first' ? range.first : range.last;
  return value === null ? null : { ...value, formula: sum === 'sum' ? `SUM(${whole})` : `${columnLetters(at)}${row}` };
}

/** `charged - recomputed` of row 7 as `F7-G7`; null where it takes a row above the first one. */
function bodyOf<Key extends string>(
  declared: string | undefined,
  columnOf: (key: Key) => number,
  { row, isFirst = false }: { readonly row: number; readonly isFirst?: boolean },
): string | null {
  if (declared === undefined || (isFirst && declared.includes('^'))) return null;
  return declared.replaceAll(' ', '').replace(/(\^?)([a-z]\w*)/g, (_, above: string, key: string) => {
    const column = columnOf(key as Key);
    invariant(column > 0, `the formula ${declared} names columns of its table`);
    return `${columnLetters(column)}${above === '' ? row : row - 1}`;
  });
}

type Maker = (value: string & number, style: CellStyle, context: SheetContext) => Cell | null;

const MAKERS: Readonly<Partial<Record<Form, Maker>>> = {
  text: (value, style) => text(value, style),
  count: (value, style) => count(value, style),
  amount: (value, style) => amount(value, style),
  serial: (value, style) => serial(value, style),
  figure: (value, style) => figure(value, style),
  rate: (value, style) => rate(value, style),
  percent: (value, style) => percent(value, style),
  day: (value, style) => day(value, style),
  time: (value, style) => localDateTime(value, style),
  instant: (value, style, { zone }) => dateTime(value, zone, style),
};

function valueCell<Row>(context: SheetContext, column: Column<Row>, row: Row, style: CellStyle): Cell | null {
  const { form, pick, lines } = column;
  const value = pick(row) ?? null;
  if (value === null) return null;
  const make = MAKERS[form];
  if (make !== undefined && (form !== 'text' || lines === undefined)) return make(value as never, style, context);
  const said = form === 'text' ? String(value) : context.words.code(form, String(value));
  return lines === undefined ? text(said, style) : wrapped(said, style);
}
