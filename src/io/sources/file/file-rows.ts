// Delivers the rows of a file in ascending key. A file is taken to be in order, and to repeat nothing, until a row proves
// otherwise; then a pass over it decides which rows are delivered, and they are read one after another from where they stand.

import { setImmediate } from 'node:timers/promises';
import { formatInstant } from '../../../core/domain/instant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { OutOfOrder, type RejectedRow } from '../../../core/domain/snapshot.ts';
import type { ReadBatch } from '../../../core/rows/batch-view.ts';
import { type ColumnBatch, clearBatch } from '../../../core/rows/column-batch.ts';
import { type HashKey, hashText } from '../../../core/rows/hash-bytes.ts';
import { firstPlace, nextPlace } from '../../../core/rows/hash-table.ts';
import { sameOperation } from '../../../core/rows/operation-fields.ts';
import { type BatchThread, receiveBatches, TaskFailed } from '../../threads/batch-thread.ts';
import { HASH_KEY } from '../../threads/hash-key.ts';
import { SourceFailed } from '../port/source.ts';
import type { BookFile } from './book-file.ts';
import { createRowFinder, findRow, gatherRows, type RowFinder } from './gather-rows.ts';
import { createOperationIndex, isEachOnce, noteOperations, type OperationIndex, tableOf } from './operation-index.ts';
import { putBatch, readInPlace, takeBatch } from './read-here.ts';
import { BATCH_SIZE, createRowReader } from './read-rows.ts';
import { addRow, createRowOrder, type RowOrder, sortedOffsets } from './row-order.ts';
import { DESCRIBED_PLAN, type RowPlan, refuseOthers } from './row-plan.ts';
import type { Scanned, ScanTask } from './scan-task.ts';

export interface FileRows<Row> {
  readonly file: BookFile;
  readonly plan: RowPlan<Row>;
  /** Null where files are read on this thread. */
  readonly thread: BatchThread | null;
  /** Of events, the only one whose count; null: any. */
  readonly merchant: string | null;
  /** Whether rows stand in order and once; null until it is known. */
  isInOrder: boolean | null;
  /** Of operations, once a pass has ended. */
  index: OperationIndex | null;
  /** For single rows, once one was asked for. */
  finder: RowFinder<Row> | null;
  /** The offsets of the rows in order, of a file that is not in order. */
  sorted: Float64Array | null;
}

/** A file below this is read before a second thread has started. */
const WORTH_A_THREAD = 16_777_216;

export function isWorthAThread(file: BookFile | null): boolean {
  return file !== null && file.size >= WORTH_A_THREAD;
}

export function createFileRows<Row>(
  file: BookFile,
  plan: RowPlan<Row>,
  { thread, merchant = null }: Pick<FileRows<Row>, 'thread'> & Partial<Pick<FileRows<Row>, 'merchant'>>,
): FileRows<Row> {
  return { file, plan, thread, merchant, isInOrder: null, index: null, finder: null, sorted: null };
}

/**
 * From the first row, each time it is called; what is refused comes with every call. Throws `OutOfOrder` once at most, while
 * no pass has ended.
 */
export async function* deliverRows<Row>(rows: FileRows<Row>): AsyncGenerator<ReadBatch<Row>> {
  if (rows.isInOrder === false) {
    yield* deliverSorted(rows);
    return;
  }
  yield* isWorthAThread(rows.file) && rows.thread !== null ? readFar(rows, rows.thread) : readHere(rows);
  rows.isInOrder = true;
}

/** Whatever stood in order before and does not now has been changed. */
function refuseOrder<Row>(rows: FileRows<Row>): never {
  const { name } = rows.file;
  if (rows.isInOrder === true) {
    throw new SourceFailed('CHANGED_WHILE_READ', `${name} was changed while it was being read`);
  }
  rows.isInOrder = false;
  throw new OutOfOrder(`${name} is not in order, or repeats itself`);
}

async function* readFar<Row>(rows: FileRows<Row>, thread: BatchThread): AsyncGenerator<ReadBatch<Row>> {
  const { name, handle, size, cutOff } = rows.file;
  const part = rows.plan.part as ScanTask['part'];
  const { table } = rows.plan;
  const described = table === (DESCRIBED_PLAN as RowPlan<unknown>).table;
  const whole = { name, descriptor: handle.fd, size, cutOff };
  const task: ScanTask = { part, described, ...whole, key: HASH_KEY, merchant: rows.merchant };
  const answers = receiveBatches<Row, ScanTask, readonly RejectedRow[], Scanned>(thread, {
    table,
    size: BATCH_SIZE,
    task,
  });
  try {
    for await (const answer of answers) {
      if (answer.kind === 'rows') yield { batch: answer.batch, rejected: answer.note, release: answer.release };
      else if (answer.result.isDoubtful) refuseOrder(rows);
      else rows.index ??= answer.result.index;
    }
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { name, code, message } = failure.failure;
    throw name === 'SourceFailed' ? new SourceFailed(code!, message) : new Error(message);
  }
}

