// A table of as many rows as a month may have, taken as they stream by, page after page, each under
// its headings. A row is as high as its longest text needs. The lines of each row are counted once,
// so that pages can be counted again without a row. Holds no more rows than the page that is open.

import { invariant } from '../../../../core/domain/invariant.ts';
import type { Column, Table, Tone } from '../../../../core/statements/tables/table.ts';
import { ensure, type Flow, turnPage } from './flow.ts';
import { type Face, type TextRun, tagged, untagged, widthOf } from './pen.ts';
import {
  colourOf,
  drawHeader,
  type Header,
  headerOf,
  type Slot,
  shrunk,
  slotsOf,
  startOf,
  writerOf,
} from './tables.ts';

export interface LongRow {
  readonly cells: readonly string[];
  readonly tone: Tone;
}

export interface LongTable<Row, Key extends string> {
  readonly table: Table<Row, Key>;
  /** By the keys of the columns. */
  readonly titles: Readonly<Record<Key, string>>;
  readonly count: number;
  /** `cells`: those of the columns that are on a page. */
  readonly rowOf: (row: Row, cells: readonly string[]) => LongRow;
  /**
   * Rows before and after those of each page, as they are when the page is drawn; null: there are
   * none.
   */
  readonly carried: {
    readonly above: (isFirst: boolean) => LongRow;
    readonly below: (isLast: boolean) => LongRow;
  } | null;
}

export interface OpenTable<Row> {
  /** Returns how many lines the row takes. */
  linesOf(row: Row): number;
  /** Adds a row of that many lines. `null` adds its place alone, while pages are counted. */
  add(lines: number, row: Row | null): void;
  /** Call once, after the last row. */
  finish(): void;
}

/** Holds the lines of each row, by the name of the table and the size of its letters. */
export type RowLines = Map<string, Uint8Array>;

type Frame = Pick<LongTable<never, never>, 'count' | 'carried'> & {
  readonly slots: readonly Slot[];
  readonly header: Header;
};

interface Page {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Points of all rows. */
  readonly height: number;
  /** None while pages are only counted. */
  readonly rows: Iterable<LongRow>;
}

export function openLongTable<Row, Key extends string>(
  flow: Flow,
  long: LongTable<Row, Key>,
): OpenTable<Row> {
  const { table, titles, rowOf } = long;
  const columns = table.columns.filter(
    ({ offPage }) => offPage !== 'always',
  ) as readonly Column<unknown>[];
  const slots = slotsOf(flow, columns, titles);
  const frame: Frame = { ...long, slots, header: headerOf(flow, slots) };
  const writers = columns.map((column) => writerOf(flow.words, column, titles));
  const drawn = (row: Row): LongRow =>
    rowOf(
      row,
      writers.map((write) => write(row)),
    );
  let [isFirst, height] = [true, 0];
  // Points for rows on the page that is open. `null` until the first row is known.
  let room: number | null = null;
  let rows: Row[] = [];
  const draw = (isLast: boolean): void =>
    drawPage(flow, frame, { isFirst, isLast, height, rows: rows.values().map(drawn) });
  return {
    linesOf: (row) => {
      const cells = writers.map((write) => write(row));
      return Math.max(
        ...slots.map(
          (slot, i) => cellOf(flow, slot, { text: cells[i]!, face: flow.regular }).runs.length,
        ),
      );
    },
    add: (lines, row) => {
      const own = rowHeight(flow, lines);
      room ??= roomFor(flow, frame, own);
      if (height + own > room) {
        draw(false);
        turnPage(flow);
        [isFirst, height, rows] = [false, 0, []];
        room = roomFor(flow, frame, own);
      }
      height += own;
      if (row !== null) rows.push(row);
    },
    finish: () => {
      room ??= roomFor(flow, frame, 0);
      draw(true);
      flow.y += 4;
    },
  };
}

/**
 * Draws all rows, or their places alone where `isCounted`. Yields after each batch, so that what was
 * drawn can be taken away. Throws when there are more or fewer rows than `count`.
 */
export async function* drawRows<Row>(
  table: OpenTable<Row>,
  {
    count,
    stream,
    isCounted,
    known,
    name,
  }: {
    readonly count: number;
    /** Each call streams the same rows again. */
    readonly stream: () => AsyncIterable<readonly Row[]>;
    readonly isCounted: boolean;
    readonly known: RowLines;
    /** The key in `known`. */
    readonly name: string;
  },
): AsyncGenerator<void> {
  const lines = known.get(name) ?? (await countLines(table, count, stream()));
  known.set(name, lines);
  if (isCounted) for (const own of lines) table.add(own, null);
  else {
    let seen = 0;
    for await (const batch of stream()) {
      invariant(seen + batch.length <= count, AS_MANY);
      for (const row of batch) table.add(lines[seen++]!, row);
      yield;
    }
    invariant(seen === count, AS_MANY);
  }
  table.finish();
}

const AS_MANY = 'a statement counts as many rows as stream beside it';

async function countLines<Row>(
  table: OpenTable<Row>,
  count: number,
  stream: AsyncIterable<readonly Row[]>,
): Promise<Uint8Array> {
  const lines = new Uint8Array(count);
  let seen = 0;
  for await (const batch of stream) {
    invariant(seen + batch.length <= count, AS_MANY);
    for (const row of batch) lines[seen++] = table.linesOf(row);
  }
  invariant(seen === count, AS_MANY);
  return lines;
}

