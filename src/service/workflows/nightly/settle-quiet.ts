// A night with nothing new of a merchant, without a reading and a replay: what was kept of the last
// conclusion holds again as of today. Its questions go out together with those of other merchants.
// Refuses a merchant of which anything may be otherwise.

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
 * What a report depends on, besides the day (`Reconciled.isSettled`): none of it may be otherwise.
 */
interface Quiet {
  /**
   * Its fence is raised by who takes the merchant: since then no row of the mirror, no round and no
   * conclusion was written.
   */
  readonly lease: Lease;
  /**
   * The source's rows shortly before the reading; null: the next night asks for their digest first.
   */
  readonly books: DigestedBooks | null;
  readonly watermark: Instant;
  /**
   * Of the configuration: tolerances, pinned interpretations, the declared opening, nights of a
   * round.
   */
  readonly terms: string;
  readonly report: AuditReport;
  /** By which the source's rows are digested. */
  readonly extent: Marks;
  /** By the clock of the process. */
  readonly readAt: Instant;
  /**
   * The least `dueAt` of the chain and of the rounds: from then on, a reading does more than serve
   * the same rows.
   */
  readonly dueAt: Instant;
  /** How many nights they have taken, the report says as of the day. */
  readonly rounds: readonly RoundRead[];
}

/**
 * Lines of a merchant, and operations: of more, to digest the whole books each night costs more
 * than to read what is new.
 */
const MOST_DIGESTED = 1_000;

export interface ReadOnce {
  readonly lease: Lease;
  readonly mirrored: Mirrored;
  /** When the chain of lines was watched, and when it is due again. */
  readonly chain: { readonly at: Instant; readonly dueAt: Instant };
}

/**
 * Where nothing but the source's books counts, of a reading that brought nothing, or the first news
 * after such; else undefined.
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
 * No reports and payments are compared with the books, and altered lines are not read anew by a
 * decision.
 */
function isAlone({ published, reread, source }: MerchantTask): boolean {
  return source.digestTogether !== undefined && published == null && reread == null;
}

function termsOf({ optionsFor, rotation }: MerchantTask, merchant: string): string {
  return JSON.stringify([optionsFor(merchant, 0), rotation?.nights, rotation?.within]);
}

/**
 * The books as they are, and what the last reading left; null: it left nothing, or they cannot be
 * digested.
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
  /** Settled, or no run expects it any more: nothing is to be done. */
  readonly isDone: boolean;
  readonly outcome: MerchantOutcome | null;
  /** As they are before the work on the merchant; null: not known. */
  readonly books: NonNullable<MerchantTask['books']> | null;
}

/**
 * `take`: the run that expects one. What fails here fails again, and by name, where the merchant is
 * worked on by itself.
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
 * With how many nights rounds have come to today; null where the terms are others, or something is
 * due.
 */
function reportAt(
  task: MerchantTask,
  { lease, terms, report, readAt, dueAt, rounds }: Quiet,
  now: Instant,
): AuditReport | null {
  // Before the reading: a clock was ahead, and when anything is due is not known.
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
