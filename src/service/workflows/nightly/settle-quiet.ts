// Settles merchants that have nothing new without a reading or a replay: last night's conclusion is
// used again when nothing it depends on has changed. The queries of many merchants go out together.
// Refuses every merchant for which anything may have changed.

import type { AuditReport } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { shownNote } from '../../../core/kernel/reconcile/report.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import type { DigestedBooks, Marks } from '../../../io/sources/port/source.ts';
import { loadQuiet } from '../../../io/storage/conclusions/checkpoint.ts';
import { saveConclusion } from '../../../io/storage/conclusions/save-conclusion.ts';
import type { Lease } from '../../../io/storage/merchants/merchant-lock.ts';
import type { StoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import { NOTHING_ANNOUNCED } from '../announcements.ts';
import type { Mirrored } from '../mirror/mirror-merchant.ts';
import { notesOfRound, type RoundRead } from '../mirror/rounds.ts';
import { isNotifiedSince } from '../notifications/judge-mirrored.ts';
import type { MerchantOutcome, MerchantTask } from './merchant-task.ts';

/**
 * What a report depends on, besides the day (see `Reconciled.isSettled`). The report is used again
 * only if all of this is still the same.
 */
interface Quiet {
  /**
   * The lease of the reading. Its fence rises whenever a process takes the merchant, so an equal
   * fence proves that no row of the mirror, no round and no conclusion was written since.
   */
  readonly lease: Lease;
  /**
   * Digest of the source's rows, taken shortly before the reading; `null` when it is not known or
   * the reading brought news. The next night then takes a digest and reads all the same.
   */
  readonly books: DigestedBooks | null;
  readonly watermark: Instant;
  /**
   * The settings that the report depends on, as JSON: tolerances, pinned interpretations, the
   * declared opening, the nights of a round.
   */
  readonly terms: string;
  readonly report: AuditReport;
  /** The marks from which the source's rows are digested. */
  readonly extent: Marks;
  /** When the reading was made, by the clock of the process. */
  readonly readAt: Instant;
  /**
   * The earliest `dueAt` of the chain and the rounds. From then on a reading does more than read
   * the same rows, so the report must not be used again.
   */
  readonly dueAt: Instant;
  /**
   * The rounds that the report's notes are about. Such a note says how many nights a round has
   * taken, and is therefore made anew each day.
   */
  readonly rounds: readonly RoundRead[];
}

/**
 * Most lines, and most operations, that a merchant may have. Above that, digesting the whole books
 * each night costs more than reading what is new.
 */
const MOST_DIGESTED = 1_000;

export interface ReadOnce {
  readonly lease: Lease;
  readonly mirrored: Mirrored;
  /** When the chain of lines was last checked, and when it is due again. */
  readonly chain: { readonly at: Instant; readonly dueAt: Instant };
}

/**
 * Returns a function that packs what the next night needs to settle the merchant unread. Returns
 * `undefined` when the report depends on more than the source's books, when not every known line
 * was served again, or when the reading brought news and no digest of the night before is known.
 * The packed text is JSON; it is `null` for a merchant with more than `MOST_DIGESTED` rows.
 */
export function quietOfReading(
  task: MerchantTask,
  { lease, mirrored, chain }: ReadOnce,
): ((report: AuditReport, extent: StoredExtent) => string | null) | undefined {
  const { isAllServed, watermark, entriesAdded, operationsChanged, rounds } = mirrored;
  const isNews = entriesAdded + operationsChanged > 0;
  const { books = null } = task;
  if (!isAllServed || (isNews && books?.isEdited == null) || !isAlone(task)) return undefined;
  const kept = {
    lease,
    books: isNews ? null : books,
    watermark,
    terms: termsOf(task, lease.merchant),
    readAt: chain.at,
    dueAt: rounds === null ? chain.at : Math.min(chain.dueAt, ...rounds.map(({ dueAt }) => dueAt)),
    rounds: rounds ?? [],
  };
  return (report, extent) => {
    if (Math.max(extent.entryCount, extent.operationCount) > MOST_DIGESTED) return null;
    const { newestOperationCreatedAt, newestOperationUpdatedAt } = extent;
    const marks = { newestOperationCreatedAt, newestOperationUpdatedAt };
    return JSON.stringify({ ...kept, extent: marks, report } satisfies Quiet);
  };
}

/**
 * Tells whether the report depends on the source's books alone: no published reports or payments
 * are compared with them, and no decision has altered lines read anew.
 */
function isAlone({ published, reread, source }: MerchantTask): boolean {
  return source.digestTogether !== undefined && published == null && reread == null;
}

function termsOf({ optionsFor, rotation }: MerchantTask, merchant: string): string {
  return JSON.stringify([optionsFor(merchant, 0), rotation?.nights, rotation?.within]);
}

/**
 * Digests the merchant's books as they are now, and loads what the last reading left. Returns
 * `null` when it left nothing, or when the books cannot be digested.
 */
export async function digestAgain(task: MerchantTask, merchant: string) {
  const kept = isAlone(task) ? await loadQuiet(task.store, merchant) : null;
  if (kept === null || kept.engine !== task.engine) return null;
  const quiet = JSON.parse(kept.quiet) as Quiet;
  const books = await task.source.digestTogether!(merchant, quiet.extent);
  const isEdited = quiet.books && quiet.books.unasked !== books?.unasked;
  return books && { quiet, fence: kept.fence, books: { ...books, isEdited } };
}

interface Looked {
  readonly merchant: string;
  /** True when nothing is left to do: the merchant was settled, or no run expects it any more. */
  readonly isDone: boolean;
  readonly outcome: MerchantOutcome | null;
  /** Digest of the books before the work on the merchant; `null` when it is not known. */
  readonly books: NonNullable<MerchantTask['books']> | null;
}

/**
 * Settles every merchant of the list that has nothing new. `take` claims the merchant for the run
 * that expects it and returns the id of that run, or `null`. A merchant for which a query fails
 * counts as not done: the work on that merchant alone meets the same failure again and reports it.
 */
export function settleQuiet(
  task: MerchantTask,
  merchants: readonly string[],
  take: (merchantId: number) => Promise<number | null>,
): Promise<readonly Looked[]> {
  const unknown = { isDone: false, outcome: null, books: null };
  const look = async (merchant: string): Promise<Looked> => {
    const again = await digestAgain(task, merchant);
    return again === null
      ? { merchant, ...unknown }
      : { merchant, ...(await settleSame(task, again, take)) };
  };
  return Promise.all(
    merchants.map((merchant) => look(merchant).catch(() => ({ merchant, ...unknown }))),
  );
}

async function settleSame(
  task: MerchantTask,
  { quiet, fence, books }: NonNullable<Awaited<ReturnType<typeof digestAgain>>>,
  take: Parameters<typeof settleQuiet>[2],
): Promise<Omit<Looked, 'merchant'>> {
  const { store, announcements = NOTHING_ANNOUNCED } = task;
  const { lease, watermark } = quiet;
  const now = task.clock();
  const isSame =
    fence === lease.fence && books.digest === quiet.books?.digest && books.at >= watermark;
  const report = isSame ? reportAt(task, quiet, now) : null;
  const isNotified = await isNotifiedSince(store, lease.merchant, { judgedUntil: watermark });
  if (report === null || isNotified) return { isDone: false, outcome: null, books };
  const runId = await take(lease.merchantId);
  if (runId === null) return { isDone: true, outcome: null, books };
  const settlement = {
    finishedAt: task.clock(),
    watermark: books.at,
    entriesAdded: 0,
    operationsChanged: 0,
  };
  const concluded = {
    runId,
    report,
    checkpoint: null,
    settlement,
    announceDecisions: announcements.decisions,
  };
  const changes = await saveConclusion(store, lease, concluded);
  return { isDone: true, outcome: { ...settlement, report, changes, isAltered: false }, books };
}

/**
 * Returns the kept report with the notes of its rounds as of `now`. Returns `null` when settings
 * have changed or something is due.
 */
function reportAt(
  task: MerchantTask,
  { lease, terms, report, readAt, dueAt, rounds }: Quiet,
  now: Instant,
): AuditReport | null {
  // A time before the reading means that a clock was ahead; when anything is due is then unknown.
  const isSettled = readAt <= now && now < dueAt && termsOf(task, lease.merchant) === terms;
  if (!isSettled) return null;
  const notes = rounds.flatMap((round) =>
    notesOfRound(round, now).map((note) => shownNote(note, ENGLISH_WORDING)),
  );
  const today = new Map(notes.map((note) => [note.code, note]));
  return {
    ...report,
    notChecked: report.notChecked.map((note) => today.get(note.code) ?? note),
  };
}
