// The thread that reads large files into column batches, while the main thread processes them. It
// does not judge rows.

import type { ColumnBatch } from '../../../core/domain/rows/column-batch.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import {
  type BatchStream,
  batchToFill,
  type Done,
  handOver,
  workOnBatches,
} from '../../threads/batch-work.ts';
import { buffersOf, createOperationIndex, isEachOnce, noteOperations } from './operation-index.ts';
import { createRowReader, fillBatch } from './read-rows.ts';
import {
  DESCRIBED_PLAN,
  ENTRY_PLAN,
  EVENT_PLAN,
  OPERATION_PLAN,
  type RowPlan,
  refuseOthers,
} from './row-plan.ts';
import type { Scanned, ScanTask } from './scan-task.ts';

const PLANS = { ledger: ENTRY_PLAN, operations: OPERATION_PLAN, events: EVENT_PLAN };

function planOf({ part, described }: ScanTask): RowPlan<unknown> {
  return (described ? DESCRIBED_PLAN : PLANS[part]) as unknown as RowPlan<unknown>;
}

const DOUBTFUL: Done<Scanned> = { result: { isDoubtful: true, index: null }, moved: [] };

async function scanFile(
  task: ScanTask,
  stream: BatchStream<readonly RejectedRow[]>,
): Promise<Done<Scanned>> {
  const { name, descriptor, size, cutOff, key, merchant } = task;
  const plan = planOf(task);
  const refuse = refuseOthers(plan, merchant);
  const reader = createRowReader(
    { name, handle: { fd: descriptor, close: async () => {} }, size, cutOff },
    plan,
    {
      key,
      refuse,
    },
  );
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

workOnBatches<ScanTask, readonly RejectedRow[], Scanned>({
  tableOf: (task) => planOf(task).table,
  work: scanFile,
});