const FEWEST_ROWS = 4;

/** Begins a page where too few rows fit on this one; returns the points that are left for rows. */
function roomFor(flow: Flow, frame: Frame, first: number): number {
  const around = heightAround(flow, frame);
  const fewest = Math.min(FEWEST_ROWS, frame.count) * rowHeight(flow);
  ensure(flow, around + Math.max(first, fewest));
  return flow.bottom - flow.y - around + ROUNDING;
}

/** Sums of heights are not exact. */
const ROUNDING = 0.001;

function heightAround(flow: Flow, { header, carried }: Frame): number {
  return header.height + (carried === null ? 0 : 2 * rowHeight(flow));
}

/**
 * In a short table each cell is tagged. In a long one each page is one paragraph, in which its rows
 * follow each other: tags for all cells would be most of the file.
 */
function drawPage(flow: Flow, frame: Frame, { isFirst, isLast, height, rows }: Page): void {
  const { pen, layout } = flow;
  const { carried } = frame;
  const end = flow.y + heightAround(flow, frame) + height;
  const draw = (on: Flow): void => {
    drawHeader(on, frame.slots, frame.header);
    if (carried !== null) drawLongRow(on, frame, carried.above(isFirst));
    for (const row of rows) drawLongRow(on, frame, row);
    if (carried !== null) drawLongRow(on, frame, carried.below(isLast));
  };
  if (frame.count <= layout.ledger.tagCellsUpTo) {
    pen.open('Table');
    draw(flow);
    pen.close();
  } else tagged(pen, 'P', () => draw({ ...flow, pen: untagged(pen) }));
  flow.y = end;
}

const PADDING = 2.5;
const SEPARATOR = ' · ';

const lineStep = ({ layout }: Flow): number => layout.sizes.ledger * 1.17;

const rowHeight = (flow: Flow, lines = 1): number =>
  lines * lineStep(flow) + (flow.setting.isClose ? 1.3 : 1.7);

function drawLongRow(flow: Flow, frame: Frame, row: LongRow): void {
  const { pen, layout, left, right, width, regular, bold } = flow;
  const isStrong = row.tone === 'strong';
  const top = flow.y;
  const face = isStrong ? bold : regular;
  const cells = frame.slots.map((slot, i) => {
    const room = isStrong ? spanned(frame.slots, row.cells, i) : slot.width;
    return cellOf(flow, { ...slot, width: room }, { text: row.cells[i]!, face });
  });
  const height = rowHeight(flow, Math.max(...cells.map(({ runs }) => runs.length)));
  const y = top + height;
  pen.decoration(() => {
    if (isStrong) pen.fill([{ x: left, y: top, width, height }], layout.colours.band);
    pen.line({ x: left, y }, { x: right, y }, { colour: layout.colours.rule, width: 0.35 });
  });
  const style = { face, colour: colourOf(flow, row.tone) };
  const base = top + layout.sizes.ledger + 1;
  pen.open('TR');
  cells.forEach(({ runs, size }, i) => {
    pen.open('TD');
    const drawn = runs.filter((run) => run.width > 0);
    if (drawn.length > 0)
      pen.content(() => {
        drawn.forEach((run, line) => {
          const x = startOf(frame.slots[i]!, run, { size, padding: PADDING });
          pen.text({ x, y: base + line * lineStep(flow) }, run, { ...style, size });
        });
      });
    pen.close();
  });
  pen.close();
  flow.y = y;
}

/** The name of a sum may use the empty cells to its right; returns the width of both in points. */
function spanned(slots: readonly Slot[], cells: readonly string[], i: number): number {
  const { x, width, holds } = slots[i]!;
  const next = slots.find((_, j) => j > i && cells[j] !== '');
  return holds === 'text' && next !== undefined ? next.x - x : width;
}

interface LongCell {
  readonly runs: readonly TextRun[];
  readonly size: number;
}

/** More lines make no row higher: a whole text is drawn smaller, another is cut. */
const MOST_LINES = 12;

interface LongText {
  readonly text: string;
  readonly face: Face;
}

/** Figures and dates are drawn smaller where they do not fit; texts take further lines. */
function cellOf({ layout }: Flow, slot: Slot, { text, face }: LongText): LongCell {
  const { ledger } = layout.sizes;
  const width = slot.width - 2 * PADDING;
  if (slot.holds !== 'text') {
    const run = face.shape(text);
    return { runs: [run], size: shrunk(run, { size: ledger, width }) };
  }
  if (!slot.isWhole && slot.lines === 1)
    return { runs: [face.cut(text, { size: ledger, width })], size: ledger };
  const run = face.shape(text);
  if (widthOf(run, ledger) <= width) return { runs: [run], size: ledger };
  if (!slot.isWhole)
    return { runs: face.wrap(text, { size: ledger, width, mostLines: slot.lines }), size: ledger };
  for (let size = ledger; ; size *= SMALLER) {
    const runs = face.wrap(text, { size, width, mostLines: MOST_LINES + 1 });
    if (runs.length <= MOST_LINES) return { runs, size: Math.floor(size * 100) / 100 };
  }
}

const SMALLER = 0.85;

/** Parts of one line; null and empty ones are left out. */
export function joined(parts: readonly (string | null)[]): string {
  let line = '';
  for (const part of parts)
    if (part !== null && part !== '') line += line === '' ? part : SEPARATOR + part;
  return line;
}
