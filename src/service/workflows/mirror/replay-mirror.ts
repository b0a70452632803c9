// Replays what is new in a merchant's mirror from its checkpoint, or everything when there is no
// valid checkpoint. Both must give the same report.

import { isDeepStrictEqual } from 'node:util';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { StandingDecision } from '../../../core/domain/settlement.ts';
import { type Note, type Snapshot, tamperedTable } from '../../../core/domain/snapshot.ts';
import type { ReconcileSettings } from '../../../core/kernel/reconcile/books.ts';
import type { AwaitedAnswers, JudgedNotifications } from '../../../core/kernel/reconcile/drive.ts';
import type { Notified } from '../../../core/kernel/reconcile/notifications/notified.ts';
import { type Reconciled, reconcile, resume } from '../../../core/kernel/reconcile/session.ts';
import {
  ALTERED,
  type Checkpoint,
  loadCheckpoint,
} from '../../../io/storage/conclusions/checkpoint.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import {
  loadStoredExtent,
  loadWatermark,
  type StoredExtent,
} from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { type AuditOptions, taskFor } from '../audit/audit-snapshot.ts';
import { closable } from '../closable.ts';
import { driveSession } from '../drive-session.ts';
import { judgeMirrored, NEVER_NOTIFIED } from '../notifications/judge-mirrored.ts';
import type { Mirrored } from './mirror-merchant.ts';

export interface ReplayTask {
  readonly store: Store;
  readonly merchant: string;
  readonly engine: string;
  readonly options: AuditOptions;
  /**
   * What the reading that filled the mirror could not deliver, and how it ended; `null` to audit
   * the mirror as it is.
   */
  readonly snapshot: Pick<
    Mirrored,
    'watermark' | 'absent' | 'adjustedAt' | 'hasNotifications' | 'closing'
  > | null;
  /**
   * Returns the notifications that the service could not deliver; absent when it keeps no such
   * list.
   */
  readonly undelivered?: AwaitedAnswers['deliveries'];
  /**
   * Returns what is stored to settle the next night unread, for a report that the day alone cannot
   * change; absent when nothing is stored.
   */
  readonly quietOf?: ((report: AuditReport, extent: StoredExtent) => string | null) | undefined;
  /** Trust no stored result, only the mirror's rows. */
  readonly full: boolean;
}

export interface Replayed extends Pick<Reconciled, 'unjudged'> {
  readonly report: AuditReport;
  /** People's decisions, as the replay knew them. */
  readonly decisions: readonly StandingDecision[];
  readonly checkpoint: Checkpoint;
  /**
   * True when the checkpoint equals the one that the replay began with, so that it need not be
   * saved.
   */
  readonly isCheckpointStored: boolean;
  /**
   * True when the stored checkpoint was changed from outside; the replay then began with the first
   * line.
   */
  readonly isAltered: boolean;
}

export async function replayMirror(task: ReplayTask): Promise<Replayed> {
  const checkpoint = task.full ? null : await loadCheckpoint(task.store, task.merchant);
  const known = checkpoint !== null && checkpoint.engine === task.engine ? checkpoint : null;
  const isAltered = checkpoint?.engine === ALTERED;
  const first = isAltered
    ? { ...task, options: { ...task.options, tampered: tamperedTable('checkpoints') } }
    : task;
  const reconciled =
    (known === null ? null : await replayFrom(task, known)) ?? (await replayFrom(first, null));
  invariant(
    reconciled !== null && reconciled.state !== null,
    'a replay from the first line comes to its end, and keeps its state',
  );
  const { report, unjudged, decisions } = reconciled;
  const extent = await loadStoredExtent(task.store, task.merchant);
  const next: Checkpoint = {
    lastSequence: report.lastSequence ?? -1,
    lastIntake: extent?.lastIntake ?? 0,
    state: reconciled.state,
    engine: task.engine,
    quiet:
      reconciled.isSettled && extent !== null ? (task.quietOf?.(report, extent) ?? null) : null,
  };
  return {
    report,
    unjudged,
    decisions,
    checkpoint: next,
    isCheckpointStored: isDeepStrictEqual(next, known),
    isAltered,
  };
}

/**
 * Replays from the checkpoint, or from the first line without one. Returns `null` when the
 * checkpoint is void.
 */
async function replayFrom(task: ReplayTask, checkpoint: Checkpoint | null) {
  await using mirror = closable(
    await openMirrorSnapshot(task.store, {
      merchant: task.merchant,
      after:
        checkpoint === null
          ? null
          : { sequence: checkpoint.lastSequence, intake: checkpoint.lastIntake },
      watermark: task.snapshot?.watermark ?? null,
    }),
  );
  const snapshot = task.snapshot === null ? mirror : joined(mirror, task.snapshot);
  const decisions = await loadStandingDecisions(task.store, task.merchant);
  const given = {
    ...taskFor(snapshot, { ...task.options, decisions }),
    cut: null,
    keepsState: true,
  };
  const session = checkpoint === null ? reconcile(given) : resume(given, checkpoint.state);
  const reconciled = await driveSession(session, snapshot, {
    notifications: ({ before }) =>
      judgeNotified(task, snapshot, { settings: given.settings, before }),
    ...(task.undelivered === undefined ? {} : { deliveries: task.undelivered }),
    onProgress: task.options.onProgress,
  });
  return reconciled === null ? null : { ...reconciled, decisions };
}

/**
 * Returns the mirror's rows together with the notes and instants of the reading that brought them.
 */
function joined(mirror: Snapshot, runtime: NonNullable<ReplayTask['snapshot']>): Snapshot {
  return {
    ...mirror,
    absent: runtime.absent,
    adjustedAt:
      mirror.adjustedAt === null
        ? runtime.adjustedAt
        : [...mirror.adjustedAt, ...(runtime.adjustedAt ?? [])],
    closing: async () => {
      const { laterEntries, readAt } = runtime.closing;
      return { ...(await mirror.closing()), laterEntries, readAt: readAt ?? null };
    },
  };
}

/**
 * Judges notifications up to the instant of the books. Goes on from `before`, which a checkpoint
 * holds; `null` when there is none.
 */
async function judgeNotified(
  task: ReplayTask,
  snapshot: Snapshot,
  { settings, before }: { readonly settings: ReconcileSettings; readonly before: Notified | null },
): Promise<JudgedNotifications> {
  const { store, merchant } = task;
  // Without a reading, the mirror knows nothing after the run that filled it.
  const known = task.snapshot === null ? await loadWatermark(store, merchant) : null;
  const watermark = Math.min(settings.watermark, known ?? settings.watermark);
  const changed = async function* () {
    for await (const { rows } of snapshot.operations())
      yield rows.map(({ operation }) => operation.reference);
  };
  const { clockTolerance } = settings;
  const notified = await judgeMirrored({
    store,
    merchant,
    watermark,
    clockTolerance,
    before,
    changed,
  });
  if (notified !== null) return { notified, why: null };
  if (task.snapshot?.hasNotifications === true) return { notified, why: NOT_MIRRORED };
  return {
    notified,
    why: snapshot.absent.some(({ what }) => what === 'events') ? null : NEVER_NOTIFIED,
  };
}

const NOT_MIRRORED: Note = { what: 'events', code: 'EVENTS_NOT_MIRRORED' };
