// Reads rows of a file on this thread, in the order of the file; gives way to whatever else there is to do every few megabytes.

import { setImmediate } from 'node:timers/promises';
import type { ReadBatch } from '../../../core/rows/batch-view.ts';
import { allocateBatch, type ColumnBatch, clearBatch, openBatch } from '../../../core/rows/column-batch.ts';
import { BATCH_SIZE, fillBatch, type RowReader } from './read-rows.ts';
import type { RowPlan } from './row-plan.ts';

const GIVE_WAY_EVERY = 4_194_304;

interface ReadInPlace<Row> extends ReadBatch<Row> {
  readonly reader: RowReader<Row>;
}

export async function* readInPlace<Row>(reader: RowReader<Row>): AsyncGenerator<ReadInPlace<Row>> {
  for (let before = 0; !reader.isDone; before = reader.position) {
    if (Math.floor(before / GIVE_WAY_EVERY) !== Math.floor(reader.position / GIVE_WAY_EVERY)) await setImmediate();
    const batch = takeBatch(reader.plan);
    const rejected = fillBatch(reader, batch);
    yield { reader, batch, rejected, release: () => putBatch(reader.plan, batch) };
  }
}

/** Batches that nobody reads in, by plan: thousands of small files are read one after another. */
const spare = new Map<RowPlan<never>, ColumnBatch<never>[]>();
const MOST_SPARE = 2;

export function takeBatch<Row>(plan: RowPlan<Row>): ColumnBatch<Row> {
  const batch = spare.get(plan as never)?.pop() as ColumnBatch<Row> | undefined;
  if (batch !== undefined) clearBatch(batch);
  return batch ?? openBatch(plan.table, allocateBatch(plan.table, BATCH_SIZE));
}

export function putBatch<Row>(plan: RowPlan<Row>, batch: ColumnBatch<Row>): void {
  const batches = spare.get(plan as never) ?? [];
  if (batches.length < MOST_SPARE) batches.push(batch as never);
  spare.set(plan as never, batches);
}
