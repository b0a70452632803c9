// A sheet as it is to be written: what it is made from, the draft in which it is put together row by row, and the declared
// tables on it, with the formulas that their columns declare beside the figures of the model. Knows no library.

import { invariant } from '../../../../core/domain/invariant.ts';
import { openZone, type Zone } from '../../../../core/domain/zone.ts';
import { fill } from '../../../../core/words/message.ts';
import type { FormatOptions, StatementDocument } from '../../port/format.ts';
import { labelsOf } from '../../port/template.ts';
import type { DocumentContext } from '../../port/wording.ts';
import { wordingOf } from '../../port/wording.ts';
import { type Place, placeName, type RowRange, rowRange } from './address.ts';
import { type Cells, spread, text } from './cell.ts';

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

export interface SheetContext
  extends Omit<StatementDocument, 'statement'>,
    Omit<FormatOptions, 'language'>,
    DocumentContext {
  readonly zone: Zone;
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
  return { ...document, ...options, labels, zone, words };
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
