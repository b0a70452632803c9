// One session reconciles the books of one merchant: it yields what it needs and returns the report.
// `judgeBooks` holds the order of work. `reconcile` judges the books again when the operations vote
// for other interpretations, or when an operation was settled too early.

import { EVERY_INTERPRETATION, type Standing, sameStanding } from '../../domain/assumptions.ts';
import type { AuditReport } from '../../domain/finding.ts';
import { invariant } from '../../domain/invariant.ts';
import { type OpenOperation, openOf } from '../../domain/operation.ts';
import type { Dating } from '../../domain/period.ts';
import type { Note, Recalled, RejectedRow } from '../../domain/snapshot.ts';
import { judgeClock } from '../checks/across/circumstances.ts';
import { movedLines } from '../checks/lines/dates.ts';
import type { Cut, CutAt } from '../replay/cut.ts';
import { eachTally } from '../replay/tallies-seen.ts';
import { type Books, beginBooks, type ReconcileSettings, termsOf } from './books.ts';
import { areCarried, readBooks, writeBooks, writeOpen } from './books-text.ts';
import {
  type Conclusion,
  conclude,
  isMissingSome,
  settledCurrency,
  standingNow,
  votesNow,
} from './conclude.ts';
import { type CutOfSession, learnCut, recalledAt, settingsAt } from './cut-books.ts';
import { ask, type JudgedNotifications, type Rows, type Session } from './drive.ts';
import { assertLaws } from './laws.ts';
import {
  endEntries,
  finishEntries,
  type Memory,
  openMemory,
  takeNotChecked,
  takeRejected,
} from './memory.ts';
import { forgetPaidOut } from './paid-out.ts';
import type { JudgedPart } from './published/judged-part.ts';
import { areOfOneMind, type QuietBooks } from './quiet-cut.ts';
import { reportOf, termsOfStatus } from './report.ts';
import { statusOf } from './roots/material.ts';
import { apartReferences, askBack, recall, settle } from './settle.ts';
import { type Pass, takeRows } from './take-rows.ts';

export interface SessionTask {
  /** The settings of the reading. `currency` is the expected one. */
  readonly settings: ReconcileSettings;
  /** The function by which the hashes that come with rows were made. */
  readonly hashOf: (text: string) => number;
  /** Rows that were refused before the streams began. */
  readonly rejected: readonly RejectedRow[];
  /** Notes on what the source does not have. */
  readonly absent: readonly Note[];
  /** What the service published beside the ledger, compared; `null` where nothing was compared. */
  readonly compared: JudgedPart | null;
  /** The instant at which the books are judged as they stood then; `null`: as of the reading. */
  readonly cut: CutWish | null;
  /** Whether the state is wanted, from which a later session can go on. */
  readonly keepsState: boolean;
}

/**
 * A wish to judge the books at a cut. `closed` are the months that were closed, ascending: lines
 * that came for them later are stated later. `withWallet` says that the wallet is judged too, where
 * nothing has moved it since; a month's statement never rests on it.
 */
export type CutWish = Pick<CutAt, 'end' | 'ended'> &
  Pick<Dating, 'closed'> & { readonly withWallet: boolean };

export interface Reconciled {
  readonly report: AuditReport;
  /** Where the books were cut; `null` where they were judged as of the reading. */
  readonly cut: Cut | null;
  /**
   * Lines with impossible dates, and the instants at which they are stated instead, by sequence.
   */
  readonly moved: Dating['moved'];
  /** The state that `resume` goes on from; `null` when it was not wanted. */
  readonly state: string | null;
  /** True where a later day would give the same report, with the same rows, terms and decisions. */
  readonly isSettled: boolean;
  /**
   * What the books were judged by, for a later `isQuietAt`. `null` where something is found in
   * them, or waits to be.
   */
  readonly quiet: QuietBooks | null;
  /** References of operations that could not be judged this time, sorted. */
  readonly unjudged: readonly string[];
  /** References of operations that are not final, or do not agree with their lines, sorted. */
  readonly openReferences: readonly string[];
}

