// Audits the mirror that a month is stated of: from the checkpoint of the last run where it stands, else from the first
// line. Both say the same. Keeps nothing: it is the run that does.

import { type Reconciled, reconcile, resume } from '../../../core/reconcile/session.ts';
import type { Checkpoint } from '../../../io/storage/conclusions/checkpoint.ts';
import type { MirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { type AuditOptions, auditBy } from '../audit/audit-snapshot.ts';

export type Audited = Pick<Reconciled, 'report' | 'openReferences'>;

export interface AuditTask {
  /** A checkpoint of another engine is not gone on from. */
  readonly engine: string;
  readonly options: AuditOptions;
}

export async function auditFromCheckpoint(mirror: MirrorSnapshot, { engine, options }: AuditTask): Promise<Audited> {
  const checkpoint = await mirror.checkpoint();
  const known = checkpoint?.engine === engine ? checkpoint : null;
  const resumed = known === null ? null : await goOn(mirror, known, options);
  return resumed ?? auditBy(reconcile, mirror, options);
}

/** Null when the checkpoint cannot stand. */
async function goOn(mirror: MirrorSnapshot, checkpoint: Checkpoint, options: AuditOptions): Promise<Audited | null> {
  const { lastSequence: sequence, lastIntake: intake, state } = checkpoint;
  const later = await mirror.since({ sequence, intake });
  const audited = await auditBy((task) => resume(task, state), later, options);
  return audited !== null && isAsOfNow(audited) ? audited : null;
}

/** A line that was dated after the run that read it is no longer, and a full audit would say nothing of it. */
function isAsOfNow({ report }: Audited): boolean {
  return report.findings.every(({ kind }) => kind !== 'ENTRY_TIME_IMPOSSIBLE');
}
