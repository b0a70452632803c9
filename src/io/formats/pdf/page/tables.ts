// Blocks, one below the other, and tables as they are declared: a header that is drawn again on
// every page, figures and dates that are never cut, texts that end with … where their cell ends.
// Each row and each cell is tagged.

import { valueIn } from '../../../../core/domain/value-in.ts';
import type { Column, Form, Table, Tone, Value } from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/finding.ts';
import { DASH, type Wording } from '../../port/wording.ts';
import type { Block, PairBlock, TableBlock, TextBlock } from '../../tables/block.ts';
import { drawInColumns, type Part } from './columns.ts';
import {
  apart,
  drawParagraph,
  drawSubheading,
  ensure,
  fitsSubheading,
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
  /** Points of the bar before the figure. */
  readonly bar?: number;
}

const PADDING = 3;
/** A bar lies before its figure, where it is no underline: apart from it, and never longer than so. */
const BAR_GAP = 4;
const BAR_HEIGHT = 3;
const LEAST_BAR_ROOM = 9;
const MOST_BAR = 40;
const NO_RUN = { width: 0 };

export function drawTable(flow: PageFlow, block: TableBlock): void {
  const shown = shownOf(flow, block);
  const { rows, slots, header, count } = shown;
  if (rows.length === 0) {
    drawNote(flow, flow.labels.document.none);
    return;
  }
  const isShort = rows.length <= LAST_TOGETHER;
  const abreast = abreastIn(flow, shown);
  flow.pen.open('Table');
  if (abreast === null) {
    ensure(flow, header.height + (isShort ? rows.length + 1 : 2) * rowStep(flow));
    drawHeader(flow, slots, header);
    rows.forEach((row, i) => {
      const together = !isShort && i === rows.length - LAST_TOGETHER ? LAST_TOGETHER + 1 : 1;
      const height = heightOfRow(flow, row);
      if (flow.y + height + (together - 1) * rowStep(flow) > flow.bottom) {
        turnPage(flow);
        drawHeader(flow, slots, header);
      }
      drawRow(flow, slots, row);
    });
  } else drawAbreast(flow, abreast);
  flow.pen.close();
  flow.y += apart(flow, 4);
  if (count > 0) drawNote(flow, fill(flow.labels.document.more, { count }, flow.words.speech));
}

/** What is drawn of a table: its columns in their places, and all its rows, the total among them. */
interface Shown {
  readonly slots: readonly Slot[];
  readonly header: Header;
  readonly rows: readonly Row[];
  /** Rows that are left out. */
  readonly count: number;
  /** Nothing is cut or made smaller because the table is narrow. */
  readonly fits: boolean;
  /** May go on beside itself. */
  readonly isDivisible: boolean;
  /** Points of the columns when each is as wide as what it holds. */
  readonly needed: readonly number[];
  readonly place: (slots: readonly Slot[]) => Pick<Shown, 'rows' | 'header'>;
}

interface Row {
  readonly cells: readonly Cell[];
  readonly tone: Tone;
}

/** What columns need, by table and by its sizes: it is measured in many widths. */
const needs = new WeakMap<TableBlock, Map<string, readonly number[]>>();

/**
 * In the width of a page its columns have the widths that they are declared with; in less, as much
 * as they need.
 */
