// One session reconciles the books of one merchant: it asks for what it needs and returns the report. `judgeBooks`
// holds the order of work; `reconcile` judges the books again when other interpretations apply.

import { judgeClock } from '../checks/across/circumstances.ts';
import { EVERY_INTERPRETATION, type Standing, sameStanding } from '../domain/assumptions.ts';
import type { AuditReport } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import { type OpenOperation, openOf } from '../domain/operation.ts';
import type { Note, Recalled, RejectedRow } from '../domain/snapshot.ts';
import { eachTally, tallyNamed } from '../replay/tallies-seen.ts';
import { type Books, beginBooks, type ReconcileSettings, termsOf } from './books.ts';
import { areCarried, readBooks, writeBooks, writeOpen } from './books-text.ts';
import { type Conclusion, conclude, isMissingSome, settledCurrency, standingNow } from './conclude.ts';
import { ask, type JudgedNotifications, type Session } from './drive.ts';
import { type AfterCutOff, beginWatch, type LineWatch } from './leave-out.ts';
import { endEntries, finishEntries, type Memory, openMemory, takeNotChecked, takeRejected } from './memory.ts';
import { forgetPaidOut } from './paid-out.ts';
import type { JudgedPart } from './published/judged-part.ts';
import { reportOf } from './report.ts';
import { apartReferences, askBack, recall, settle } from './settle.ts';
import { type Pass, type Rows, takeRows } from './take-rows.ts';

export interface SessionTask {
  /** `currency`: the one that is expected. */
  readonly settings: ReconcileSettings;
  /** By which the rows' own hashes were made. */
  readonly hashOf: (text: string) => number;
  /** Rows refused before the streams, and what the books do not have. */
  readonly rejected: readonly RejectedRow[];
  readonly absent: readonly Note[];
  /** What the service published beside the ledger, compared; null: nothing was. */
  readonly compared: JudgedPart | null;
  /** Findings that lie at or after this instant are left out; null: none are. */
  readonly until: Instant | null;
  /** The state is wanted, for a later session to go on from. */
  readonly keepsState: boolean;
}

export interface Reconciled {
  readonly report: AuditReport;
  /** What `resume` goes on from; null when it was not wanted. */
  readonly state: string | null;
  /** With the same rows, terms and decisions a later day says the same. */
  readonly isSettled: boolean;
  /** Operations that are not final, or at odds with their lines, sorted. */
  readonly openReferences: readonly string[];
}

interface PassInputs {
  readonly standing: Standing;
  readonly currency: string | null;
  /** Operations that stay at hand from their first line on. */
  readonly atHand: ReadonlySet<string>;
  /** Refused by an earlier pass: a source need not refuse a row twice. */
  readonly rejected: readonly RejectedRow[];
  /** Judged once, since no interpretation changes them. Null: not judged yet. */
  readonly notifications: JudgedNotifications | null;
}

type Voted = Pick<PassInputs, 'standing' | 'currency'>;

interface Judged extends Pass {
  readonly conclusion: Conclusion;
  readonly inputs: PassInputs;
  /**
   * The books as they stood before the last lines were finished (null: too much to go on from), and what was recalled; null:
   * they are not wanted.
   */
  readonly kept: { readonly books: string | null; readonly recalled: Recalled } | null;
}

/** Others may vote twice, and after each of that an operation may have to stay at hand. */
const MOST_PASSES = 5;

/**
 * From the first line. Judges again when all lines vote otherwise than those that the pass before had seen, and when an
 * operation was settled before a line that is wrong: then it stays at hand, for near and far lines are to be judged alike.
 */
export function* reconcile(task: SessionTask): Session<Reconciled> {
  const rows: Rows = { entries: [], operations: [], areOpen: false };
  let inputs = yield* learnInputs(task, rows);
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const judged = yield* judgeBooks(task, inputs, yield* takeRows(rows, () => beginPass(task, inputs)));
    if (isSame(inputs, judged.inputs)) return yield* concludeSession(judged);
    inputs = judged.inputs;
  }
  invariant(false, 'votes do not depend on the interpretations that a pass judges by');
}

/**
 * From the books that an earlier session has kept, with the rows that are new since then. Null when the books must be reconciled
 * from the first line: they were too much to keep, terms or interpretations are others now, or something forgotten has changed.
 */
