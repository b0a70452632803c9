// The thread that reads large files into column batches, while the main thread takes them in. It judges nothing.

import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import type { ColumnBatch } from '../../../core/rows/column-batch.ts';
import type { HashKey } from '../../../core/rows/hash-bytes.ts';
import { type BatchStream, batchToFill, type Done, handOver, workOnBatches } from '../../threads/batch-work.ts';
import type { BookFile } from './book-file.ts';
import { buffersOf, createOperationIndex, isEachOnce, noteOperations, type OperationIndex } from './operation-index.ts';
import { createRowReader, fillBatch } from './read-rows.ts';
import { DESCRIBED_PLAN, ENTRY_PLAN, EVENT_PLAN, OPERATION_PLAN, type RowPlan, refuseOthers } from './row-plan.ts';

/** Read the file from its first line; the descriptor stays open until the thread is released. */
export interface ScanTask extends Pick<BookFile, 'name' | 'size' | 'cutOff'> {
  readonly part: 'ledger' | 'operations' | 'events';
  /** Of operations: with their texts. */
  readonly described: boolean;
  readonly descriptor: number;
  readonly key: HashKey;
  /** The only merchant whose events count; null: any. */
  readonly merchant: string | null;
}

export interface Scanned {
  /** Rows were out of order, or an operation came twice: the rows so far do not count. */
  readonly isDoubtful: boolean;
  /** The index of the operations, when the part is `operations`. */
  readonly index: OperationIndex | null;
}

const PLANS = { ledger: ENTRY_PLAN, operations: OPERATION_PLAN, events: EVENT_PLAN };

function planOf({ part, described }: ScanTask): RowPlan<unknown> {
  return (described ? DESCRIBED_PLAN : PLANS[part]) as unknown as RowPlan<unknown>;
}

const DOUBTFUL: Done<Scanned> = { result: { isDoubtful: true, index: null }, moved: [] };

async function scanFile(task: ScanTask, stream: BatchStream<readonly RejectedRow[]>): Promise<Done<Scanned>> {
  const { name, descriptor, size, cutOff, key, merchant } = task;
  const plan = planOf(task);
  const refuse = refuseOthers(plan, merchant);
  const reader = createRowReader({ name, handle: { fd: descriptor, close: async () => {} }, size, cutOff }, plan, {
    key,
    refuse,
  });
  const index = task.part === 'operations' ? createOperationIndex(size) : null;
  while (!reader.isDone) {
    const batch = await batchToFill(stream);
    if (batch === null) break;
    const rejected = fillBatch(reader, batch);
    if (!reader.isInOrder) return DOUBTFUL;
    if (index !== null) noteOperations(index, batch as ColumnBatch<never>);
    handOver(stream, batch as ColumnBatch<never>, rejected);
  }
  if (index !== null && !isEachOnce(index)) return DOUBTFUL;
  return { result: { isDoubtful: false, index }, moved: index === null ? [] : buffersOf(index) };
}

workOnBatches<ScanTask, readonly RejectedRow[], Scanned>({ tableOf: (task) => planOf(task).table, work: scanFile });
