// Declared tables and pairs on a sheet, with the formulas that columns, rows and totals declare
// beside the figures of the model. Knows no library.

import { invariant } from '../../../../core/domain/invariant.ts';
import type { Column, Form, Table, Tone } from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { Block, Pair, TableBlock } from '../../tables/block.ts';
import {
  bodyOf,
  type CellOfKey,
  columnLetters,
  filledBody,
  partsOf,
  placeName,
  type RowRange,
  rangeName,
  rowRange,
  sumOver,
  tokensOf,
} from './address.ts';
import {
  amount,
  blank,
  type Cell,
  type CellStyle,
  type Cells,
  check,
  count,
  dateTime,
  day,
  figure,
  headers,
  localDateTime,
  own,
  percent,
  rate,
  serial,
  spread,
  text,
  wrapped,
} from './cell.ts';
import {
  addHeading,
  addSection,
  hasManyTexts,
  PLAIN_FORM,
  planOf,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  type SmallSheetForm,
  startSheet,
  stretchesOf,
  widenedFor,
} from './sheet.ts';

/** The cells of a table, by the keys of its columns. */
export interface TablePlaces {
  /** Of its rows, in their order; empty where they have none. */
  readonly names: readonly string[];
  /** The rows and columns that a reader can filter. */
  readonly table: NonNullable<SheetPlan['table']>;
  total(key: string): string;
  column(key: string): string;
  /** Of the row with that number, or of that name. */
  cell(key: string, row: number | string): string;
  /** From one row to another. */
  cells(key: string, first: number | string, last: number | string): string;
}

/** The cells of blocks, by the names of tables and the keys of pairs. */
export interface Places {
  table(name: string): TablePlaces;
  pair(key: string): string;
}

export interface PlannedSheet {
  readonly plan: SheetPlan;
  readonly places: Places;
}

/**
 * A sheet of blocks alone: as wide as its tables ask. A reader can filter the table that is named,
 * or the longest one, and each printed page repeats its titles.
 */
export function planBlocks(
  context: SheetContext,
  name: string,
  blocks: readonly Block[],
  form: SmallSheetForm & { readonly filter?: string; readonly filtersLongest?: true } = {},
): PlannedSheet {
  const sheet = startSheet(name);
  addHeading(sheet, context, name);
  const places = addBlocks(sheet, context, blocks);
  const { filtersLongest, filter = filtersLongest ? longestOf(blocks) : null, ...own } = form;
  const table = filter === null ? null : places.table(filter).table;
  return { plan: planOf(sheet, { table, frozenRows: 2, ...own }), places };
}

/** Returns the name of the table with the most rows; `null` where none has a row. */
function longestOf(blocks: readonly Block[]): string | null {
  const [longest] = blocks
    .filter(({ on }) => on !== 'page')
    .flatMap((block) => (block.form === 'table' && block.rows.length > 0 ? [block] : []))
    .toSorted((one, other) => other.rows.length - one.rows.length);
  return longest?.name ?? null;
}

export function addBlocks(
  sheet: SheetDraft,
  context: SheetContext,
  blocks: readonly Block[],
): Places {
  const shown = blocks.filter(({ on }) => on !== 'page');
  const tables = new Map<string, TablePlaces>();
  const pairs = new Map<string, string>();
  const columns = Math.max(
    2,
    ...shown.map((block) => (block.form === 'table' ? block.table.columns.length : 2)),
  );
  for (const block of shown) {
    if (block.form === 'heading') addSection(sheet, block.text, columns);
    else if (block.form === 'table') tables.set(block.name, addTable(sheet, context, block));
    else if (block.form === 'pairs')
      for (const pair of block.pairs)
        pairs.set(pair.key ?? pair.name, addPair(sheet, context, pair));
    else sheet.add([text(block.text, block.form === 'alert' ? 'bad' : 'note')]);
  }
  const found = <Place>(places: ReadonlyMap<string, Place>, name: string): Place => {
    invariant(places.has(name), `${name} is on the sheet ${sheet.name}`);
    return places.get(name)!;
  };
  return { table: (name) => found(tables, name), pair: (key) => found(pairs, key) };
}

