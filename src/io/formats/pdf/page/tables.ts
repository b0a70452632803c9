// Blocks, one below the other, and tables as they are declared: a header that is drawn again on
// every page, figures and dates that are never cut, texts that end with … where their cell ends.
// Each row and each cell is tagged.

import { invariant } from '../../../../core/domain/invariant.ts';
import type { Column, Form, Table, Tone, Value } from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/finding.ts';
import { DASH, type Wording } from '../../port/wording.ts';
import type { Block, PairBlock, TableBlock, TextBlock } from '../../tables/block.ts';
import {
  drawParagraph,
  drawSubheading,
  ensure,
  PAGE,
  type PageFlow,
  pair,
  smallStyle,
  turnPage,
} from './flow.ts';
import { type Point, type TextRun, tagged, tagLine, tagLines, widthOf } from './pen.ts';

/** A column as a page has it: its place, its title, and the kind of its cells. */
export interface Slot {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  /**
   * A figure is flush right. Figures and dates are drawn smaller rather than cut; a text is cut.
   */
  readonly holds: 'text' | 'figure' | 'date';
  /** Lines that a text may take. */
  readonly lines: number;
  readonly isWhole: boolean;
  readonly bar: Column<never>['bar'] | null;
}

interface Cell {
  readonly runs: readonly TextRun[];
  readonly size: number;
  /** Of the longest bar. */
  readonly share?: number;
}

const PADDING = 3;

export function drawTable(
  flow: PageFlow,
  { table, titles, rows: all, proper = all.length, ...given }: TableBlock,
): void {
  const { total = null, count = proper } = given;
  const rows = all.slice(0, proper);
  if (rows.length === 0) {
    drawNote(flow, flow.labels.document.none);
    return;
  }
  const { toneOf } = table;
  const columns = table.columns.filter((column) => !isLeftOut(column, table, rows));
  const writers = columns.map((column) =>
    withoutZeros(column, writerOf(flow.words, column, titles)),
  );
  const slots = slotsOf(flow, columns, titles);
  const header = headerOf(flow, slots);
  const isShort = rows.length <= LAST_TOGETHER;
  ensure(flow, header.height + (isShort ? rows.length + 1 : 2) * rowStep(flow));
  flow.pen.open('Table');
  drawHeader(flow, slots, header);
  const shareOf = barsOf(columns, rows);
  const draw = (texts: readonly string[], tone: Tone, together = 1, row: unknown = null): void => {
    const cells = texts.map((text, i) => ({
      ...cellOf(flow, slots[i]!, { text, tone }),
      share: row === null ? 0 : shareOf(columns[i]!, row),
    }));
    const height =
      Math.max(...cells.map(({ runs }) => runs.length - 1)) * lineStep(flow) + rowStep(flow);
    if (flow.y + height + (together - 1) * rowStep(flow) > flow.bottom) {
      turnPage(flow);
      drawHeader(flow, slots, header);
    }
    drawRow(flow, slots, { cells, tone, height });
  };
  rows.forEach((row, i) => {
    const together = !isShort && i === rows.length - LAST_TOGETHER ? LAST_TOGETHER + 1 : 1;
    draw(
      writers.map((write) => write(row)),
      toneOf?.(row) ?? 'plain',
      together,
      row,
    );
  });
  if (total !== null) {
    const sums = columns.map(({ sum }, i) => (sum === undefined ? '' : writers[i]!(total)));
    draw(sums.with(0, flow.labels.document.total), 'strong');
  }
  flow.pen.close();
  flow.y += 4;
  if (count > rows.length)
    drawNote(
      flow,
      fill(flow.labels.document.more, { count: count - rows.length }, flow.words.speech),
    );
}

/**
 * Bars of one colour are as long as their figures; what comes in and what goes out share one
 * measure.
 */
function barsOf(columns: readonly Column<unknown>[], rows: readonly unknown[]) {
  const figureOf = ({ pick }: Column<unknown>, row: unknown): number =>
    Math.max(0, Number(pick(row) ?? 0));
  const measureOf = ({ bar }: Column<unknown>): number => {
    const alike = columns.filter(
      (column) => column.bar !== undefined && (column.bar === 'rest') === (bar === 'rest'),
    );
    return Math.max(1, ...alike.flatMap((column) => rows.map((row) => figureOf(column, row))));
  };
  const measures = new Map(
    columns.map((column) => [column, column.bar === undefined ? 0 : measureOf(column)]),
  );
  return (column: Column<unknown>, row: unknown): number =>
    column.bar === undefined ? 0 : figureOf(column, row) / measures.get(column)!;
}

