// Reads a line of JSON straight into a column batch, in one pass over its bytes, when its shape was
// met before and its values are in the plainest form. Refuses other lines, which the strict decoder
// must read. A line read here gives the same row as the strict decoder.

import type { ColumnBatch } from '../../domain/rows/column-batch.ts';
import type { HashKey } from '../../domain/rows/hash-bytes.ts';
import type { RowTable } from '../../domain/rows/row-table.ts';
import { createWordCodes, forgetOwnWords, type WordCodes } from '../../domain/rows/word-codes.ts';
import { compileShape, type ReadShape } from './compile-shape.ts';
import { type KnownKeys, type LineShape, learnShape } from './line-shape.ts';

/**
 * A scanner, with the shapes that it has learned so far. It can also be used as a `RowWriter`
 * (`row-store.ts`).
 */
export interface LineScanner<Row> {
  readonly table: RowTable<Row>;
  readonly key: HashKey;
  readonly codes: WordCodes;
  readonly keys: KnownKeys;
  /** The shapes in the order in which they are tried. */
  readonly shapes: LearnedShape[];
  /** The shape of the line read last. */
  latest: LearnedShape | null;
  lessons: number;
}

export interface LearnedShape {
  readonly signature: string;
  readonly read: ReadShape;
}

const MOST_SHAPES = 8;
const MOST_LESSONS = 256;

/**
 * Makes a scanner. `known` holds the word codes and shapes of an earlier scanner of the same table,
 * to go on with.
 */
export function createLineScanner<Row>(
  table: RowTable<Row>,
  key: HashKey,
  known: Pick<LineScanner<Row>, 'codes' | 'shapes'> = { codes: createWordCodes(table), shapes: [] },
): LineScanner<Row> {
  const keys = knownKeys(table.fields.map(({ path }, field) => ({ path, field })));
  return {
    table,
    key,
    codes: known.codes,
    keys,
    shapes: [...known.shapes],
    latest: null,
    lessons: 0,
  };
}

function knownKeys(
  fields: readonly { readonly path: readonly string[]; readonly field: number }[],
): KnownKeys {
  return new Map(
    [...Map.groupBy(fields, ({ path }) => path[0]!)].map(
      ([key, below]): [string, number | KnownKeys] => {
        if (below[0]!.path.length === 1) return [key, below[0]!.field];
        return [key, knownKeys(below.map(({ path, field }) => ({ path: path.slice(1), field })))];
      },
    ),
  );
}

/**
 * Learns the shape of a line (without its line feed) that the strict decoder has accepted. Learns
 * nothing more once too many shapes were met.
 */
export function learnLine<Row>(scanner: LineScanner<Row>, line: Uint8Array): void {
  const { shapes, table, keys } = scanner;
  if (shapes.length === MOST_SHAPES || scanner.lessons === MOST_LESSONS) return;
  scanner.lessons += 1;
  const shape = learnShape(line, keys);
  if (shape === null || shapes.some(({ signature }) => signature === shape.signature)) return;
  shapes.unshift({ signature: shape.signature, read: readerOf(shape, table) });
}

/**
 * Compiled readers by table and signature, shared by all scanners, because compiling a reader takes
 * as long as reading a thousand lines.
 */
const readers = new WeakMap<RowTable<unknown>, Map<string, ReadShape>>();
const MOST_READERS = 64;

function readerOf(shape: LineShape, table: RowTable<unknown>): ReadShape {
  const known = readers.get(table) ?? new Map<string, ReadShape>();
  const read = known.get(shape.signature) ?? compileShape(shape, table);
  if (known.size === MOST_READERS) known.clear();
  readers.set(table, known.set(shape.signature, read));
  return read;
}

/**
 * Reads the line at `at` as the batch's next row, and returns the offset after its line feed.
 * Returns −1, and adds no row, when the strict decoder must read the line. The line must be valid
 * UTF-8 and end with a line feed, and the batch must have room for a row.
 */
export function scanLine<Row>(
  scanner: LineScanner<Row>,
  batch: ColumnBatch<Row>,
  at: number,
): number {
  const { shapes, codes, key } = scanner;
  const { ownWordCount } = batch;
  for (let i = 0; i < shapes.length; i += 1) {
    const shape = shapes[i]!;
    const next = shape.read(batch, at, key, codes);
    if (next >= 0) {
      batch.rows += 1;
      // A shape that fits two lines in a row is tried first from then on.
      if (i > 0 && scanner.latest === shape) shapes.unshift(...shapes.splice(i, 1));
      scanner.latest = shape;
      return next;
    }
    if (batch.ownWordCount === ownWordCount) continue;
    // The words that the refused line added are removed again.
    batch.ownWordCount = ownWordCount;
    forgetOwnWords(codes);
  }
  return -1;
}
