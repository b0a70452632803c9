// A table of as many rows as a month may have, taken as they stream by, page after page, each under
// its headings. A row is one line, with whole figures, so that its pages can be counted without a
// row. Holds no more rows than the page that is open.

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
  /** Null: a row of which only the place is wanted. */
  add(row: Row | null): void;
  /** Call once, after the last row. */
  finish(): void;
}

type Frame = Pick<LongTable<never, never>, 'count' | 'carried'> & {
  readonly slots: readonly Slot[];
  readonly header: Header;
};

interface Page {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly count: number;
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
  let [isFirst, room, count] = [true, roomFor(flow, frame), 0];
  let rows: Row[] = [];
  const draw = (isLast: boolean): void =>
    drawPage(flow, frame, { isFirst, isLast, count, rows: rows.values().map(drawn) });
  return {
    add: (row) => {
      if (count === room) {
        draw(false);
        turnPage(flow);
        [isFirst, room, count, rows] = [false, roomFor(flow, frame), 0, []];
      }
      count += 1;
      if (row !== null) rows.push(row);
    },
    finish: () => {
      draw(true);
      flow.y += 4;
    },
  };
}

/**
 * Yields after each batch, so that what was drawn can be taken away. Throws when there are more or
 * fewer rows than stated.
 */
export async function* drawRows<Row>(
  table: OpenTable<Row>,
  {
    count,
    stream,
  }: { readonly count: number; readonly stream: AsyncIterable<readonly Row[]> | null },
): AsyncGenerator<void> {
  if (stream === null) for (let row = 0; row < count; row++) table.add(null);
  else {
    let seen = 0;
    for await (const batch of stream) {
      for (const row of batch) table.add(row);
      seen += batch.length;
      yield;
    }
    invariant(seen === count, 'a statement counts as many rows as stream beside it');
  }
  table.finish();
}

const FEWEST_ROWS = 4;

/** Begins a page where too few rows fit on this one; returns how many do. */
function roomFor(flow: Flow, frame: Frame): number {
  const around = heightAround(flow, frame);
  const height = rowHeight(flow);
  ensure(flow, around + Math.min(FEWEST_ROWS, frame.count) * height);
  return Math.floor((flow.bottom - flow.y - around) / height);
}

function heightAround(flow: Flow, { header, carried }: Frame): number {
  return header.height + (carried === null ? 0 : 2 * rowHeight(flow));
}

/**
 * In a short table each cell is tagged. In a long one each page is one paragraph, in which its rows
 * follow each other: tags for all cells would be most of the file.
 */
function drawPage(flow: Flow, frame: Frame, { isFirst, isLast, count, rows }: Page): void {
  const { pen, layout } = flow;
  const { carried } = frame;
  const end = flow.y + heightAround(flow, frame) + count * rowHeight(flow);
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

const rowHeight = ({ layout, setting }: Flow): number =>
  layout.sizes.ledger * 1.17 + (setting.isClose ? 1.3 : 1.7);

function drawLongRow(flow: Flow, frame: Frame, row: LongRow): void {
  const { pen, layout, left, right, width, regular, bold } = flow;
  const isStrong = row.tone === 'strong';
  const top = flow.y;
  const height = rowHeight(flow);
  const y = top + height;
  pen.decoration(() => {
    if (isStrong) pen.fill([{ x: left, y: top, width, height }], layout.colours.band);
    pen.line({ x: left, y }, { x: right, y }, { colour: layout.colours.rule, width: 0.35 });
  });
  const style = { face: isStrong ? bold : regular, colour: colourOf(flow, row.tone) };
  pen.open('TR');
  for (const { x, run, size } of placesOf(flow, frame.slots, { ...row, face: style.face })) {
    pen.open('TD');
    if (run.width > 0)
      pen.content(() => pen.text({ x, y: top + layout.sizes.ledger + 1 }, run, { ...style, size }));
    pen.close();
  }
  pen.close();
  flow.y = y;
}

interface Placed {
  readonly x: number;
  readonly run: TextRun;
  readonly size: number;
}

/**
 * Figures and dates are drawn smaller where they do not fit. Whole texts push those to their right
 * aside first.
 */
function placesOf(
  { layout }: Flow,
  slots: readonly Slot[],
  { cells, face }: Pick<LongRow, 'cells'> & { readonly face: Face },
): readonly Placed[] {
  const { ledger } = layout.sizes;
  const whole = slots.map(({ isWhole }, i) => face.shape(isWhole ? cells[i]! : ''));
  /** Of the whole texts up to the next figure or date. */
  const widthFrom = (first: number, beyond: number): number =>
    whole
      .slice(first, beyond)
      .reduce((sum, run) => sum + (run.width === 0 ? 0 : widthOf(run, ledger) + ledger), 0);
  let end: number | null = null;
  return slots.map((slot, i) => {
    const edge = slot.x + PADDING;
    if (slot.holds !== 'text') {
      end = null;
      const run = face.shape(cells[i]!);
      const size = shrunk(run, { size: ledger, width: slot.width - 2 * PADDING });
      return { run, size, x: startOf(slot, run, { size, padding: PADDING }) };
    }
    if (!slot.isWhole) {
      const x = Math.max(edge, end ?? edge);
      // A text may use the empty cells to its right.
      const next = slots.find((_, j) => j > i && cells[j] !== '');
      const width = (next?.x ?? slot.x + slot.width) - PADDING - x;
      return {
        run: face.cut(width < 3 * ledger ? '' : cells[i]!, { size: ledger, width }),
        size: ledger,
        x,
      };
    }
    const beyond = slots.findIndex(({ holds }, j) => j > i && holds !== 'text');
    const until = slots[beyond]?.x ?? slot.x + slot.width;
    const needed = widthFrom(i, beyond);
    const x: number = end === null ? edge : Math.max(end, Math.min(edge, until - needed));
    const share = needed > until - x ? (until - x) / needed : 1;
    const run = whole[i]!;
    if (run.width > 0) end = x + (widthOf(run, ledger) + ledger) * share;
    return { run, size: Math.floor(ledger * share * 100) / 100, x };
  });
}

/** Parts of one line; null and empty ones are left out. */
export function joined(parts: readonly (string | null)[]): string {
  let line = '';
  for (const part of parts)
    if (part !== null && part !== '') line += line === '' ? part : SEPARATOR + part;
  return line;
}