function shownOf(flow: PageFlow, block: TableBlock): Shown {
  const { table, titles, rows: all, proper = all.length } = block;
  const { total = null, count = proper } = block;
  const rows = all.slice(0, proper);
  const { toneOf } = table;
  const columns = table.columns.filter((column) => !isLeftOut(column, table, rows));
  const writers = columns.map((column) =>
    withoutZeros(column, writerOf(flow.words, column, titles)),
  );
  const shareOf = barsOf(columns, rows);
  const written = rows.map((row) => {
    const shares = columns.map((column) => shareOf(column, row));
    return { texts: writers.map((write) => write(row)), tone: toneOf?.(row) ?? 'plain', shares };
  });
  const sums = columns.map(({ sum }, i) =>
    sum === undefined || total === null ? '' : writers[i]!(total),
  );
  const last = {
    texts: sums.with(0, flow.labels.document.total),
    tone: 'strong' as const,
    shares: columns.map(() => 0),
  };
  const lines = total === null || rows.length === 0 ? written : [...written, last];
  const place: Shown['place'] = (slots) => {
    const cells = lines.map(({ texts, tone }) =>
      texts.map((text, i) => cellOf(flow, slots[i]!, { text, tone })),
    );
    const rooms = slots.map(({ width }, i) => {
      const widths = cells.map((row) => widthOf(row[i]!.runs[0] ?? NO_RUN, row[i]!.size));
      return width - Math.max(0, ...widths) - 2 * PADDING - BAR_GAP;
    });
    const barOf = (share: number, i: number): number =>
      rooms[i]! < LEAST_BAR_ROOM ? 0 : share * Math.min(rooms[i]!, MOST_BAR);
    return {
      header: headerOf(flow, slots),
      rows: lines.map(({ tone, shares }, row) => ({
        tone,
        cells: cells[row]!.map((cell, i) => ({ ...cell, bar: barOf(shares[i]!, i) })),
      })),
    };
  };
  const declared = slotsOf(flow, columns, titles);
  const asDeclared = { slots: declared, ...place(declared) };
  const full = {
    ...asDeclared,
    count: count - rows.length,
    fits: true,
    isDivisible: false,
    needed: [],
    place,
  };
  const isWide = flow.width >= pageWidth(flow) - 1;
  // One that leads from row to row is not divided.
  const isDivisible =
    total !== null &&
    table.keyOf === undefined &&
    (columns.length <= FEW_COLUMNS || flow.setting.isClose);
  if (rows.length === 0 || (isWide && !isDivisible)) return full;
  const { table: size, note: titleSize } = flow.layout.sizes;
  const known = valueIn(needs, block, () => new Map<string, readonly number[]>());
  const needed = valueIn(known, `${size} ${titleSize}`, () =>
    declared.map((slot, i) =>
      Math.max(
        ...lines.map(({ texts, tone }) => neededFor(flow, slot, { text: texts[i]!, tone })),
        neededForTitle(flow, slot),
      ),
    ),
  );
  if (isWide) return { ...full, needed, isDivisible };
  const sum = needed.reduce((all, one) => all + one, 0);
  if (sum > flow.width) return { ...full, needed, fits: false };
  const slots = widened(flow, declared, needed);
  return { ...full, slots, needed, ...place(slots), isDivisible };
}

const pageWidth = ({ layout }: PageFlow): number =>
  PAGE.width - layout.page.margins.left - layout.page.margins.right;

/** Points for a text in one line, or in as many as its column has. */
function neededFor(
  { layout, bold, regular }: PageFlow,
  { holds, lines }: Slot,
  { text, tone }: { readonly text: string; readonly tone: Tone },
): number {
  const face = tone === 'strong' ? bold : regular;
  const size = layout.sizes.table;
  const padding = holds === 'text' ? 2 * PADDING + 0.5 : PADDING + 1.5;
  const whole = widthOf(face.shape(text), size);
  if (lines === 1 || whole === 0) return whole + padding;
  const words = text.split(' ').map((word) => widthOf(face.shape(word), size));
  // So narrow that its last line is not full.
  let width = Math.max(...words, whole / lines);
  while (width < whole && face.wrap(text, { size, width, mostLines: lines + 1 }).length > lines)
    width += 6;
  return Math.min(whole, width) + padding;
}

function neededForTitle({ layout, bold }: PageFlow, { title }: Slot): number {
  const { note: size } = layout.sizes;
  const words = title.split(/\s/).map((word) => widthOf(bold.shape(word), size));
  let width = Math.max(...words);
  while (bold.wrap(title, { size, width, mostLines: TITLE_LINES + 1 }).length > TITLE_LINES)
    width += 3;
  return width + PADDING + 1;
}

/** Columns that are as wide as they need to be, and the rest of the room among them. */
function widened(
  flow: PageFlow,
  slots: readonly Slot[],
  needed: readonly number[],
): readonly Slot[] {
  const sum = needed.reduce((all, one) => all + one, 0);
  const times = Math.min(flow.width / sum, MOST_WIDENED);
  let x = flow.left;
  return slots.map((slot, i) => {
    const placed = { ...slot, x, width: needed[i]! * times };
    x += placed.width;
    return placed;
  });
}

/** Beyond that a reader's eye loses the row. */
const MOST_WIDENED = 2.2;
/** Of a table that always goes on beside itself. */
const FEW_COLUMNS = 3;
const FEWEST_BESIDE = 8;
const MOST_ABREAST = 4;

interface Abreast {
  readonly flows: readonly PageFlow[];
  readonly groups: readonly (readonly Row[])[];
  readonly slots: readonly (readonly Slot[])[];
  readonly header: Header;
  readonly height: number;
}

/**
 * A long and narrow table goes on to the right of itself, several times where there is room; null:
 * there is no room.
 */
