// The tallies of operations at work, as columns of numbers that grow, found by the bytes of a
// reference. No row is ever taken out of a table: those that stay are copied into another table.
// `tallies-seen.ts` gives tallies as objects.

import type { Operation } from '../../domain/operation.ts';
import { isNamedAt, type Name } from '../../domain/rows/name.ts';
import { OPERATION_TABLE } from '../../domain/rows/operation-fields.ts';
import {
  clearStore,
  copyBytes,
  createRowStore,
  grown,
  type RowStore,
  storeFrom,
} from '../../domain/rows/row-store.ts';
import type { PostedLine, TalliedLine } from './tally.ts';

export interface TallyTable {
  count: number;
  /** Row after row, each `TALLY.width` numbers. NaN means `null`. */
  figures: Float64Array;
  /**
   * A hash table with open addressing: the place of a row is `hash & (length − 1)`, or the first
   * free slot after it. −1: the slot is free.
   */
  index: Int32Array;
  /** The bytes of all references, one after the other. */
  names: DataView;
  /** How many bytes of `names` are used. */
  named: number;
  readonly lines: LinePool;
  readonly operations: RowStore<Operation>;
  /**
   * The version of an operation that an earlier session had settled, by row. Most rows have none.
   */
  readonly previous: Map<number, Operation>;
  /**
   * The table into which `keepTallies` copies next: two tables take turns. `null` before the first
   * time.
   */
  spare: TallyTable | null;
}

/**
 * The lines of all operations, as linked lists: each line has the number of the next line of its
 * operation.
 */
export interface LinePool {
  count: number;
  figures: Float64Array;
  /** Direction and kind of each line: line n has them at 2n and 2n + 1. */
  readonly words: string[];
}

/** The place of each figure of a tally in its row of `figures`. */
export const TALLY = {
  ...{ hash: 0, nameStart: 1, nameLength: 2, held: 3, availableBefore: 4, judgedAt: 5 },
  /**
   * Numbers in the pool of the first and the last line (−1: it has no lines), and the count of its
   * lines.
   */
  ...{ firstLine: 6, lastLine: 7, lines: 8 },
  /** Amount of the operation's first hold; NaN where it has none. */
  hold: 9,
  /** Row in `operations`; −1 where the operation itself is not known yet. */
  operation: 10,
  settling: 11,
  /** 1 or 0. */
  lacksEarlierLines: 12,
  width: 13,
} as const;

/** The place of each figure of a line in its row of the pool. `next` is −1 at the last line. */
export const LINE = {
  ...{ sequence: 0, amount: 1, balanceAfter: 2, reservedAfter: 3, createdAt: 4 },
  ...{ reservedMove: 5, heldMove: 6, next: 7, width: 8 },
} as const;

const FEWEST = 64;
const BYTES_A_NAME = 24;
/**
 * Bytes that must be free after the last name, because names are copied and compared four bytes at
 * a time.
 */
const SPARE = 8;

export function createTallyTable(): TallyTable {
  return {
    count: 0,
    figures: new Float64Array(FEWEST * TALLY.width),
    index: new Int32Array(2 * FEWEST).fill(-1),
    names: new DataView(new ArrayBuffer(FEWEST * BYTES_A_NAME)),
    named: 0,
    lines: { count: 0, figures: new Float64Array(2 * FEWEST * LINE.width), words: [] },
    operations: createRowStore(OPERATION_TABLE),
    previous: new Map(),
    spare: null,
  };
}

/** Returns a copy that can be changed by itself. The table must have no operations. */
export function copyTallies(table: TallyTable): TallyTable {
  return {
    ...structuredClone({ ...table, operations: null, spare: null }),
    operations: createRowStore(OPERATION_TABLE),
  };
}

/** Returns the row of the operation with this reference, or −1. */
export function findTally({ figures, index, names }: TallyTable, name: Name): number {
  const mask = index.length - 1;
  for (let place = name.hash & mask; ; place = (place + 1) & mask) {
    const row = index[place]!;
    if (row < 0) return -1;
    const at = row * TALLY.width;
    if (figures[at] !== name.hash || figures[at + TALLY.nameLength] !== name.length) continue;
    if (isNamedAt(names, figures[at + TALLY.nameStart]!, name)) return row;
  }
}

/** Returns the row of the operation with this reference; begins a row where there is none. */
export function tallyOf(table: TallyTable, name: Name): number {
  const row = findTally(table, name);
  return row < 0 ? beginRow(table, name) : row;
}

function beginRow(table: TallyTable, name: Name): number {
  makeRoom(table, name.length);
  const { figures } = table;
  const row = table.count++;
  const at = row * TALLY.width;
  figures[at] = name.hash;
  figures[at + TALLY.nameStart] = table.named;
  figures[at + TALLY.nameLength] = name.length;
  copyBytes(name.view, name.start, table.names, table.named, name.length);
  table.named += name.length;
  figures[at + TALLY.held] = 0;
  figures[at + TALLY.availableBefore] = Number.NaN;
  figures[at + TALLY.judgedAt] = -1;
  figures[at + TALLY.operation] = -1;
  figures[at + TALLY.settling] = 0;
  figures[at + TALLY.lacksEarlierLines] = 0;
  dropLines(table, row);
  enterIndex(table.index, name.hash, row);
  return row;
}

/** Empties the list of lines of the row. */
export function dropLines({ figures }: TallyTable, row: number): void {
  const at = row * TALLY.width;
  figures[at + TALLY.firstLine] = -1;
  figures[at + TALLY.lastLine] = -1;
  figures[at + TALLY.lines] = 0;
  figures[at + TALLY.hold] = Number.NaN;
}