interface PassInputs {
  readonly standing: Standing;
  readonly currency: string | null;
  /**
   * References of operations that this pass never settles, because an earlier pass had let them go
   * before a line that is wrong.
   */
  readonly atHand: ReadonlySet<string>;
  /** Rows that an earlier pass refused, because a source need not refuse a row twice. */
  readonly rejected: readonly RejectedRow[];
  /**
   * The judged notifications; `null` before they are judged. They are judged once, because no
   * interpretation changes them.
   */
  readonly notifications: JudgedNotifications | null;
}

type Voted = Pick<PassInputs, 'standing' | 'currency'>;

interface Judged extends Pass {
  readonly conclusion: Conclusion;
  readonly inputs: PassInputs;
  /**
   * For the state of a later session: the books as they stood before the last lines were finished
   * (`null` where they are too large to keep), and what was recalled. `null` where no state is
   * wanted.
   */
  readonly kept: { readonly books: string | null; readonly recalled: Recalled } | null;
}

/**
 * The passes over the books end, because votes do not depend on the interpretations that a pass
 * judges by. Two passes may change the votes, and each may show operations that must stay at hand:
 * that is four passes, and a last one that changes nothing.
 */
const MOST_PASSES = 5;

/**
 * Reconciles the books from the first line. It judges them again when all lines vote for other
 * interpretations than the lines that the pass before had seen. It also judges them again when an
 * operation was settled and a later line of it is wrong: then the operation stays at hand, so that
 * lines close together and far apart are judged alike.
 */
export function* reconcile(task: SessionTask): Session<Reconciled> {
  const rows: Rows = { entries: [], operations: [], areOpen: false };
  if (task.cut === null) return yield* reconcileFrom(task, rows, null);
  // The cut depends on which dates are impossible, and only judged books say so. So judge, learn
  // the dates, and cut again.
  let moved: Dating['moved'] = new Map();
  for (let time = 0; ; time += 1) {
    const { end, ended, closed, withWallet } = task.cut;
    const cut = yield* learnCut({ end, ended, dating: { closed, moved } }, { ...task, rows });
    const judged = yield* reconcileFrom(task, rows, { cut, withWallet });
    // Dates learned before are kept, because a line that is behind the cut now is not judged again.
    const known = new Map([...moved, ...judged.moved]);
    if (time === MOST_DATINGS || isSameDating(known, moved)) return judged;
    moved = known;
  }
}

/**
 * How often the cut is learned anew: moving one line across the cut may show another impossible
 * date.
 */
const MOST_DATINGS = 2;

function isSameDating(a: Dating['moved'], b: Dating['moved']): boolean {
  return a.size === b.size && [...a].every(([sequence, { at }]) => b.get(sequence)?.at === at);
}

function* reconcileFrom(
  task: SessionTask,
  rows: Rows,
  cut: CutOfSession | null,
): Session<Reconciled> {
  let inputs = yield* learnInputs(task, rows, cut);
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const judged = yield* judgeBooks(
      task,
      inputs,
      yield* takeRows(rows, () => beginPass(task, inputs, { cut })),
    );
    if (isSame(inputs, judged.inputs)) return concludeSession(judged);
    inputs = judged.inputs;
  }
  invariant(false, 'votes do not depend on the interpretations that a pass judges by');
}

/**
 * Reconciles from the books that an earlier session has kept, with the rows that are new since.
 * Returns `null` when the books must be reconciled from the first line: they were too large to
 * keep, terms or interpretations have changed, or a row that was let go of has changed.
 */
export function* resume(task: SessionTask, state: string): Session<Reconciled | null> {
  let kept = readBooks(state, task.hashOf);
  if (kept === null) return null;
  const { standing, atHand, currencies, replayAgain, terms } = kept;
  const currency = settledCurrency(currencies, task.settings.currency);
  if (replayAgain || terms !== termsOf({ ...task.settings, currency })) return null;
  const inputs: PassInputs = { standing, currency, atHand, rejected: [], notifications: null };
  const rows: Rows = { entries: [], operations: [], areOpen: false };
  // A pass changes its books, so that each pass needs books read anew from the text.
  const begin = (): Pass => {
    const resumed = kept ?? readBooks(state, task.hashOf);
    kept = null;
    return beginPass(task, inputs, { resumed });
  };
  const judged = yield* judgeBooks(task, inputs, yield* takeRows(rows, begin));
  if (!isSame(inputs, judged.inputs) || judged.memory.books.replayAgain) return null;
  return concludeSession(judged);
}

