// Audits one snapshot: every line from the first, nothing remembered. What is done in which order stands in the session.

import type { Standing } from '../domain/assumptions.ts';
import { currencyOf } from '../domain/currency.ts';
import type { MerchantReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { NotChecked, Snapshot } from '../domain/snapshot.ts';
import type { ReconcileSettings } from '../reconcile/books.ts';
import type { ComparedReports } from '../reconcile/compare-reports.ts';
import type { JudgedNotifications } from '../reconcile/drive.ts';
import { reconcile, type SessionTask } from '../reconcile/session.ts';
import { driveSession } from './drive-session.ts';
import { judgeNotifications } from './judge-notifications.ts';

export interface AuditOptions {
  /** The books are judged as they stood at this instant, unless the snapshot itself names an earlier watermark. */
  readonly asOf: Instant;
  readonly grace: number;
  readonly clockTolerance: number;
  readonly pinned: Partial<Standing>;
  readonly opening: ReconcileSettings['opening'];
  /** Findings that lie at or after this instant are left out; absent or null: none are. Not known to a replay from a checkpoint. */
  readonly until?: Instant | null;
  /** What the service published beside the ledger, compared; absent or null: nothing was. */
  readonly compared?: ComparedReports | null;
  /** Compares what the service notified with the books, once they have been read; absent: that it was not done is said. */
  readonly judgeNotified?: (snapshot: Snapshot, settings: ReconcileSettings) => Promise<JudgedNotifications>;
  readonly onProgress: (entries: number) => void;
}

export async function auditSnapshot(snapshot: Snapshot, options: AuditOptions): Promise<MerchantReport> {
  const task = { ...taskFor(snapshot, options), until: options.until ?? null, keepsState: false };
  const { judgeNotified = leaveAlone, onProgress } = options;
  const notifications = () => judgeNotified(snapshot, task.settings);
  const { report } = await driveSession(reconcile(task), snapshot, { notifications, onProgress });
  return report;
}

/** What a snapshot's own notifications say. */
export async function judgeServed(
  snapshot: Snapshot,
  { watermark, clockTolerance, holds }: ReconcileSettings,
): Promise<JudgedNotifications> {
  const { notifications } = snapshot;
  if (notifications === null) return NOT_JUDGED;
  const toldFrom = Number.NEGATIVE_INFINITY;
  const operations = async function* () {
    for await (const { rows } of snapshot.operations()) yield rows.map(({ operation }) => operation);
  };
  const settings = { watermark, clockTolerance, toldFrom, holdsOperations: holds.operations };
  return { notified: await judgeNotifications({ notifications, settings, operations }), why: null };
}

const NOT_JUDGED: JudgedNotifications = { notified: null, why: null };

const LEFT_ALONE: NotChecked = {
  what: 'events',
  why: 'it is an audit that holds notifications against the books',
  incomplete: false,
};

async function leaveAlone({ notifications }: Snapshot): Promise<JudgedNotifications> {
  return notifications === null ? NOT_JUDGED : { notified: null, why: LEFT_ALONE };
}

/** What a session over this snapshot is given. */
export function taskFor(
  snapshot: Snapshot,
  options: AuditOptions,
): Pick<SessionTask, 'settings' | 'rejected' | 'absent' | 'compared'> {
  const { rejected, absent } = snapshot;
  return { settings: settingsFor(snapshot, options), rejected, absent, compared: options.compared ?? null };
}

function settingsFor(snapshot: Snapshot, options: AuditOptions): ReconcileSettings {
  const absent = new Set(snapshot.absent.map((note) => note.what));
  const country = snapshot.profiles.at(-1)?.country;
  return {
    merchant: snapshot.merchant,
    currency: snapshot.currency ?? (country === undefined ? null : currencyOf(country)),
    statedCurrency: snapshot.currency,
    profiles: snapshot.profiles,
    adjustedAt: snapshot.adjustedAt,
    opening: options.opening,
    watermark: snapshot.watermark ?? options.asOf,
    grace: options.grace,
    clockTolerance: options.clockTolerance,
    pinned: options.pinned,
    keepsAll: snapshot.moving,
    holds: { ledger: !absent.has('ledger'), operations: !absent.has('operations') },
  };
}
