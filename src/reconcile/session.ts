// One session reconciles the books of one merchant: it asks for what it needs and returns the report. The order of work
// stands in `judgeBooks`, and that books are judged again when other interpretations stand, in `reconcile`.

import { EVERY_READING, type Standing, sameStanding } from '../domain/assumptions.ts';
import type { MerchantReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import type { NotChecked, Recalled, RejectedRow } from '../domain/snapshot.ts';
import { type Books, beginBooks, type ReconcileSettings } from './books.ts';
import { readBooks, writeBooks } from './books-text.ts';
import type { ComparedReports } from './compare-reports.ts';
import { type Conclusion, conclude, settledCurrency, standingNow } from './conclude.ts';
import { ask, type JudgedNotifications, type Session } from './drive.ts';
import { laterPlaces } from './later-places.ts';
import { beginWatch, type LineWatch } from './leave-out.ts';
import { finishEntries, type Memory, openMemory, takeNotChecked, takeRejected } from './memory.ts';
import { forgetPaidOut } from './paid-out.ts';
import { isEmptyRecall, NOTHING_RECALLED, recall, recallRequest } from './recall.ts';
import { reportOf } from './report.ts';
import { settle } from './settle.ts';
import { beginRows, lookUpRepeated, type Rows, takeAllRows, takeFirstRows } from './take-rows.ts';
import { termsOf } from './terms.ts';

export interface SessionTask {
  /** `currency`: the one that is expected. */
  readonly settings: ReconcileSettings;
  /** Rows refused before the streams, and what the books do not have. */
  readonly rejected: readonly RejectedRow[];
  readonly absent: readonly NotChecked[];
  /** What the service published beside the ledger, compared; null: nothing was. */
  readonly compared: ComparedReports | null;
  /** Findings that lie at or after this instant are left out; null: none are. */
  readonly until: Instant | null;
  /** The state is wanted, for a later session to go on from. */
  readonly keepsState: boolean;
}

export interface Reconciled {
  readonly report: MerchantReport;
  /** What `resume` goes on from; null when it was not wanted. */
  readonly state: string | null;
  /** Operations that are not final, or at odds with their lines, sorted. */
  readonly openReferences: readonly string[];
}

/** What a pass judges by. */
interface Ground {
  readonly standing: Standing;
  readonly currency: string | null;
  /** Refused by an earlier pass: a source need not refuse a row twice. */
  readonly rejected: readonly RejectedRow[];
  /** Whatever interpretations stand, notifications say the same: they are judged once. Null: not yet. */
  readonly notifications: JudgedNotifications | null;
}

interface Pass {
  readonly memory: Memory;
  readonly watch: LineWatch | null;
}

interface Judged extends Pass {
  readonly conclusion: Conclusion;
  /** What the next pass would judge by. */
  readonly ground: Ground;
  /** The books as they stood before the last lines were finished, and what was recalled; null: they are not wanted. */
  readonly kept: { readonly books: Books; readonly recalled: Recalled } | null;
}

/** From the first line. Judges again when all lines vote otherwise than those that the pass before had seen. */
export function* reconcile(task: SessionTask): Session<Reconciled> {
  const rows = beginRows();
  let ground = yield* learnGround(task, rows);
  for (let pass = 0; pass < 3; pass += 1) {
    const judged = yield* judgeBooks(task, ground, rows, () => beginPass(task, ground, null));
    if (isSame(ground, judged.ground)) return yield* concludeSession(judged);
    ground = judged.ground;
  }
  invariant(false, 'votes do not depend on the interpretations that a pass judges by');
}

/**
 * From what an earlier session has kept, with the rows that are new since then. Null when that cannot stand, and the books
 * must be reconciled from the first line: terms or interpretations are others now, or something forgotten has changed.
 */
export function* resume(task: SessionTask, state: string): Session<Reconciled | null> {
  let books: Books | null = readBooks(state);
  const { standing, currencies, replayAgain, terms } = books;
  const currency = settledCurrency(currencies, task.settings.currency);
  if (replayAgain || terms !== termsOf({ ...task.settings, currency })) return null;
  const ground: Ground = { standing, currency, rejected: [], notifications: null };
  const begin = (): Pass => {
    const begun = books ?? readBooks(state);
    books = null;
    return beginPass(task, ground, begun);
  };
  const judged = yield* judgeBooks(task, ground, beginRows(), begin);
  if (!isSame(ground, judged.ground) || judged.memory.books.replayAgain) return null;
  return yield* concludeSession(judged);
}

function isSame(before: Ground, after: Ground): boolean {
  return sameStanding(before.standing, after.standing) && before.currency === after.currency;
}

/** What the first lines say of the interpretations that stand, and of the currency that the books are in. */
function* learnGround({ settings }: SessionTask, rows: Rows): Session<Ground> {
  const standing = { ...EVERY_READING, ...settings.pinned };
  // A source that moves is not read twice for this: its first pass judges by every interpretation.
  if (settings.keepsAll) return { standing, currency: settings.currency, rejected: [], notifications: null };
  const begin = (): Memory => openMemory(beginBooks(standing), settings, { resumed: false });
  const memory = yield* takeFirstRows(rows, begin);
  finishEntries(memory);
  return { ...learnedFrom(memory, settings), standing: standingNow(memory), notifications: null };
}

function learnedFrom({ books }: Memory, { currency }: ReconcileSettings): Pick<Ground, 'currency' | 'rejected'> {
  return { currency: settledCurrency(books.currencies, currency), rejected: [...books.rejected.values()] };
}

/** `resumed`: the books of a checkpoint, whose refused rows and absent parts may be others today. */
function beginPass(task: SessionTask, ground: Ground, resumed: Books | null): Pass {
  const books = resumed ?? beginBooks(ground.standing);
  const settings = { ...task.settings, currency: ground.currency };
  books.terms = termsOf(settings);
  books.rejected.clear();
  books.rejectedCount = 0;
  books.notChecked.clear();
  const memory = openMemory(books, settings, { resumed: resumed !== null });
  takeRejected(memory, task.rejected);
  takeRejected(memory, ground.rejected);
  takeNotChecked(memory, task.absent);
  return { memory, watch: task.until === null ? null : beginWatch(task.until) };
}

/** The order of work. */
function* judgeBooks(task: SessionTask, ground: Ground, rows: Rows, begin: () => Pass): Session<Judged> {
  const { memory, watch } = yield* takeAllRows(rows, begin);
  const { books } = memory;
  const notifications =
    ground.notifications ?? (yield* ask<'notifications'>({ what: 'notifications', before: books.notified }));
  noteNotifications(memory, notifications);
  // Before the last lines are finished: a later line may still belong to their group.
  const keptBooks = task.keepsState ? structuredClone(books) : null;
  finishEntries(memory);
  settle(memory);
  yield* lookUpRepeated(memory);
  const request = recallRequest(memory);
  const recalled = isEmptyRecall(request) ? NOTHING_RECALLED : yield* ask<'recall'>({ what: 'recall', request });
  recall(memory, recalled);
  settle(memory);
  const closing = yield* ask<'closing'>({ what: 'closing' });
  const conclusion = conclude(memory, { closing, recalled, compared: task.compared });
  return {
    ...{ memory, watch, conclusion },
    ground: { ...learnedFrom(memory, task.settings), standing: conclusion.standing, notifications },
    kept: keptBooks === null ? null : { books: keptBooks, recalled },
  };
}

function noteNotifications({ books }: Memory, { notified, why }: JudgedNotifications): void {
  books.notified = notified;
  if (notified !== null) books.notChecked.delete('events');
  if (why !== null) books.notChecked.set(why.what, why);
}

function* concludeSession({ memory, watch, conclusion, kept }: Judged): Session<Reconciled> {
  const later = watch === null ? null : yield* laterPlaces(watch, memory, conclusion);
  return {
    report: reportOf(memory, conclusion, later),
    state: kept === null ? null : stateOf(kept.books, memory, kept.recalled),
    openReferences: [...memory.books.replay.tallies.keys()].sort(),
  };
}

/** What was recalled is recalled there too, so that it is settled and not looked up every time. */
function stateOf(books: Books, { books: finished, settings }: Memory, recalled: Recalled): string {
  const memory = openMemory(books, settings, { resumed: true });
  // Identities seen twice are looked up every time: the list that found them is not kept.
  for (const id of finished.suspectIds) books.suspectIds.add(id);
  for (const shared of finished.suspectExternalReferences) books.suspectExternalReferences.add(shared);
  recall(memory, recalled);
  settle(memory);
  forgetPaidOut(books, settings.profiles);
  return writeBooks(books);
}