/** Gives the cell of its value. */
function addPair(
  sheet: SheetDraft,
  context: SheetContext,
  { name, value, form = 'text', formula = null }: Pair,
): string {
  const made =
    value === null || value === undefined ? null : makerOf(context, form, 2)(value, 'plain');
  // Among figures it is aligned as they are.
  const cell = made?.kind === 'serial' ? ({ ...made, kind: 'number' } as const) : made;
  sheet.widths[0] = Math.max(sheet.widths[0] ?? 0, NAME_WIDTH);
  sheet.widths[1] = Math.max(sheet.widths[1] ?? 0, VALUE_WIDTH);
  const row = sheet.add(
    spread(2, 'plain', { 1: text(name), 2: cell === null ? null : { ...cell, formula } }),
  );
  return sheet.at({ column: 2, row });
}

const NAME_WIDTH = 44;
const VALUE_WIDTH = 20;
const DEFAULT_WIDTH = 14;
const STYLES: Readonly<Record<Tone, CellStyle>> = {
  plain: 'plain',
  strong: 'total',
  muted: 'memo',
  alert: 'alert',
};

/**
 * The sheet becomes as wide as its widest table. Where not all rows are shown, one row has the rest
 * of the total.
 */
export function addTable(sheet: SheetDraft, context: SheetContext, block: TableBlock): TablePlaces {
  const {
    table,
    titles,
    rows,
    total = null,
    totalAbove = false,
    proper = rows.length,
    formulaOf,
  } = block;
  const { columns, toneOf, keyOf } = table;
  const beyond = (block.count ?? rows.length) - rows.length;
  const columnOf = columnsOf(table);
  columns.forEach(({ width = DEFAULT_WIDTH }, i) => {
    sheet.widths[i] = Math.max(sheet.widths[i] ?? 0, width);
  });
  const headerRow = sheet.rows.length + (totalAbove ? 2 : 1);
  const range = rowRange(sheet.name, headerRow + 1, proper);
  const { last } = rowRange(sheet.name, headerRow + 1, rows.length + (beyond > 0 ? 1 : 0));
  const totalRow = totalAbove ? headerRow - 1 : last + 1;
  const addTotal = (): void => {
    if (total !== null)
      sheet.add(
        totalCells(context, block, { range: { ...range, last }, own: range, row: totalRow }),
      );
  };
  const rowOf = new Map(rows.map((row, i) => [keyOf?.(row), range.first + i]));
  if (totalAbove) addTotal();
  sheet.add(headers(columns.map(({ key }) => titles[key]!)));
  rows.forEach((row, index) => {
    const style = STYLES[toneOf?.(row) ?? 'plain'];
    const own = range.first + index;
    const ofRow = table.formulaOf?.(row);
    sheet.add(
      columns.map((column, i) => {
        const value = valueCell(context, column, row, style);
        if (value === null && column.missing !== undefined)
          return text(titles[column.missing]!, style);
        if (value === null) return style === 'total' ? blank(style) : null;
        if (typeof value.value === 'string') return value;
        const body =
          formulaOf?.(column, index) ??
          cellsBody(column, columnOf, own, index === 0 ? null : own - 1) ??
          (ofRow === undefined
            ? null
            : bodyOf(ofRow, (key) => `${columnLetters(i + 1)}${rowOf.get(key)!}`));
        return body === null ? value : { ...value, formula: body };
      }),
    );
  });
  if (beyond > 0) addRest(sheet, context, block, beyond);
  else if (rows.length === 0) sheet.skip();
  if (!totalAbove) addTotal();
  const rowAt = (row: number | string): number =>
    typeof row === 'number' ? range.first + row : rowOf.get(row)!;
  return {
    names: keyOf === undefined ? [] : rows.map(keyOf),
    table: { headerRow, columns: columns.length, lastRow: last },
    total: (key) => sheet.at({ column: columnOf(key), row: totalRow }),
    column: (key) => rangeName(range, columnOf(key)),
    cell: (key, row) => sheet.at({ column: columnOf(key), row: rowAt(row) }),
    cells: (key, from, to) =>
      rangeName({ ...range, first: rowAt(from), last: rowAt(to) }, columnOf(key)),
  };
}

