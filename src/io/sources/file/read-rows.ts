// Reads the lines of a file into column batches, one batch at a time and synchronously: by the
// scanner where a line has a known shape, else by the strict decoder. Both give the same rows; only
// the strict decoder refuses lines, and names the line.

import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import {
  createLineScanner,
  type LineScanner,
  learnLine,
  scanLine,
} from '../../../core/bytes/json-lines/scan-line.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { ReadBatch } from '../../../core/domain/rows/batch-view.ts';
import {
  allocateBatch,
  type ColumnBatch,
  clearBatch,
  hasRoom,
  openBatch,
} from '../../../core/domain/rows/column-batch.ts';
import { type HashKey, hashBytes } from '../../../core/domain/rows/hash-bytes.ts';
import type { RowCursor } from '../../../core/domain/rows/row-cursor.ts';
import { writeRow } from '../../../core/domain/rows/row-store.ts';
import type { RowTable } from '../../../core/domain/rows/row-table.ts';
import { forgetOwnWords } from '../../../core/domain/rows/word-codes.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { HASH_KEY } from '../../threads/hash-key.ts';
import { type DecodedRow, decodeRow, rejectRow } from '../decode/decode-row.ts';
import { type BookFile, LONGEST_LINE, markLength, readAt } from './book-file.ts';
import type { RowPlan } from './row-plan.ts';

/**
 * Bytes that a batch has room for: the longest line, and the texts that a strictly decoded row
 * writes once more.
 */
export const BATCH_SIZE = 2 * LONGEST_LINE + 65_536;
const TOO_LONG: Refused = {
  reason: 'the line is longer than 1 MiB',
  refusal: { code: 'TOO_LARGE', of: 'line' },
};
/** Bytes that are kept of a line that is too long to be read. */
const KEPT_OF_OVERLONG = 8_192;
/** Bytes of the first read. Each read doubles up to MOST_READ, so that the first rows come soon. */
const FIRST_READ = 65_536;
const MOST_READ = 524_288;
const LINE_FEED = 0x0a;

/** Reads a file from its beginning on; each batch moves `position` and `line` on. */
interface RowReader<Row> {
  readonly file: BookFile;
  readonly plan: RowPlan<Row>;
  readonly scanner: LineScanner<Row>;
  /**
   * Returns why the last row of the batch is refused although it was read, or `null`. `null` in
   * place of the function: no row is refused.
   */
  readonly refuse: ((batch: ColumnBatch<Row>) => Refused | null) | null;
  /** Offset in the file of the next line. */
  position: number;
  /** Number of the next line, from 1. */
  line: number;
  readSize: number;
  isDone: boolean;
  /** True while no row had a key below that of the row before it. */
  isInOrder: boolean;
  /** The key of the last row. */
  highest: number;
}

export function createRowReader<Row>(
  file: BookFile,
  plan: RowPlan<Row>,
  {
    key = HASH_KEY,
    refuse = null,
  }: { readonly key?: HashKey; readonly refuse?: RowReader<Row>['refuse'] } = {},
): RowReader<Row> {
  const scanner = scannerOf(plan, key);
  return {
    ...{ file, plan, scanner, refuse, position: 0, line: 1, readSize: FIRST_READ },
    // An empty file may still have something to report: why its content was cut off.
    isDone: file.size === 0 && file.cutOff === null,
    ...{ isInOrder: true, highest: Number.NEGATIVE_INFINITY },
  };
}

/**
 * For each table, the shapes learned last and the known words. They are kept because thousands of
 * small files are read one after another, and one program has written them all.
 */
const kept = new Map<RowTable<never>, Pick<LineScanner<never>, 'codes' | 'shapes'>>();
const MOST_KEPT = 2;

function scannerOf<Row>(plan: RowPlan<Row>, key: HashKey): LineScanner<Row> {
  const scanner = createLineScanner(
    plan.table,
    key,
    kept.get(plan.table as RowTable<never>) as LineScanner<Row> | undefined,
  );
  keepShapes(plan, scanner);
  return scanner;
}