export function addLine(
  table: TallyTable,
  row: number,
  posted: PostedLine,
  { reservedMove, heldMove }: Pick<TalliedLine, 'reservedMove' | 'heldMove'>,
): void {
  const { lines } = table;
  const line = beginLine(lines, posted.direction, posted.kind);
  const { figures } = lines;
  const at = line * LINE.width;
  figures[at] = posted.sequence;
  figures[at + LINE.amount] = posted.amount;
  figures[at + LINE.balanceAfter] = posted.balanceAfter;
  figures[at + LINE.reservedAfter] = posted.reservedAfter;
  figures[at + LINE.createdAt] = posted.createdAt;
  figures[at + LINE.reservedMove] = reservedMove ?? Number.NaN;
  figures[at + LINE.heldMove] = heldMove;
  figures[at + LINE.next] = -1;
  appendLine(table, row, line);
}

/**
 * Sets the row's operation: `operation` is a row of the store. The tally has to be judged again.
 */
export function setOperation({ figures }: TallyTable, row: number, operation: number): void {
  figures[row * TALLY.width + TALLY.operation] = operation;
  figures[row * TALLY.width + TALLY.judgedAt] = -1;
}

function beginLine(lines: LinePool, direction: string, kind: string): number {
  const line = lines.count++;
  if (lines.count * LINE.width > lines.figures.length) {
    lines.figures = grown(lines.figures, new Float64Array(2 * lines.figures.length));
  }
  lines.words[2 * line] = direction;
  lines.words[2 * line + 1] = kind;
  return line;
}

function appendLine({ figures, lines }: TallyTable, row: number, line: number): void {
  const at = row * TALLY.width;
  const last = figures[at + TALLY.lastLine]!;
  if (last < 0) figures[at + TALLY.firstLine] = line;
  else lines.figures[last * LINE.width + LINE.next] = line;
  figures[at + TALLY.lastLine] = line;
  figures[at + TALLY.lines]! += 1;
  if (lines.words[2 * line + 1] === 'CASHOUT_HOLD' && Number.isNaN(figures[at + TALLY.hold]!)) {
    figures[at + TALLY.hold] = lines.figures[line * LINE.width + LINE.amount]!;
  }
}

/**
 * Returns a table with the rows for which `stays` is true, in the same order. The given table must
 * not be used afterwards. `copied` is called with the old and the new number of each row.
 */
export function keepTallies(
  table: TallyTable,
  stays: (row: number) => boolean,
  copied: (row: number, copy: number) => void,
): TallyTable {
  const kept = table.spare ?? createTallyTable();
  for (let row = 0; row < table.count; row += 1)
    if (stays(row)) copied(row, copyTally(kept, table, row));
  clearTallies(table);
  table.spare = null;
  kept.spare = table;
  return kept;
}

/** Copies one tally with its operation and lines. Returns the row of the copy. */
function copyTally(to: TallyTable, from: TallyTable, row: number): number {
  const at = row * TALLY.width;
  const start = from.figures[at + TALLY.nameStart]!;
  const length = from.figures[at + TALLY.nameLength]!;
  const copy = beginRow(to, { hash: from.figures[at]!, view: from.names, start, length });
  const there = copy * TALLY.width;
  for (const place of KEPT) to.figures[there + place] = from.figures[at + place]!;
  const operation = from.figures[at + TALLY.operation]!;
  if (operation >= 0)
    to.figures[there + TALLY.operation] = storeFrom(to.operations, from.operations, operation);
  const previous = from.previous.get(row);
  if (previous !== undefined) to.previous.set(copy, previous);
  for (let line = from.figures[at + TALLY.firstLine]!; line >= 0; ) {
    copyLine(to, copy, from.lines, line);
    line = from.lines.figures[line * LINE.width + LINE.next]!;
  }
  return copy;
}

const KEPT = [
  TALLY.held,
  TALLY.availableBefore,
  TALLY.judgedAt,
  TALLY.settling,
  TALLY.lacksEarlierLines,
] as const;

function copyLine(to: TallyTable, row: number, { figures, words }: LinePool, line: number): void {
  const { lines } = to;
  const copy = beginLine(lines, words[2 * line]!, words[2 * line + 1]!);
  for (let i = 0; i < LINE.next; i += 1)
    lines.figures[copy * LINE.width + i] = figures[line * LINE.width + i]!;
  lines.figures[copy * LINE.width + LINE.next] = -1;
  appendLine(to, row, copy);
}

function clearTallies(table: TallyTable): void {
  table.count = 0;
  table.named = 0;
  table.index.fill(-1);
  table.lines.count = 0;
  table.previous.clear();
  clearStore(table.operations);
}

/** Makes room for one more tally, whose name has `length` bytes. */
function makeRoom(table: TallyTable, length: number): void {
  if (table.named + length + SPARE > table.names.byteLength) {
    const names = new Uint8Array(2 * table.names.byteLength + length);
    names.set(new Uint8Array(table.names.buffer));
    table.names = new DataView(names.buffer);
  }
  if (2 * (table.count + 1) <= table.index.length) return;
  table.figures = grown(table.figures, new Float64Array(2 * table.figures.length));
  table.index = new Int32Array(2 * table.index.length).fill(-1);
  for (let row = 0; row < table.count; row += 1)
    enterIndex(table.index, table.figures[row * TALLY.width]!, row);
}

function enterIndex(index: Int32Array, hash: number, row: number): void {
  const mask = index.length - 1;
  let place = hash & mask;
  while (index[place]! >= 0) place = (place + 1) & mask;
  index[place] = row;
}
