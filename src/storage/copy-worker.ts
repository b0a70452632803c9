// The thread that reads rows out of the mirror and packs them, while the main thread replays them.

import pg from 'pg';
import { invariant } from '../domain/invariant.ts';
import type { ByteSpan } from '../packed/byte-span.ts';
import { hasRoom } from '../packed/pack.ts';
import { ENTRY_FORM } from '../packed/packed-entry.ts';
import { type Done, handOver, type SlabStream, slabToFill, workOnSlabs } from '../packed/slab-work.ts';
import type { CopyTask } from './copy-messages.ts';
import { copyChunks, HEADER, nextRow } from './copy-out.ts';
import { packEntryRow } from './entry-rows.ts';
import { packVersionRow, VERSION_FORM } from './operation-rows.ts';

async function copy(task: CopyTask, stream: SlabStream<never>): Promise<Done<null>> {
  const client = new pg.Client(task.address);
  // A lost connection is reported by whatever is asked of it; without a listener it would end the thread.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(task.begin);
    const copying: Copying = { part: task.part, stream, isBegun: false };
    for await (const chunk of copyChunks(client, `copy (${task.query}) to stdout with (format binary)`)) {
      if (!(await packChunk(copying, chunk))) break;
    }
  } finally {
    await client.end();
  }
  return { result: null, moved: [] };
}

interface Copying {
  readonly part: CopyTask['part'];
  readonly stream: SlabStream<never>;
  /** What stands before the first row has been passed. */
  isBegun: boolean;
}

/** False when nobody takes the rows in. */
async function packChunk(copying: Copying, bytes: Buffer): Promise<boolean> {
  const { stream } = copying;
  const span = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
  for (let at = 0; at < bytes.length; ) {
    if (!(await slabToFill(stream))) return false;
    at = packRows(copying, span, at);
    if (at === bytes.length) return true;
    invariant(stream.packer.rows > 0, 'a slab has room for any row of the mirror');
    handOver(stream);
  }
  return true;
}

/** Packs rows from `start` on as long as there is room for them, and gives the offset of the first that is left. */
function packRows(copying: Copying, span: ByteSpan, start: number): number {
  const { packer, most } = copying.stream;
  const packRow = copying.part === 'entries' ? packEntryRow : packVersionRow;
  let at = start;
  while (at < span.bytes.length && packer.rows < most) {
    const next = nextRow(span.bytes, at);
    if (!hasRoom(packer, next - at)) break;
    const row = copying.isBegun ? at + HEADER : passHeader(span, at + HEADER);
    copying.isBegun = true;
    // The row begins with the number of its columns; −1 stands for the end.
    if (span.view.getInt16(row) >= 0) packRow(packer, span, row + 2);
    at = next;
  }
  return at;
}

/** What the binary format begins with: a signature, flags, and the length of an extension that may be there. */
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');

function passHeader({ bytes, view }: ByteSpan, start: number): number {
  const end = start + SIGNATURE.length;
  invariant(SIGNATURE.equals(bytes.subarray(start, end)), 'a COPY in the binary format begins with its signature');
  return end + 8 + view.getInt32(end + 4);
}

workOnSlabs<CopyTask, never, null>({
  formOf: ({ part }) => (part === 'entries' ? ENTRY_FORM : VERSION_FORM),
  work: copy,
});
