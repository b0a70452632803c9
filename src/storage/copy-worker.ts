// The thread that reads rows out of the mirror and packs them, while the main thread replays them.

import pg from 'pg';
import { invariant } from '../domain/invariant.ts';
import type { ByteSpan } from '../packed/byte-span.ts';
import { hasRoom, type Packer } from '../packed/pack.ts';
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
    for await (const chunk of copyChunks(client, task.sql)) {
      if (!(await packChunk(task, stream, chunk))) break;
    }
  } finally {
    await client.end();
  }
  return { result: null, moved: [] };
}

/** False when nobody takes the rows in. */
async function packChunk({ part }: CopyTask, stream: SlabStream<never>, bytes: Buffer): Promise<boolean> {
  const span = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
  const packRow = part === 'entries' ? packEntryRow : packVersionRow;
  for (let at = 0; at < bytes.length; ) {
    if (!(await slabToFill(stream))) return false;
    at = packRows(stream, span, at, packRow);
    if (at === bytes.length) return true;
    invariant(stream.packer.rows > 0, 'a slab has room for any row of the mirror');
    handOver(stream);
  }
  return true;
}

/** Packs rows from `start` on as long as there is room for them, and gives the offset of the first that is left. */
function packRows(
  { packer, most }: SlabStream<never>,
  span: ByteSpan,
  start: number,
  packRow: (packer: Packer, span: ByteSpan, start: number, end: number) => void,
): number {
  let at = start;
  while (at < span.bytes.length && packer.rows < most) {
    const next = nextRow(span.bytes, at);
    if (!hasRoom(packer, next - at)) break;
    packRow(packer, span, at + HEADER, next - 1);
    at = next;
  }
  return at;
}

workOnSlabs<CopyTask, never, null>({
  formOf: ({ part }) => (part === 'entries' ? ENTRY_FORM : VERSION_FORM),
  work: copy,
});