/** So many last rows, and the total, are not parted: a page does not begin with one row. */
const LAST_TOGETHER = 4;

const lineStep = ({ layout }: PageFlow): number => layout.sizes.table * 1.3;
const rowStep = ({ layout }: PageFlow): number => layout.sizes.table * 1.3 + 3.2;

function isLeftOut(
  { offPage, pick, repeats }: Column<unknown>,
  { columns }: Table<unknown>,
  rows: readonly unknown[],
) {
  const other = columns.find(({ key }) => key === repeats);
  if (other !== undefined && rows.every((row) => pick(row) === other.pick(row))) return true;
  return offPage === 'always' || (offPage === 'zero' && rows.every((row) => pick(row) === 0));
}

/** In a column that is seldom filled. */
function withoutZeros(
  { offPage, pick }: Column<unknown>,
  write: (row: unknown) => string,
): (row: unknown) => string {
  return offPage === 'zero' ? (row) => (pick(row) === 0 ? '' : write(row)) : write;
}

/** What is in a column's cells, row by row. */
export function writerOf(
  words: Wording,
  { form, pick, missing }: Column<unknown>,
  titles: Readonly<Record<string, string>>,
): (row: unknown) => string {
  const none = missing === undefined ? '' : titles[missing]!;
  return (row) => {
    const value = pick(row);
    return value === null || value === undefined ? none : written(words, form, value);
  };
}

/** A value as people read it. */
function written(words: Wording, form: Form, value: NonNullable<Value>): string {
  if (typeof value === 'string') {
    if (form === 'text') return value;
    const isFigure = form === 'figure' || form === 'percent' || form === 'day' || form === 'time';
    return isFigure ? words[form](value) : words.code(form, value);
  }
  if (form === 'rate') return words.rate(value);
  return form === 'instant' ? words.instant(value) : words.amount(value);
}

