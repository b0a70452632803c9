// Tables: a header that comes again on every page, figures and dates that are never cut, texts that end with … where their cell
// ends. Rows are drawn by hand; each row and each cell is tagged.

import type {
  Column as Declared,
  Table as DeclaredTable,
  Form,
  Tone,
} from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/message.ts';
import type { Wording } from '../../port/wording.ts';
import { ensure, type Flow, type PageFlow, turnPage } from './flow.ts';
import type { TextRun } from './pen.ts';
import { tagged } from './pen.ts';

export interface Column<Row> {
  readonly title: string;
  /** Share of the table's width. */
  readonly share: number;
  /** A figure stands flush right. Figures and dates are drawn smaller rather than cut; a text is cut. */
  readonly holds: 'text' | 'figure' | 'date';
  readonly cell: (row: Row) => string;
  /** Lines that a text may take; 1 unless given. */
  readonly mostLines?: number;
}

export interface Table<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly toneOf?: (row: Row) => Tone;
  /** Drawn last, strong, under a rule. */
  readonly total?: Row | null;
  /** How many rows there are when not all are shown. */
  readonly count?: number;
  /** Of the width between the margins; 1 unless given. */
  readonly widthShare?: number;
}

export function textColumn<Row>(title: string, share: number, cell: Column<Row>['cell'], mostLines = 1): Column<Row> {
  return { title, share, holds: 'text', cell, mostLines };
}

export function dateColumn<Row>(title: string, share: number, cell: Column<Row>['cell']): Column<Row> {
  return { title, share, holds: 'date', cell };
}

export function figureColumn<Row>(title: string, share: number, cell: Column<Row>['cell']): Column<Row> {
  return { title, share, holds: 'figure', cell };
}

/** Columns of amounts of one table. */
export function amountsIn<Row>(words: PageFlow['words']) {
  return (title: string, share: number, pick: (row: Row) => number): Column<Row> =>
    figureColumn(title, share, (row) => words.amount(pick(row)));
}

/** The rows of a declared table, and what is drawn with them. */
export interface Drawn<Row> extends Pick<Table<Row>, 'rows' | 'count' | 'widthShare'> {
  /** Only the figures of columns that a total row holds are looked at. */
  readonly total?: Partial<Row> | null;
}

/** `titles`: the words of the table, by the keys of its columns. */
export function drawDeclared<Row, Key extends string>(
  flow: Flow,
  { columns, toneOf }: DeclaredTable<Row, Key>,
  titles: Readonly<Record<Key, string>>,
  { total = null, ...drawn }: Drawn<Row>,
): void {
  const sum = total as Row | null;
  const isLeft = ({ offPage, pick }: Declared<Row, Key>): boolean =>
    offPage === 'always' || (offPage === 'zero' && sum !== null && pick(sum) === 0);
  const shown = columns.filter((column) => !isLeft(column));
  const titled = shown.map((column, i): Column<Row> => {
    const { key, form, width = 14, lines = 1, sum: summed } = column;
    const missing = column.missing === undefined ? '' : (titles as Readonly<Record<string, string>>)[column.missing]!;
    const cell = (row: Row): string => {
      if (row === sum && i === 0) return flow.labels.document.total;
      return row === sum && summed === undefined ? '' : written(flow.words, column, row, missing);
    };
    return { title: titles[key], share: width, holds: HOLDS[form] ?? 'text', mostLines: lines, cell };
  });
  const tones = toneOf === undefined ? {} : { toneOf };
  drawTable(flow, { columns: titled, ...drawn, total: sum, ...tones });
}

const HOLDS: Readonly<Partial<Record<Form, Column<never>['holds']>>> = {
  count: 'figure',
  amount: 'figure',
  serial: 'figure',
  figure: 'figure',
  rate: 'figure',
  percent: 'figure',
  day: 'date',
  month: 'date',
  time: 'date',
  instant: 'date',
};

