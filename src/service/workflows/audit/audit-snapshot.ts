// Audits one snapshot: every line from the first, without any stored result. The session decides
// the order of the work.

import { currencyOf } from '../../../core/domain/amount.ts';
import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Note, type Snapshot, servedSince } from '../../../core/domain/snapshot.ts';
import type { ReconcileSettings } from '../../../core/kernel/reconcile/books.ts';
import type { Session } from '../../../core/kernel/reconcile/drive.ts';
import type { JudgedPart } from '../../../core/kernel/reconcile/published/judged-part.ts';
import {
  type CutWish,
  reconcile,
  type SessionTask,
} from '../../../core/kernel/reconcile/session.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import { driveSession, type JudgeNotified } from '../drive-session.ts';

export interface AuditOptions
  extends Pick<
    ReconcileSettings,
    | 'askedUntil'
    | 'unread'
    | 'grace'
    | 'clockTolerance'
    | 'pinned'
    | 'opening'
    | 'tampered'
    | 'changedMonths'
    | 'decisions'
  > {
  /**
   * The watermark of the audit: rows newer than this instant are not judged. If the snapshot has a
   * watermark of its own, that is used instead.
   */
  readonly asOf: Instant;
  /**
   * Judges the books as they stood at a cut; absent or `null` to judge them as of the reading. A
   * replay from a checkpoint cannot do this.
   */
  readonly cut?: CutWish | null;
  /**
   * The comparison with what the service published beside the ledger; absent or `null` when none
   * was made.
   */
  readonly compared?: JudgedPart | null;
  /**
   * Judges notifications once the books have been read; absent when the report must say that it was
   * not done.
   */
  readonly judgeNotified?: JudgeNotified;
  readonly onProgress: (entries: number) => void;
}

export async function auditSnapshot(given: Snapshot, options: AuditOptions): Promise<AuditReport> {
  const { report } = await auditBy(reconcile, given, options);
  return report;
}

/**
 * Runs the session that `begin` makes and returns its result. Keeps no state for a later replay.
 */
export function auditBy<Result>(
  begin: (task: SessionTask) => Session<Result>,
  given: Snapshot,
  options: AuditOptions,
): Promise<Result> {
  const task = { ...taskFor(given, options), cut: options.cut ?? null, keepsState: false };
  const { judgeNotified = leaveAlone, onProgress } = options;
  const { snapshot, judge } = judgeNotified(given, task.settings);
  return driveSession(begin(task), snapshot, { notifications: judge, onProgress });
}

const LEFT_ALONE: Note = { what: 'events', code: 'EVENTS_LEFT' };

const leaveAlone: JudgeNotified = (snapshot) => {
  const why = snapshot.notifications === null ? null : LEFT_ALONE;
  return { snapshot, judge: async () => ({ notified: null, why }) };
};

export function taskFor(
  snapshot: Snapshot,
  options: AuditOptions,
): Pick<SessionTask, 'settings' | 'hashOf' | 'rejected' | 'absent' | 'compared'> {
  const { hashOf, rejected, absent } = snapshot;
  return {
    settings: settingsFor(snapshot, options),
    hashOf,
    rejected,
    absent,
    compared: options.compared ?? null,
  };
}

function settingsFor(snapshot: Snapshot, options: AuditOptions): ReconcileSettings {
  const absent = new Set(snapshot.absent.map((note) => note.what));
  const country = snapshot.profiles.at(-1)?.country;
  const since = servedSince(snapshot);
  return {
    merchant: snapshot.merchant,
    wording: ENGLISH_WORDING,
    currency: snapshot.currency ?? (country === undefined ? null : currencyOf(country)),
    statedCurrency: snapshot.currency,
    profiles: snapshot.profiles,
    adjustedAt: snapshot.adjustedAt,
    opening: options.opening,
    watermark: snapshot.watermark ?? options.asOf,
    askedUntil: options.askedUntil,
    unread: options.unread,
    grace: options.grace,
    clockTolerance: options.clockTolerance,
    pinned: options.pinned,
    keepsAll: snapshot.moving,
    departures: snapshot.departures ?? [],
    missing: (snapshot.missing ?? []).filter(({ operation }) => operation.createdAt >= since),
    alterations: snapshot.alterations ?? [],
    replaced: snapshot.replaced ?? null,
    tampered: options.tampered === undefined ? (snapshot.tampered ?? null) : options.tampered,
    changedMonths: options.changedMonths ?? snapshot.changedMonths ?? [],
    decisions: options.decisions ?? [],
    present: { ledger: !absent.has('ledger'), operations: !absent.has('operations') },
  };
}
