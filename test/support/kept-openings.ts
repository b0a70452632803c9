// Keeps openings of months in memory, beside books in memory, for tests that state months from
// these.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { sameEntry } from '../../src/core/domain/rows/entry-fields.ts';
import type { KeptOpening, Openings } from '../../src/io/storage/mirror/openings.ts';
import { type MonthRows, rowsOfSnapshot } from '../../src/service/workflows/month/month-rows.ts';
import { snapshotOf } from './month-of-books.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export interface OpeningShelf extends Openings {
  readonly kept: Map<number, KeptOpening>;
  /** How many months began from a kept opening. */
  taken: number;
  /** Forgets openings as the mirror does when lines arrive at or below its head. */
  forget(lowestLate: number): void;
}

export function createShelf(): OpeningShelf {
  const kept = new Map<number, KeptOpening>();
  const shelf: OpeningShelf = {
    kept,
    taken: 0,
    list: async (until) =>
      [...kept.values()]
        .filter(({ startsAt }) => startsAt <= until)
        .sort((a, b) => b.startsAt - a.startsAt),
    stateAt: async (startsAt) => {
      shelf.taken += 1;
      return kept.get(startsAt)!.state;
    },
    keep: async (opening) => void kept.set(opening.startsAt, opening),
    forget(lowestLate) {
      for (const { startsAt, position } of [...kept.values()])
        if (position >= lowestLate) kept.delete(startsAt);
    },
  };
  return shelf;
}

export function rowsWithOpenings(books: DecodedBooks, shelf: Openings): MonthRows {
  return {
    ...rowsOfSnapshot(snapshotOf(books)),
    linesNamed: async ({ before, references, sequences }) =>
      distinct(books.entries)
        .filter((line) => line.sequence < before && isNamed(line, references, sequences))
        .sort((a, b) => a.sequence - b.sequence),
    openings: shelf,
  };
}

function isNamed(
  { sequence, operationReference }: LedgerEntry,
  references: ReadonlySet<string>,
  sequences: ReadonlySet<number>,
): boolean {
  return (
    sequences.has(sequence) || (operationReference !== null && references.has(operationReference))
  );
}

/** Returns each line once, because the mirror keeps a line that is delivered twice once. */
function distinct(lines: readonly LedgerEntry[]): LedgerEntry[] {
  const bySequence = Map.groupBy(lines, ({ sequence }) => sequence);
  return [...bySequence.values()].flatMap((shared) =>
    shared.filter((line, i) => !shared.slice(0, i).some((earlier) => sameEntry(earlier, line))),
  );
}
