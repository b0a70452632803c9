// Scans large files on a second thread. What comes out is what a scan on this thread would have found.

import { EventEmitter, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { allocateSlab, openSlab, type Slab } from '../../packed/slab.ts';
import { SourceFailed } from '../source.ts';
import type { BookFile } from './book-file.ts';
import { buffersOf, type OperationIndex } from './operation-index.ts';
import type { PassedOperations } from './operation-pass.ts';
import type { RowPlan } from './row-plan.ts';
import type { ScanAnswer, ScannedPart, ScanOrder } from './scan-messages.ts';

/** A file below this is read before a second thread has started. */
const WORTH_A_THREAD = 16_777_216;
/** One to be filled, one to be read, one between them. */
const SLABS = 3;

export interface LineScanner {
  /** Null until a file is large enough. */
  worker: Worker | null;
  /** Not 0 once the thread has started. */
  readonly started: Int32Array;
  scans: number;
  /** Emits the number of a scan that has an answer, or none to hope for. */
  readonly turns: EventEmitter;
  failure: Error | null;
}

export function createLineScanner(): LineScanner {
  const started = new Int32Array(new SharedArrayBuffer(4));
  return { worker: null, started, scans: 0, turns: new EventEmitter(), failure: null };
}

/** Starts the thread, unless every file is small. Until it has started, files are read without it. */
export function startLineScanner(scanner: LineScanner, files: readonly (BookFile | null)[]): void {
  if (!files.some((file) => file !== null && isLarge(file))) return;
  const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { workerData: scanner.started });
  worker.setMaxListeners(0);
  worker.on('error', (failure: Error) => {
    scanner.failure = failure;
    for (const scan of scanner.turns.eventNames()) scanner.turns.emit(scan);
  });
  scanner.worker = worker;
}

export function isReadyFor({ worker, started }: LineScanner, file: BookFile): boolean {
  return worker !== null && isLarge(file) && Atomics.load(started, 0) !== 0;
}

function isLarge(file: BookFile): boolean {
  return file.size >= WORTH_A_THREAD;
}

/** Stops the thread: no file may be closed before, for it reads their descriptors. */
export async function closeLineScanner(scanner: LineScanner): Promise<void> {
  await scanner.worker?.terminate();
  scanner.worker = null;
}

export type ScannedChunk =
  | { readonly kind: 'rows'; readonly rows: number; readonly slab: Slab }
  | { readonly kind: 'overlong'; readonly beginning: Uint8Array }
  | { readonly kind: 'doubt' }
  | { readonly kind: 'end'; readonly index: OperationIndex | null };

export interface FileToScan<Row> {
  readonly file: BookFile;
  readonly plan: RowPlan<Row>;
  /** Offset of a line, and what is known of the operations before it. */
  readonly start: number;
  readonly passed: PassedOperations | null;
}

/** The last chunk is `doubt` or `end`. A chunk is good until the next one is asked for. The thread must have started. */
export async function* scanLines<Row>(
  scanner: LineScanner,
  { file, plan, start, passed }: FileToScan<Row>,
): AsyncGenerator<ScannedChunk> {
  const worker = scanner.worker!;
  const scan = scanner.scans++;
  const shared = Array.from({ length: SLABS }, () => allocateSlab(plan.packed!.form));
  const slabs = shared.map(openSlab);
  const waiting: ScanAnswer[] = [];
  const take = (answer: ScanAnswer) => {
    if (answer.scan !== scan) return;
    waiting.push(answer);
    scanner.turns.emit(String(scan));
  };
  worker.on('message', take);
  const { name, size, handle } = file;
  const order = { kind: 'begin', scan, part: plan.part as ScannedPart, name, size, start, passed } as const;
  tell(worker, { ...order, descriptor: handle.fd, slabs: shared }, buffersOf(passed?.index ?? null));
  try {
    for (;;) {
      while (waiting.length === 0 && scanner.failure === null) await once(scanner.turns, String(scan));
      if (scanner.failure !== null) throw scanner.failure;
      const answer = waiting.shift()!;
      if (answer.kind === 'failed') throw failureOf(answer);
      if (answer.kind === 'rows') yield { kind: 'rows', rows: answer.rows, slab: slabs[answer.slab]! };
      else yield answer;
      if (answer.kind === 'rows') tell(worker, { kind: 'free', scan, slab: answer.slab });
      else if (answer.kind !== 'overlong') return;
    }
  } finally {
    worker.off('message', take);
    tell(worker, { kind: 'stop', scan });
  }
}

function tell(worker: Worker, order: ScanOrder, moved: ArrayBuffer[] = []): void {
  worker.postMessage(order, moved);
}

function failureOf({ code, message }: Extract<ScanAnswer, { readonly kind: 'failed' }>): Error {
  return code === null ? new Error(message) : new SourceFailed(code, message);
}
