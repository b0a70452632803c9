// Audits one reading: hears from its first lines which lawful readings stand, reconciles the whole under them, looks up
// what it had put away, and reports. When the whole ledger votes otherwise than its first lines, it starts again.

import { EVERY_READING, type Standing, sameStanding } from '../domain/assumptions.ts';
import { currencyOf } from '../domain/currency.ts';
import type { MerchantReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import type { NotChecked, RejectedRow, Snapshot } from '../domain/snapshot.ts';
import { type Books, beginBooks, beginIdentityLists, type ReconcileSettings } from '../reconcile/books.ts';
import type { ComparedReports } from '../reconcile/compare-reports.ts';
import { type Conclusion, conclude, finishLines, settledCurrency } from '../reconcile/conclude.ts';
import { type Desk, openDesk, putAway, takeNotChecked, takeRejected } from '../reconcile/desk.ts';
import type { Notified } from '../reconcile/notified.ts';
import { reportOf } from '../reconcile/report.ts';
import { holdStart } from './hold-start.ts';
import { judgeNotifications } from './judge-notifications.ts';
import { type WatchedSnapshot, watchLater } from './later-places.ts';
import { readInOrder } from './read-in-order.ts';
import { NOTHING_RECALLED, recallWanted } from './recall-wanted.ts';
import { takeReading } from './take-reading.ts';

export interface AuditOptions {
  /** The books are judged as they stood at this instant, unless the reading itself names an earlier watermark. */
  readonly asOf: Instant;
  readonly grace: number;
  readonly clockTolerance: number;
  readonly pinned: Partial<Standing>;
  readonly opening: ReconcileSettings['opening'];
  /** Findings that lie at or after this instant are left out; absent or null: none are. Not known to a replay from a checkpoint. */
  readonly until?: Instant | null;
  /** What the service published beside the ledger, compared; absent or null: nothing was. */
  readonly compared?: ComparedReports | null;
  /** Holds what the service notified against the books, once they have been read; absent: that it was not done is said. */
  readonly judgeNotified?: (snapshot: Snapshot, settings: ReconcileSettings) => Promise<JudgedNotifications>;
  readonly onProgress: (entries: number) => void;
}

/** What notifications say, or why there is nothing to say of them; both null: the reading has told that it has none. */
export interface JudgedNotifications {
  readonly notified: Notified | null;
  readonly why: NotChecked | null;
}

const LEARNED_FROM = 10_000;

/** A full audit: every line from the first, nothing remembered. */
export async function auditSnapshot(given: Snapshot, options: AuditOptions): Promise<MerchantReport> {
  const watched = options.until == null ? null : watchLater(given, options.until);
  const held = holdStart(watched?.snapshot ?? given);
  try {
    return await auditHeld(held.snapshot, { options, watched });
  } finally {
    await held.letGo();
  }
}

async function auditHeld(
  snapshot: Snapshot,
  { options, watched }: { readonly options: AuditOptions; readonly watched: WatchedSnapshot | null },
): Promise<MerchantReport> {
  const learned = await learnFromStart(snapshot, settingsFor(snapshot, options));
  const settings = { ...settingsFor(snapshot, options), currency: learned.currency };
  let { standing } = learned;
  let judged: JudgedNotifications | null = null;
  for (let pass = 0; pass < 3; pass++) {
    const desk = await readInOrder(async () => {
      const begun = deskFor(snapshot, settings, { books: beginBooks(standing), options });
      begun.compared = options.compared ?? null;
      takeRejected(begun, learned.rejected);
      await takeReading(begun, snapshot, { limit: null, onProgress: options.onProgress });
      return begun;
    });
    judged ??= (await options.judgeNotified?.(snapshot, settings)) ?? NOT_JUDGED;
    desk.books.notified = judged.notified;
    if (judged.why !== null) takeNotChecked(desk, [judged.why]);
    const conclusion = await concludeSnapshot(desk, snapshot);
    if (sameStanding(conclusion.standing, standing)) {
      return reportOf(desk, conclusion, (await watched?.laterPlaces(desk, conclusion)) ?? null);
    }
    standing = conclusion.standing;
  }
  invariant(false, 'votes do not depend on the readings that a pass judges by');
}

/** Whatever readings stand, notifications say the same: they are judged once, after the first pass. */
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

export function settingsFor(snapshot: Snapshot, options: AuditOptions): ReconcileSettings {
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

interface Learned {
  readonly standing: Standing;
  readonly currency: string | null;
  /** Rows refused on the way: a source need not refuse them twice. */
  readonly rejected: readonly RejectedRow[];
}

/** What the first lines say of the readings that stand, and of the currency that the books are in. */
export async function learnFromStart(snapshot: Snapshot, settings: ReconcileSettings): Promise<Learned> {
  const every = { ...EVERY_READING, ...settings.pinned };
  // A source that moves is not read twice for this: its first pass judges by every reading.
  if (snapshot.moving) return { standing: every, currency: settings.currency, rejected: [] };
  const desk = await readInOrder(async () => {
    const begun = openDesk(beginBooks(every), beginIdentityLists(false), settings);
    await takeReading(begun, snapshot, { limit: LEARNED_FROM, onProgress: () => {} });
    return begun;
  });
  finishLines(desk);
  const { standing } = conclude(desk, { wallet: null, laterEntries: [], rejected: [] }, NOTHING_RECALLED);
  return { standing, currency: settledCurrency(desk), rejected: [...desk.books.rejected.values()] };
}

function deskFor(
  snapshot: Snapshot,
  settings: ReconcileSettings,
  { books, options }: { readonly books: Books; readonly options: AuditOptions },
): Desk {
  const desk = openDesk(books, beginIdentityLists(false), settings);
  takeRejected(desk, snapshot.rejected);
  takeNotChecked(desk, snapshot.absent);
  if (snapshot.notifications !== null && options.judgeNotified === undefined) takeNotChecked(desk, [LEFT_ALONE]);
  return desk;
}

/** Looks up what was put away and is wanted back, then judges what is left. */
export async function concludeSnapshot(desk: Desk, snapshot: Snapshot): Promise<Conclusion> {
  finishLines(desk);
  putAway(desk);
  const recalled = await recallWanted(desk, snapshot);
  return conclude(desk, await snapshot.closing(), recalled);
}