function abreastIn(flow: PageFlow, shown: Shown): Abreast | null {
  const { rows, needed, slots, place } = shown;
  const sum = needed.reduce((all, one) => all + one, 0);
  const fitting = Math.floor((flow.width + GAP) / (sum + GAP));
  const times = Math.min(MOST_ABREAST, fitting, Math.floor(rows.length / 4));
  if (!shown.isDivisible || rows.length < FEWEST_BESIDE || times < 2) return null;
  const width = (flow.width - (times - 1) * GAP) / times;
  const flows = Array.from({ length: times }, (_, i) => {
    const left = flow.left + i * (width + GAP);
    return { ...flow, left, width, right: left + width };
  });
  const own = flows.map((one) => widened(one, slots, needed));
  const placed = place(own[0]!);
  const each = Math.ceil(rows.length / times);
  const groups = flows
    .map((_, i) => placed.rows.slice(i * each, (i + 1) * each))
    .filter((group) => group.length > 0);
  const heights = groups.map((group) =>
    group.reduce((all, row) => all + heightOfRow(flow, row), placed.header.height),
  );
  const height = Math.max(...heights);
  if (height > flow.layout.page.margins.top + PAGE.height / 2 && flow.bottom < PAGE.height)
    return null;
  return { flows, groups, slots: own, header: placed.header, height };
}