/** `range`: all rows; `own`: those of the period, whose first and last figures the total holds. */
function totalCells(
  context: SheetContext,
  { table, total }: TableBlock,
  { range, own, row }: { readonly range: RowRange; readonly own: RowRange; readonly row: number },
): Cells {
  const columnOf = columnsOf(table);
  return table.columns.map((column, i) => {
    if (i === 0) return text(context.labels.document.total, 'total');
    const value = column.sum === undefined ? null : valueCell(context, column, total, 'total');
    if (value === null) return blank('total');
    const letters = columnLetters(i + 1);
    const formulas = {
      sum: `SUM(${rangeName(range, i + 1)})`,
      absolute: `SUMPRODUCT(ABS(${rangeName(range, i + 1)}))`,
      first: `${letters}${own.first}`,
      last: `${letters}${own.last}`,
      formula: bodyOf(column.formula ?? '', (key) => `${columnLetters(columnOf(key))}${row}`),
    };
    return { ...value, formula: formulas[column.sum!] };
  });
}

function addRest(
  sheet: SheetDraft,
  context: SheetContext,
  { table, rows, total }: TableBlock,
  count: number,
): void {
  const more = fill(context.labels.document.more, { count }, context.words.speech);
  sheet.add(
    table.columns.map(({ sum, pick }, i) => {
      if (i === 0) return text(more, 'note');
      if (sum !== 'sum' || total === null || total === undefined) return null;
      return amount(
        rows.reduce((rest: number, row) => rest - Number(pick(row) ?? 0), Number(pick(total))),
        'note',
      );
    }),
  );
}

/** The number of a column, 1 the first. */
function columnsOf<Row>({ columns }: Table<Row>): (key: string) => number {
  const numbers = new Map(columns.map(({ key }, i) => [key, i + 1]));
  return (key) => {
    const column = numbers.get(key);
    invariant(column !== undefined, `${key} is a column of the table`);
    return column;
  };
}

/** Null where it takes a row above the first one. */
function cellsBody(
  { formula }: Column<never>,
  columnOf: (key: string) => number,
  row: number,
  above: number | null,
): string | null {
  if (formula === undefined || (above === null && formula.includes('^'))) return null;
  return bodyOf(
    formula,
    (key, isAbove) => `${columnLetters(columnOf(key))}${isAbove ? above : row}`,
  );
}

type Maker = (value: never, style: CellStyle) => Cell | null;

const MAKERS: Readonly<Partial<Record<Form, Maker>>> = {
  count,
  amount,
  serial,
  figure,
  rate,
  percent,
  check,
  day,
  time: localDateTime,
  own,
};

function valueCell(
  context: SheetContext,
  column: Column<unknown>,
  row: unknown,
  style: CellStyle,
): Cell | null {
  const value = column.pick(row) ?? null;
  return value === null ? null : makerOf(context, column.form, column.lines)(value, style);
}

/** A text of several lines is wrapped. */
function makerOf(
  { words, zone }: SheetContext,
  form: Form,
  lines: number | undefined,
): (value: string | number, style: CellStyle) => Cell | null {
  const make = MAKERS[form];
  if (make !== undefined) return make as (value: string | number, style: CellStyle) => Cell | null;
  if (form === 'instant') return (value, style) => dateTime(Number(value), zone, style);
  return (value, style) => {
    const shown = form === 'text' ? String(value) : words.code(form, String(value));
    return lines === undefined || !shown.includes(' ') ? text(shown, style) : wrapped(shown, style);
  };
}

/** A table whose rows stream: it is written while they come, and goes on in further sheets. */
export interface LongTable<Row, Key extends string> {
  readonly name: string;
  readonly table: Table<Row, Key>;
  readonly titles: Readonly<Record<Key, string>>;
  readonly count: number;
  readonly rows: AsyncIterable<readonly Row[]>;
  readonly rowsPerSheet: number;
  /** The last column on paper; those right of it are for the screen. All unless given. */
  readonly printedTo?: Key;
  /** Between the heading and the table of the first sheet; as many rows are on each. */
  readonly head: (columnOf: (key: Key) => number, parts: readonly RowRange[]) => readonly Cells[];
  /** Rows of the head in which the figures are that the first row follows on. */
  readonly openingRow?: number;
}

const HEADING_ROWS = 2;

export interface LongSheets<Key extends string> {
  readonly plans: readonly SheetPlan[];
  readonly parts: readonly RowRange[];
  readonly columnOf: (key: Key) => number;
  /** A cell of the last row of the first sheet's head, where the totals are. */
  readonly total: (key: Key) => string;
}

