// The reading of one merchant's folder: its books as they stand in the files, delivered in the order that the port asks for.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type {
  Batch,
  Notifications,
  OperationVersion,
  Recall,
  Recalled,
  RecalledEntry,
  Snapshot,
} from '../../domain/snapshot.ts';
import { hashOf } from '../decode/notification-of.ts';
import { recallEntries } from '../recall-entries.ts';
import { type EventFile, streamContents, streamNotifications } from './event-stream.ts';
import { estimateLines } from './line-estimate.ts';
import { closeLineScanner } from './line-scanner.ts';
import { type MerchantBooks, openMerchantBooks } from './merchant-books.ts';
import { closeOrderedStream, type OrderedStream, streamInOrder } from './ordered-stream.ts';
import { recallLines } from './recall-lines.ts';
import { recallOperations } from './recall-operations.ts';

/** More than so many are found sooner by reading every line in full than by going back for the line before each. */
const MOST_SOUGHT = 20_000;
const NONE: ReadonlySet<string> = new Set();

export async function openFileSnapshot(merchant: string, folder: string): Promise<Snapshot> {
  const books = await openMerchantBooks(folder);
  const expectedEntries = books.ledger === null ? 0 : estimateLines(books.ledger.file);
  return {
    merchant,
    profiles: books.profile === null ? [] : [books.profile],
    moving: false,
    currency: books.wallet?.currency ?? null,
    watermark: null,
    absent: books.absent,
    rejected: books.rejected,
    adjustedAt: books.adjustedAt,
    notifications: books.events === null ? null : notificationsOf(books, books.events),
    expectedEntries,
    entries: () => streamEntries(books),
    operations: () => streamOperations(books),
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: (request) => recall(books, request),
    close: async () => {
      await closeLineScanner(books.scanner);
      if (books.ledger !== null) await closeOrderedStream(books.ledger);
      if (books.operations !== null) await closeOrderedStream(books.operations);
      await books.events?.file.handle.close();
    },
  };
}

function notificationsOf({ operations }: MerchantBooks, events: EventFile): Notifications {
  return {
    stream: () => streamNotifications(events),
    contents: (isWanted) => streamContents(events, isWanted),
    operations: async (references) => {
      if (operations === null) return [];
      const found = await recallOperations(operations, { references, entryIds: NONE, externalReferences: NONE });
      return found.map(({ operation }) => operation);
    },
    hashOf,
  };
}

async function* streamEntries(books: MerchantBooks): AsyncGenerator<Batch<LedgerEntry>> {
  if (books.ledger !== null) yield* streamInOrder(books.ledger);
}

async function* streamOperations(books: MerchantBooks): AsyncGenerator<Batch<OperationVersion>> {
  if (books.operations === null) return;
  for await (const { rows, rejected } of streamInOrder(books.operations)) {
    yield { rows: rows.map((operation) => ({ operation, previous: null })), rejected };
  }
}

async function recall(books: MerchantBooks, request: Recall): Promise<Recalled> {
  const { references, entryIds, externalReferences } = request;
  const { ledger, operations } = books;
  return {
    entries: ledger !== null && references.size + entryIds.size > 0 ? await recallFrom(ledger, request) : [],
    operations:
      operations !== null && references.size + externalReferences.size > 0
        ? await recallOperations(operations, request)
        : [],
  };
}

/** Where much is asked for, or the file is out of order, every line is read in full. */
async function recallFrom(ledger: OrderedStream<LedgerEntry>, request: Recall): Promise<readonly RecalledEntry[]> {
  const isSmall = request.references.size + request.entryIds.size <= MOST_SOUGHT;
  ledger.firstPass ??= await ledger.passFirst();
  const found = isSmall && ledger.firstPass.isInOrder ? await recallLines(ledger.file, request) : null;
  return found ?? recallEntries(streamInOrder(ledger), request);
}
