// The thread that reads rows out of the mirror and packs them, while the main thread replays them.

import pg from 'pg';
import { hasRoom } from '../packed/pack.ts';
import { ENTRY_FORM } from '../packed/packed-entry.ts';
import { type Done, handOver, type SlabStream, slabToFill, workOnSlabs } from '../packed/slab-work.ts';
import { type CopyRows, nextRow } from '../rows/copy-binary/copy-rows.ts';
import { ENTRY_TABLE } from '../rows/entry-fields.ts';
import type { CopyTask } from './copy-messages.ts';
import { copySlots } from './copy-out.ts';
import { VERSION_FORM, VERSION_TABLE } from './operation-rows.ts';
import { packEntryRow, packVersionRow } from './pack-columns.ts';

async function copy(task: CopyTask, stream: SlabStream<never>): Promise<Done<null>> {
  const client = new pg.Client(task.address);
  // A lost connection is reported by whatever is asked of it; without a listener it would end the thread.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(task.begin);
    const { fields } = task.part === 'entries' ? ENTRY_TABLE : VERSION_TABLE;
    for await (const rows of copySlots(client, task.query, fields.length)) {
      if (!(await packRows(stream, rows, task.part))) break;
    }
  } finally {
    await client.end();
  }
  return { result: null, moved: [] };
}

/** False when nobody takes the rows in. */
async function packRows(stream: SlabStream<never>, rows: CopyRows, part: CopyTask['part']): Promise<boolean> {
  const { packer } = stream;
  const { slots } = rows;
  const { bytes } = slots;
  const from = { slots, span: { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) } };
  const packRow = part === 'entries' ? packEntryRow : packVersionRow;
  for (let start = rows.at; nextRow(rows); start = rows.at) {
    if (packer.rows >= stream.most || !hasRoom(packer, rows.at - start)) handOver(stream);
    if (stream.filling === null && !(await slabToFill(stream))) return false;
    packRow(packer, from);
  }
  return true;
}

workOnSlabs<CopyTask, never, null>({
  formOf: ({ part }) => (part === 'entries' ? ENTRY_FORM : VERSION_FORM),
  work: copy,
});