function drawAbreast(flow: PageFlow, { flows, groups, slots, header, height }: Abreast): void {
  ensure(flow, height);
  const top = flow.y;
  groups.forEach((rows, i) => {
    const part = { ...flows[i]!, page: flow.page, bottom: flow.bottom, y: top };
    drawHeader(part, slots[i]!, header);
    for (const row of rows) drawRow(part, slots[i]!, row);
  });
  flow.y = top + height;
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

const lineStep = ({ layout, setting }: PageFlow): number =>
  layout.sizes.table * (setting.isClose ? 1.2 : 1.3);
const rowStep = (flow: PageFlow): number => lineStep(flow) + (flow.setting.isClose ? 1.4 : 3.2);

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

const TITLE_LINES = 3;

/** The lines of each heading. */
export interface Header {
  readonly titles: readonly (readonly TextRun[])[];
  readonly height: number;
}

export function headerOf(flow: PageFlow, slots: readonly Slot[]): Header {
  const { layout, bold } = flow;
  const titles = slots.map(({ title, width }) =>
    bold.wrap(title, { size: layout.sizes.note, width: width - PADDING, mostLines: TITLE_LINES }),
  );
  const most = Math.max(...titles.map((runs) => runs.length));
  return { titles, height: most * layout.sizes.note * 1.2 + apart(flow, 2) + 5 };
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

const heightOfRow = (flow: PageFlow, { cells }: Row): number =>
  Math.max(...cells.map(({ runs }) => runs.length - 1)) * lineStep(flow) + rowStep(flow);

function drawRow(flow: PageFlow, slots: readonly Slot[], row: Row): void {
  const { cells, tone } = row;
  const height = heightOfRow(flow, row);
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
    slots.forEach(({ x, bar }, i) => {
      const long = cells[i]!.bar ?? 0;
      if (bar === null || bar === undefined || long <= 0) return;
      const middle = top + sizes.table * 0.66 + apart(flow, 1.6);
      pen.fill(
        [{ x: x + PADDING, y: middle - BAR_HEIGHT / 2, width: long, height: BAR_HEIGHT }],
        barColours[bar],
      );
    });
  });
  pen.open('TR');
  cells.forEach(({ runs, size }, i) => {
    const at = (line: number, run: TextRun): Point => {
      const base = top + sizes.table + apart(flow, 1.6) + line * lineStep(flow);
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
 * Draws parts below or beside each other. A heading is on the page of its block; headings of empty
 * tables are named together below all others.
 */
export function drawBlocks(flow: PageFlow, blocks: readonly Block[]): void {
  drawInColumns(flow, partsOfBlocks(blocks));
}

/**
 * The parts of blocks, of which each begins with its heading. The last one ends with the headings of
 * those that are empty.
 */
export function partsOfBlocks(blocks: readonly Block[]): readonly Part<PageFlow>[] {
  const { full, empty } = partsOf(blocks);
  const named = full.length === 0 && empty.length > 0 ? [[]] : full;
  return named.map((part, i): Part<PageFlow> => {
    const last = i === named.length - 1 ? empty : [];
    return {
      draw: (flow) => {
        drawPart(flow, part);
        drawNothing(flow, last);
      },
      fits: (flow) => fitsIn(flow, part),
      isBeside: part[0]?.isBeside,
    };
  });
}

/** `empty`: the headings of those that are empty tables alone. */
function partsOf(blocks: readonly Block[]): {
  readonly full: readonly (readonly Block[])[];
  readonly empty: readonly string[];
} {
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
  return {
    full: parts.filter((part) => !isEmpty(part)),
    empty: parts.filter(isEmpty).map(([first]) => (first as TextBlock).text),
  };
}

function drawNothing(flow: PageFlow, empty: readonly string[]): void {
  if (empty.length === 0) return;
  const list = empty.join(' · ');
  drawParagraph(flow, fill(flow.labels.document.nothing, { list }), { tone: 'muted' });
}

/** Nothing of it is cut, and no figure is made smaller, because the flow is narrow. */
function fitsIn(flow: PageFlow, part: readonly Block[]): boolean {
  return part.every((block) => {
    if (block.form === 'table') return shownOf(flow, block).fits;
    if (block.form === 'pairs') return pairsIn(flow, block).need <= flow.width;
    if (block.form === 'heading') return fitsSubheading(flow, block.text);
    return isReadable(flow) && hasWholeWords(flow, block.text);
  });
}

/** No hash is parted. */
function hasWholeWords({ regular, layout, width }: PageFlow, text: string): boolean {
  const { note: size } = layout.sizes;
  const words = text.split(' ').filter((word) => word.length > 24);
  return words.every((word) => widthOf(regular.shape(word), size) <= width);
}

/** A paragraph has some words in each of its lines. */
export const isReadable = ({ width }: PageFlow): boolean => width >= 170;

function drawPart(flow: PageFlow, shown: readonly Block[]): void {
  const { note } = flow.layout.sizes;
  shown.forEach((block, i) => {
    if (block.form === 'table') drawTable(flow, block);
    else if (block.form === 'pairs') drawPairs(flow, block);
    else if (block.form === 'heading')
      drawSubheading(flow, block.text, reserveFor(flow, shown[i + 1]));
    else if (block.form === 'note')
      drawParagraph(flow, block.text, { tone: 'muted', size: note, mostLines: MOST_LINES });
    else drawParagraph(flow, block.text, { tone: block.form, mostLines: MOST_LINES });
  });
}

/** No paragraph of ours is as long, in a narrow column either. */
const MOST_LINES = 60;

/** Points that must be left below a heading: a note goes on with a table. */
function reserveFor(flow: PageFlow, next: Block | undefined): number {
  if (next?.form === 'note') return 80;
  if (next?.form === 'table')
    return (
      abreastIn(flow, shownOf(flow, next))?.height ??
      30 + (Math.min(next.rows.length, LAST_TOGETHER) + 1) * rowStep(flow)
    );
  return next?.form === 'pairs' ? heightOf(flow, next) : 48;
}

const COLUMNS = 3;
const GAP = 18;
const stepOf = ({ layout, setting }: PageFlow): number =>
  layout.sizes.body * (setting.isClose ? 1.4 : 1.65);
const isFigures = ({ pairs }: PairBlock): boolean =>
  pairs.every(({ form = 'text' }) => form !== 'text');
const heightOf = (flow: PageFlow, block: PairBlock): number =>
  Math.ceil(block.pairs.length / pairsIn(flow, block).columns) * stepOf(flow);

/** `need`: points of the widest pair. */
function pairsIn(
  flow: PageFlow,
  block: PairBlock,
): { readonly columns: number; readonly need: number } {
  if (!isFigures(block)) return { columns: 1, need: 170 };
  const { regular, bold, words, layout } = flow;
  const size = layout.sizes.body;
  const needs = block.pairs.map(({ name, value, form = 'text' }) => {
    const figure = value === null || value === undefined ? DASH : written(words, form, value);
    return widthOf(regular.shape(name), size) + widthOf(bold.shape(figure), size) + 8;
  });
  const need = Math.max(...needs);
  const most = flow.width >= pageWidth(flow) - 1 ? COLUMNS : COLUMNS - 1;
  const fitting = Math.max(1, Math.floor((flow.width + GAP) / (need + GAP)));
  return { columns: flow.setting.isClose ? Math.min(most, fitting) : COLUMNS, need };
}

/** Figures in columns; texts, which may be long, one below the other. */
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
  const { columns } = pairsIn(flow, block);
  const column = (width - (columns - 1) * GAP) / columns;
  ensure(flow, heightOf(flow, block));
  const top = flow.y;
  texts.forEach(({ name, text }, i) => {
    const x = left + (i % columns) * (column + GAP);
    const y = top + Math.floor(i / columns) * stepOf(flow) + size;
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