export function* resume(task: SessionTask, state: string): Session<Reconciled | null> {
  let kept = readBooks(state, task.hashOf);
  if (kept === null) return null;
  const { standing, atHand, currencies, replayAgain, terms } = kept;
  const currency = settledCurrency(currencies, task.settings.currency);
  if (replayAgain || terms !== termsOf({ ...task.settings, currency })) return null;
  const inputs: PassInputs = { standing, currency, atHand, rejected: [], notifications: null };
  const rows: Rows = { entries: [], operations: [], areOpen: false };
  // A pass changes the books that it goes on from: the next one reads its own.
  const begin = (): Pass => {
    const resumed = kept ?? readBooks(state, task.hashOf);
    kept = null;
    return beginPass(task, inputs, { resumed });
  };
  const judged = yield* judgeBooks(task, inputs, yield* takeRows(rows, begin));
  if (!isSame(inputs, judged.inputs) || judged.memory.books.replayAgain) return null;
  return yield* concludeSession(judged);
}

function isSame(before: PassInputs, after: PassInputs): boolean {
  return votesSame(before, after) && before.atHand.size === after.atHand.size;
}

function votesSame(before: Voted, after: Voted): boolean {
  return sameStanding(before.standing, after.standing) && before.currency === after.currency;
}

/** The interpretations and the currency of the books by their first lines. */
function* learnInputs(task: SessionTask, rows: Rows): Session<PassInputs> {
  const { currency, pinned, keepsAll } = task.settings;
  const standing = { ...EVERY_INTERPRETATION, ...pinned };
  const every: PassInputs = { standing, currency, atHand: new Set(), rejected: [], notifications: null };
  // A source that moves is not read twice for this: its first pass judges by every interpretation.
  if (keepsAll) return every;
  const { memory } = yield* takeRows(rows, () => beginPass(task, every, { isFirstPass: true }));
  finishEntries(memory);
  return inputsOf(task, memory, every);
}

/** `before`: what the pass judged by. By other interpretations, other operations are wrong, and none is kept for that. */
function inputsOf(task: SessionTask, memory: Memory, before: PassInputs): PassInputs {
  const { currencies, rejected } = memory.books;
  const currency = settledCurrency(currencies, task.settings.currency);
  const voted = { standing: standingNow(memory), currency };
  const apart = votesSame(before, voted) ? apartReferences(memory) : [];
  const atHand = new Set([...before.atHand, ...apart]);
  return { ...voted, atHand, rejected: [...rejected.values()], notifications: before.notifications };
}

/** `resumed`: the books of a checkpoint, whose refused rows and absent parts may be others today. */
function beginPass(
  task: SessionTask,
  inputs: PassInputs,
  { resumed = null, isFirstPass = false }: { readonly resumed?: Books | null; readonly isFirstPass?: boolean } = {},
): Pass {
  const books = resumed ?? beginBooks(inputs.standing, inputs.atHand);
  const settings = { ...task.settings, currency: inputs.currency };
  books.terms = termsOf(settings);
  books.rejected.clear();
  books.rejectedCount = 0;
  books.notChecked.clear();
  const memory = openMemory(books, settings, { resumed: resumed !== null, hashOf: task.hashOf });
  takeRejected(memory, task.rejected);
  takeRejected(memory, inputs.rejected);
  takeNotChecked(memory, task.absent);
  return { memory, watch: task.until === null ? null : beginWatch(task.until), isFirstPass };
}

/** The order of work, once the rows of a pass were taken. */
function* judgeBooks(task: SessionTask, inputs: PassInputs, pass: Pass): Session<Judged> {
  const { memory } = pass;
  const { books } = memory;
  const notifications =
    inputs.notifications ?? (yield* ask<'notifications'>({ what: 'notifications', before: books.notified }));
  noteNotifications(books, notifications);
  // Before the last lines are finished: a later line may still belong to their group.
  const before = task.keepsState && areCarried(books) ? writeBooks(books) : null;
  finishEntries(memory);
  settle(memory);
  const recalled = yield* askBack(memory);
  recall(memory, recalled);
  settle(memory);
  const closing = yield* ask<'closing'>({ what: 'closing' });
  const undelivered = isMissingSome(memory) ? yield* ask<'deliveries'>({ what: 'deliveries' }) : null;
  const dated = { lineDrafts: books.lineDrafts, entries: books.replay.entries, absent: task.absent };
  const { latest, behind } = judgeClock(dated, memory.context, closing);
  const concluded = { ...memory, clockBehind: behind, context: { ...memory.context, latest } };
  const conclusion = conclude(concluded, { closing, recalled, compared: task.compared, undelivered });
  const after = { ...inputsOf(task, memory, inputs), notifications };
  return {
    ...pass,
    memory: concluded,
    conclusion,
    inputs: after,
    kept: task.keepsState ? { books: before, recalled } : null,
  };
}

