// Delivers the rows of a file in ascending key. A file is assumed to be in order and without
// repetitions until a row proves the contrary. Its rows are then sorted in memory once, and read
// from there. Refuses to sort a large file.

import { setImmediate } from 'node:timers/promises';
import { formatInstant } from '../../../core/domain/instant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { ReadBatch } from '../../../core/domain/rows/batch-view.ts';
import type { ColumnBatch } from '../../../core/domain/rows/column-batch.ts';
import { sameOperation } from '../../../core/domain/rows/operation-fields.ts';
import { OutOfOrder, type RejectedRow } from '../../../core/domain/snapshot.ts';
import { type BatchThread, receiveBatches, TaskFailed } from '../../threads/batch-thread.ts';
import { HASH_KEY } from '../../threads/hash-key.ts';
import { SourceFailed } from '../port/source.ts';
import type { BookFile } from './book-file.ts';
import {
  createOperationIndex,
  isEachOnce,
  noteOperations,
  type OperationIndex,
} from './operation-index.ts';
import {
  BATCH_SIZE,
  createRowFinder,
  createRowReader,
  findRow,
  type LineFinder,
  lineFrom,
  type RowFinder,
  readInPlace,
  takeBatch,
} from './read-rows.ts';
import { DESCRIBED_PLAN, type RowPlan, refuseOthers } from './row-plan.ts';
import type { Scanned, ScanTask } from './scan-task.ts';

export interface FileRows<Row> {
  /** The file to read; after sorting, a copy in memory of its readable lines. */
  file: BookFile;
  readonly plan: RowPlan<Row>;
  /** The thread that reads large files; `null` when files are read on this thread. */
  readonly thread: BatchThread | null;
  /** For events, the only merchant whose rows are accepted; `null`: any merchant. */
  readonly merchant: string | null;
  /**
   * Whether the file's own rows are in order and without repetitions; `null` until that is known.
   */
  isInOrder: boolean | null;
  /** Settles when the rows are sorted; `null` until sorting has begun. */
  sorting: Promise<void> | null;
  /** Rows refused while sorting, which the sorted copy does not contain. */
  refused: readonly RejectedRow[];
  /** For operations, where they stand in the file; `null` until a pass has ended. */
  index: OperationIndex | null;
  /** Reads single rows; `null` until one was asked for. */
  finder: RowFinder<Row> | null;
}

/** Bytes: a smaller file is read in less time than it takes to start a second thread. */
const WORTH_A_THREAD = 16_777_216;
/** Bytes of the largest file that is sorted, because its lines stay in memory from then on. */
const MOST_SORTED = 256 * 1_048_576;

export function isWorthAThread(file: BookFile | null): boolean {
  return file !== null && file.size >= WORTH_A_THREAD;
}

export function createFileRows<Row>(
  file: BookFile,
  plan: RowPlan<Row>,
  {
    thread,
    merchant = null,
  }: Pick<FileRows<Row>, 'thread'> & Partial<Pick<FileRows<Row>, 'merchant'>>,
): FileRows<Row> {
  const unknown = { isInOrder: null, sorting: null, refused: [], index: null, finder: null };
  return { file, plan, thread, merchant, ...unknown };
}

/**
 * Streams the rows from the first one at each call. Each pass repeats the refused rows. Throws
 * `OutOfOrder`, at most once and only before a pass has ended, and `SourceFailed` OUT_OF_ORDER for
 * a large file that is not in order.
 */
export async function* deliverRows<Row>(rows: FileRows<Row>): AsyncGenerator<ReadBatch<Row>> {
  // Another caller may find the disorder and sort while this pass still reads the original file.
  const isSorted = rows.isInOrder === false;
  if (isSorted) {
    rows.sorting ??= sortRows(rows);
    await rows.sorting;
    if (rows.refused.length > 0) yield { ...takeBatch(rows.plan), rejected: rows.refused };
  }
  const { thread } = rows;
  yield* isWorthAThread(rows.file) && !isSorted && thread !== null
    ? readFar(rows, thread)
    : readHere(rows, isSorted);
  rows.isInOrder ??= true;
}

/**
 * Throws because a row is out of order. A file that was in order or sorted before has been changed.
 */
function refuseOrder<Row>(rows: FileRows<Row>, isSorted: boolean): never {
  const { name } = rows.file;
  if (rows.isInOrder === true || isSorted) {
    throw new SourceFailed('CHANGED_WHILE_READ', `${name} was changed while it was being read`);
  }
  rows.isInOrder = false;
  throw new OutOfOrder(`${name} is not in order, or repeats itself`);
}

async function* readFar<Row>(
  rows: FileRows<Row>,
  thread: BatchThread,
): AsyncGenerator<ReadBatch<Row>> {
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
      if (answer.kind === 'rows')
        yield { batch: answer.batch, rejected: answer.note, release: answer.release };
      else if (answer.result.isDoubtful) refuseOrder(rows, false);
      else rows.index ??= answer.result.index;
    }
  } catch (failure) {
    if (!(failure instanceof TaskFailed)) throw failure;
    const { name, code, message } = failure.failure;
    throw name === 'SourceFailed' ? new SourceFailed(code!, message) : new Error(message);
  }
}

