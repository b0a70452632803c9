// The reading of one merchant's folder: its books as they stand in the files, delivered in the order that the port asks for.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { sameEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Batch, OperationVersion, Reading, Recall, Recalled, RecalledEntry } from '../../domain/reading.ts';
import { estimateLines } from './line-estimate.ts';
import { type MerchantBooks, openMerchantBooks } from './merchant-books.ts';
import { closeOrderedStream, streamInOrder } from './ordered-stream.ts';

export async function openFileReading(merchant: string, folder: string): Promise<Reading> {
  const books = await openMerchantBooks(folder);
  const expectedEntries = books.ledger === null ? 0 : await estimateLines(books.ledger.file);
  return {
    merchant,
    profiles: books.profile === null ? [] : [books.profile],
    moving: false,
    currency: books.wallet?.currency ?? null,
    watermark: null,
    absent: books.absent,
    rejected: books.rejected,
    adjustedAt: books.adjustedAt,
    expectedEntries,
    entries: () => streamEntries(books),
    operations: () => streamOperations(books),
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: (request) => recall(books, request),
    close: async () => {
      if (books.ledger !== null) await closeOrderedStream(books.ledger);
      if (books.operations !== null) await closeOrderedStream(books.operations);
    },
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
  return {
    entries: references.size + entryIds.size > 0 ? await recallEntries(books, request) : [],
    operations: references.size + externalReferences.size > 0 ? await recallOperations(books, request) : [],
  };
}

/**
 * The line before a line is the last one of a lower sequence: of two contents under one sequence, neither comes before
 * the other. Re-deliveries are dropped.
 */
async function recallEntries(books: MerchantBooks, request: Recall): Promise<readonly RecalledEntry[]> {
  const found: RecalledEntry[] = [];
  let before: LedgerEntry | null = null;
  let last: LedgerEntry | null = null;
  for await (const { rows } of streamEntries(books)) {
    for (const entry of rows) {
      if (last !== null && last.sequence < entry.sequence) before = last;
      last = entry;
      const isByReference = entry.operationReference !== null && request.references.has(entry.operationReference);
      if (!isByReference && !request.entryIds.has(entry.id)) continue;
      if (isRepeated(found, entry)) continue;
      found.push({ entry, before: before === null ? null : figuresAfter(before) });
    }
  }
  return found;
}

/** Equal sequences are adjacent, so only the end of the list needs a look. */
function isRepeated(found: readonly RecalledEntry[], entry: LedgerEntry): boolean {
  for (let i = found.length - 1; i >= 0 && found[i]!.entry.sequence === entry.sequence; i -= 1) {
    if (sameEntry(found[i]!.entry, entry)) return true;
  }
  return false;
}

function figuresAfter(entry: LedgerEntry): NonNullable<RecalledEntry['before']> {
  return { sequence: entry.sequence, balance: entry.balanceAfter, reserved: entry.reservedAfter };
}

async function recallOperations(books: MerchantBooks, request: Recall): Promise<readonly OperationVersion[]> {
  const found: OperationVersion[] = [];
  const isAsked = ({ reference, externalReference }: Operation): boolean =>
    request.references.has(reference) ||
    (externalReference !== null && request.externalReferences.has(externalReference));
  for await (const { rows } of streamOperations(books)) {
    for (const version of rows) if (isAsked(version.operation)) found.push(version);
  }
  return found;
}
