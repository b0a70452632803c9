// Sorts rows that do not fit in memory: collects them until a buffer is full, writes it out in order as a run, and starts
// again. Holds one buffer, whatever the size of the file; rows that fit in it are written nowhere. merge-runs.ts reads the
// runs back in order.

import type { FileHandle } from 'node:fs/promises';
import { SourceFailed } from '../source.ts';
import type { RowPlace } from './row-stream.ts';
import { openTemporaryFile } from './temporary-file.ts';

/** Part of the temporary file in which the rows stand in order. */
export interface SortedRun {
  readonly start: number;
  readonly end: number;
}

/** All runs of one file; rows of equal key keep the order of the file, within a run and from run to run. */
export interface SortedRuns {
  /** The temporary file that holds the runs; null where the rows in order are these bytes, which have not been written. */
  readonly handle: FileHandle | null;
  readonly bytes: Buffer;
  readonly runs: readonly SortedRun[];
}

export interface RunWriter {
  /** Null until a run is written. */
  handle: FileHandle | null;
  readonly runs: SortedRun[];
  /** Bytes that make a run. */
  readonly runSize: number;
  buffer: Buffer;
  filled: number;
  /** Key, start and end in the buffer of each row collected. */
  readonly keys: number[];
  readonly bounds: number[];
}

/** 16 MiB: some sixty thousand ledger lines a run. */
export const RUN_SIZE = 16_777_216;
const BLOCK_SIZE = 1_048_576;

/** `expected`: bytes of all rows, as far as is known. */
export function createRunWriter(runSize: number, expected: number): RunWriter {
  const buffer = Buffer.allocUnsafeSlow(Math.min(expected, BLOCK_SIZE));
  return { handle: null, runs: [], runSize, buffer, filled: 0, keys: [], bounds: [] };
}

/** Collects one row; its bytes are copied, line feed included. */
export function collectRow(writer: RunWriter, place: RowPlace, key: number): void {
  const length = place.next - place.at;
  if (writer.filled + length > writer.buffer.length) growBuffer(writer, length);
  writer.keys.push(key);
  writer.bounds.push(writer.filled, writer.filled + length);
  place.span.bytes.copy(writer.buffer, writer.filled, place.at, place.next);
  writer.filled += length;
}

/** To be called between chunks: writes a run when enough rows have been collected. */
export async function writeRunIfFull(writer: RunWriter): Promise<void> {
  if (writer.filled >= writer.runSize) await writeRun(writer);
}

/** Writes what is left, unless it is all there is, and gives the runs; the writer is done. */
export async function finishRuns(writer: RunWriter): Promise<SortedRuns> {
  const [bytes = Buffer.alloc(0)] = writer.handle === null ? inOrder(writer, Number.POSITIVE_INFINITY) : [];
  if (writer.handle !== null && writer.filled > 0) await writeRun(writer);
  writer.buffer = Buffer.alloc(0);
  return { handle: writer.handle, bytes, runs: writer.runs };
}

function growBuffer(writer: RunWriter, length: number): void {
  const size = Math.max(writer.buffer.length * 2, writer.filled + length);
  const larger = Buffer.allocUnsafeSlow(size);
  writer.buffer.copy(larger, 0, 0, writer.filled);
  writer.buffer = larger;
}

async function writeRun(writer: RunWriter): Promise<void> {
  const { keys, bounds, runs } = writer;
  writer.handle ??= await openTemporaryFile();
  const start = runs.at(-1)?.end ?? 0;
  let end = start;
  for (const block of inOrder(writer, BLOCK_SIZE)) {
    await writeFully(writer.handle, block, end);
    end += block.length;
  }
  runs.push({ start, end });
  writer.filled = 0;
  keys.length = 0;
  bounds.length = 0;
}

/** What was collected in order, in blocks of some `blockSize` bytes; each is good until the next is asked for. */
function* inOrder({ keys, bounds, buffer, filled: collected }: RunWriter, blockSize: number): Generator<Buffer> {
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  const block = Buffer.allocUnsafeSlow(Math.min(collected, blockSize + longestOf(bounds)));
  let filled = 0;
  for (const row of order) {
    filled += buffer.copy(block, filled, bounds[row * 2]!, bounds[row * 2 + 1]!);
    if (filled < blockSize) continue;
    yield block.subarray(0, filled);
    filled = 0;
  }
  if (filled > 0) yield block.subarray(0, filled);
}

function longestOf(bounds: readonly number[]): number {
  let longest = 0;
  for (let row = 0; row < bounds.length; row += 2) longest = Math.max(longest, bounds[row + 1]! - bounds[row]!);
  return longest;
}

async function writeFully(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
      at += bytesWritten;
    }
  } catch (error) {
    throw new SourceFailed('NO_TEMPORARY_SPACE', 'rows out of order cannot be sorted in a temporary file', error);
  }
}
