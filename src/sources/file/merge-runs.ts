// Reads sorted runs back as one ordered stream, holding one chunk of each run.

import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { invariant } from '../../domain/invariant.ts';
import { readLineChunks } from './line-chunks.ts';
import { type LineSpan, type RowReader, readRow } from './row-reader.ts';
import type { SortedRun, SortedRuns } from './sorted-runs.ts';

const CHUNK_SIZE = 131_072;
const BATCH_ROWS = 2_000;

interface RunCursor<Row> {
  readonly chunks: AsyncGenerator<readonly Row[]>;
  /** Place among the runs: of equal keys, the row of the earlier run comes first. */
  readonly rank: number;
  rows: readonly Row[];
  next: number;
  /** Key of the row that comes next. */
  key: number;
}

/** Yields the rows of all runs in ascending key, in batches. `reader` and `keyOf` must be those the runs were written with. */
export async function* mergeRuns<Row>(
  sorted: SortedRuns,
  reader: RowReader<Row>,
  keyOf: (row: Row) => number,
): AsyncGenerator<readonly Row[]> {
  if (sorted.handle === null) {
    yield* rowsOf(sorted.bytes, reader);
    return;
  }
  const heap: RunCursor<Row>[] = [];
  for (const [rank, run] of sorted.runs.entries()) {
    const chunks = readRun(sorted.handle, run, reader);
    const cursor = { chunks, rank, rows: [], next: 0, key: 0 };
    if (await refill(cursor, keyOf)) {
      heap.push(cursor);
      liftLast(heap);
    }
  }
  let batch: Row[] = [];
  while (heap.length > 0) {
    const first = heap[0]!;
    batch.push(first.rows[first.next]!);
    first.next += 1;
    if (first.next < first.rows.length) first.key = keyOf(first.rows[first.next]!);
    else if (!(await refill(first, keyOf))) {
      const last = heap.pop()!;
      if (heap.length > 0) heap[0] = last;
    }
    sinkFirst(heap);
    if (batch.length === BATCH_ROWS) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

async function* readRun<Row>(
  handle: FileHandle,
  run: SortedRun,
  reader: RowReader<Row>,
): AsyncGenerator<readonly Row[]> {
  const region = { name: 'the temporary file', handle, ...run, chunkSize: CHUNK_SIZE };
  for await (const chunk of readLineChunks(region)) {
    invariant(chunk.kind === 'lines', 'a run holds only lines that were read before');
    yield readRows(chunk.span, { start: chunk.start, most: Number.POSITIVE_INFINITY }, reader).rows;
  }
}

/** In batches, as they stand. */
function* rowsOf<Row>(bytes: Buffer, reader: RowReader<Row>): Generator<readonly Row[]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const span = { bytes, view, end: bytes.length, isValid: isUtf8(bytes) };
  for (let start = 0; start < span.end; ) {
    const { rows, next } = readRows(span, { start, most: BATCH_ROWS }, reader);
    yield rows;
    start = next;
  }
}

function readRows<Row>(
  span: LineSpan,
  { start, most }: { readonly start: number; readonly most: number },
  reader: RowReader<Row>,
): { readonly rows: readonly Row[]; readonly next: number } {
  const rows: Row[] = [];
  let next = start;
  while (next < span.end && rows.length < most) {
    next = readRow(reader, span, next);
    invariant(reader.found === 'row', 'a run holds only rows');
    rows.push(reader.row!);
  }
  return { rows, next };
}

async function refill<Row>(cursor: RunCursor<Row>, keyOf: (row: Row) => number): Promise<boolean> {
  const step = await cursor.chunks.next();
  if (step.done === true) return false;
  invariant(step.value.length > 0, 'a run holds no blank lines');
  cursor.rows = step.value;
  cursor.next = 0;
  cursor.key = keyOf(cursor.rows[0]!);
  return true;
}

function comesBefore(a: RunCursor<unknown>, b: RunCursor<unknown>): boolean {
  return a.key < b.key || (a.key === b.key && a.rank < b.rank);
}

function liftLast(heap: RunCursor<unknown>[]): void {
  let at = heap.length - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!comesBefore(heap[at]!, heap[parent]!)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

function sinkFirst(heap: RunCursor<unknown>[]): void {
  let at = 0;
  for (;;) {
    const left = at * 2 + 1;
    if (left >= heap.length) return;
    const right = left + 1;
    const child = right < heap.length && comesBefore(heap[right]!, heap[left]!) ? right : left;
    if (!comesBefore(heap[child]!, heap[at]!)) return;
    swap(heap, at, child);
    at = child;
  }
}

function swap(heap: RunCursor<unknown>[], a: number, b: number): void {
  const kept = heap[a]!;
  heap[a] = heap[b]!;
  heap[b] = kept;
}
