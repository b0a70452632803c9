// A sheet as it is to be written, and the draft in which small sheets are put together row by row. Knows no library.

import { type Place, placeName, type RowRange, rowRange } from './address.ts';
import type { Cells } from './cell.ts';
import type { Drawing } from './placed-chart.ts';

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