function noteNotifications(books: Books, { notified, why }: JudgedNotifications): void {
  books.notified = notified;
  if (notified === null && why === null) return;
  // What the source said of them no longer holds.
  for (const [key, { what }] of books.notChecked) if (what === 'events') books.notChecked.delete(key);
  if (why !== null) books.notChecked.set(why.what, why);
}

function* concludeSession({ memory, watch, conclusion, kept }: Judged): Session<Reconciled> {
  const later = watch === null ? null : yield* afterCutOff(watch, memory, conclusion);
  const open = openIn(memory);
  const report = reportOf(memory, conclusion, later);
  return {
    report,
    isSettled: isSettled(memory, report),
    state: kept === null ? null : stateOf(kept, memory, open),
    openReferences: open.map(({ reference }) => reference),
  };
}

/**
 * What the day counts for: operations at hand (too new, overdue, holding), lines late or dated ahead, notifications that are awaited,
 * findings that wait to be confirmed or are accepted until a day, and a clock that is behind. All that was let go of is judged for good.
 */
function isSettled({ books, clockBehind }: Memory, { verdict, findings }: AuditReport): boolean {
  const { replay, late, lineDrafts, notified } = books;
  const waiting = replay.tallies.count + late.size + lineDrafts.length + findings.length;
  const awaited = notified === null ? 0 : notified.tooNew + notified.unnotified.size + notified.faults.size;
  return verdict === 'clean' && waiting + awaited === 0 && clockBehind === null;
}

function openIn({ books }: Memory): readonly OpenOperation[] {
  return eachTally(books.replay.tallies)
    .map(({ reference, operation }) => openOf(reference, operation))
    .toArray()
    .sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/** What was recalled is recalled there too, so that it is settled and not looked up every time. */
function stateOf(
  { books: text, recalled }: NonNullable<Judged['kept']>,
  { books: finished, settings, identities }: Memory,
  open: Books['open'],
): string {
  if (text === null) return writeOpen({ ...finished, open });
  const books = readBooks(text, identities.hashOf)!;
  books.open = open;
  const memory = openMemory(books, settings, { resumed: true, hashOf: identities.hashOf });
  // All lines were read: what lapsed without any is settled, and not asked for again.
  endEntries(memory);
  // Identities seen twice are looked up every time: the list that found them is not kept.
  for (const id of finished.suspectIds) books.suspectIds.add(id);
  for (const shared of finished.suspectExternalReferences) books.suspectExternalReferences.add(shared);
  recall(memory, recalled);
  settle(memory);
  forgetPaidOut(books, settings.profiles);
  return writeBooks(books);
}

// Finds out which lines and operations lie at or after an instant: from the lines as they passed, and from the operations that
// only the conclusion names.

/** Call when the lines have passed. Asks for the operations that only the conclusion names. */
function* afterCutOff(watch: LineWatch, memory: Memory, conclusion: Conclusion): Session<AfterCutOff> {
  const { from, first, olderAfter } = watch;
  const created = yield* createdAtOf(memory, conclusion);
  return {
    from,
    isLaterLine: (sequence) => sequence >= first && !olderAfter.has(sequence),
    isLaterOperation: (reference) => (created.get(reference) ?? Number.NEGATIVE_INFINITY) >= from,
  };
}

/** Of the operations that are named without a line. Most are still at hand; the others were settled. */
function* createdAtOf({ books, identities }: Memory, { drafts }: Conclusion): Session<ReadonlyMap<string, Instant>> {
  const created = new Map<string, Instant>();
  for (const [reference, { operation }] of books.late) created.set(reference, operation!.createdAt);
  const references = new Set<string>();
  for (const { sequence, operationReference } of drafts) {
    if (sequence !== null || operationReference === null) continue;
    const operation = tallyNamed(books.replay.tallies, operationReference, identities.hashOf)?.operation ?? null;
    if (operation === null) references.add(operationReference);
    else created.set(operationReference, operation.createdAt);
  }
  if (references.size === 0) return created;
  const request = { references, entryIds: new Set<string>(), externalReferences: new Set<string>() };
  const { operations } = yield* ask<'recall'>({ what: 'recall', request });
  for (const { operation } of operations) created.set(operation.reference, operation.createdAt);
  return created;
}