function keepShapes<Row>({ table }: RowPlan<Row>, { codes, shapes }: LineScanner<Row>): void {
  kept.set(table as RowTable<never>, { codes, shapes: shapes.slice(0, MOST_KEPT) });
}

/**
 * Fills an empty batch with the next rows of the file. Returns the rows refused among them, in the
 * order of the lines.
 */
export function fillBatch<Row>(
  reader: RowReader<Row>,
  batch: ColumnBatch<Row>,
): readonly RejectedRow[] {
  const rejected: RejectedRow[] = [];
  const end = loadLines(reader, batch);
  if (end < 0) stepOver(reader, batch, rejected);
  else takeLines(reader, batch, end, rejected);
  keepShapes(reader.plan, reader.scanner);
  reader.readSize = Math.min(2 * reader.readSize, MOST_READ);
  const { cutOff, size } = reader.file;
  reader.isDone = reader.position >= size;
  if (reader.isDone && cutOff !== null) rejected.push(refusalAt(reader, cutOff, ''));
  return rejected;
}

/**
 * Reads whole lines into the batch, and returns the offset after the last; −1 when the next line is
 * too long. Adds the line feed that a last line may lack.
 */
function loadLines<Row>(
  { file, position, readSize }: RowReader<Row>,
  batch: ColumnBatch<Row>,
): number {
  const left = file.size - position;
  let filled = 0;
  for (let wanted = Math.min(readSize, left); filled < wanted; ) {
    filled += readAt(file, batch.bytes.subarray(filled, wanted), position + filled);
    batch.used = filled + 1;
    const end = filled === 0 ? 0 : batch.bytes.lastIndexOf(LINE_FEED, filled - 1) + 1;
    if (end > 0) return end;
    if (filled > LONGEST_LINE) return -1;
    if (filled === left) batch.bytes[filled] = LINE_FEED;
    if (filled === left) return filled + 1;
    wanted = Math.min(2 * wanted, LONGEST_LINE + 1, left);
  }
  return 0;
}

function takeLines<Row>(
  reader: RowReader<Row>,
  batch: ColumnBatch<Row>,
  end: number,
  rejected: RejectedRow[],
): void {
  const { file, plan, scanner, refuse } = reader;
  const { bytes } = batch;
  const isValid = isUtf8(bytes.subarray(0, end));
  const start = reader.position;
  forgetOwnWords(scanner.codes);
  let at = start === 0 ? markLength(bytes) : 0;
  while (at < end && hasRoom(batch, 0)) {
    const row = batch.rows;
    let next =
      isValid || isUtf8(bytes.subarray(at, bytes.indexOf(LINE_FEED, at)))
        ? scanLine(scanner, batch, at)
        : -1;
    if (next >= 0 && plan.isPlain !== null && !plan.isPlain(batch, row)) {
      batch.rows = row;
      next = -1;
    }
    if (next < 0) {
      next = readStrictly(reader, batch, at, rejected);
      if (next < 0) break;
    }
    if (batch.rows > row) {
      batch.places[row] = start + at;
      if (plan.table.rowHashPlace >= 0) noteRowHash(reader, batch, at, next - 1);
      const refused = refuse === null ? null : refuse(batch);
      if (refused !== null) {
        batch.rows = row;
        rejected.push(refusalAt(reader, refused, lineAt(bytes, at)));
      } else if (plan.key >= 0)
        noteKey(reader, batch.numbers[row * plan.table.numbers + plan.key]!);
    }
    at = next;
    reader.line += 1;
  }
  // The line feed that was added to a last line is not in the file.
  reader.position = Math.min(start + at, file.size);
}

