// The thread that scans: it reads large files and packs their rows, while the main thread unpacks them and takes
// them in. It judges nothing.

import { hasRoom, packRaw } from '../../packed/pack.ts';
import { type Done, handOver, note, type SlabStream, slabToFill, workOnSlabs } from '../../packed/slab-work.ts';
import { KEPT_OF_OVERLONG, LINE_FEED, type LineChunk, readLineChunks, wholeOf } from './line-chunks.ts';
import { buffersOf } from './operation-index.ts';
import { beginPass, endPass, isBeyondDoubt, noteOperation, type OperationPass } from './operation-pass.ts';
import { ENTRY_PLAN, OPERATION_PLAN, type PackedPlan, type RowPlan } from './row-plan.ts';
import { createRowReader, LONGEST_LINE, type RowReader, scanRow } from './row-reader.ts';
import type { Overlong, Scanned, ScanTask } from './scan-messages.ts';

type Lines = Extract<LineChunk, { readonly kind: 'lines' }>;

/** Read at a time. */
const CHUNK_SIZE = LONGEST_LINE;

interface Scan {
  readonly stream: SlabStream<Overlong>;
  readonly reader: RowReader<unknown>;
  readonly pack: ReturnType<PackedPlan<unknown>['createPacking']>;
  /** Null for a ledger, whose order shows in its rows. */
  readonly pass: OperationPass | null;
}

function planOf({ part }: ScanTask): RowPlan<unknown> {
  return (part === 'ledger' ? ENTRY_PLAN : OPERATION_PLAN) as RowPlan<unknown>;
}

async function scanFile(task: ScanTask, stream: SlabStream<Overlong>): Promise<Done<Scanned>> {
  const file = { name: task.name, handle: { fd: task.descriptor }, size: task.size };
  const plan = planOf(task);
  const pass = task.part === 'operations' ? beginPass(file) : null;
  const scan: Scan = { stream, reader: createRowReader(plan), pack: plan.packed!.createPacking(), pass };
  for await (const chunk of readLineChunks({ ...wholeOf(file), chunkSize: CHUNK_SIZE })) {
    if (chunk.kind === 'overlong') note(stream, { beginning: chunk.beginning });
    else if (!(await scanChunk(scan, chunk))) return { result: { isDoubtful: true, index: null }, moved: [] };
  }
  if (pass !== null) endPass(pass);
  if (pass !== null && !isBeyondDoubt(pass)) return { result: { isDoubtful: true, index: null }, moved: [] };
  const index = pass?.index ?? null;
  return { result: { isDoubtful: false, index }, moved: buffersOf(index) };
}

/** False when what was scanned does not count, or nobody takes it in. */
async function scanChunk(scan: Scan, chunk: Lines): Promise<boolean> {
  const { stream, pass } = scan;
  for (let at = chunk.start; at < chunk.span.end; ) {
    if (!(await slabToFill(stream))) return false;
    at = packLines(scan, chunk, at);
    if (pass !== null && !isBeyondDoubt(pass)) return false;
    if (at === chunk.span.end) return true;
    if (stream.packer.rows > 0) handOver(stream);
    else at = passOverlong(stream, chunk, at);
  }
  return true;
}

/** Packs the lines from `start` on as long as there is room for them, and gives the offset of the first that is left. */
function packLines({ stream, reader, pass, pack }: Scan, chunk: Lines, start: number): number {
  const { packer, most } = stream;
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

/** Steps over a line that even an empty slab has no room for. */
function passOverlong(stream: SlabStream<Overlong>, { span }: Lines, start: number): number {
  note(stream, { beginning: Buffer.from(span.bytes.subarray(start, start + KEPT_OF_OVERLONG)) });
  return span.bytes.indexOf(LINE_FEED, start) + 1;
}

workOnSlabs<ScanTask, Overlong, Scanned>({ formOf: (task) => planOf(task).packed!.form, work: scanFile });