/** A value as people read it. */
function written<Row>(words: Wording, { form, pick }: Declared<Row>, row: Row, missing: string): string {
  const value = pick(row) ?? null;
  if (value === null) return missing;
  if (form === 'rate') return words.rate(Number(value));
  if (form === 'instant') return words.instant(Number(value));
  if (typeof value === 'number') return words.amount(value);
  if (form === 'figure' || form === 'percent' || form === 'day' || form === 'time') return words[form](value);
  return words.code(form, value);
}

/** A column's place on the page. */
export interface Slot {
  readonly x: number;
  readonly width: number;
}

interface Cell {
  readonly runs: readonly TextRun[];
  readonly size: number;
}

const PADDING = 3;

export function drawTable<Row>(flow: PageFlow, table: Table<Row>): void {
  const { columns, rows, toneOf, total = null, count = rows.length } = table;
  if (rows.length === 0) {
    drawNote(flow, flow.labels.document.none);
    return;
  }
  const slots = slotsOf(flow, columns, table.widthShare ?? 1);
  const header = headerOf(flow, columns, slots);
  const heads = { columns, slots, header };
  const isShort = rows.length <= LAST_TOGETHER;
  ensure(flow, header.height + (isShort ? rows.length + 1 : 2) * rowStep(flow));
  flow.pen.open('Table');
  drawHeader(flow, heads);
  const draw = (row: Row, tone: Tone, together = 1): void => {
    const cells = columns.map((column, i) => cellOf(flow, column, { row, slot: slots[i]!, tone }));
    const height = Math.max(...cells.map(({ runs }) => runs.length - 1)) * lineStep(flow) + rowStep(flow);
    if (flow.y + height + (together - 1) * rowStep(flow) > flow.bottom) {
      turnPage(flow);
      drawHeader(flow, heads);
    }
    drawRow(flow, columns, { cells, slots, tone, height });
  };
  rows.forEach((row, i) => {
    draw(row, toneOf?.(row) ?? 'plain', !isShort && i === rows.length - LAST_TOGETHER ? LAST_TOGETHER + 1 : 1);
  });
  if (total !== null) draw(total, 'strong');
  flow.pen.close();
  flow.y += 4;
  if (count > rows.length) drawMore(flow, count - rows.length);
}

/** So many last rows, and the total, are not parted: a page does not begin with one row. */
const LAST_TOGETHER = 4;

const lineStep = ({ layout }: PageFlow): number => layout.sizes.table * 1.3;
const rowStep = ({ layout }: PageFlow): number => layout.sizes.table * 1.3 + 4.2;

export function slotsOf(flow: PageFlow, columns: readonly Pick<Column<never>, 'share'>[], widthShare = 1): Slot[] {
  const all = columns.reduce((sum, { share }) => sum + share, 0);
  let x = flow.left;
  return columns.map(({ share }) => {
    const width = (flow.width * widthShare * share) / all;
    const slot = { x, width };
    x += width;
    return slot;
  });
}

/** The lines of each heading. */
export interface Header {
  readonly titles: readonly (readonly TextRun[])[];
  readonly height: number;
}

export function headerOf(flow: PageFlow, columns: readonly Column<never>[], slots: readonly Slot[]): Header {
  const { layout, bold } = flow;
  const titles = columns.map(({ title }, i) =>
    bold.wrap(title, { size: layout.sizes.note, width: slots[i]!.width - PADDING, mostLines: 3 }),
  );
  const most = Math.max(...titles.map((runs) => runs.length));
  return { titles, height: most * layout.sizes.note * 1.2 + 7 };
}

