// A chart as a sheet plans it: what it shows, where its figures stand, and between which corners it is drawn.

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
