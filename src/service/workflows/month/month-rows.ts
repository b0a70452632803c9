// What a month is stated of: an audit of its books, and their lines and operations as a month needs
// them. The mirror goes on from the checkpoint of the last run where it holds good, finds rows by
// its indexes and keeps openings; any other snapshot reads its history.

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
  /** A checkpoint of another engine is not gone on from. */
  readonly engine: string;
  readonly options: AuditOptions;
}

/** As a full audit judges them at the cut, whatever was kept of them. */
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

/** Null when the checkpoint cannot stand. */
async function goOn(
  mirror: MirrorSnapshot,
  checkpoint: Checkpoint,
  options: AuditOptions,
): Promise<Audited | null> {
  const { lastSequence: sequence, lastIntake: intake, state } = checkpoint;
  const later = await mirror.since({ sequence, intake });
  const audited = await auditBy((task) => resume(task, state), later, options);
  // A line that was dated after the run that read it is no longer, and a full audit would say
  // nothing of it.
  const isAsOfNow =
    audited?.report.findings.every(({ kind }) => kind !== 'ENTRY_TIME_IMPOSSIBLE') === true;
  return isAsOfNow ? audited : null;
}
