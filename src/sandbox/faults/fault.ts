// What a planted fault is: a named change to complete books, and the one finding that it should lead an audit to.

import type { Books } from '../books.ts';
import type { Random } from '../random.ts';

/** The root finding and its place (catalogue of findings, "Words"): a null part means that the place has no such part. */
export interface Expected {
  readonly kind: string;
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /** What its evidence names, where it is in no ledger. */
  readonly about?: string;
}

export interface Planted {
  readonly books: Books;
  readonly expected: Expected;
}

export interface Fault {
  /** The kind of the expected root, and after a slash what tells this way of planting it from the first. */
  readonly name: string;
  /** What is done to the books. */
  readonly says: string;
  /** Null when these books offer no place for the fault: nothing suitable has happened in them. */
  readonly plant: (books: Books, random: Random) => Planted | null;
}

/** Changed books, and where an audit should point. */
export interface Change {
  readonly books: Books;
  readonly sequence: number | null;
  readonly operationReference: string | null;
}

/** A fault from its change: the expected kind is the name up to the slash. */
export function defineFault(parts: {
  readonly name: string;
  readonly says: string;
  readonly change: (books: Books, random: Random) => Change | null;
}): Fault {
  const kind = parts.name.split('/')[0]!;
  return {
    name: parts.name,
    says: parts.says,
    plant: (books, random) => {
      const change = parts.change(books, random);
      if (change === null) return null;
      const { sequence, operationReference } = change;
      return { books: change.books, expected: { kind, sequence, operationReference } };
    },
  };
}

/** The place of the line at `index`. */
export function atLine(books: Books, index: number): Change {
  const { sequence, operationReference } = books.entries[index]!;
  return { books, sequence, operationReference };
}

/** The place of an operation, where no line can be named. */
export function atOperation(books: Books, operationReference: string): Change {
  return { books, sequence: null, operationReference };
}