async function* readHere<Row>(
  rows: FileRows<Row>,
  isSorted: boolean,
): AsyncGenerator<ReadBatch<Row>> {
  const { file, plan, merchant } = rows;
  const refuse = refuseOthers(plan, merchant);
  const index =
    rows.index === null && plan.part === 'operations' ? createOperationIndex(file.size) : null;
  for await (const read of readInPlace(createRowReader(file, plan, { refuse }))) {
    if (!read.reader.isInOrder) {
      read.release();
      refuseOrder(rows, isSorted);
    }
    if (index !== null) noteOperations(index, read.batch as ColumnBatch<never>);
    yield read;
  }
  // In the sorted copy each reference is known to occur once, because sorting compared the
  // references themselves. Two of them may share a hash, so that `isEachOnce` could be wrong there.
  if (index !== null && !isSorted && !isEachOnce(index)) refuseOrder(rows, isSorted);
  rows.index ??= index;
}

/** Returns the index of operations, and reads the whole file for it if no pass has ended yet. */
export async function indexOf(rows: FileRows<Operation>): Promise<OperationIndex> {
  while (rows.index === null) {
    try {
      for await (const { release } of deliverRows(rows)) release();
    } catch (failure) {
      if (!(failure instanceof OutOfOrder)) throw failure;
    }
  }
  return rows.index;
}

/** A row's offset in the file, and the number by which rows are sorted. */
interface Placed {
  readonly key: number;
  readonly offset: number;
}

/** Records the last row of a batch, or refuses it. */
type NoteRow<Row> = (batch: ColumnBatch<Row>) => Refused | null;

/** Sorts the rows by ascending key; rows of equal keys stay in the order of the file. */
async function sortRows<Row>(rows: FileRows<Row>): Promise<void> {
  const { file, plan } = rows;
  if (file.size > MOST_SORTED) throw tooLargeToSort(rows);
  const finder = createRowFinder(file, plan);
  const lines: Placed[] = [];
  const versions = new Map<string, Version>();
  const isOfOperations = plan.part === 'operations';
  const noteLine: NoteRow<Row> = ({ numbers, places, rows: count }) => {
    lines.push({
      key: numbers[(count - 1) * plan.table.numbers + plan.key]!,
      offset: places[count - 1]!,
    });
    return null;
  };
  const refuse = isOfOperations
    ? (noteVersions(versions, finder as never) as NoteRow<Row>)
    : noteLine;
  const refused: RejectedRow[] = [];
  for await (const { rejected, release } of readInPlace(createRowReader(file, plan, { refuse }))) {
    refused.push(...rejected);
    release();
  }
  const kept: Placed[] = isOfOperations ? [...versions.values()] : lines;
  kept.sort((a, b) => a.key - b.key || a.offset - b.offset);
  const bytes = await copyLines(finder, kept);
  rows.file = { ...file, bytes, size: bytes.length, cutOff: null };
  rows.refused = refused;
}

interface Version extends Placed {
  readonly updatedAt: number;
}

/**
 * Makes a function that keeps the newest version of each operation by its reference. An equal
 * version adds nothing. Two different versions with the same updatedAt contradict each other, and
 * the later line is refused.
 */
function noteVersions(
  versions: Map<string, Version>,
  finder: RowFinder<Operation>,
): NoteRow<Operation> {
  const cursor = finder.plan.createCursor();
  return (batch) => {
    const last = batch.rows - 1;
    cursor.open(batch);
    cursor.moveTo(last);
    const { reference, createdAt, updatedAt } = cursor.row;
    const known = versions.get(reference);
    if (known === undefined || updatedAt > known.updatedAt) {
      versions.set(reference, { key: createdAt, offset: batch.places[last]!, updatedAt });
    } else if (
      updatedAt === known.updatedAt &&
      !sameOperation(cursor.row, findRow(finder, known.offset)!)
    ) {
      const at = formatInstant(updatedAt);
      return {
        reason: `${reference} was given before with updatedAt ${at} and other content`,
        refusal: { code: 'VERSIONS_CONTRADICT', reference, at },
      };
    }
    return null;
  };
}

const GIVE_WAY_EVERY = 1_024;

async function copyLines(finder: LineFinder, lines: readonly Placed[]): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(finder.file.size + 1);
  let used = 0;
  for (const [i, { offset }] of lines.entries()) {
    if (i % GIVE_WAY_EVERY === 0) await setImmediate();
    used += lineFrom(finder, offset).copy(bytes, used);
  }
  return bytes.subarray(0, used);
}

function tooLargeToSort({
  file,
  plan,
}: Pick<FileRows<unknown>, 'file'> & {
  readonly plan: Pick<RowPlan<unknown>, 'part'>;
}): SourceFailed {
  const [fault, remedy] =
    plan.part === 'operations'
      ? [
          'is not in the order of createdAt or has an operation twice',
          'by createdAt, the newest version of each operation alone',
        ]
      : ['is not in the order of sequence', 'by sequence'];
  return new SourceFailed(
    'OUT_OF_ORDER',
    `${file.name} ${fault}, and above ${MOST_SORTED / 1_048_576} MiB a file is not sorted in memory: sort its lines ${remedy}, and read it again.`,
  );
}
