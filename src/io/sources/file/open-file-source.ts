// The source `file:DIR`: books exported to files, one folder for each merchant. It reads
// merchant.json, wallet.json, ledger.jsonl, operations.jsonl and events.jsonl, and notes when
// reports.json, payments.jsonl or payouts.json is missing. Each may be packed (.gz).

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../../core/domain/merchant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import { type Looks, viewBatches } from '../../../core/domain/rows/batch-view.ts';
import type { Decoded } from '../../../core/domain/rows/decode-object.ts';
import { ENTRY_LOOKS } from '../../../core/domain/rows/entry-fields.ts';
import type { EventRow } from '../../../core/domain/rows/event-fields.ts';
import { hashText } from '../../../core/domain/rows/hash-bytes.ts';
import { firstPlace, nextPlace } from '../../../core/domain/rows/hash-table.ts';
import { decodeMerchant } from '../../../core/domain/rows/merchant-fields.ts';
import { decodeWallet } from '../../../core/domain/rows/operation-fields.ts';
import {
  type Batch,
  type BookPart,
  type Note,
  type Notifications,
  type OperationVersion,
  OutOfOrder,
  type Recall,
  type Recalled,
  type RecalledEntry,
  type RejectedRow,
  type Snapshot,
} from '../../../core/domain/snapshot.ts';
import { type BatchThread, putBatchThread, takeBatchThread } from '../../threads/batch-thread.ts';
import { HASH_KEY, hashOf } from '../../threads/hash-key.ts';
import { decodeRow, rejectRow } from '../decode/decode-row.ts';
import { recallEntries } from '../port/recall-entries.ts';
import type { Detail, Source } from '../port/source.ts';
import { absentFile, type BookFile, openBookFile, readAt, readWholeFile } from './book-file.ts';
import {
  type EventFile,
  readAdjustments,
  refusedEvents,
  streamContents,
  streamNotifications,
} from './event-stream.ts';
import {
  createFileRows,
  deliverRows,
  type FileRows,
  indexOf,
  isWorthAThread,
} from './file-rows.ts';
import { openMerchantFolders } from './merchant-folders.ts';
import { tableOf } from './operation-index.ts';
import { createRowFinder, findRow } from './read-rows.ts';
import { DESCRIBED_PLAN, ENTRY_PLAN, EVENT_PLAN, OPERATION_PLAN } from './row-plan.ts';

