// A sheet as it is to be written: what it is made from, the draft in which it is put together row by row, and the declared
// tables on it, with the formulas that their columns declare beside the figures of the model. Knows no library.

import { invariant } from '../../../../core/domain/invariant.ts';
import { openZone, type Zone } from '../../../../core/domain/zone.ts';
import type { Column, Form, Table, Tone } from '../../../../core/statements/tables/table.ts';
import type { FindingSpeech } from '../../../../core/words/finding.ts';
import { fill } from '../../../../core/words/message.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { FormatOptions, StatementDocument } from '../../port/format.ts';
import { labelsOf } from '../../port/template.ts';
import { type Wording, wordingOf } from '../../port/wording.ts';
import { columnLetters, type Place, placeName, type RowRange, rangeName, rowRange } from './address.ts';
import {
  amount,
  blank,
  type Cell,
  type CellStyle,
  type Cells,
  count,
  dateTime,
  day,
  figure,
  headers,
  localDateTime,
  percent,
  rate,
  serial,
  spread,
  text,
  wrapped,
} from './cell.ts';

export interface SheetPlan {
  readonly name: string;
  /** Widths in characters. */
  readonly widths: readonly number[];
  /** Rows that stay in sight when the sheet is scrolled. */
  readonly frozenRows: number;
  /** The row printed again on every page, and the table below it that can be filtered; null: none. */
  readonly table: { readonly headerRow: number; readonly columns: number; readonly lastRow: number } | null;
  /** Of a table: columns that go on paper; null: all. */
  readonly printedColumns: number | null;
  readonly portrait: boolean;
  /** Else as many pages as its rows need; the width always fits. */
  readonly onOnePage: boolean;
  readonly rows: Iterable<readonly Cells[]> | AsyncIterable<readonly Cells[]>;
  /** Many rows of many different texts: they are not kept in memory to be shared. */
  readonly isLong: boolean;
  readonly drawing: Drawing | null;
}

export interface SheetDraft {
  readonly name: string;
  readonly rows: Cells[];
  /** Of its columns, in characters: those that its tables need so far. */
  readonly widths: number[];
  /** Adds a row, gives its number. */
  add(cells: Cells): number;
  /** Adds an empty row. */
  skip(): void;
  /** Adds a table's rows, gives their range. */
  addAll(rows: readonly Cells[]): RowRange;
  /** A cell as other sheets name it. */
  at(place: Omit<Place, 'sheet'>): string;
}

export function startSheet(name: string): SheetDraft {
  const rows: Cells[] = [];
  const add = (cells: Cells): number => rows.push(cells);
  return {
    name,
    rows,
    widths: [],
    add,
    skip: () => void add([]),
    addAll(more) {
      const range = rowRange(name, rows.length + 1, more.length);
      for (const cells of more) add(cells);
      return range;
    },
    at: (place) => placeName({ sheet: name, ...place }),
  };
}

export interface SmallSheetForm {
  /** Those of its tables unless given. */
  readonly widths?: readonly number[];
  readonly frozenRows?: number;
  readonly table?: SheetPlan['table'];
  readonly printedColumns?: number;
  readonly portrait?: boolean;
  readonly onOnePage?: boolean;
  readonly drawing?: Drawing | null;
}

export function planOf(draft: SheetDraft, form: SmallSheetForm): SheetPlan {
  return {
    name: draft.name,
    widths: form.widths ?? draft.widths,
    frozenRows: form.frozenRows ?? 0,
    table: form.table ?? null,
    printedColumns: form.printedColumns ?? null,
    portrait: form.portrait ?? false,
    onOnePage: form.onOnePage ?? false,
    rows: [draft.rows],
    isLong: false,
    drawing: form.drawing ?? null,
  };
}

export interface Drawing {
  readonly charts: readonly PlacedChart[];
}

export interface PlacedChart {
  readonly chart: Chart;
  /** Said by programs that read the sheet aloud. */
  readonly description: string;
  /** Column and row, 0 the first, of the corners. */
  readonly from: Corner;
  readonly to: Corner;
}

export interface Corner {
  readonly column: number;
  readonly row: number;
}

export interface Chart {
  readonly form: 'line' | 'bars';
  readonly title: string;
  readonly seriesName: string;
  /** Of days: serial numbers, of names: texts; `range` is where they stand. */
  readonly categories: { readonly range: string; readonly values: readonly (string | number)[] };
  readonly values: { readonly range: string; readonly values: readonly number[] };
  /** Excel's code: `dd/mm`. */
  readonly dayFormat: string;
}

export interface SheetContext extends StatementDocument, FormatOptions {
  readonly labels: Labels;
  readonly zone: Zone;
  readonly speech: FindingSpeech;
  /** As the other forms of a statement write figures inside sentences, and local times. */
  readonly words: Wording;
}

/** A chart as a sheet plans it: what it shows, where its figures stand, and between which corners it is drawn. */
export function openContext(document: StatementDocument, options: FormatOptions): SheetContext {
  const { zone: name } = document.statement.period;
  const zone = openZone(name);
  invariant(zone !== null, `the statement's zone ${name} is not known`);
  const { template, language } = options;
  invariant(template !== undefined, 'a caller that asks for a workbook hands a template over');
  const labels = labelsOf(template, document.statement)[language];
  const words = wordingOf(name, { labels, language });
  return { ...document, ...options, labels, zone, speech: words.speech, words };
}

/** Up to so many lines, the texts of ledger and journal are kept in memory, to stand in the file once. */
const MOST_SHARED_LINES = 2_000;

export function hasManyTexts({ statement }: SheetContext): boolean {
  return statement.summary.entryCount > MOST_SHARED_LINES;
}

/** The two lines above every table: what it is, and whose. */
export function addHeading(sheet: SheetDraft, context: SheetContext, title: string): void {
  const { statement, labels, language } = context;
  const { merchant, period, currency, revision } = statement;
  sheet.add([text(`${title} — ${period.label[language]}`, 'title')]);
  const who = merchant.name === null ? merchant.reference : `${merchant.name} · ${merchant.reference}`;
  const issue = fill(labels.workbook.frame.revision, { revision: revision.number });
  sheet.add([text(`${who} · ${currency} · ${period.zone} · ${issue}`, 'note')]);
}

/** A line over `columns` columns that begins a part of a sheet, after an empty row. */
export function addSection(sheet: SheetDraft, title: string, columns: number): void {
  sheet.skip();
  sheet.add(spread(columns, 'section', { 1: text(title, 'section') }));
}

/** The rows of a table, and what is written with them. */
interface TableRows<Row> {
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

interface Stretches<Item> {
  /** The next `count` items, in batches; fewer at the end of the stream. */
  take(count: number): AsyncGenerator<readonly Item[]>;
}

/**
 * Cuts a stream of batches into stretches of at most so many items: a sheet has a last row, a month may have more
 * lines.
 */
export function stretchesOf<Item>(batches: AsyncIterable<readonly Item[]>): Stretches<Item> {
  const iterator = batches[Symbol.asyncIterator]();
  let rest: readonly Item[] = [];
  return {
    async *take(count) {
      let wanted = count;
      while (wanted > 0) {
        if (rest.length === 0) {
          const { value, done } = await iterator.next();
          if (done === true) return;
          rest = value;
        }
        const batch = rest.slice(0, wanted);
        rest = rest.slice(wanted);
        wanted -= batch.length;
        yield batch;
      }
    },
  };
}
