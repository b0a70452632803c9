// The ways in which a service hides an operation from a reader, or blurs it: the rows that the
// reader gets, and when they were read.

import { type Instant, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import type { RejectedRow } from '../../src/core/domain/snapshot.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export interface HiddenBooks {
  readonly books: DecodedBooks;
  readonly rejected: readonly RejectedRow[];
  readonly watermark: Instant;
}

export interface Hiding {
  readonly name: string;
  /** Returns the books with the operation hidden; `null`: there is nothing to hide in this way. */
  hide(books: DecodedBooks, reference: string): HiddenBooks | null;
}

export const HIDINGS: readonly Hiding[] = [
  {
    name: 'it is touched while it is read',
    hide: (books, reference) =>
      changed(books, reference, () => ({ updatedAt: books.asOf + SECOND })),
  },
  {
    name: 'it ends by a clock that is ahead',
    hide: (books, reference) =>
      changed(books, reference, ({ completedAt }) => {
        const at = books.asOf + SECOND;
        return { updatedAt: at, completedAt: completedAt === null ? null : at };
      }),
  },
  {
    name: 'a line of an unknown kind names it',
    hide: (books, reference) => seen(withNote(books, reference)),
  },
  {
    name: 'its row cannot be read',
    hide: (books, reference) => ({
      ...without(books, reference),
      rejected: [{ ...REFUSED, reference }],
    }),
  },
  {
    name: 'its row cannot be read, nor its reference',
    hide: (books, reference) => ({ ...without(books, reference), rejected: [REFUSED] }),
  },
  {
    // Where the operation has no line, one look without memory cannot know that it is there.
    name: 'it is not served',
    hide: (books, reference) =>
      linesOf(books, reference).length === 0 ? null : without(books, reference),
  },
  {
    name: 'its first line cannot be read',
    hide: (books, reference) => {
      const [line] = linesOf(books, reference);
      if (line === undefined) return null;
      const rejected = [{ ...REFUSED, part: 'ledger', sequence: line.sequence } as const];
      return {
        ...seen({ ...books, entries: books.entries.filter((one) => one !== line) }),
        rejected,
      };
    },
  },
  {
    name: 'the reading is dated when it was made',
    hide: (books, reference) => {
      const operation = books.operations.find((one) => one.reference === reference);
      // The wallet is read last, and says when that was.
      const isLater =
        operation === undefined || operation.createdAt > books.wallet.updatedAt - 10 * MINUTE;
      return isLater ? null : { ...seen(books), watermark: operation.createdAt };
    },
  },
];

const REFUSED: RejectedRow = {
  part: 'operations',
  place: 'operations.jsonl:1',
  reason: 'made so',
  raw: '{',
  refusal: null,
  sequence: null,
  reference: null,
};

export function seen(books: DecodedBooks): HiddenBooks {
  return { books, rejected: [], watermark: books.asOf };
}

function linesOf({ entries }: DecodedBooks, reference: string): readonly LedgerEntry[] {
  return entries.filter(({ operationReference }) => operationReference === reference);
}

function without(books: DecodedBooks, reference: string): HiddenBooks {
  return seen({
    ...books,
    operations: books.operations.filter((one) => one.reference !== reference),
  });
}

function changed(
  books: DecodedBooks,
  reference: string,
  change: (operation: Operation) => Partial<Operation>,
): HiddenBooks {
  const operations = books.operations.map((one) =>
    one.reference === reference ? { ...one, ...change(one) } : one,
  );
  return seen({ ...books, operations });
}

/** Adds a last line of one unit for something that the document does not know. */
function withNote(books: DecodedBooks, reference: string): DecodedBooks {
  const last = books.entries.reduce((a, b) => (b.sequence > a.sequence ? b : a));
  const line: LedgerEntry = {
    ...last,
    id: `${last.id}-note`,
    sequence: last.sequence + 1,
    kind: 'LOYALTY_NOTE',
    direction: 'CREDIT',
    amount: 1,
    balanceAfter: last.balanceAfter + 1,
    operationReference: reference,
    description: null,
  };
  const { balance, available } = books.wallet;
  const wallet = { ...books.wallet, balance: balance + 1, available: available + 1 };
  return { ...books, entries: [...books.entries, line], wallet };
}