async function* readHere<Row>(rows: FileRows<Row>): AsyncGenerator<ReadBatch<Row>> {
  const { file, plan, merchant } = rows;
  const refuse = refuseOthers(plan, merchant);
  const index = rows.index === null && isOfOperations(plan) ? createOperationIndex(file.size) : null;
  for await (const read of readInPlace(createRowReader(file, plan, { refuse }))) {
    if (!read.reader.isInOrder) {
      read.release();
      refuseOrder(rows);
    }
    if (index !== null) noteOperations(index, read.batch as ColumnBatch<never>, null);
    yield read;
  }
  if (index !== null && !isEachOnce(index)) refuseOrder(rows);
  rows.index ??= index;
}

function isOfOperations({ part }: Pick<RowPlan<unknown>, 'part'>): boolean {
  return part === 'operations';
}

async function* deliverSorted<Row>(rows: FileRows<Row>): AsyncGenerator<ReadBatch<Row>> {
  const { file, plan } = rows;
  rows.sorted ??= await sortRows(rows);
  const contradictions = rows.index?.contradictions;
  const refuse =
    contradictions === undefined || contradictions.size === 0
      ? null
      : (batch: ColumnBatch<Row>) => contradictions.get(batch.places[batch.rows - 1]!) ?? null;
  // For what is refused.
  for await (const { batch, rejected, release } of readInPlace(createRowReader(file, plan, { refuse }))) {
    clearBatch(batch);
    if (rejected.length > 0) yield { batch, rejected, release };
    else release();
  }
  rows.finder ??= createRowFinder(file, plan);
  for (let next = 0; next < rows.sorted.length; ) {
    const batch = takeBatch(plan);
    const gathered = gatherRows(rows.finder, batch, rows.sorted, next);
    if (!gathered.isSound)
      throw new SourceFailed('CHANGED_WHILE_READ', `${file.name} was changed while it was being read`);
    next = gathered.next;
    yield { batch, rejected: [], release: () => putBatch(plan, batch) };
    await setImmediate();
  }
}

/** Gives the offsets of the rows that are to be delivered, in order. */
async function sortRows<Row>(rows: FileRows<Row>): Promise<Float64Array> {
  const { file, plan } = rows;
  if (isOfOperations(plan)) return sortedOffsets((await indexOf(rows as unknown as FileRows<Operation>)).order);
  const order: RowOrder = createRowOrder();
  for await (const { batch, release } of readInPlace(createRowReader(file, plan))) {
    for (let row = 0; row < batch.rows; row += 1) {
      addRow(order, batch.numbers[row * plan.table.numbers + plan.key]!, batch.places[row]!);
    }
    release();
  }
  return sortedOffsets(order);
}

/** The index that a pass has left; where none has, it is made, and whether the rows stand in order is known from then on. */
export async function indexOf(rows: FileRows<Operation>): Promise<OperationIndex> {
  if (rows.index !== null) return rows.index;
  const index = createOperationIndex(rows.file.size);
  rows.finder ??= createRowFinder(rows.file, rows.plan);
  const { finder } = rows;
  let isSeenOnce = true;
  const settle = (offset: number, hash: number): boolean => {
    const isSettled = settleVersion(index, finder, { offset, hash });
    if (isSettled) isSeenOnce = false;
    return isSettled;
  };
  const reader = createRowReader<Operation>(rows.file, rows.plan);
  for await (const { batch, release } of readInPlace(reader)) {
    noteOperations(index, batch, settle);
    release();
  }
  rows.isInOrder = reader.isInOrder && isSeenOnce;
  rows.index = index;
  return index;
}

// Settles which version of an operation counts, and finds one by its reference. Two operations are held to be one only after
// their lines were read.

/**
 * Decides between the row at `offset` and each earlier one of the same hash; true when both are versions of one operation,
 * and that is settled. An equal re-delivery says nothing new; two versions of one updatedAt that differ contradict each other.
 */
function settleVersion(
  index: OperationIndex,
  finder: RowFinder<Operation>,
  { offset, hash }: { readonly offset: number; readonly hash: number },
): boolean {
  const { order, contradictions } = index;
  const table = tableOf(index);
  const operation = findRow(finder, offset)!;
  for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
    const row = table.values[place]!;
    const known = findRow(finder, order.offsets[row]!);
    if (known?.reference !== operation.reference) continue;
    if (operation.updatedAt > known.updatedAt) {
      order.keys[row] = operation.createdAt;
      order.offsets[row] = offset;
    } else if (operation.updatedAt === known.updatedAt && !sameOperation(operation, known)) {
      const { reference } = operation;
      const at = formatInstant(operation.updatedAt);
      contradictions.set(offset, {
        reason: `${reference} was given before with updatedAt ${at} and other content`,
        refusal: { code: 'VERSIONS_CONTRADICT', reference, at },
      });
    }
    return true;
  }
  return false;
}

/** The newest version of the operation, or null when the file has none. */
export function findOperation(
  index: OperationIndex,
  finder: RowFinder<Operation>,
  { key, reference }: { readonly key: HashKey; readonly reference: string },
): Operation | null {
  const { order } = index;
  const table = tableOf(index);
  const hash = hashText(key, reference);
  for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
    const operation = findRow(finder, order.offsets[table.values[place]!]!);
    if (operation?.reference === reference) return operation;
  }
  return null;
}
