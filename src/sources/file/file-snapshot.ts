// The snapshot of one merchant's folder: its books as they stand in the files, delivered in the order that the port asks for.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';
import {
  type Batch,
  type Notifications,
  type OperationVersion,
  OutOfOrder,
  type Recall,
  type Recalled,
  type RecalledEntry,
  type RejectedRow,
  type RowView,
  type Snapshot,
} from '../../domain/snapshot.ts';
import { putBatchThread } from '../../threads/batch-thread.ts';
import { hashOf } from '../hash-key.ts';
import { recallEntries } from '../recall-entries.ts';
import { type EventFile, readAdjustments, refusedEvents, streamContents, streamNotifications } from './event-stream.ts';
import { deliverRows, type FileRows, type ReadRows } from './file-rows.ts';
import { estimateLines } from './line-estimate.ts';
import { type MerchantBooks, openMerchantBooks } from './merchant-books.ts';
import { recallOperations } from './recall-operations.ts';

const NONE: ReadonlySet<string> = new Set();

export async function openFileSnapshot(merchant: string, folder: string): Promise<Snapshot> {
  const books = await openMerchantBooks(folder);
  const { ledger, operations } = books;
  const events: EventFile | null = books.events === null ? null : { rows: books.events, rejected: null };
  const adjustedAt = events === null ? null : await readAdjustments(events);
  return {
    merchant,
    profiles: books.profile === null ? [] : [books.profile],
    moving: false,
    currency: books.wallet?.currency ?? null,
    watermark: null,
    absent: books.absent,
    rejected: books.rejected,
    adjustedAt,
    notifications: events === null ? null : notificationsOf(operations, events),
    expectedEntries: ledger === null ? 0 : estimateLines(ledger.file),
    entries: () => streamRows(ledger),
    operations: () => streamOperations(operations),
    closing: async () => {
      const rejected = events === null ? [] : await refusedEvents(events);
      return { wallet: books.wallet, laterEntries: [], rejected };
    },
    recall: (request) => recall(books, request),
    close: async () => {
      // No file may be closed before the thread, which reads their descriptors.
      if (books.thread !== null) await putBatchThread(books.thread);
      for (const rows of [ledger, operations, books.events]) await rows?.file.handle.close();
    },
  };
}

function notificationsOf(operations: FileRows<Operation> | null, events: EventFile): Notifications {
  return {
    stream: () => streamNotifications(events),
    contents: (isWanted) => streamContents(events, isWanted),
    operations: async (references) => {
      if (operations === null) return [];
      const found = await recallOperations(operations, { references, externalReferences: NONE });
      return found.map(({ operation }) => operation);
    },
    hashOf,
  };
}

/** Rows handed on together: so few that what is made of them is still young when they have been judged. */
const PIECE = 128;

async function* streamRows<Row>(rows: FileRows<Row> | null): AsyncGenerator<Batch<Row>> {
  if (rows === null) return;
  const { createCursor, copy } = rows.plan;
  for await (const read of deliverRows(rows)) {
    const cursor = createCursor();
    cursor.open(read.batch);
    const at = (index: number): Row => {
      cursor.moveTo(index);
      return cursor.row;
    };
    yield* piecesOf(read, { at, copy: (index) => copy(at(index)) });
  }
}

async function* streamOperations(rows: FileRows<Operation> | null): AsyncGenerator<Batch<OperationVersion>> {
  if (rows === null) return;
  const { createCursor, copy } = rows.plan;
  for await (const read of deliverRows(rows)) {
    const cursor = createCursor();
    cursor.open(read.batch);
    const version: OperationVersion = { operation: cursor.row, previous: null };
    const at = (index: number): OperationVersion => {
      cursor.moveTo(index);
      return version;
    };
    yield* piecesOf(read, { at, copy: (index) => ({ operation: copy(at(index).operation), previous: null }) });
  }
}

/** What was read is released with the last of its pieces. */
function* piecesOf<Read, Row>(
  { batch, rejected, release }: ReadRows<Read>,
  looks: Pick<RowView<Row>, 'at' | 'copy'>,
): Generator<Batch<Row>> {
  const { table, numbers } = batch;
  const place = table.fields.find(({ name }) => name === 'id' || name === 'externalReference')!.hashPlace;
  let left = Math.max(Math.ceil(batch.rows / PIECE), 1);
  const releasePiece = (): void => {
    left -= 1;
    if (left === 0) release();
  };
  for (let from = 0; from === 0 || from < batch.rows; from += PIECE) {
    const view: RowView<Row> = {
      count: Math.min(PIECE, batch.rows - from),
      at: (index) => looks.at(from + index),
      copy: (index) => looks.copy(from + index),
      hash: (index) => numbers[(from + index) * table.numbers + place]!,
      release: releasePiece,
    };
    yield batchOf(view, from === 0 ? rejected : []);
  }
}

/** Its rows are made when they are asked for, and what they were read from is then released. */
function batchOf<Row>(view: RowView<Row>, rejected: readonly RejectedRow[]): Batch<Row> {
  let made: readonly Row[] | null = null;
  return {
    rejected,
    get view() {
      return made === null ? view : null;
    },
    get rows() {
      if (made === null) {
        const rows: Row[] = [];
        for (let index = 0; index < view.count; index += 1) rows.push(view.copy(index));
        made = rows;
        view.release();
      }
      return made;
    },
  };
}

async function recall({ ledger, operations }: MerchantBooks, request: Recall): Promise<Recalled> {
  const { references, entryIds, externalReferences } = request;
  const isOfLines = ledger !== null && references.size + entryIds.size > 0;
  const isOfOperations = operations !== null && references.size + externalReferences.size > 0;
  return {
    entries: isOfLines ? await recallLines(ledger, request) : [],
    operations: isOfOperations ? await recallOperations(operations, request) : [],
  };
}

async function recallLines(ledger: FileRows<LedgerEntry>, request: Recall): Promise<readonly RecalledEntry[]> {
  try {
    return await recallEntries(streamRows(ledger), request);
  } catch (failure) {
    if (!(failure instanceof OutOfOrder)) throw failure;
    return recallEntries(streamRows(ledger), request);
  }
}
