// The thread that scans: it reads large files and packs their rows, while the main thread unpacks them and takes
// them in. It judges nothing.

import { EventEmitter, once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { beginSlab, createPacker, hasRoom, type Packer, packRaw } from '../../packed/pack.ts';
import { openSlab, SLAB_ROWS, type Slab } from '../../packed/slab.ts';
import { SourceFailed } from '../source.ts';
import { KEPT_OF_OVERLONG, LINE_FEED, type LineChunk, readLineChunks, wholeOf } from './line-chunks.ts';
import { buffersOf } from './operation-index.ts';
import {
  beginPass,
  isBeyondDoubt,
  noteOperation,
  type OperationPass,
  type PassedOperations,
} from './operation-pass.ts';
import type { OpenFile } from './read-at.ts';
import { ENTRY_PLAN, OPERATION_PLAN, type PackedPlan, type RowPlan } from './row-plan.ts';
import { createRowReader, LONGEST_LINE, type RowReader, scanRow } from './row-reader.ts';
import type { ScanAnswer, ScanOrder } from './scan-messages.ts';

type Begin = Extract<ScanOrder, { readonly kind: 'begin' }>;
type Lines = Extract<LineChunk, { readonly kind: 'lines' }>;

/** Read at a time. */
const CHUNK_SIZE = LONGEST_LINE;
const FEW_ROWS = 256;

interface Scan {
  readonly number: number;
  readonly reader: RowReader<unknown>;
  readonly pack: ReturnType<PackedPlan<unknown>['createPacking']>;
  readonly slabs: readonly Slab[];
  readonly free: number[];
  readonly packer: Packer;
  /** Rows that are handed over together: few at first, so that nobody waits long for the first of them. */
  most: number;
  /** The slab that is being filled; null: none is. */
  filling: number | null;
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
  const plan = (order.part === 'ledger' ? ENTRY_PLAN : OPERATION_PLAN) as RowPlan<unknown>;
  const { form, createPacking } = plan.packed!;
  const file = { name: order.name, handle: { fd: order.descriptor }, size: order.size };
  const slabs = order.slabs.map(openSlab);
  const scan: Scan = {
    number: order.scan,
    reader: createRowReader(plan),
    pack: createPacking(),
    slabs,
    free: order.slabs.map((_, slab) => slab),
    packer: createPacker(form, slabs[0]!),
    most: FEW_ROWS,
    filling: null,
    pass: order.part === 'operations' ? goOn(file, order.passed) : null,
    isStopped: false,
  };
  scans.set(scan.number, scan);
  try {
    for await (const chunk of readLineChunks({ ...wholeOf(file), start: order.start, chunkSize: CHUNK_SIZE })) {
      if (chunk.kind === 'lines') await scanChunk(scan, chunk);
      else {
        handOver(scan);
        answer({ kind: 'overlong', scan: scan.number, beginning: chunk.beginning });
      }
      if (scan.isStopped) return;
    }
    handOver(scan);
    const index = scan.pass?.index ?? null;
    port.postMessage({ kind: 'end', scan: scan.number, index } satisfies ScanAnswer, buffersOf(index));
  } catch (failure) {
    const code = failure instanceof SourceFailed ? failure.code : null;
    answer({ kind: 'failed', scan: scan.number, code, message: (failure as Error).message });
  } finally {
    scans.delete(scan.number);
  }
}

function goOn(file: OpenFile, passed: PassedOperations | null): OperationPass {
  const pass = beginPass(file, passed?.index);
  pass.newest = passed?.newest ?? pass.newest;
  return pass;
}

function answer(message: ScanAnswer): void {
  port.postMessage(message);
}

/** Leaves the scan stopped when somebody has stopped it, or when what it scanned does not count. */
async function scanChunk(scan: Scan, chunk: Lines): Promise<void> {
  for (let at = chunk.start; at < chunk.span.end; ) {
    if (scan.filling === null) {
      while (scan.free.length === 0 && !scan.isStopped) await once(turns, String(scan.number));
      if (scan.isStopped) return;
      scan.filling = scan.free.pop()!;
      beginSlab(scan.packer, scan.slabs[scan.filling]!);
    }
    at = packLines(scan, chunk, at);
    if (scan.pass !== null && !isBeyondDoubt(scan.pass)) {
      answer({ kind: 'doubt', scan: scan.number });
      scan.isStopped = true;
      return;
    }
    if (at === chunk.span.end) return;
    if (scan.packer.rows > 0) handOver(scan);
    else at = passOverlong(scan, chunk, at);
  }
}

/** Hands over what has been packed so far, if anything has. */
function handOver(scan: Scan): void {
  if (scan.filling === null) return;
  answer({ kind: 'rows', scan: scan.number, slab: scan.filling, rows: scan.packer.rows });
  scan.filling = null;
  scan.most = Math.min(2 * scan.most, SLAB_ROWS);
}

/** Steps over a line that even an empty slab has no room for. */
function passOverlong({ number }: Scan, { span }: Lines, start: number): number {
  answer({
    kind: 'overlong',
    scan: number,
    beginning: Buffer.from(span.bytes.subarray(start, start + KEPT_OF_OVERLONG)),
  });
  return span.bytes.indexOf(LINE_FEED, start) + 1;
}

/** Packs the lines from `start` on as long as there is room for them, and gives the offset of the first that is left. */
function packLines({ reader, pass, packer, pack, most }: Scan, chunk: Lines, start: number): number {
  const { span } = chunk;
  let at = start;
  while (at < span.end && packer.rows < most) {
    const next = scanRow(reader, span, at);
    if (!hasRoom(packer, next - at)) break;
    if (pass !== null) noteOperation(pass, reader as RowReader<never>, { span, at, offset: chunk.offset + at });
    if (reader.found !== 'keys' || !pack(packer, span, reader.slots)) packRaw(packer, span, at, next);
    at = next;
  }
  return at;
}

// Told when everything stands, and from the first file on.
Atomics.store(workerData as Int32Array, 0, 1);
