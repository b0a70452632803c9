// A source over books in memory that a test may replace between two runs, deliver in batches of any size, and make break
// off in the middle of a stream.

import type { NotChecked, Reading } from '../../src/domain/reading.ts';
import type { Since, Source } from '../../src/sources/source.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export interface ArraySource extends Source {
  books: DecodedBooks;
  batchRows: number;
  /** Rows delivered by one reading before it breaks off; null: it does not. */
  breaksAfter: number | null;
  /** Serve only lines above the last one stored, as a source may. */
  onlyNew: boolean;
  absent: readonly NotChecked[];
}

/** What a source that breaks off throws. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

export function arraySource(books: DecodedBooks): ArraySource {
  const source: ArraySource = {
    name: 'arrays',
    books,
    batchRows: 1_000,
    breaksAfter: null,
    onlyNew: true,
    absent: [],
    merchants: async () => [source.books.profile.reference],
    open: async (merchant, since) => readingOf(source, merchant, since),
    askOperation: async (_, reference) => source.books.operations.find((one) => one.reference === reference) ?? null,
    close: async () => {},
  };
  return source;
}

function readingOf(source: ArraySource, merchant: string, since: Since | null): Reading {
  const { books, batchRows, breaksAfter } = source;
  let delivered = 0;
  async function* batches<Row>(rows: readonly Row[]) {
    for (let from = 0; from < rows.length; from += batchRows) {
      if (breaksAfter !== null && delivered >= breaksAfter) throw new BrokenOff(`broke off after ${delivered} rows`);
      const part = rows.slice(from, from + batchRows);
      delivered += part.length;
      yield { rows: part, rejected: [] };
    }
  }
  const last = source.onlyNew ? (since?.lastSequence ?? -1) : -1;
  // From the head itself on, as real sources overlap: its sequence may have got a second content since.
  const lines = books.entries.filter((entry) => entry.sequence >= last);
  const operations = books.operations.toSorted((a, b) => a.createdAt - b.createdAt);
  return {
    merchant,
    profiles: [books.profile],
    moving: false,
    currency: books.wallet.currency,
    watermark: books.asOf,
    absent: source.absent,
    rejected: [],
    adjustedAt: null,
    expectedEntries: lines.length,
    entries: () => batches(lines),
    operations: () => batches(operations.map((operation) => ({ operation, previous: null }))),
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: async () => {
      throw new Error('books that are mirrored are recalled from the mirror');
    },
    close: async () => {},
  };
}
