// Scans large files on a second thread. What comes out is what a scan on this thread would have found.

import {
  putSlabThread,
  type Received,
  receiveSlabs,
  type SlabThread,
  TaskFailed,
  takeSlabThread,
} from '../../packed/slab-thread.ts';
import { SourceFailed } from '../source.ts';
import type { BookFile } from './book-file.ts';
import type { RowPlan } from './row-plan.ts';
import type { Overlong, Scanned, ScannedPart, ScanTask } from './scan-messages.ts';

/** A file below this is read before a second thread has started. */
const WORTH_A_THREAD = 16_777_216;

export type LineScanner = SlabThread;
export type ScannedChunk = Received<Overlong, Scanned>;

/** Null where every file is small. */
export function startLineScanner(files: readonly (BookFile | null)[]): LineScanner | null {
  const isWorth = files.some((file) => file !== null && isWorthScanning(file));
  return isWorth ? takeSlabThread(new URL('./scan-worker.ts', import.meta.url)) : null;
}

export function isWorthScanning(file: BookFile): boolean {
  return file.size >= WORTH_A_THREAD;
}

/** No file may be closed before, for the thread reads their descriptors. */
export async function closeLineScanner(scanner: LineScanner | null): Promise<void> {
  if (scanner !== null) await putSlabThread(scanner);
}

/** From the first line on. */
export async function* scanLines<Row>(
  scanner: LineScanner,
  file: BookFile,
  plan: RowPlan<Row>,
): AsyncGenerator<ScannedChunk> {
  const { name, size, handle } = file;
  const task: ScanTask = { part: plan.part as ScannedPart, name, size, descriptor: handle.fd };
  try {
    yield* receiveSlabs<ScanTask, Overlong, Scanned>(scanner, { form: plan.packed!.form, task });
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { name, code, message } = failure.failure;
    throw name === 'SourceFailed' ? new SourceFailed(code!, message) : new Error(message);
  }
}
