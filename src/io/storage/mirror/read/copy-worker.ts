// The thread that reads rows out of the mirror into column batches, while the main thread replays
// them. The SQL that it is handed is text, for a COPY.

import pg from 'pg';
import { createCopyReader } from '../../../../core/bytes/copy-binary/enter-copied.ts';
import { BATCH_ROWS } from '../../../../core/domain/rows/column-batch.ts';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import type { RowTable } from '../../../../core/domain/rows/row-table.ts';
import {
  type BatchStream,
  batchToFill,
  type Done,
  handOver,
  workOnBatches,
} from '../../../threads/batch-work.ts';
import { copyOut } from '../copy/copy.ts';
import { VERSION_TABLE } from '../copy/rows.ts';
import type { CopyTask } from './copy-thread.ts';

function tableOf({ part }: CopyTask): RowTable<unknown> {
  return part === 'entries' ? ENTRY_TABLE : VERSION_TABLE;
}

async function copy(task: CopyTask, stream: BatchStream<null>): Promise<Done<null>> {
  const client = new pg.Client(task.address);
  // The next query throws when the connection was lost. Without this listener the loss would end
  // the thread.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(task.begin);
    const reader = createCopyReader(tableOf(task), task.key);
    const filling = { next: () => batchToFill(stream), mostRows: BATCH_ROWS };
    for await (const batch of copyOut(client, task.query, reader, filling))
      handOver(stream, batch as never, null);
  } finally {
    await client.end();
  }
  return { result: null, moved: [] };
}

workOnBatches<CopyTask, null, null>({ tableOf, work: copy });
