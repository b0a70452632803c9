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
  type Snapshot,
} from '../../domain/snapshot.ts';
import { putBatchThread } from '../../threads/batch-thread.ts';
import { hashOf } from '../hash-key.ts';
import { recallEntries } from '../recall-entries.ts';
import { type EventFile, readAdjustments, refusedEvents, streamContents, streamNotifications } from './event-stream.ts';
import { deliverRows, type FileRows } from './file-rows.ts';
import { estimateLines } from './line-estimate.ts';
import { type MerchantBooks, openMerchantBooks } from './merchant-books.ts';
import { recallOperations } from './recall-operations.ts';

const NONE: ReadonlySet<string> = new Set();
/** Rows handed on together: so few that they are still young when they have been judged. */
const PIECE = 128;

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

async function* streamRows<Row>(rows: FileRows<Row> | null): AsyncGenerator<Batch<Row>> {
  if (rows === null) return;
  const { createCursor, copy } = rows.plan;
  const cursor = createCursor();
  for await (const { batch, rejected, release } of deliverRows(rows)) {
    cursor.open(batch);
    for (let from = 0; from === 0 || from < batch.rows; from += PIECE) {
      const piece: Row[] = [];
      for (let row = from; row < Math.min(from + PIECE, batch.rows); row += 1) {
        cursor.moveTo(row);
        piece.push(copy(cursor.row));
      }
      if (piece.length + rejected.length > 0) yield { rows: piece, rejected: from === 0 ? rejected : [] };
    }
    release();
  }
}

async function* streamOperations(rows: FileRows<Operation> | null): AsyncGenerator<Batch<OperationVersion>> {
  for await (const { rows: some, rejected } of streamRows(rows)) {
    yield { rows: some.map((operation) => ({ operation, previous: null })), rejected };
  }
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