function isSame(before: PassInputs, after: PassInputs): boolean {
  return votesSame(before, after) && before.atHand.size === after.atHand.size;
}

function votesSame(before: Voted, after: Voted): boolean {
  return sameStanding(before.standing, after.standing) && before.currency === after.currency;
}

/** Returns the interpretations and the currency that the first lines of the books vote for. */
function* learnInputs(
  task: SessionTask,
  rows: Rows,
  cut: CutOfSession | null,
): Session<PassInputs> {
  const { currency, pinned, keepsAll } = task.settings;
  const standing = { ...EVERY_INTERPRETATION, ...pinned };
  const every: PassInputs = {
    standing,
    currency,
    atHand: new Set(),
    rejected: [],
    notifications: null,
  };
  // A moving source is not read twice for this: its first pass judges by every interpretation.
  if (keepsAll) return every;
  const { memory } = yield* takeRows(rows, () =>
    beginPass(task, every, { isFirstPass: true, cut }),
  );
  finishEntries(memory);
  return inputsOf(task, memory, every);
}

/**
 * Returns the inputs for a next pass. `before` are those of this pass. Where votes have changed, no
 * operation is kept at hand for being wrong, because by other interpretations others are wrong.
 */
function inputsOf(task: SessionTask, memory: Memory, before: PassInputs): PassInputs {
  const { currencies, rejected } = memory.books;
  const currency = settledCurrency(currencies, task.settings.currency);
  const voted = { standing: standingNow(memory), currency };
  const apart = votesSame(before, voted) ? apartReferences(memory) : [];
  const atHand = new Set([...before.atHand, ...apart]);
  return {
    ...voted,
    atHand,
    rejected: [...rejected.values()],
    notifications: before.notifications,
  };
}

/**
 * Begins a pass. `resumed` are the books of a checkpoint, if any: refused rows and absent parts are
 * cleared in them, because they may be others today.
 */
function beginPass(
  task: SessionTask,
  inputs: PassInputs,
  {
    resumed = null,
    isFirstPass = false,
    cut = null,
  }: {
    readonly resumed?: Books | null;
    readonly isFirstPass?: boolean;
    readonly cut?: CutOfSession | null;
  } = {},
): Pass {
  const books = resumed ?? beginBooks(inputs.standing, inputs.atHand);
  const asked = { ...task.settings, currency: inputs.currency };
  const settings = cut === null ? asked : settingsAt(asked, cut.cut);
  books.terms = termsOf(settings);
  books.rejected.clear();
  books.rejectedCount = 0;
  books.notChecked.clear();
  const memory = openMemory(books, settings, {
    resumed: resumed !== null,
    hashOf: task.hashOf,
    cut,
  });
  takeRejected(memory, task.rejected);
  takeRejected(memory, inputs.rejected);
  takeNotChecked(memory, task.absent);
  return { memory, isFirstPass };
}

/** Judges the books once the rows of a pass were taken. The order of the steps matters. */
function* judgeBooks(task: SessionTask, inputs: PassInputs, pass: Pass): Session<Judged> {
  const { memory } = pass;
  const { books } = memory;
  const notifications =
    inputs.notifications ??
    (yield* ask<'notifications'>({ what: 'notifications', before: books.notified }));
  noteNotifications(books, notifications);
  // The state must be written before the last lines are finished, because a later line may still
  // belong to their group.
  const before = task.keepsState && areCarried(books) ? writeBooks(books) : null;
  finishEntries(memory);
  settle(memory);
  assertLaws(memory);
  const recalled = yield* recallAt(memory);
  recall(memory, recalled);
  settle(memory);
  const closing = yield* ask<'closing'>({ what: 'closing' });
  const undelivered = isMissingSome(memory)
    ? yield* ask<'deliveries'>({ what: 'deliveries' })
    : null;
  const dated = {
    lineDrafts: books.lineDrafts,
    entries: books.replay.entries,
    absent: task.absent,
  };
  const { latest, behind } = judgeClock(dated, memory.context, closing);
  const knownFrom = memory.settings.opening === null ? null : books.knownFrom;
  const concluded = {
    ...memory,
    clockBehind: behind,
    context: { ...memory.context, latest, knownFrom },
  };
  const conclusion = conclude(concluded, {
    closing,
    recalled,
    compared: task.compared,
    undelivered,
  });
  const after = { ...inputsOf(task, memory, inputs), notifications };
  return {
    ...pass,
    memory: concluded,
    conclusion,
    inputs: after,
    kept: task.keepsState ? { books: before, recalled } : null,
  };
}

