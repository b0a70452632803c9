// What a month is stated of: lines and operations, asked for as a month needs them. The mirror finds them by its indexes and
// keeps openings; any other snapshot reads its history, and keeps none.

import { invariant } from '../../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Snapshot } from '../../../core/domain/snapshot.ts';
import type { MirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import type { MonthReader } from '../../../io/storage/mirror/read/month-reader.ts';
import type { Audited } from './audit-month.ts';

export interface MonthRows extends Pick<MonthReader, 'lines' | 'linesNamed' | 'openings'> {
  /** By creation; those that the month does not concern may be left out. */
  operations(bounds: Bounds): AsyncIterable<readonly Operation[]>;
  /** In their newest version, as far as they are known. */
  operationsNamed(references: ReadonlySet<string>): Promise<readonly Operation[]>;
}

/** What is still open is known by the audit. */
export function rowsOfMirror({ month }: MirrorSnapshot, { openReferences }: Audited): MonthRows {
  return { ...month, operations: (bounds) => month.operations(bounds, openReferences) };
}

/** Of books that are read whole. */
export function rowsOfSnapshot(snapshot: Snapshot): MonthRows {
  return {
    lines: (stretch) => linesWithin(snapshot, stretch),
    async linesNamed() {
      invariant(false, 'nothing stands before the beginning of the ledger');
    },
    async *operations() {
      for await (const { rows } of snapshot.operations()) yield rows.map(({ operation }) => operation);
    },
    async operationsNamed(references) {
      const nothing: ReadonlySet<string> = new Set();
      if (references.size === 0) return [];
      const { operations } = await snapshot.recall({ references, entryIds: nothing, externalReferences: nothing });
      return operations.map(({ operation }) => operation);
    },
    openings: {
      list: async () => [],
      async stateAt() {
        invariant(false, 'no opening is kept of books that are read whole');
      },
      keep: async () => {},
    },
  };
}

async function* linesWithin(
  snapshot: Snapshot,
  { from, until }: Parameters<MonthRows['lines']>[0],
): AsyncGenerator<readonly LedgerEntry[]> {
  for await (const { rows } of snapshot.entries()) {
    const wanted = rows.filter(
      ({ sequence }) => (from === null || sequence >= from) && (until === null || sequence <= until),
    );
    if (wanted.length > 0) yield wanted;
    if (until !== null && (rows.at(-1)?.sequence ?? until) > until) return;
  }
}
