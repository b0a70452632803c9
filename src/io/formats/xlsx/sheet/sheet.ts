// A sheet as it is to be written: the context that it is made from, and the draft that collects its
// rows. Knows no library.

import { invariant } from '../../../../core/domain/invariant.ts';
import { openZone, type Zone } from '../../../../core/domain/zone.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { FormatOptions, StatementDocument } from '../../port/format.ts';
import { labelsOf } from '../../port/template.ts';
import type { DocumentContext } from '../../port/wording.ts';
import { wordingOf } from '../../port/wording.ts';
import { type Place, placeName, type RowRange, rowRange } from './address.ts';
import { type CellKind, type Cells, spread, text } from './cell.ts';

export interface SheetPlan {
  readonly name: string;
  /** Widths in characters. */
  readonly widths: readonly number[];
  /** Rows that stay in sight when the sheet is scrolled. */
  readonly frozenRows: number;
  /**
   * The row printed again on every page, and the table below it that can be filtered; null: none.
   */
  readonly table: {
    readonly headerRow: number;
    readonly columns: number;
    readonly lastRow: number;
  } | null;
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

/** `widths`: those of its tables unless given. */
export type SmallSheetForm = Partial<Omit<SheetPlan, 'name' | 'rows' | 'isLong'>>;

export const PLAIN_FORM = {
  frozenRows: 0,
  table: null,
  printedColumns: null,
  portrait: false,
  onOnePage: false,
  drawing: null,
} as const;

export function planOf({ name, rows, widths }: SheetDraft, form: SmallSheetForm): SheetPlan {
  return {
    ...PLAIN_FORM,
    ...form,
    widths: widenedFor(rows, form.widths ?? widths),
    name,
    rows: [rows],
    isLong: false,
  };
}

/** Columns as wide as their longest figure: a program shows `###` for one that is wider. */
export function widenedFor(rows: readonly Cells[], widths: readonly number[]): readonly number[] {
  const widened = [...widths];
  for (const cells of rows)
    for (const [i, cell] of cells.entries())
      if (typeof cell?.value === 'number' && GROUPED.has(cell.kind) && widened[i] !== undefined)
        widened[i] = Math.max(widened[i], grouped(cell.value).length + 1);
  return widened;
}

const GROUPED: ReadonlySet<CellKind> = new Set(['amount', 'check', 'count', 'number', 'own']);

const grouped = (figure: number): string =>
  String(Math.round(figure)).replace(/\B(?=(?:\d{3})+$)/g, ' ');

export interface Drawing {
  readonly charts: readonly PlacedChart[];
}

/** A chart between the corners of cells. */
export interface PlacedChart {
  readonly chart: Chart;
  /** For programs that read the sheet aloud. */
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
  /** Of days: serial numbers, of names: texts; `range` is their place. */
  readonly categories: { readonly range: string; readonly values: readonly (string | number)[] };
  readonly values: { readonly range: string; readonly values: readonly number[] };
  /** Excel's code: `dd/mm`. */
  readonly dayFormat: string;
}

export interface SheetContext
  extends Omit<StatementDocument, 'statement'>,
    Omit<FormatOptions, 'language'>,
    DocumentContext {
  readonly zone: Zone;
}

export function openContext(document: StatementDocument, options: FormatOptions): SheetContext {
  const { zone: name } = document.statement.period;
  const zone = openZone(name);
  invariant(zone !== null, `the statement's zone ${name} is not known`);
  const { template, language } = options;
  invariant(template !== undefined, 'a caller that asks for a workbook hands a template over');
  const labels = labelsOf(template, document.statement)[language];
  const words = wordingOf(name, { labels, language });
  return { ...document, ...options, labels, zone, words };
}

/**
 * Up to so many lines, the texts of ledger and journal are kept in memory, so that the file has
 * each once.
 */
const MOST_SHARED_LINES = 2_000;

export function hasManyTexts({ statement }: SheetContext): boolean {
  return statement.summary.entryCount > MOST_SHARED_LINES;
}

/** The two lines above every table: its title and its merchant. */
export function addHeading(sheet: SheetDraft, context: SheetContext, title: string): void {
  const { statement, labels, language } = context;
  const { merchant, period, currency, revision } = statement;
  sheet.add([text(`${title} — ${period.label[language]}`, 'title')]);
  const who =
    merchant.name === null ? merchant.reference : `${merchant.name} · ${merchant.reference}`;
  const issue = fill(labels.workbook.frame.revision, { revision: revision.number });
  sheet.add([text(`${who} · ${currency} · ${period.zone} · ${issue}`, 'note')]);
}

/** A line over `columns` columns that begins a part of a sheet, after an empty row. */
export function addSection(sheet: SheetDraft, title: string, columns: number): void {
  sheet.skip();
  sheet.add(spread(columns, 'section', { 1: text(title, 'section') }));
}

/**
 * Cuts a stream of batches into stretches, since a sheet has a last row and a month may have more
 * lines: each call gives the next `count` items, in batches; fewer at the end of the stream.
 */
export function stretchesOf<Item>(
  batches: AsyncIterable<readonly Item[]>,
): (count: number) => AsyncGenerator<readonly Item[]> {
  const iterator = batches[Symbol.asyncIterator]();
  let rest: readonly Item[] = [];
  return async function* (count) {
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
  };
}
