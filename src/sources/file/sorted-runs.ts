// Sorts rows that do not fit in memory: collects them until a buffer is full, writes it out in order as a run, and starts
// again. Holds one buffer, whatever the size of the file. merge-runs.ts reads the runs back in order.

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
  readonly handle: FileHandle;
  readonly runs: readonly SortedRun[];
}

export interface RunWriter {
  readonly handle: FileHandle;
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
export async function createRunWriter(runSize: number, expected: number): Promise<RunWriter> {
  const handle = await openTemporaryFile();
  const buffer = Buffer.allocUnsafeSlow(Math.min(expected, BLOCK_SIZE));
  return { handle, runs: [], runSize, buffer, filled: 0, keys: [], bounds: [] };
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

/** Writes what is left and gives the runs; the writer is done. */
export async function finishRuns(writer: RunWriter): Promise<SortedRuns> {
  if (writer.filled > 0) await writeRun(writer);
  writer.buffer = Buffer.alloc(0);
  return { handle: writer.handle, runs: writer.runs };
}

function growBuffer(writer: RunWriter, length: number): void {
  const size = Math.max(writer.buffer.length * 2, writer.filled + length);
  const larger = Buffer.allocUnsafeSlow(size);
  writer.buffer.copy(larger, 0, 0, writer.filled);
  writer.buffer = larger;
}

async function writeRun(writer: RunWriter): Promise<void> {
  const { keys, bounds, buffer, handle, runs } = writer;
  const start = runs.at(-1)?.end ?? 0;
  const order = Uint32Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  const block = Buffer.allocUnsafeSlow(Math.min(writer.filled, BLOCK_SIZE + longestOf(bounds)));
  let position = start;
  let filled = 0;
  for (const row of order) {
    filled += buffer.copy(block, filled, bounds[row * 2]!, bounds[row * 2 + 1]!);
    if (filled < BLOCK_SIZE) continue;
    await writeFully(handle, block.subarray(0, filled), position);
    position += filled;
    filled = 0;
  }
  await writeFully(handle, block.subarray(0, filled), position);
  runs.push({ start, end: position + filled });
  writer.filled = 0;
  keys.length = 0;
  bounds.length = 0;
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