/** A row of headings on a band; a screen reader takes them as the columns' names. `drawMore`: what else is part of one of them. */
export function drawHeader(
  flow: PageFlow,
  {
    columns,
    slots,
    header,
  }: { readonly columns: readonly Column<never>[]; readonly slots: readonly Slot[]; readonly header: Header },
  drawMore: (column: number) => void = () => {},
): void {
  const { pen, layout, bold } = flow;
  const size = layout.sizes.note;
  const { titles, height } = header;
  const [first, last] = [slots[0]!, slots.at(-1)!];
  const top = flow.y;
  pen.decoration(() => {
    pen.fill([{ x: first.x, y: top, width: last.x + last.width - first.x, height }], layout.colours.band);
  });
  const drawTitle = (run: TextRun, i: number, line: number): void => {
    const slot = slots[i]!;
    const y = top + height - 4.5 - (titles[i]!.length - 1 - line) * size * 1.2;
    const isFigure = columns[i]!.holds === 'figure';
    const x = isFigure ? slot.x + slot.width - PADDING - (run.width * size) / 1_000 : slot.x + PADDING;
    pen.text({ x, y }, run, { face: bold, size, colour: layout.colours.accent });
  };
  pen.open('TR');
  titles.forEach((runs, i) => {
    const draw = (): void => {
      runs.forEach((run, line) => {
        drawTitle(run, i, line);
      });
      drawMore(i);
    };
    tagged(pen, 'TH', draw, { scope: 'Column' });
  });
  pen.close();
  flow.y = top + height;
}

function cellOf<Row>(
  flow: PageFlow,
  column: Column<Row>,
  { row, slot, tone }: { readonly row: Row; readonly slot: Slot; readonly tone: Tone },
): Cell {
  const { layout } = flow;
  const face = tone === 'strong' ? flow.bold : flow.regular;
  const size = layout.sizes.table;
  const width = slot.width - 2 * PADDING;
  const text = column.cell(row);
  if (column.holds !== 'text') {
    const run = face.shape(text);
    return { runs: [run], size: shrunk(run, { size, width: slot.width - PADDING - 1 }) };
  }
  return { runs: face.wrap(text, { size, width, mostLines: column.mostLines ?? 1 }), size };
}

/** The size at which a figure fits its column: a figure is never cut. */
export function shrunk(run: TextRun, { size, width }: { readonly size: number; readonly width: number }): number {
  const needed = (run.width * size) / 1_000;
  return needed <= width ? size : Math.floor((size * width * 100) / needed) / 100;
}

function drawRow<Row>(
  flow: PageFlow,
  columns: readonly Column<Row>[],
  row: {
    readonly cells: readonly Cell[];
    readonly slots: readonly Slot[];
    readonly tone: Tone;
    readonly height: number;
  },
): void {
  const { pen, layout } = flow;
  const { cells, slots, tone, height } = row;
  const top = flow.y;
  const face = tone === 'strong' ? flow.bold : flow.regular;
  const colour = colourOf(flow, tone);
  const [first, last] = [slots[0]!, slots.at(-1)!];
  pen.decoration(() => {
    const y = top + (tone === 'strong' ? 0 : height);
    const stroke =
      tone === 'strong' ? { colour: layout.colours.accent, width: 0.7 } : { colour: layout.colours.rule, width: 0.4 };
    pen.line({ x: first.x, y }, { x: last.x + last.width, y }, stroke);
  });
  pen.open('TR');
  cells.forEach(({ runs, size }, i) => {
    const slot = slots[i]!;
    tagged(pen, 'TD', () => {
      runs.forEach((run, line) => {
        const y = top + layout.sizes.table + 2.1 + line * lineStep(flow);
        const x =
          columns[i]!.holds === 'figure'
            ? slot.x + slot.width - PADDING - (run.width * size) / 1_000
            : slot.x + PADDING;
        pen.text({ x, y }, run, { face, size, colour });
      });
    });
  });
  pen.close();
  flow.y = top + height;
}

export function colourOf({ layout }: PageFlow, tone: Tone): string {
  return tone === 'alert' ? layout.colours.alert : tone === 'muted' ? layout.colours.muted : layout.colours.text;
}

function drawMore(flow: PageFlow, count: number): void {
  drawNote(flow, fill(flow.labels.document.more, { count }, flow.words.speech));
}

/** One small grey line. */
export function drawNote(flow: PageFlow, text: string): void {
  const { pen, layout, left, width, regular } = flow;
  const size = layout.sizes.note;
  ensure(flow, size * 1.6);
  const top = flow.y;
  const run = regular.cut(text, { size, width });
  tagged(pen, 'P', () =>
    pen.text({ x: left + PADDING, y: top + size + 1 }, run, { face: regular, size, colour: layout.colours.muted }),
  );
  flow.y = top + size * 1.6 + 3;
}
