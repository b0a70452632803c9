// Replays what is new in a merchant's mirror from its checkpoint on, or everything when there is none, when the readings
// that stand have changed, or when something forgotten has. Incremental and full replays say the same.

import { sameStanding } from '../domain/assumptions.ts';
import type { MerchantReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { Closing, NotChecked, RejectedRow, Snapshot } from '../domain/snapshot.ts';
import { type Books, beginBooks, beginIdentityLists, type ReconcileSettings } from '../reconcile/books.ts';
import { readBooks, readOpenReferences, writeBooks } from '../reconcile/books-text.ts';
import { bringBack } from '../reconcile/bring-back.ts';
import { conclude, finishLines, settledCurrency } from '../reconcile/conclude.ts';
import { type Desk, openDesk, putAway, takeNotChecked, takeRejected } from '../reconcile/desk.ts';
import { forgetPaidOut } from '../reconcile/paid-out.ts';
import { reportOf } from '../reconcile/report.ts';
import { termsOf } from '../reconcile/terms.ts';
import type { Checkpoint } from '../storage/checkpoint.ts';
import { loadCheckpoint } from '../storage/checkpoint.ts';
import { loadSince } from '../storage/load-since.ts';
import { loadWatermark } from '../storage/load-watermark.ts';
import { openMirrorSnapshot } from '../storage/mirror-snapshot.ts';
import type { Store } from '../storage/open-store.ts';
import { type AuditOptions, learnFromStart, settingsFor } from './audit-snapshot.ts';
import { holdNothing, holdStart } from './hold-start.ts';
import { judgeMirrored, NEVER_NOTIFIED } from './mirror-notifications.ts';
import { recallWanted } from './recall-wanted.ts';
import { takeReading } from './take-reading.ts';

/** More operations than this are not asked for again one by one. */
const MOST_OPEN = 2_000;

export interface ReplayTask {
  readonly store: Store;
  readonly merchant: string;
  readonly engine: string;
  readonly options: AuditOptions;
  /** What the reading that filled the mirror could not give, and how it ended; null: audit the mirror as it stands. */
  readonly snapshot: {
    readonly watermark: Instant;
    readonly absent: readonly NotChecked[];
    readonly adjustedAt: readonly Instant[] | null;
    readonly hasNotifications: boolean;
    readonly closing: Closing;
  } | null;
  /** Trust nothing stored but the mirror's rows. */
  readonly full: boolean;
}

export interface Replayed {
  readonly report: MerchantReport;
  readonly checkpoint: Checkpoint;
  /** The checkpoint is the one that the replay went on from: there is nothing to save of it. */
  readonly isCheckpointStored: boolean;
  /** Operations to ask the source for again: not final, or at odds with their lines. */
  readonly openReferences: readonly string[];
}

export async function replayMirror(task: ReplayTask): Promise<Replayed> {
  const checkpoint = task.full ? null : await loadCheckpoint(task.store, task.merchant);
  if (checkpoint !== null && checkpoint.engine === task.engine) {
    const replayed = await replayFrom(task, checkpoint);
    if (replayed !== null) return replayed;
  }
  for (let pass = 0; pass < 3; pass++) {
    const replayed = await replayFrom(task, null);
    if (replayed !== null) return replayed;
  }
  throw new Error(
    `the mirror of ${task.merchant} kept changing while it was replayed; is another process writing to it?`,
  );
}

/** Operations that an earlier replay left open, as its checkpoint has them. */
export async function loadOpenReferences(store: Store, merchant: string, engine: string): Promise<readonly string[]> {
  const checkpoint = await loadCheckpoint(store, merchant);
  return checkpoint === null || checkpoint.engine !== engine ? [] : firstOf(readOpenReferences(checkpoint.state));
}

function openReferencesOf(books: Books): readonly string[] {
  return firstOf([...books.replay.tallies.keys()].sort());
}

function firstOf(references: readonly string[]): readonly string[] {
  return references.slice(0, MOST_OPEN);
}

/** Null when this replay cannot stand: judged by other readings than the whole ledger votes for. */
async function replayFrom(task: ReplayTask, checkpoint: Checkpoint | null): Promise<Replayed | null> {
  const after = checkpoint === null ? null : { sequence: checkpoint.lastSequence, intake: checkpoint.lastIntake };
  const mirror = await openMirrorSnapshot(task.store, {
    merchant: task.merchant,
    after,
    watermark: task.snapshot?.watermark ?? null,
  });
  const hold = checkpoint === null ? holdStart : holdNothing;
  const held = hold(task.snapshot === null ? mirror : joined(mirror, task.snapshot));
  const { snapshot } = held;
  try {
    const settings = settingsFor(snapshot, task.options);
    const begun =
      checkpoint === null ? await beginFresh(snapshot, settings) : { books: readBooks(checkpoint.state), settings };
    const current = { ...settings, currency: begun.settings.currency };
    if (checkpoint !== null && (begun.books.replayAgain || begun.books.terms !== termsOf(current))) return null;
    begun.books.terms = termsOf(current);
    const desk = openDesk(begun.books, beginIdentityLists(checkpoint !== null), current);
    desk.compared = task.options.compared ?? null;
    standOnlyBy(desk, snapshot.rejected);
    takeNotChecked(desk, snapshot.absent);
    await takeReading(desk, snapshot, { limit: null, onProgress: task.options.onProgress });
    await judgeNotified(task, snapshot, desk);
    return await concludeReplay(task, { snapshot, desk, settings: current, from: checkpoint });
  } finally {
    await held.letGo();
    await snapshot.close();
  }
}

/** The mirror gives all refused rows that stand: those that a checkpoint carried on may have been repaired since. */
function standOnlyBy(desk: Desk, rejected: readonly RejectedRow[]): void {
  desk.books.rejected.clear();
  desk.books.rejectedCount = 0;
  takeRejected(desk, rejected);
}

async function beginFresh(
  snapshot: Snapshot,
  settings: ReconcileSettings,
): Promise<{ books: Books; settings: ReconcileSettings }> {
  const learned = await learnFromStart(snapshot, settings);
  return { books: beginBooks(learned.standing), settings: { ...settings, currency: learned.currency } };
}

/** The mirror's rows with the surroundings of the reading that brought them. */
function joined(mirror: Snapshot, surroundings: NonNullable<ReplayTask['snapshot']>): Snapshot {
  return {
    ...mirror,
    absent: surroundings.absent,
    adjustedAt: bothOf(mirror.adjustedAt, surroundings.adjustedAt),
    closing: async () => ({ ...(await mirror.closing()), laterEntries: surroundings.closing.laterEntries }),
  };
}

function bothOf(a: readonly Instant[] | null, b: readonly Instant[] | null): readonly Instant[] | null {
  return a === null ? b : [...a, ...(b ?? [])];
}

/** What was notified, judged up to the books' own instant; what a checkpoint knows of it is gone on from. */
async function judgeNotified(task: ReplayTask, snapshot: Snapshot, { books, settings }: Desk): Promise<void> {
  const { store, merchant } = task;
  // Of a mirror that is not being filled, nothing is known after the run that filled it.
  const known = task.snapshot === null ? await loadWatermark(store, merchant) : null;
  const watermark = Math.min(settings.watermark, known ?? settings.watermark);
  const changed = async function* () {
    for await (const { rows } of snapshot.operations()) yield rows.map(({ operation }) => operation.reference);
  };
  const { clockTolerance } = settings;
  const judging = { store, merchant, watermark, clockTolerance, before: books.notified ?? null, changed };
  books.notified = await judgeMirrored(judging);
  if (books.notified !== null) books.notChecked.delete('events');
  else if (task.snapshot?.hasNotifications === true) books.notChecked.set('events', NOT_MIRRORED);
  else if (!books.notChecked.has('events')) books.notChecked.set('events', NEVER_NOTIFIED);
}

const NOT_MIRRORED: NotChecked = {
  what: 'events',
  why: 'a run judges what it was notified itself; an audit of the source judges what lies there',
  incomplete: false,
};

/**
 * What is kept is the state before the last lines were finished: a later line may still belong to their group. What was
 * brought back is brought back there too, so that it is put away and not looked up every night.
 */
async function concludeReplay(
  task: ReplayTask,
  work: {
    readonly snapshot: Snapshot;
    readonly desk: Desk;
    readonly settings: ReconcileSettings;
    readonly from: Checkpoint | null;
  },
): Promise<Replayed | null> {
  const { snapshot, desk, settings } = work;
  const kept = openDesk(readBooks(writeBooks(desk.books)), beginIdentityLists(true), settings);
  finishLines(desk);
  putAway(desk);
  const recalled = await recallWanted(desk, snapshot);
  const conclusion = conclude(desk, await snapshot.closing(), recalled);
  const holds = sameStanding(conclusion.standing, desk.books.standing) && settledCurrency(desk) === settings.currency;
  if (!holds || desk.books.replayAgain) return null;
  // Identities seen twice are looked up every time: the list that found them is not kept.
  for (const id of desk.books.suspectIds) kept.books.suspectIds.add(id);
  for (const shared of desk.books.suspectExternalReferences) kept.books.suspectExternalReferences.add(shared);
  bringBack(kept, recalled);
  forgetPaidOut(kept.books, settings.profiles);
  const extent = await loadSince(task.store, task.merchant);
  const checkpoint: Checkpoint = {
    lastSequence: desk.books.replay.last?.sequence ?? -1,
    lastIntake: extent?.lastIntake ?? 0,
    state: writeBooks(kept.books),
    engine: task.engine,
  };
  return {
    report: reportOf(desk, conclusion),
    checkpoint,
    isCheckpointStored: isSameCheckpoint(checkpoint, work.from),
    openReferences: openReferencesOf(desk.books),
  };
}

function isSameCheckpoint(a: Checkpoint, b: Checkpoint | null): boolean {
  if (b === null || a.engine !== b.engine || a.state !== b.state) return false;
  return a.lastSequence === b.lastSequence && a.lastIntake === b.lastIntake;
}
