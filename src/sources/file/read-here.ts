// Reads rows of a file on this thread: all of them in their order, or, of a large file whose rows may come in any order, the second
// part while another thread reads the first.

import { setImmediate } from 'node:timers/promises';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { ReadBatch } from '../../rows/batch-view.ts';
import { allocateBatch, type ColumnBatch, clearBatch, openBatch } from '../../rows/column-batch.ts';
import { countLines, lineAfter } from './find-lines.ts';
import { BATCH_SIZE, fillBatch, type RowReader } from './read-rows.ts';
import type { RowPlan } from './row-plan.ts';

const GIVE_WAY_EVERY = 4_194_304;
/** The first part, by bytes: this thread reads the less of both, for it judges all rows besides. */
const FAR_SHARE = 3 / 5;

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

/** `reader`: at the first line. `readFar`: reads so many bytes on the other thread. What was refused in the second part comes last. */
export async function* readBoth<Row>(
  reader: RowReader<Row>,
  readFar: (size: number) => AsyncGenerator<ReadBatch<Row>>,
): AsyncGenerator<ReadBatch<Row>> {
  const { file, plan } = reader;
  const middle = lineAfter(file, Math.floor(FAR_SHARE * file.size));
  const far = readFar(middle);
  Object.assign(reader, { position: middle, isDone: middle === file.size && file.cutOff === null });
  const near = readInPlace(reader);
  const refused: RejectedRow[] = [];
  let asked = far.next();
  try {
    for (let isOver = false; !isOver || !reader.isDone; ) {
      const come = isOver ? null : await (reader.isDone ? asked : Promise.race([asked, setImmediate(null)]));
      if (come === null) {
        const read = (await near.next()).value!;
        refused.push(...read.rejected);
        yield { ...read, rejected: [] };
      } else if (come.done === true) {
        isOver = true;
      } else {
        yield come.value;
        asked = far.next();
      }
    }
  } finally {
    await far.return(undefined);
  }
  if (refused.length === 0) return;
  const before = countLines(file, middle);
  const lineOf = (place: string): number => before + Number(place.slice(file.name.length + 1));
  const rejected = refused.map((row) => ({ ...row, place: `${file.name}:${lineOf(row.place)}` }));
  yield { batch: openBatch(plan.table, allocateBatch(plan.table, 0)), rejected, release: () => {} };
}
