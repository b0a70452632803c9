// The source `file:DIR`: books exported to files, one folder a merchant. merchant.json, wallet.json, ledger.jsonl and
// operations.jsonl, and where there are any reports.json, payments.jsonl and events.jsonl; each may be packed (.gz).

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import {
  type Batch,
  type Notifications,
  type OperationVersion,
  OutOfOrder,
  type Recall,
  type Recalled,
  type RecalledEntry,
  type Snapshot,
} from '../../../core/domain/snapshot.ts';
import { type Looks, viewBatches } from '../../../core/rows/batch-view.ts';
import { ENTRY_LOOKS } from '../../../core/rows/entry-fields.ts';
import { putBatchThread } from '../../threads/batch-thread.ts';
import { hashOf } from '../../threads/hash-key.ts';
import { recallEntries } from '../port/recall-entries.ts';
import { type Detail, type Source, SourceFailed } from '../port/source.ts';
import { type BookFile, openBookFile, readAt } from './book-file.ts';
import { type EventFile, readAdjustments, refusedEvents, streamContents, streamNotifications } from './event-stream.ts';
import { createFileRows, deliverRows, type FileRows } from './file-rows.ts';
import { type MerchantBooks, openMerchantBooks } from './merchant-books.ts';
import { findMerchantFolders } from './merchant-folders.ts';
import { lookUpOperations, recallOperations } from './recall-operations.ts';
import { DESCRIBED_PLAN } from './row-plan.ts';

/** Opens nothing yet: the first question asked of the source finds out whether the folder holds books. */
export function openFileSource(folder: string): Source {
  let folders: ReadonlyMap<string, string> | null = null;
  let asked: Asked | null = null;

  const folderOf = async (merchant: string): Promise<string> => {
    folders ??= await findMerchantFolders(folder);
    const found = folders.get(merchant);
    if (found !== undefined) return found;
    throw new SourceFailed('UNKNOWN_MERCHANT', `${folder} holds no books of merchant ${merchant}`);
  };

  return {
    name: `file:${folder}`,
    isStateless: () => true,
    merchants: async () => {
      folders ??= await findMerchantFolders(folder);
      return [...folders.keys()];
    },
    open: async (merchant, _since, detail = 'judged') => openFileSnapshot(merchant, await folderOf(merchant), detail),
    askOperation: async (merchant, reference) => {
      if (asked?.merchant !== merchant) {
        const before = asked?.rows;
        asked = null;
        await before?.file.handle.close();
        asked = { merchant, rows: await openOperations(await folderOf(merchant)) };
      }
      if (asked.rows === null) return null;
      const [operation = null] = await lookUpOperations(asked.rows, new Set([reference]));
      return operation;
    },
    close: async () => {
      await asked?.rows?.file.handle.close();
      asked = null;
    },
  };
}

/** The operations of the merchant last asked about, so that many questions take one pass over the file. */
interface Asked {
  readonly merchant: string;
  readonly rows: FileRows<Operation> | null;
}

async function openOperations(folder: string): Promise<FileRows<Operation> | null> {
  const opened = await openBookFile(folder, 'operations.jsonl');
  return opened.state === 'open' ? createFileRows(opened.file, DESCRIBED_PLAN, { thread: null }) : null;
}

// The snapshot of one merchant's folder: its books as they stand in the files, delivered in the order that the port asks for.

const NONE: ReadonlySet<string> = new Set();

async function openFileSnapshot(merchant: string, folder: string, detail: Detail): Promise<Snapshot> {
  const books = await openMerchantBooks(folder, detail);
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
    hashOf,
    expectedEntries: ledger === null ? 0 : estimateLines(ledger.file),
    entries: () => streamEntries(ledger),
    operations: () => streamOperations(operations),
    operationsAfter: operations === null ? null : Number.NEGATIVE_INFINITY,
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
  };
}

async function* streamEntries(rows: FileRows<LedgerEntry> | null): AsyncGenerator<Batch<LedgerEntry>> {
  if (rows === null) return;
  for await (const read of deliverRows(rows)) yield* viewBatches(read, ENTRY_LOOKS);
}

async function* streamOperations(rows: FileRows<Operation> | null): AsyncGenerator<Batch<OperationVersion>> {
  if (rows === null) return;
  const { createCursor, copy } = rows.plan;
  const looks: Looks<Operation, OperationVersion> = {
    createCursor,
    seen: (operation) => ({ operation, previous: null }),
    copy: (operation) => ({ operation: copy(operation), previous: null }),
    hashed: ['externalReference', 'reference'],
  };
  for await (const read of deliverRows(rows)) yield* viewBatches(read, looks);
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
    return await recallEntries(streamEntries(ledger), request);
  } catch (failure) {
    if (!(failure instanceof OutOfOrder)) throw failure;
    return recallEntries(streamEntries(ledger), request);
  }
}

// Guesses how many lines a file has from its beginning, for a progress bar and nothing else.

const SAMPLE_SIZE = 65_536;
const LINE_FEED = 0x0a;

function estimateLines(file: BookFile): number {
  if (file.size === 0) return 0;
  const wanted = Math.min(SAMPLE_SIZE, file.size);
  const buffer = Buffer.alloc(wanted);
  const bytesRead = readAt(file, buffer, { start: 0, length: wanted, position: 0 });
  let lines = 0;
  for (let at = buffer.indexOf(LINE_FEED); at >= 0 && at < bytesRead; at = buffer.indexOf(LINE_FEED, at + 1))
    lines += 1;
  if (bytesRead === file.size || lines === 0) return lines + (buffer[bytesRead - 1] === LINE_FEED ? 0 : 1);
  return Math.round((file.size * lines) / (buffer.subarray(0, bytesRead).lastIndexOf(LINE_FEED) + 1));
}