const HOLDS: Readonly<Partial<Record<Form, Slot['holds']>>> = {
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

/** A table that asks for less than a page is as narrow as it asks. */
export function slotsOf(
  flow: PageFlow,
  columns: readonly Column<unknown>[],
  titles: Readonly<Record<string, string>>,
): readonly Slot[] {
  const shares = columns.reduce((sum, { width = 14 }) => sum + width, 0);
  const { left, right } = flow.layout.page.margins;
  const unit = Math.min((PAGE.width - left - right) / 100, flow.width / shares);
  let x = flow.left;
  return columns.map(({ key, form, width: share = 14, lines = 1, isWhole = false, bar = null }) => {
    const slot = {
      title: titles[key]!,
      x,
      width: unit * share,
      holds: HOLDS[form] ?? 'text',
      lines,
      isWhole,
      bar,
    };
    x += slot.width;
    return slot;
  });
}

/** The lines of each heading. */
export interface Header {
  readonly titles: readonly (readonly TextRun[])[];
  readonly height: number;
}

export function headerOf(flow: PageFlow, slots: readonly Slot[]): Header {
  const { layout, bold } = flow;
  const titles = slots.map(({ title, width }) =>
    bold.wrap(title, { size: layout.sizes.note, width: width - PADDING, mostLines: 3 }),
  );
  const most = Math.max(...titles.map((runs) => runs.length));
  return { titles, height: most * layout.sizes.note * 1.2 + 7 };
}

/** Where a run begins in its column. */
export function startOf(
  { x, width, holds }: Slot,
  run: TextRun,
  { size, padding }: { readonly size: number; readonly padding: number },
): number {
  return holds === 'figure' ? x + width - padding - widthOf(run, size) : x + padding;
}

const endOf = ({ x, width }: Slot): number => x + width;

/** A row of headings on a band; a screen reader takes them as the columns' names. */
export function drawHeader(
  flow: PageFlow,
  slots: readonly Slot[],
  { titles, height }: Header,
): void {
  const { pen, layout, bold } = flow;
  const size = layout.sizes.note;
  const style = { face: bold, size, colour: layout.colours.accent };
  const top = flow.y;
  const { x } = slots[0]!;
  pen.decoration(() =>
    pen.fill([{ x, y: top, width: endOf(slots.at(-1)!) - x, height }], layout.colours.band),
  );
  const drawTitle = (runs: readonly TextRun[], i: number): void => {
    for (const [line, run] of runs.entries()) {
      const y = top + height - 4.5 - (runs.length - 1 - line) * size * 1.2;
      pen.text({ x: startOf(slots[i]!, run, { size, padding: PADDING }), y }, run, style);
    }
  };
  pen.open('TR');
  titles.forEach((runs, i) => {
    tagged(pen, 'TH', () => drawTitle(runs, i), { scope: 'Column' });
  });
  pen.close();
  flow.y = top + height;
}

function cellOf(
  { layout, bold, regular }: PageFlow,
  { width, holds, lines: mostLines }: Slot,
  { text, tone }: { readonly text: string; readonly tone: Tone },
): Cell {
  const face = tone === 'strong' ? bold : regular;
  const size = layout.sizes.table;
  if (holds === 'text')
    return { runs: face.wrap(text, { size, width: width - 2 * PADDING, mostLines }), size };
  const run = face.shape(text);
  return { runs: [run], size: shrunk(run, { size, width: width - PADDING - 1 }) };
}

/** The size at which a figure fits its column: a figure is never cut. */
export function shrunk(
  run: TextRun,
  { size, width }: { readonly size: number; readonly width: number },
): number {
  const needed = widthOf(run, size);
  return needed <= width ? size : Math.floor((size * width * 100) / needed) / 100;
}

function drawRow(
  flow: PageFlow,
  slots: readonly Slot[],
  {
    cells,
    tone,
    height,
  }: { readonly cells: readonly Cell[]; readonly tone: Tone; readonly height: number },
): void {
  const { pen, layout } = flow;
  const { colours, sizes } = layout;
  const isStrong = tone === 'strong';
  const face = isStrong ? flow.bold : flow.regular;
  const colour = colourOf(flow, tone);
  const top = flow.y;
  const y = top + (isStrong ? 0 : height);
  const stroke = isStrong
    ? { colour: colours.accent, width: 0.7 }
    : { colour: colours.rule, width: 0.4 };
  const barColours = { in: colours.chartIn, out: colours.chartOut, rest: colours.chartOut };
  pen.decoration(() => {
    pen.line({ x: slots[0]!.x, y }, { x: endOf(slots.at(-1)!), y }, stroke);
    slots.forEach(({ x, width, bar }, i) => {
      const long = (width - 2 * PADDING) * (cells[i]!.share ?? 0);
      if (bar === null || bar === undefined || long <= 0) return;
      pen.fill(
        [{ x: x + width - PADDING - long, y: y - 2.3, width: long, height: 1.7 }],
        barColours[bar],
      );
    });
  });
  pen.open('TR');
  cells.forEach(({ runs, size }, i) => {
    const at = (line: number, run: TextRun): Point => {
      const base = top + sizes.table + 1.6 + line * lineStep(flow);
      return { x: startOf(slots[i]!, run, { size, padding: PADDING }), y: base };
    };
    tagLines(pen, 'TD', { runs, at }, { face, size, colour });
  });
  pen.close();
  flow.y = top + height;
}

export function colourOf({ layout }: PageFlow, tone: Tone): string {
  return tone === 'alert'
    ? layout.colours.alert
    : tone === 'muted'
      ? layout.colours.muted
      : layout.colours.text;
}

/** One small grey line. */
export function drawNote(flow: PageFlow, text: string): void {
  const { pen, left, width, regular } = flow;
  const style = smallStyle(flow);
  const { size } = style;
  ensure(flow, size * 1.6);
  tagLine(
    pen,
    'P',
    { x: left + PADDING, y: flow.y + size + 1 },
    regular.cut(text, { size, width }),
    style,
  );
  flow.y += size * 1.6 + 3;
}

/**
 * A heading is on the page of its block. Those of empty tables are named together below all others.
 */
export function drawBlocks(flow: PageFlow, blocks: readonly Block[]): void {
  const shown = blocks.filter(({ on }) => on !== 'sheet');
  const parts = shown.reduce<Block[][]>((all, block) => {
    if (block.form === 'heading' || all.length === 0) all.push([]);
    all.at(-1)!.push(block);
    return all;
  }, []);
  const isEmpty = ([first, ...rest]: readonly Block[]): boolean =>
    first!.form === 'heading' &&
    rest.length > 0 &&
    rest.every((block) => block.form === 'table' && block.rows.length === 0);
  const isBeside = ([first]: readonly Block[]): boolean => first!.isBeside === true;
  const full = parts.filter((part) => !isEmpty(part));
  full.forEach((part, i) => {
    const next = full[i + 1];
    if (i > 0 && isBeside(part)) return;
    if (next !== undefined && isBeside(next)) drawBeside(flow, part, next);
    else drawPart(flow, part);
  });
  const list = parts.filter(isEmpty).map(([first]) => (first as TextBlock).text);
  if (list.length > 0)
    drawParagraph(flow, fill(flow.labels.document.nothing, { list: list.join(' · ') }), {
      tone: 'muted',
    });
}

/** In two halves of the page; below each other where a page is not long enough for both. */
function drawBeside(flow: PageFlow, ...sides: readonly (readonly Block[])[]): void {
  const rows = sides.map((part) =>
    part.reduce((sum, block) => sum + (block.form === 'table' ? block.rows.length + 3 : 3), 0),
  );
  const height = Math.max(...rows) * rowStep(flow);
  if (height > flow.bottom - flow.top) {
    for (const part of sides) drawPart(flow, part);
    return;
  }
  ensure(flow, height);
  const width = (flow.width - GAP) / 2;
  const ends = sides.map((part, i) => {
    const left = flow.left + i * (width + GAP);
    const half = { ...flow, left, width, right: left + width };
    drawPart(half, part);
    invariant(half.page === flow.page, 'no page is turned in one half of it alone');
    return half.y;
  });
  flow.y = Math.max(...ends);
}

function drawPart(flow: PageFlow, shown: readonly Block[]): void {
  const { note } = flow.layout.sizes;
  shown.forEach((block, i) => {
    if (block.form === 'table') drawTable(flow, block);
    else if (block.form === 'pairs') drawPairs(flow, block);
    else if (block.form === 'heading')
      drawSubheading(flow, block.text, reserveFor(flow, shown[i + 1]));
    else if (block.form === 'note') drawParagraph(flow, block.text, { tone: 'muted', size: note });
    else drawParagraph(flow, block.text, { tone: block.form });
  });
}

/** Points that must be left below a heading: a note goes on with a table. */
function reserveFor(flow: PageFlow, next: Block | undefined): number {
  if (next?.form === 'note') return 80;
  if (next?.form === 'table')
    return 30 + (Math.min(next.rows.length, LAST_TOGETHER) + 1) * rowStep(flow);
  return next?.form === 'pairs' ? heightOf(flow, next) : 48;
}

const COLUMNS = 3;
const GAP = 18;
const stepOf = ({ layout }: PageFlow): number => layout.sizes.body * 1.65;
const isFigures = ({ pairs }: PairBlock): boolean =>
  pairs.every(({ form = 'text' }) => form !== 'text');
const heightOf = (flow: PageFlow, block: PairBlock): number =>
  Math.ceil(block.pairs.length / (isFigures(block) ? COLUMNS : 1)) * stepOf(flow);

/** Figures in three columns; texts, which may be long, one below the other. */
function drawPairs(flow: PageFlow, block: PairBlock): void {
  const { pen, layout, left, width, regular, bold, words } = flow;
  const texts = block.pairs.map(({ name, value, form = 'text' }) => ({
    name,
    text: value === null || value === undefined ? DASH : written(words, form, value),
  }));
  if (!isFigures(block)) {
    for (const { name, text } of texts) drawParagraph(flow, pair(flow, name, text));
    return;
  }
  const size = layout.sizes.body;
  const column = (width - (COLUMNS - 1) * GAP) / COLUMNS;
  ensure(flow, heightOf(flow, block));
  const top = flow.y;
  texts.forEach(({ name, text }, i) => {
    const x = left + (i % COLUMNS) * (column + GAP);
    const y = top + Math.floor(i / COLUMNS) * stepOf(flow) + size;
    const figure = bold.shape(text);
    const figureWidth = widthOf(figure, size);
    const label = regular.cut(name, { size, width: column - figureWidth - 6 });
    tagged(pen, 'P', () => {
      pen.text({ x, y }, label, { face: regular, size, colour: layout.colours.muted });
      pen.text({ x: x + column - figureWidth, y }, figure, {
        face: bold,
        size,
        colour: layout.colours.text,
      });
    });
  });
  flow.y = top + heightOf(flow, block);
}
