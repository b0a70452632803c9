// The thread that scans: it reads large files and finds where the values of their lines stand, while the main thread
// builds rows of what was found and takes them in. It judges nothing.

import { EventEmitter, once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { SourceFailed } from '../source.ts';
import { type LineChunk, readLineChunks, wholeOf } from './line-chunks.ts';
import { beginPass, isBeyondDoubt, noteOperation, type OperationPass } from './operation-pass.ts';
import { ENTRY_PLAN, OPERATION_PLAN, type RowPlan } from './row-plan.ts';
import { createRowReader, type RowReader, scanRow } from './row-reader.ts';
import type { ScanAnswer, ScanOrder } from './scan-messages.ts';
import { openSlab, SLAB_CHUNK, SLAB_LINES, type Slab } from './scan-slab.ts';

type Begin = Extract<ScanOrder, { readonly kind: 'begin' }>;
type Lines = Extract<LineChunk, { readonly kind: 'lines' }>;

interface Scan {
  readonly number: number;
  readonly reader: RowReader<unknown>;
  readonly slabs: readonly Slab[];
  readonly free: number[];
  /** Null for a ledger, whose order shows in its rows. */
  readonly pass: OperationPass | null;
  isStopped: boolean;
}

const port = parentPort!;
const scans = new Map<number, Scan>();
/** Emits the number of a scan that may go on, or has to stop. */
const turns = new EventEmitter();

port.on('message', (order: ScanOrder) => {
  if (order.kind === 'begin') {
    void scanFile(order);
    return;
  }
  const scan = scans.get(order.scan);
  if (scan === undefined) return;
  if (order.kind === 'free') scan.free.push(order.slab);
  else scan.isStopped = true;
  turns.emit(String(order.scan));
});

async function scanFile(order: Begin): Promise<void> {
  const plan = order.part === 'ledger' ? ENTRY_PLAN : OPERATION_PLAN;
  const file = { name: order.name, handle: { fd: order.descriptor }, size: order.size };
  const scan: Scan = {
    number: order.scan,
    reader: createRowReader(plan as RowPlan<unknown>),
    slabs: order.slabs.map((slab) => openSlab(slab, plan.fields)),
    free: order.slabs.map((_, slab) => slab),
    pass: order.part === 'operations' ? beginPass(file) : null,
    isStopped: false,
  };
  scans.set(scan.number, scan);
  try {
    for await (const chunk of readLineChunks({ ...wholeOf(file), chunkSize: SLAB_CHUNK })) {
      if (chunk.kind === 'overlong') answer({ kind: 'overlong', scan: scan.number, beginning: chunk.beginning });
      else if (!(await scanChunk(scan, chunk))) return;
    }
    const index = scan.pass?.index ?? null;
    const moved = index === null ? [] : [index.hashes.buffer, index.externals.buffer, index.offsets.buffer];
    port.postMessage({ kind: 'end', scan: scan.number, index } satisfies ScanAnswer, moved as ArrayBuffer[]);
  } catch (failure) {
    const code = failure instanceof SourceFailed ? failure.code : null;
    answer({ kind: 'failed', scan: scan.number, code, message: (failure as Error).message });
  } finally {
    scans.delete(scan.number);
  }
}

function answer(message: ScanAnswer): void {
  port.postMessage(message);
}

/** False when the scan is over before its end. */
async function scanChunk(scan: Scan, chunk: Lines): Promise<boolean> {
  for (let at = chunk.start; at < chunk.span.end; ) {
    while (scan.free.length === 0 && !scan.isStopped) await once(turns, String(scan.number));
    if (scan.isStopped) return false;
    const number = scan.free.pop()!;
    const slab = scan.slabs[number]!;
    const { count, end } = fillSlab(scan, chunk, at, slab);
    if (scan.pass !== null && !isBeyondDoubt(scan.pass)) {
      answer({ kind: 'doubt', scan: scan.number });
      return false;
    }
    chunk.span.bytes.copy(slab.bytes, at, at, end);
    answer({ kind: 'lines', scan: scan.number, slab: number, count, start: at, end, offset: chunk.offset });
    at = end;
  }
  return true;
}

function fillSlab(
  scan: Scan,
  chunk: Lines,
  start: number,
  slab: Slab,
): { readonly count: number; readonly end: number } {
  const { reader, pass } = scan;
  const { span } = chunk;
  let at = start;
  let count = 0;
  while (at < span.end && count < SLAB_LINES) {
    slab.slots.base = count * slab.slots.size;
    const next = scanRow(reader, span, at, slab.slots);
    slab.plain[count] = reader.found === 'keys' ? 1 : 0;
    slab.nexts[count] = next;
    if (pass !== null) noteOperation(pass, reader as RowReader<never>, { span, at, offset: chunk.offset + at });
    at = next;
    count += 1;
  }
  return { count, end: at };
}