/** Opens no file yet. */
export function openFileSource(folder: string): Source {
  const { merchants, folderOf } = openMerchantFolders(folder);
  let asked: Asked | null = null;
  return {
    name: `file:${folder}`,
    isStateless: () => true,
    merchants,
    open: async (merchant, _since, detail = 'judged') =>
      openFileSnapshot(merchant, await folderOf(merchant), detail),
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

/**
 * The operations of the merchant asked about last, kept open so that many questions take one pass
 * over the file.
 */
interface Asked {
  readonly merchant: string;
  readonly rows: FileRows<Operation> | null;
}

async function openOperations(folder: string): Promise<FileRows<Operation> | null> {
  const opened = await openBookFile(folder, 'operations.jsonl');
  return opened.state === 'open'
    ? createFileRows(opened.file, DESCRIBED_PLAN, { thread: null })
    : null;
}

// The snapshot of one merchant's folder: the books as they stand in the files, delivered in the
// order that the port requires.

const NONE: ReadonlySet<string> = new Set();

async function openFileSnapshot(
  merchant: string,
  folder: string,
  detail: Detail,
): Promise<Snapshot> {
  const books = await openMerchantBooks(folder, detail);
  const { ledger, operations } = books;
  const events: EventFile | null =
    books.events === null ? null : { rows: books.events, rejected: null };
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
      // The thread reads the files by their descriptors, and must be released before any file is
      // closed.
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

async function* streamEntries(
  rows: FileRows<LedgerEntry> | null,
): AsyncGenerator<Batch<LedgerEntry>> {
  if (rows === null) return;
  for await (const read of deliverRows(rows)) yield* viewBatches(read, ENTRY_LOOKS);
}

async function* streamOperations(
  rows: FileRows<Operation> | null,
): AsyncGenerator<Batch<OperationVersion>> {
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

async function recallLines(
  ledger: FileRows<LedgerEntry>,
  request: Recall,
): Promise<readonly RecalledEntry[]> {
  try {
    return await recallEntries(streamEntries(ledger), request);
  } catch (failure) {
    if (!(failure instanceof OutOfOrder)) throw failure;
    return recallEntries(streamEntries(ledger), request);
  }
}

// Estimates from its beginning how many lines a file has, for a progress bar only.

const SAMPLE_SIZE = 65_536;
const LINE_FEED = 0x0a;

function estimateLines(file: BookFile): number {
  if (file.size === 0) return 0;
  const sample = Buffer.alloc(Math.min(SAMPLE_SIZE, file.size));
  readAt(file, sample, 0);
  let lines = 0;
  for (let at = sample.indexOf(LINE_FEED); at >= 0; at = sample.indexOf(LINE_FEED, at + 1))
    lines += 1;
  if (sample.length === file.size || lines === 0)
    return lines + (sample.at(-1) === LINE_FEED ? 0 : 1);
  return Math.round((file.size * lines) / (sample.lastIndexOf(LINE_FEED) + 1));
}

/**
 * More operations than this are found faster by reading the whole file than by seeking each one.
 */
const MOST_SOUGHT = 20_000;

/** Returns the newest version of each operation that was asked for, by ascending createdAt. */
async function recallOperations(
  rows: FileRows<Operation>,
  { references, externalReferences }: Pick<Recall, 'references' | 'externalReferences'>,
): Promise<readonly OperationVersion[]> {
  const isSmall = externalReferences.size === 0 && references.size <= MOST_SOUGHT;
  const found = isSmall
    ? await lookUpOperations(rows, references)
    : await pickOut(rows, { references, externalReferences });
  return found.map((operation) => ({ operation, previous: null }));
}

/** Finds operations by the index, which is built first if no pass has built it. */
async function lookUpOperations(
  rows: FileRows<Operation>,
  references: Iterable<string>,
): Promise<readonly Operation[]> {
  const index = await indexOf(rows);
  const table = tableOf(index);
  rows.finder ??= createRowFinder(rows.file, rows.plan);
  const found: Operation[] = [];
  for (const reference of references) {
    const hash = hashText(HASH_KEY, reference);
    for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
      const operation = findRow(rows.finder, index.offsets[table.values[place]!]!);
      if (operation?.reference === reference) found.push(operation);
    }
  }
  return found.sort((a, b) => a.createdAt - b.createdAt);
}

async function pickOut(
  rows: FileRows<Operation>,
  { references, externalReferences }: Pick<Recall, 'references' | 'externalReferences'>,
): Promise<readonly Operation[]> {
  const found: Operation[] = [];
  const cursor = rows.plan.createCursor();
  // This waits for the end of a pass: from then on the order is known, and no row is delivered that
  // sorting would have dropped.
  await indexOf(rows);
  for await (const { batch, release } of deliverRows(rows)) {
    cursor.open(batch);
    for (let row = 0; row < batch.rows; row += 1) {
      cursor.moveTo(row);
      const { reference, externalReference } = cursor.row;
      const isByPartner = externalReference !== null && externalReferences.has(externalReference);
      if (isByPartner || references.has(reference)) found.push(rows.plan.copy(cursor.row));
    }
    release();
  }
  return found;
}

interface MerchantBooks {
  /** The thread that reads large files; `null` when every file is small. */
  readonly thread: BatchThread | null;
  readonly profile: Merchant | null;
  readonly wallet: Wallet | null;
  readonly ledger: FileRows<LedgerEntry> | null;
  readonly operations: FileRows<Operation> | null;
  readonly events: FileRows<EventRow> | null;
  readonly absent: readonly Note[];
  readonly rejected: readonly RejectedRow[];
}

/** What was missing or unreadable when the books were opened. */
interface Notes {
  readonly absent: Note[];
  readonly rejected: RejectedRow[];
}

async function openMerchantBooks(folder: string, detail: Detail): Promise<MerchantBooks> {
  const notes: Notes = { absent: [], rejected: [] };
  const profile = await readPart(
    folder,
    { part: 'merchant', name: 'merchant.json', decode: decodeMerchant },
    notes,
  );
  const wallet = await readPart(
    folder,
    { part: 'wallet', name: 'wallet.json', decode: decodeWallet },
    notes,
  );
  const ledger = await openPart(folder, { part: 'ledger', name: 'ledger.jsonl' }, notes);
  const operations = await openPart(
    folder,
    { part: 'operations', name: 'operations.jsonl' },
    notes,
  );
  for (const [part, name] of [
    ['reports', 'reports.json'],
    ['payments', 'payments.jsonl'],
    ['payouts', 'payouts.json'],
  ] as const) {
    const opened = await openPart(folder, { part, name }, notes);
    await opened?.handle.close();
  }
  const eventFile = await openPart(folder, { part: 'events', name: 'events.jsonl' }, notes);
  const isLarge = [ledger, operations, eventFile].some(isWorthAThread);
  const thread = isLarge ? takeBatchThread(new URL('./scan-worker.ts', import.meta.url)) : null;
  // If the profile could not be read, the merchant is not known, and no notification is refused as
  // another merchant's.
  const merchant = profile?.reference ?? null;
  const events =
    eventFile === null ? null : createFileRows(eventFile, EVENT_PLAN, { thread, merchant });
  const operationPlan = detail === 'described' ? DESCRIBED_PLAN : OPERATION_PLAN;
  notes.absent.push({ what: 'history', code: 'FILES_WITHOUT_HISTORY' });
  return {
    thread,
    profile,
    wallet,
    ledger: ledger === null ? null : createFileRows(ledger, ENTRY_PLAN, { thread }),
    operations: operations === null ? null : createFileRows(operations, operationPlan, { thread }),
    events,
    absent: notes.absent,
    rejected: notes.rejected,
  };
}

interface Part {
  readonly part: BookPart;
  readonly name: string;
}

/** Without these files the verdict cannot be clean. */
const NEEDED: readonly BookPart[] = ['merchant', 'wallet', 'ledger', 'operations'];

async function openPart(
  folder: string,
  { part, name }: Part,
  notes: Notes,
): Promise<BookFile | null> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'absent') noteAbsent(folder, notes, { part, name });
  else if (opened.state === 'unreadable') {
    noteUnreadable(notes, rejectRow({ part, place: opened.name, refused: opened, raw: '' }));
  } else {
    noteUnread(notes, part, { name: opened.file.name, unread: opened.unread });
    return opened.file;
  }
  return null;
}

async function readPart<T>(
  folder: string,
  { part, name, decode }: Part & { readonly decode: (value: unknown) => Decoded<T> },
  notes: Notes,
): Promise<T | null> {
  const file = await readWholeFile(folder, name);
  if (file.state === 'absent') noteAbsent(folder, notes, { part, name });
  else if (file.state === 'unreadable') {
    noteUnreadable(notes, rejectRow({ part, place: file.name, refused: file, raw: file.bytes }));
  } else {
    noteUnread(notes, part, file);
    const { row, refused } = decodeRow(file.bytes, { part, place: file.name, decode });
    if (refused === null) return row;
    noteUnreadable(notes, refused);
  }
  return null;
}

function noteAbsent(folder: string, notes: Notes, { part, name }: Part): void {
  notes.absent.push(absentFile(folder, part, name, NEEDED.includes(part)));
}

function noteUnreadable(notes: Notes, row: RejectedRow): void {
  notes.rejected.push(row);
  const { part, place: file, reason, refusal } = row;
  notes.absent.push({
    what: part,
    incomplete: true,
    code: 'FILE_UNREADABLE',
    figures: { file, reason, refusal },
  });
}

/** Names the second copy of a file, which was not read: the two may differ. */
function noteUnread(
  notes: Notes,
  part: BookPart,
  { name, unread }: { name: string; unread: string | null },
): void {
  if (unread === null) return;
  const reason = `${name} is there as well and was read instead`;
  const refused: Refused = { reason, refusal: { code: 'OTHER_COPY_READ', file: name } };
  notes.rejected.push(rejectRow({ part, place: unread, refused, raw: '' }));
}
