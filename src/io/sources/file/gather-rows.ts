// Reads rows of a file from known offsets, in any order of them: single ones, and many in batches.

import { isUtf8 } from 'node:buffer';
import { allocateBatch, type ColumnBatch, clearBatch, hasRoom, openBatch } from '../../../core/rows/column-batch.ts';
import { type LineScanner, learnLine, scanLine } from '../../../core/rows/json-lines/scan-line.ts';
import type { RowCursor } from '../../../core/rows/row-cursor.ts';
import { writeRow } from '../../../core/rows/row-store.ts';
import { forgetOwnWords } from '../../../core/rows/word-codes.ts';
import { HASH_KEY } from '../../threads/hash-key.ts';
import { parseStrictJson } from '../decode/strict-json.ts';
import { type OpenFile, readAt } from './read-at.ts';
import { BATCH_SIZE, LONGEST_LINE, scannerOf } from './read-rows.ts';
import type { RowPlan } from './row-plan.ts';

/** Bytes read where the last row was elsewhere; twice as many each time that rows turn out to follow each other. */
const FIRST_READ = 2_048;
const MOST_READ = 262_144;

export interface RowFinder<Row> {
  readonly file: OpenFile;
  readonly plan: RowPlan<Row>;
  readonly scanner: LineScanner<Row>;
  /** For single rows, once one was asked for. */
  batch: ColumnBatch<Row> | null;
  readonly cursor: RowCursor<Row>;
  /** What was read last, and where it stands in the file. */
  bytes: Buffer;
  start: number;
  end: number;
}

export function createRowFinder<Row>(file: OpenFile, plan: RowPlan<Row>): RowFinder<Row> {
  const scanner = scannerOf(plan, HASH_KEY);
  return { file, plan, scanner, batch: null, cursor: plan.createCursor(), bytes: Buffer.alloc(0), start: 0, end: 0 };
}

/** The row whose line begins at `offset`, or null when that is not one. */
export function findRow<Row>(finder: RowFinder<Row>, offset: number): Row | null {
  const { cursor, plan } = finder;
  finder.batch ??= openBatch(plan.table, allocateBatch(plan.table, BATCH_SIZE));
  const { batch } = finder;
  clearBatch(batch);
  forgetOwnWords(finder.scanner.codes);
  if (enterLine(finder, batch, lineFrom(finder, offset), offset) !== 'entered') return null;
  cursor.open(batch);
  return plan.copy(cursor.row);
}

/** Fills an empty batch with the rows at `offsets` from number `from` on; gives the number of the first that is left. */
export function gatherRows<Row>(
  finder: RowFinder<Row>,
  batch: ColumnBatch<Row>,
  offsets: Float64Array,
  from: number,
): { readonly next: number; readonly isSound: boolean } {
  forgetOwnWords(finder.scanner.codes);
  let next = from;
  for (; next < offsets.length; next += 1) {
    const entered = enterLine(finder, batch, lineFrom(finder, offsets[next]!), offsets[next]!);
    if (entered === 'unsound') return { next, isSound: false };
    if (entered === 'full') break;
  }
  return { next, isSound: true };
}

/** The line is copied into the batch, which keeps its texts where they stand. */
function enterLine<Row>(
  { scanner, plan }: RowFinder<Row>,
  batch: ColumnBatch<Row>,
  line: Buffer,
  offset: number,
): 'entered' | 'full' | 'unsound' {
  const start = batch.used;
  const { ownWordCount } = batch;
  if (!hasRoom(batch, line.length)) return 'full';
  line.copy(batch.bytes, start);
  batch.used = start + line.length;
  if (isUtf8(line) && scanLine(scanner, batch, start) === batch.used) {
    if (plan.isPlain === null || plan.isPlain(batch, batch.rows - 1)) {
      batch.places[batch.rows - 1] = offset;
      return 'entered';
    }
    batch.rows -= 1;
  }
  batch.used = start;
  // Words that were begun with this line stand in bytes that others will take.
  if (batch.ownWordCount !== ownWordCount) forgetOwnWords(scanner.codes);
  batch.ownWordCount = ownWordCount;
  const text = line.subarray(0, -1);
  const parsed = parseStrictJson(text);
  const decoded = parsed.ok ? plan.decode(parsed.value) : parsed;
  if (!decoded.ok) return 'unsound';
  learnLine(scanner, text.at(-1) === 0x0d ? text.subarray(0, -1) : text);
  return writeRow(scanner, batch, decoded.value as Row, offset) ? 'entered' : 'full';
}

/** The line with its line feed, which a last line is given; of a line that is too long, its beginning. */
export function lineFrom<Row>(finder: RowFinder<Row>, offset: number): Buffer {
  const { file } = finder;
  let size =
    offset >= finder.start && offset <= finder.end
      ? Math.min(2 * finder.bytes.length || FIRST_READ, MOST_READ)
      : FIRST_READ;
  for (;;) {
    if (offset >= finder.start && offset < finder.end) {
      const from = offset - finder.start;
      const to = finder.end - finder.start;
      const lineFeed = finder.bytes.subarray(from, to).indexOf(0x0a);
      if (lineFeed >= 0) return finder.bytes.subarray(from, from + lineFeed + 1);
      if (finder.end >= file.size) return Buffer.concat([finder.bytes.subarray(from, to), Buffer.from('\n')]);
      if (to - from > LONGEST_LINE) return finder.bytes.subarray(from, to);
      if (finder.start === offset) size = 4 * finder.bytes.length;
    }
    const length = Math.min(size, file.size - offset);
    finder.bytes = Buffer.allocUnsafe(length);
    const filled = readAt(file, finder.bytes, { start: 0, length, position: offset });
    finder.start = offset;
    finder.end = offset + filled;
  }
}