/** The rows are read once, while the sheets are written in their order. */
export function planLong<Row, Key extends string>(
  context: SheetContext,
  long: LongTable<Row, Key>,
): LongSheets<Key> {
  const { name, table, count: all, rows, rowsPerSheet, printedTo } = long;
  const columnOf = columnsOf(table);
  const headRows = long.head(columnOf, []).length;
  const headerRow = HEADING_ROWS + headRows + 1;
  const parts = partsOf(name, all, { rowsPerSheet, firstRow: headerRow + 1 });
  const head = long.head(columnOf, parts);
  const nextRows = stretchesOf(rows);
  const own = table.columns.map(({ width = DEFAULT_WIDTH }) => width);
  const plans = parts.map(
    (range, part): SheetPlan => ({
      ...PLAIN_FORM,
      name: range.sheet,
      widths: widenedFor(head, own),
      frozenRows: headerRow,
      table: { headerRow, columns: table.columns.length, lastRow: range.last },
      printedColumns: printedTo === undefined ? null : columnOf(printedTo),
      isLong: hasManyTexts(context),
      rows: rowsOf(part),
    }),
  );
  const letters = new Map<string, string>(
    table.columns.map(({ key }, i) => [key, columnLetters(i + 1)]),
  );
  const totalRow = headerRow - 1;
  return {
    plans,
    parts,
    columnOf,
    total: (key) => placeName({ sheet: name, column: columnOf(key), row: totalRow }),
  };

  async function* rowsOf(part: number): AsyncGenerator<readonly Cells[]> {
    const sheet = startSheet(parts[part]!.sheet);
    addHeading(sheet, context, sheet.name);
    if (part === 0) sheet.addAll(head);
    else sheet.add([text(fill(context.labels.workbook.continued, { sheet: name }), 'note')]);
    while (sheet.rows.length < headerRow - 1) sheet.skip();
    sheet.add(headers(table.columns.map(({ key }) => long.titles[key])));
    yield sheet.rows;
    const cellsOf = rowMaker(context, table as Table<unknown>);
    let number = headerRow;
    for await (const batch of nextRows(rowsPerSheet)) {
      yield batch.map((row) => {
        number += 1;
        return cellsOf(row, cellAt(part, number));
      });
    }
  }

  /**
   * The row above the first of a sheet is the last one of the sheet before; above all, the opening.
   */
  function cellAt(part: number, row: number): CellOfKey {
    return (key, isAbove) => {
      const own = letters.get(key)!;
      if (!isAbove || row > headerRow + 1) return own + (isAbove ? row - 1 : row);
      if (part === 0) return `${own}${long.openingRow!}`;
      const { sheet, last } = parts[part - 1]!;
      return placeName({ sheet, column: columnOf(key as Key), row: last });
    };
  }
}

/** Forms and formulas of the columns are looked up once, for rows without number. */
function rowMaker(
  context: SheetContext,
  { columns, toneOf }: Table<unknown>,
): (row: unknown, cell: CellOfKey) => Cells {
  const formulas = columns.map(({ formula }) => (formula === undefined ? null : tokensOf(formula)));
  const makers = columns.map(({ form, lines }) => makerOf(context, form, lines));
  return (row, cellOf) => {
    const style = STYLES[toneOf?.(row) ?? 'plain'];
    return columns.map(({ pick }, i) => {
      const value = pick(row) ?? null;
      if (value === null) return null;
      const cell = makers[i]!(value, style);
      const formula = formulas[i]!;
      return formula === null ? cell : { ...cell!, formula: filledBody(formula, cellOf) };
    });
  };
}

/** A row of sums over all sheets of a long table. */
export function totalsOver<Key extends string>(
  table: Table<never, Key>,
  parts: readonly RowRange[],
  sums: Readonly<Partial<Record<Key, number>>>,
): Readonly<Record<number, Cell>> {
  const columnOf = columnsOf(table);
  return Object.fromEntries(
    Object.entries<number | undefined>(sums).map(([key, value]) => {
      const column = columnOf(key);
      return [column, { ...amount(value!, 'total')!, formula: sumOver(parts, column) }];
    }),
  );
}
