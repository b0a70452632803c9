// The rows that a month's statement is made of: an audit of the books, and their lines and
// operations. The mirror goes on from the last run's checkpoint if that is valid, finds rows by its
// indexes and stores openings. Any other snapshot is read from its first line.

import { invariant } from '../../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import type { Snapshot } from '../../../core/domain/snapshot.ts';
import {
  type CutWish,
  type Reconciled,
  reconcile,
  resume,
} from '../../../core/kernel/reconcile/session.ts';
import type { Cut } from '../../../core/kernel/replay/cut.ts';
import type { Checkpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import type { MirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import type { MonthReader } from '../../../io/storage/mirror/read/month-reader.ts';
import { type AuditOptions, auditBy } from '../audit/audit-snapshot.ts';

export interface MonthRows extends Pick<MonthReader, 'lines' | 'linesNamed' | 'openings'> {
  /**
   * Streams operations in order of creation. Operations that cannot concern the month may be left
   * out.
   */
  operations(bounds: Bounds): AsyncIterable<readonly Operation[]>;
  /** Returns the newest version of each named operation that is known. */
  operationsNamed(references: ReadonlySet<string>): Promise<readonly Operation[]>;
}

/** Returns the rows of the mirror. The audit says which operations are still open. */
export function rowsOfMirror({ month }: MirrorSnapshot, { openReferences }: Audited): MonthRows {
  return { ...month, operations: (bounds) => month.operations(bounds, openReferences) };
}

/** Returns the rows of books that are read from the first line to the last. */
export function rowsOfSnapshot(snapshot: Snapshot): MonthRows {
  return {
    lines: (stretch) => linesWithin(snapshot, stretch),
    async linesNamed() {
      invariant(false, 'there is no line before the beginning of the ledger');
    },
    async *operations() {
      for await (const { rows } of snapshot.operations())
        yield rows.map(({ operation }) => operation);
    },
    async operationsNamed(references) {
      const nothing: ReadonlySet<string> = new Set();
      if (references.size === 0) return [];
      const { operations } = await snapshot.recall({
        references,
        entryIds: nothing,
        externalReferences: nothing,
      });
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
      ({ sequence }) =>
        (from === null || sequence >= from) && (until === null || sequence <= until),
    );
    if (wanted.length > 0) yield wanted;
    if (until !== null && (rows.at(-1)?.sequence ?? until) > until) return;
  }
}

export type Audited = Pick<Reconciled, 'report' | 'unjudged' | 'openReferences' | 'quiet'>;
export type CutAudited = Pick<Reconciled, 'report' | 'unjudged'> & { readonly cut: Cut };

export interface AuditTask {
  /** The version of this program. A checkpoint of another version is not used. */
  readonly engine: string;
  readonly options: AuditOptions;
}

/** Judges the books as they stood at the cut in a full audit, which uses no checkpoint. */
export async function auditAtCut(
  snapshot: Snapshot,
  options: AuditOptions,
  cut: CutWish,
): Promise<CutAudited> {
  const { report, unjudged, cut: found } = await auditBy(reconcile, snapshot, { ...options, cut });
  return { report, unjudged, cut: found! };
}

export async function auditFromCheckpoint(
  mirror: MirrorSnapshot,
  { engine, options }: AuditTask,
): Promise<Audited> {
  const checkpoint = await mirror.checkpoint();
  const known = checkpoint?.engine === engine ? checkpoint : null;
  const resumed = known === null ? null : await goOn(mirror, known, options);
  return resumed ?? auditBy(reconcile, mirror, options);
}

/**
 * Resumes the audit from the checkpoint. Returns `null` when the checkpoint is void, or when its
 * result could differ from that of a full audit.
 */
async function goOn(
  mirror: MirrorSnapshot,
  checkpoint: Checkpoint,
  options: AuditOptions,
): Promise<Audited | null> {
  const { lastSequence: sequence, lastIntake: intake, state } = checkpoint;
  const later = await mirror.since({ sequence, intake });
  const audited = await auditBy((task) => resume(task, state), later, options);
  // The checkpoint may hold a finding about a line that was dated after the run that read it. By
  // now that date has passed, and a full audit would find nothing.
  const isAsOfNow =
    audited?.report.findings.every(({ kind }) => kind !== 'ENTRY_TIME_IMPOSSIBLE') === true;
  return isAsOfNow ? audited : null;
}