/** Writes the hash of the line's bytes, without its line feed. */
function noteRowHash<Row>(
  { plan, scanner }: RowReader<Row>,
  batch: ColumnBatch<Row>,
  start: number,
  end: number,
): void {
  const { numbers, rowHashPlace } = plan.table;
  batch.numbers[(batch.rows - 1) * numbers + rowHashPlace] = hashBytes(
    scanner.key,
    batch.view,
    start,
    end - start,
  );
}

function noteKey(reader: Pick<RowReader<unknown>, 'highest' | 'isInOrder'>, key: number): void {
  if (key < reader.highest) reader.isInOrder = false;
  reader.highest = key;
}

/**
 * Reads a line by the strict decoder, and returns the offset of the next line. Returns −1, and does
 * nothing, when the batch has no room for the row.
 */
function readStrictly<Row>(
  reader: RowReader<Row>,
  batch: ColumnBatch<Row>,
  at: number,
  rejected: RejectedRow[],
): number {
  const { scanner } = reader;
  const line = lineAt(batch.bytes, at);
  const next = at + line.length + 1;
  if (isBlank(line)) return next;
  const { row, refused } = decodeLine(reader, line, placeOf(reader));
  if (refused !== null) rejected.push(refused);
  else if (!writeRow(scanner, batch, row, 0)) return -1;
  return next;
}

/**
 * Copies a line without its line feed, because the batch's memory is shared, and not every decoder
 * of texts accepts shared memory.
 */
function lineAt(bytes: Buffer, at: number): Buffer {
  return Buffer.from(bytes.subarray(at, bytes.indexOf(LINE_FEED, at)));
}

