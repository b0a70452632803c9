// The ways of `HIDINGS` as a real source meets them: rows in the documents' form, and the time on
// the source's clock.

import {
  formatInstant,
  type Instant,
  MINUTE,
  parseInstant,
  SECOND,
} from '../../src/core/domain/instant.ts';
import type { RawBooks } from '../contract/source-contract.ts';
import type { Raw } from '../contract/source-rows.ts';

export interface ServedBooks {
  readonly books: RawBooks;
  readonly clock: Instant;
}

/**
 * Functions by the names of `HIDINGS`, which say what is hidden. They return `null` where there is
 * nothing to hide in that way.
 */
export const SERVED_HIDINGS: Readonly<
  Record<string, (served: ServedBooks, reference: string) => ServedBooks | null>
> = {
  'it is touched while it is read': (served, reference) =>
    changed(served, reference, () => ({ updatedAt: formatInstant(served.clock + SECOND) })),
  'it ends by a clock that is ahead': (served, reference) =>
    changed(served, reference, ({ completedAt }) => {
      const at = formatInstant(served.clock + SECOND);
      return { updatedAt: at, completedAt: completedAt == null ? null : at };
    }),
  'a line of an unknown kind names it': withNote,
  'its row cannot be read': (served, reference) =>
    changed(served, reference, () => ({ amount: null })),
  'its row cannot be read, nor its reference': (served, reference) =>
    changed(served, reference, () => ({ amount: null, reference: null })),
  'it is not served': ({ books, clock }, reference) => ({
    books: { ...books, operations: books.operations.filter((one) => one.reference !== reference) },
    clock,
  }),
  'its first line cannot be read': ({ books, clock }, reference) => {
    const first = books.entries.find(({ operationReference }) => operationReference === reference);
    if (first === undefined) return null;
    const entries = books.entries.map((line) =>
      line === first ? { ...line, amount: null } : line,
    );
    return { books: { ...books, entries }, clock };
  },
  'the reading is dated when it was made': ({ books }, reference) => {
    const operation = books.operations.find((one) => one.reference === reference);
    if (operation === undefined) return null;
    const [at, moved] = [operation.createdAt, books.wallet!.updatedAt].map(
      (text) => parseInstant(String(text))!,
    );
    return at! > moved! - 10 * MINUTE ? null : { books, clock: at! };
  },
};

function changed(
  { books, clock }: ServedBooks,
  reference: string,
  change: (operation: Raw) => Raw,
): ServedBooks {
  const operations = books.operations.map((one) =>
    one.reference === reference ? { ...one, ...change(one) } : one,
  );
  return { books: { ...books, operations }, clock };
}

/** Adds a last line of one unit for something that the document does not know. */
function withNote({ books, clock }: ServedBooks, reference: string): ServedBooks {
  const last = books.entries.reduce((a, b) => (Number(b.sequence) > Number(a.sequence) ? b : a));
  const line = {
    ...last,
    id: `${String(last.id).slice(0, -4)}0000`,
    sequence: Number(last.sequence) + 1,
    kind: 'LOYALTY_NOTE',
    direction: 'CREDIT',
    amount: 1,
    balanceAfter: Number(last.balanceAfter) + 1,
    operationReference: reference,
    description: null,
  };
  const { balance, available } = books.wallet!;
  const wallet = {
    ...books.wallet!,
    balance: Number(balance) + 1,
    available: Number(available) + 1,
  };
  return { books: { ...books, entries: [...books.entries, line], wallet }, clock };
}