function* recallAt(memory: Memory): Session<Recalled> {
  const recalled = yield* askBack(memory);
  return memory.cutBooks === null ? recalled : recalledAt(memory.cutBooks, recalled);
}

function noteNotifications(books: Books, { notified, why }: JudgedNotifications): void {
  books.notified = notified;
  if (notified === null && why === null) return;
  // The source's own note about notifications does not hold any more.
  for (const [key, { what }] of books.notChecked)
    if (what === 'events') books.notChecked.delete(key);
  if (why !== null) books.notChecked.set(why.what, why);
}

function concludeSession({ memory, conclusion, kept }: Judged): Reconciled {
  const open = openIn(memory);
  const report = reportOf(memory, conclusion);
  return {
    report,
    cut: memory.cutBooks?.cut ?? null,
    moved: new Map([
      ...(memory.cutBooks?.leftOut ?? []),
      ...movedLines(
        conclusion.impossible.filter(
          (draft) => statusOf(draft, termsOfStatus(memory)) === 'confirmed',
        ),
      ),
    ]),
    isSettled: isSettled(memory, report),
    quiet: quietBooks(memory, report),
    unjudged: conclusion.unjudged.map(({ reference }) => reference),
    state: kept === null ? null : stateOf(kept, memory, open),
    openReferences: open.map(({ reference }) => reference),
  };
}

/**
 * Whether nothing in the report depends on the day. These depend on it: operations at hand (too
 * new, overdue, holding), lines that are late or dated ahead, notifications that are awaited,
 * findings that wait to be confirmed or are accepted for a time, and a clock that is behind. What
 * was settled is judged for good.
 */
function isSettled({ books, clockBehind }: Memory, { verdict, findings }: AuditReport): boolean {
  const { replay, late, lineDrafts, notified } = books;
  const waiting = replay.tallies.count + late.size + lineDrafts.length + findings.length;
  const awaited =
    notified === null ? 0 : notified.tooNew + notified.unnotified.size + notified.faults.size;
  return verdict === 'clean' && waiting + awaited === 0 && clockBehind === null;
}

/**
 * Returns what the books were judged by, if nothing is found, no line came late, and no operation
 * votes against a standing interpretation; else `null`.
 */
function quietBooks(memory: Memory, { findings }: AuditReport): QuietBooks | null {
  const { books, settings, context } = memory;
  const { late, lineDrafts } = books;
  if (findings.length + late.size + lineDrafts.length > 0) return null;
  if (!areOfOneMind(votesNow(memory), context.standing, settings.pinned)) return null;
  return { context, opening: settings.opening };
}

function openIn({ books }: Memory): readonly OpenOperation[] {
  return eachTally(books.replay.tallies)
    .map(({ reference, operation }) => openOf(reference, operation))
    .toArray()
    .sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

/**
 * Writes the state of the books. The recalled rows are recalled into it too, so that they are
 * settled and not looked up every time.
 */
function stateOf(
  { books: text, recalled }: NonNullable<Judged['kept']>,
  { books: finished, settings, identities }: Memory,
  open: Books['open'],
): string {
  if (text === null) return writeOpen({ ...finished, open });
  const books = readBooks(text, identities.hashOf)!;
  books.open = open;
  const memory = openMemory(books, settings, {
    resumed: true,
    hashOf: identities.hashOf,
    cut: null,
  });
  // All lines were read: an operation that lapsed without lines is settled, and not asked for
  // again.
  endEntries(memory);
  // Identities that were seen twice are looked up every time, because the hash lists are not kept.
  for (const id of finished.suspectIds) books.suspectIds.add(id);
  for (const shared of finished.suspectExternalReferences)
    books.suspectExternalReferences.add(shared);
  recall(memory, recalled);
  settle(memory);
  forgetPaidOut(books, settings.profiles);
  return writeBooks(books);
}
