// Reads a large mirror on a second thread: what comes out is what `copyOut` would give on this one.

import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Batch } from '../domain/snapshot.ts';
import { PIECE, type ReadBatch, viewBatches } from '../rows/batch-view.ts';
import { rowsOf } from '../rows/copy-binary/copied-row.ts';
import { ENTRY_LOOKS, ENTRY_TABLE } from '../rows/entry-fields.ts';
import type { RowTable } from '../rows/row-table.ts';
import { type BatchThread, receiveBatches, TaskFailed, takeBatchThread } from '../threads/batch-thread.ts';
import type { CopyTask } from './copy-messages.ts';
import { type StoredVersion, seeVersions, VERSION_TABLE } from './operation-rows.ts';

/** Room for 4,096 rows whose texts are of an ordinary length, and for any single row. */
const BATCH_SIZE = 1_048_576;

export function takeCopyThread(): BatchThread {
  return takeBatchThread(new URL('./copy-worker.ts', import.meta.url));
}

/** The rows of a COPY of `WHOLE_ENTRY` or `AUDITED_ENTRY`. */
export async function* copyEntries(thread: BatchThread, task: CopyTask): AsyncGenerator<Batch<LedgerEntry>> {
  for await (const read of receive(thread, task, ENTRY_TABLE))
    yield* viewBatches({ ...read, rejected: [] }, ENTRY_LOOKS);
}

/** The rows of a COPY of an operation's columns and whether its version has moved. */
export async function* copyVersions(thread: BatchThread, task: CopyTask): AsyncGenerator<readonly StoredVersion[]> {
  const seen = seeVersions();
  for await (const { batch, release } of receive(thread, task, VERSION_TABLE)) {
    for (let from = 0; from < batch.rows; from += PIECE) yield rowsOf(batch, seen, from, PIECE);
    release();
  }
}

async function* receive<Row>(
  thread: BatchThread,
  task: CopyTask,
  table: RowTable<Row>,
): AsyncGenerator<Pick<ReadBatch<Row>, 'batch' | 'release'>> {
  try {
    for await (const received of receiveBatches<Row, CopyTask, null, null>(thread, { table, size: BATCH_SIZE, task })) {
      if (received.kind === 'end') return;
      yield received;
    }
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { code, message } = failure.failure;
    throw Object.assign(new Error(message), code === null ? {} : { code });
  }
}
