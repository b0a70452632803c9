// Reads a large mirror on a second thread. The rows are the same as `copyOut` gives on this thread.

import type pg from 'pg';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { type ReadBatch, viewBatches } from '../../../../core/domain/rows/batch-view.ts';
import { ENTRY_LOOKS, ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import type { HashKey } from '../../../../core/domain/rows/hash-bytes.ts';
import type { RowTable } from '../../../../core/domain/rows/row-table.ts';
import type { Batch, OperationVersion } from '../../../../core/domain/snapshot.ts';
import {
  type BatchThread,
  receiveBatches,
  TaskFailed,
  takeBatchThread,
} from '../../../threads/batch-thread.ts';
import { VERSION_TABLE } from '../copy/rows.ts';
import { chooseNewest, VERSION_LOOKS } from './streams.ts';

/**
 * The bytes of a batch: room for 4,096 rows with texts of ordinary length, and for any single row.
 */
const BATCH_SIZE = 1_048_576;

export function takeCopyThread(): BatchThread {
  return takeBatchThread(new URL('./copy-worker.ts', import.meta.url));
}

/** Yields the lines of a COPY of `WHOLE_ENTRY` or `AUDITED_ENTRY`. */
export async function* copyEntries(
  thread: BatchThread,
  task: CopyTask,
): AsyncGenerator<Batch<LedgerEntry>> {
  for await (const read of receive(thread, task, ENTRY_TABLE))
    yield* viewBatches({ ...read, rejected: [] }, ENTRY_LOOKS);
}

/**
 * Yields the newest version of each operation, as `newestOperations` does. The COPY must give the
 * columns of `VERSION_TABLE`.
 */
export async function* copyNewest(
  thread: BatchThread,
  task: CopyTask,
): AsyncGenerator<Batch<OperationVersion>> {
  const newest = chooseNewest();
  for await (const read of receive(thread, task, VERSION_TABLE)) {
    const { before, rows } = newest.next(read.batch);
    if (before !== null) yield { rows: [before], rejected: [] };
    yield* viewBatches({ ...read, rejected: [] }, VERSION_LOOKS, rows);
  }
  const last = newest.end();
  if (last !== null) yield { rows: [last], rejected: [] };
}

async function* receive<Row>(
  thread: BatchThread,
  task: CopyTask,
  table: RowTable<Row>,
): AsyncGenerator<Pick<ReadBatch<Row>, 'batch' | 'release'>> {
  try {
    for await (const received of receiveBatches<Row, CopyTask, null, null>(thread, {
      table,
      size: BATCH_SIZE,
      task,
    })) {
      if (received.kind === 'end') return;
      yield received;
    }
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { code, message } = failure.failure;
    throw Object.assign(new Error(message), code === null ? {} : { code });
  }
}

export interface CopyTask {
  readonly part: 'entries' | 'operations';
  readonly address: pg.ClientConfig;
  /** The SQL that begins the transaction in which the rows are read. */
  readonly begin: string;
  /**
   * The SQL that selects the columns of `ENTRY_TABLE` or `VERSION_TABLE`, in the order of the
   * stream.
   */
  readonly query: string;
  readonly key: HashKey;
}
