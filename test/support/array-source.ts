// A source over books in memory that a test may replace between two runs, deliver in batches of any
// size, and make break off in the middle of a stream.

import type { BookPart, Note, RejectedRow, Snapshot } from '../../src/core/domain/snapshot.ts';
import type { Since, Source } from '../../src/io/sources/port/source.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export interface ArraySource extends Source {
  books: DecodedBooks;
  batchRows: number;
  /** Rows that one reading delivers before it breaks off; `null`: it does not break off. */
  breaksAfter: number | null;
  /** Whether only lines above the last stored one are served, as a source may do. */
  onlyNew: boolean;
  absent: readonly Note[];
  /**
   * Serves every so manieth line, and every so manieth operation, so that it cannot be read;
   * `null`: none.
   */
  refusesEvery: number | null;
}

/** Thrown by a source that breaks off. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

export function arraySource(books: DecodedBooks): ArraySource {
  const source: ArraySource = {
    name: 'arrays',
    isStateless: () => false,
    books,
    batchRows: 1_000,
    breaksAfter: null,
    onlyNew: true,
    absent: [],
    refusesEvery: null,
    merchants: async () => [source.books.profile.reference],
    open: async (merchant, since) => snapshotOf(source, merchant, since),
    askOperation: async (_, reference) =>
      source.books.operations.find((one) => one.reference === reference) ?? null,
    close: async () => {},
  };
  return source;
}

function snapshotOf(source: ArraySource, merchant: string, since: Since | null): Snapshot {
  const { books, batchRows, breaksAfter } = source;
  let delivered = 0;
  async function* batches<Row>(rows: readonly Row[], refusalOf: (row: Row) => RejectedRow | null) {
    for (let from = 0; from < rows.length; from += batchRows) {
      if (breaksAfter !== null && delivered >= breaksAfter)
        throw new BrokenOff(`broke off after ${delivered} rows`);
      const part = rows.slice(from, from + batchRows);
      delivered += part.length;
      const refused = part.map(refusalOf);
      yield {
        rows: part.filter((_, i) => refused[i] === null),
        rejected: refused.filter((one) => one !== null),
      };
    }
  }
  const isRefused = (number: number): boolean =>
    source.refusesEvery !== null && number % source.refusesEvery === 0;
  // Every other refused row has a name that can still be read.
  const refuse = (
    part: BookPart,
    number: number,
    name: Partial<RejectedRow>,
  ): RejectedRow | null => {
    if (!isRefused(number)) return null;
    const nameless = {
      part,
      place: `${part}:${number}`,
      reason: 'made so',
      raw: '{',
      refusal: null,
      sequence: null,
      reference: null,
    };
    return number % 2 === 0 ? { ...nameless, ...name } : nameless;
  };
  const last = source.onlyNew ? (since?.lastSequence ?? -1) : -1;
  // Serve from the head itself on, as real sources overlap, because its sequence may have got a
  // second content since.
  const lines = books.entries.filter((entry) => entry.sequence >= last);
  const operations = books.operations.toSorted((a, b) => a.createdAt - b.createdAt);
  const numbers = new Map(operations.map(({ reference }, i) => [reference, i + 1]));
  return {
    merchant,
    profiles: [books.profile],
    moving: false,
    currency: books.wallet.currency,
    watermark: books.asOf,
    absent: source.absent,
    rejected: [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    expectedEntries: lines.length,
    entries: () => batches(lines, ({ sequence }) => refuse('ledger', sequence, { sequence })),
    operations: () =>
      batches(
        operations.map((operation) => ({ operation, previous: null })),
        ({ operation: { reference } }) =>
          refuse('operations', numbers.get(reference)!, { reference }),
      ),
    operationsAfter: Number.NEGATIVE_INFINITY,
    closing: async () => ({ wallet: books.wallet, laterEntries: [], rejected: [] }),
    recall: async () => {
      throw new Error('books that are mirrored are recalled from the mirror');
    },
    close: async () => {},
  };
}