/** Decodes a line, without its line feed, by the strict decoder, and learns its shape. */
function decodeLine<Row>(
  { plan, scanner }: Pick<RowReader<Row>, 'plan' | 'scanner'>,
  line: Buffer,
  place: string,
): DecodedRow<Row> {
  const decoded = decodeRow(line, { ...plan, place });
  if (decoded.refused === null)
    learnLine(scanner, line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
  return decoded;
}

function refusalAt<Row>(
  reader: RowReader<Row>,
  refused: Refused,
  raw: string | Uint8Array,
): RejectedRow {
  return rejectRow({ part: reader.plan.part, place: placeOf(reader), refused, raw });
}

function placeOf({ file, line }: Pick<RowReader<never>, 'file' | 'line'>): string {
  return `${file.name}:${line}`;
}

/**
 * Refuses a line that is too long, of which the batch has the beginning, and moves to the next
 * line.
 */
function stepOver<Row>(
  reader: RowReader<Row>,
  batch: ColumnBatch<Row>,
  rejected: RejectedRow[],
): void {
  const { file } = reader;
  const { bytes } = batch;
  rejected.push(refusalAt(reader, TOO_LONG, Buffer.from(bytes.subarray(0, KEPT_OF_OVERLONG))));
  let lineFeed = -1;
  reader.position += LONGEST_LINE;
  while (lineFeed < 0 && reader.position < file.size) {
    const filled = readAt(file, bytes.subarray(0, MOST_READ), reader.position);
    lineFeed = bytes.subarray(0, filled).indexOf(LINE_FEED);
    reader.position += lineFeed < 0 ? filled : lineFeed + 1;
  }
  reader.line += 1;
}

function isBlank(line: Uint8Array): boolean {
  for (const byte of line) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

// Reads rows on this thread, in the order of the file, and yields to other work every few
// megabytes.

const GIVE_WAY_EVERY = 4_194_304;

export async function* readInPlace<Row>(reader: RowReader<Row>) {
  for (let before = 0; !reader.isDone; before = reader.position) {
    if (Math.floor(before / GIVE_WAY_EVERY) !== Math.floor(reader.position / GIVE_WAY_EVERY))
      await setImmediate();
    const { batch, release } = takeBatch(reader.plan);
    yield { reader, batch, rejected: fillBatch(reader, batch), release };
  }
}

/**
 * Batches that are not in use, by plan. They are kept because thousands of small files are read one
 * after another.
 */
const spare = new Map<RowPlan<never>, ColumnBatch<never>[]>();
const MOST_SPARE = 2;

/** Returns an empty batch; `release` returns it for further use. */
export function takeBatch<Row>(plan: RowPlan<Row>): Omit<ReadBatch<Row>, 'rejected'> {
  const batches = (spare.get(plan as never) ?? []) as unknown as ColumnBatch<Row>[];
  spare.set(plan as never, batches as never);
  const batch = batches.pop() ?? openBatch(plan.table, allocateBatch(plan.table, BATCH_SIZE));
  clearBatch(batch);
  const release = (): void => {
    if (batches.length < MOST_SPARE) batches.push(batch);
  };
  return { batch, release };
}

// Reads single lines of a file from known offsets, in any order, and decodes their rows.

/**
 * Bytes read when the line is far from the last one. Twice as many are read each time when lines
 * prove to follow each other.
 */
const FEWEST_AROUND = 2_048;
const MOST_AROUND = 262_144;

export interface LineFinder {
  readonly file: BookFile;
  /** The bytes read last. */
  bytes: Buffer;
  /** Offset in the file at which `bytes` begins. */
  start: number;
  /** Offset in the file after the last of `bytes`. */
  end: number;
}

export function createLineFinder(file: BookFile): LineFinder {
  return { file, bytes: Buffer.alloc(0), start: 0, end: 0 };
}

export interface RowFinder<Row> extends LineFinder {
  readonly plan: RowPlan<Row>;
  readonly scanner: LineScanner<Row>;
  readonly cursor: RowCursor<Row>;
}

export function createRowFinder<Row>(file: BookFile, plan: RowPlan<Row>): RowFinder<Row> {
  return {
    ...createLineFinder(file),
    plan,
    scanner: scannerOf(plan, HASH_KEY),
    cursor: plan.createCursor(),
  };
}

/** Returns the row whose line begins at `offset`; `null` when the line cannot be decoded. */
export function findRow<Row>(finder: RowFinder<Row>, offset: number): Row | null {
  const line = lineFrom(finder, offset);
  return (
    (isUtf8(line) ? scanRow(finder, line) : null) ??
    decodeLine(finder, line.subarray(0, -1), '').row
  );
}

function scanRow<Row>({ plan, scanner, cursor }: RowFinder<Row>, line: Buffer): Row | null {
  const { batch, release } = takeBatch(plan);
  try {
    forgetOwnWords(scanner.codes);
    batch.used = line.copy(batch.bytes);
    const isScanned =
      scanLine(scanner, batch, 0) === line.length && (plan.isPlain?.(batch, 0) ?? true);
    if (!isScanned) return null;
    cursor.open(batch);
    return plan.copy(cursor.row);
  } finally {
    release();
  }
}

/**
 * Returns the line with its line feed, which is added to a last line that lacks it; only the
 * beginning of a line that is too long. Valid until the next call.
 */
export function lineFrom(finder: LineFinder, offset: number): Buffer {
  const { file } = finder;
  let size =
    offset >= finder.start && offset <= finder.end
      ? Math.min(2 * finder.bytes.length || FEWEST_AROUND, MOST_AROUND)
      : FEWEST_AROUND;
  for (;;) {
    if (offset >= finder.start && offset < finder.end) {
      const from = offset - finder.start;
      const to = finder.end - finder.start;
      const lineFeed = finder.bytes.subarray(from, to).indexOf(0x0a);
      if (lineFeed >= 0) return finder.bytes.subarray(from, from + lineFeed + 1);
      if (finder.end >= file.size)
        return Buffer.concat([finder.bytes.subarray(from, to), Buffer.from('\n')]);
      if (to - from > LONGEST_LINE) return finder.bytes.subarray(from, to);
      if (finder.start === offset) size = 4 * finder.bytes.length;
    }
    finder.bytes = Buffer.allocUnsafe(Math.min(size, file.size - offset));
    finder.start = offset;
    finder.end = offset + readAt(file, finder.bytes, offset);
  }
}
