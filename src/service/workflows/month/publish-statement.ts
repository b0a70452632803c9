// Issues the reports of a month. A report is PENDING while its month is stated, rendered, read back
// and compared; then it is READY with its files, or FAILED with the reason. Refuses to issue a
// document that differs from its statement.

import { NO_TRACING, type Tracing } from '../../../core/domain/measures.ts';
import {
  formatPeriod,
  labelOf,
  type MonthKey,
  type Period,
  periodBefore,
  statementName,
} from '../../../core/domain/period.ts';
import { KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { booksLeftBy } from '../../../core/statements/books-before.ts';
import { isNothingYet, StatementRefused } from '../../../core/statements/exact.ts';
import { openRootsOf } from '../../../core/statements/reconciliation/finding-section.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import {
  type PublishedByService,
  publishedByService,
} from '../../../core/statements/service/service-comparison.ts';
import type { Statement, StatementChange } from '../../../core/statements/statement.ts';
import { periodFigures } from '../../../core/statements/tables/bridge.ts';
import { deltasOf } from '../../../io/formats/deltas.ts';
import type {
  FormatOptions,
  StatementDocument,
  StatementFormat,
} from '../../../io/formats/port/format.ts';
import { describeDifferences } from '../../../io/formats/read-back/read-back.ts';
import { readerOf } from '../../../io/formats/register.ts';
import { inOurWords, verdictInWords } from '../../../io/formats/sentences/verdict-reasons.ts';
import { toDoLines } from '../../../io/formats/text/letter.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { loadClosedMonths, withMonthLock } from '../../../io/storage/issued/month-lock.ts';
import {
  type Issue,
  issueReport,
  type ReportFiles,
  readReportFile,
} from '../../../io/storage/issued/report-files.ts';
import {
  beginReport,
  failAbandoned,
  failReport,
  loadIssuedReport,
  type ReportRecord,
  wasRereadSinceIssue,
} from '../../../io/storage/issued/reports.ts';
import { isConnectionFailure, type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import { type Announcements, NOTHING_ANNOUNCED } from '../announcements.ts';
import { issuedIn, placeIn } from './issued-months.ts';
import {
  type AskIssued,
  type MonthBefore,
  type MonthTask,
  type OpenMonth,
  stateOpenMonth,
  withOpenMonth,
} from './open-month.ts';
import { serviceFileOf } from './service-month.ts';

export interface PublishTask extends MonthTask {
  readonly period: Period;
  readonly store: Store;
  /**
   * The formats to issue; each becomes a file of the report. When the document in one format cannot
   * be read back, the report is FAILED.
   */
  readonly formats: readonly StatementFormat[];
  readonly options: FormatOptions;
  /** Returns a new UUID. */
  readonly newId: () => string;
  /** Called with a report as soon as it is PENDING. */
  readonly onPending: (report: ReportRecord) => void;
  /** Decides which messages are sent about a report that is READY; absent when none are. */
  readonly announcements?: Announcements;
  /** Called with a report that is READY, once it is issued. */
  readonly onIssued?: (report: ReportRecord) => Promise<unknown>;
  /** Absent: the work is not traced. */
  readonly tracing?: Tracing;
  /**
   * Called with the cause of a FAILED report, for the log. The report itself shows one sentence.
   */
  readonly onFailure: (merchant: string, failure: unknown) => void;
}

export interface Published {
  readonly merchant: string;
  /** The report that was made, READY or FAILED, or the one that was issued before. */
  readonly report: ReportRecord;
  /** False when the month was issued before and its statement is still the same. */
  readonly isNew: boolean;
  /** What the service publishes for the month; `null` when the statement was not made. */
  readonly service: PublishedByService | null;
  /** A later month, `YYYY-MM`, that was issued before this one; absent when there is none. */
  readonly outOfOrder?: string | undefined;
  /** The month before it, `YYYY-MM`, where the account was open by then and it is not issued. */
  readonly notIssuedBefore?: string | undefined;
  /** It FAILED, and nothing is missing: the account was opened after the month. */
  readonly isNothingYet?: true;
}

export type PublishOutcome = Published | { readonly merchant: string; readonly refused: string };

/**
 * Issues reports for one merchant after the other. A failure of any kind stops only its own
 * merchant.
 */
export async function publishStatements(
  task: PublishTask,
  merchants: readonly string[],
): Promise<readonly PublishOutcome[]> {
  const outcomes: PublishOutcome[] = [];
  for (const merchant of merchants) {
    try {
      outcomes.push(await publishStatement(task, merchant));
    } catch (failure) {
      task.onFailure(merchant, failure);
      outcomes.push({ merchant, refused: reasonOf(failure) });
    }
  }
  return outcomes;
}

/**
 * Issues the month of one merchant. Waits while another process issues the same month, and then
 * finds the report of that process. Throws `StoreFailed`, and `StatementRefused` when the month has
 * not ended, when the books move, or when lines could not be read again for a first statement. Also
 * throws when the database refused or lost the connection. Any other failure makes a FAILED report.
 */
export async function publishStatement(task: PublishTask, merchant: string): Promise<Published> {
  const { tracing = NO_TRACING } = task;
  const key = { merchant, period: formatPeriod(task.period) };
  return tracing.span('statement', key, async (note) => {
    const published = await publishUnderLock(task, key);
    if (published.isNew && published.report.status === 'READY')
      await task.onIssued?.(published.report);
    note({
      status: published.report.status,
      revision: published.report.revision,
      isNew: published.isNew,
    });
    return published;
  });
}

async function publishUnderLock(task: PublishTask, key: MonthKey): Promise<Published> {
  const { merchant } = key;
  return withMonthLock(task.store, key, async () => {
    const issued = await loadIssuedReport(task.store, key);
    const closed = await loadClosedMonths(task.store, merchant);
    // A closed month stays as it was issued, whatever is known by now.
    if (issued !== null && closed.some(({ period }) => period === key.period))
      return { merchant, report: issued, isNew: false, service: null };
    const issuedBounds = issued === null ? null : await placeIn(task.store, issued);
    const joined = { ...task, issuedMonths: issuedIn(task.store) };
    return withOpenMonth(joined, { merchant, issuedBounds }, async (month) => {
      if (issued === null) refuseUnread(key, month.books);
      await failAbandoned(
        task.store,
        key,
        'The process that made this report ended before it was issued.',
      );
      const published = await publishMonth(task, month, issued);
      if (issued !== null) return published;
      const months = await joined.issuedMonths(merchant);
      const later = months.find(({ period }) => period > key.period);
      const before = formatPeriod(periodBefore(task.period));
      const isThere =
        months.some(({ period }) => period === before) || !wasOpenBefore(month, published);
      const notIssuedBefore = isThere ? undefined : before;
      return { ...published, outOfOrder: later?.period, notIssuedBefore };
    });
  });
}

/** By the profile, as far as one was read, and where the month was stated. */
function wasOpenBefore({ books, bounds }: OpenMonth, { report }: Published): boolean {
  const openedAt = Math.min(...books.snapshot.profiles.map(({ createdAt }) => createdAt));
  return report.status === 'READY' && openedAt < bounds.start;
}

/**
 * Refuses the first statement of a month whose lines could not be read again. An incomplete
 * statement would stay in force: a revision needs news about the month, and it is no news when the
 * source answers again.
 */
function refuseUnread({ merchant, period }: MonthKey, { unread }: OpenMonth['books']): void {
  if (unread == null || !isOutOfReach(unread)) return;
  const why = `The first statement of ${merchant} ${period} waits, for its lines could not be read again: ${unread.figures?.message}`;
  throw new StatementRefused('NOT_READ_AGAIN', `${why} Issue it once the source answers.`);
}

function isOutOfReach(unread: OpenMonth['books']['unread']): boolean {
  return unread?.code === 'LINES_NOT_READ_AGAIN';
}

/**
 * Returns the differences between the revision in force and the statement that would be made now,
 * without storing it. `changes` is empty when nothing differs, when no revision is in force, or
 * when the store has it without its content.
 */
export async function compareIssued(
  task: MonthTask & Pick<PublishTask, 'period' | 'store'>,
  merchant: string,
): Promise<{ readonly revision: number; readonly changes: readonly StatementChange[] }> {
  const issued = await loadIssuedReport(task.store, {
    merchant,
    period: formatPeriod(task.period),
  });
  if (issued === null || contentOf(issued) === null)
    return { revision: issued?.revision ?? 0, changes: [] };
  const { revision } = issued;
  const changesIn = async (month: OpenMonth) => {
    const asked = { ...task, issuedOf: contentIn(task.store) };
    const { statement } = await stateOpenMonth(asked, month, beforeOf(task.store, issued));
    return statement.revision.number === revision ? [] : statement.revision.changes;
  };
  try {
    const changes = await withOpenMonth(
      task,
      { merchant, issuedBounds: await placeIn(task.store, issued) },
      changesIn,
    );
    return { revision, changes };
  } catch (failure) {
    if (!(failure instanceof StatementRefused)) throw failure;
    if (failure.code === 'BEFORE_FIRST_LINE') return { revision, changes: [] };
    // The issued month can no longer be stated at all.
    return { revision, changes: [{ figure: 'details', before: null, after: null }] };
  }
}

async function publishMonth(
  task: PublishTask,
  month: OpenMonth,
  issued: ReportRecord | null,
): Promise<Published> {
  const { merchant } = month.books.snapshot;
  const begin = () => beginRevision(task, month, (issued?.revision ?? 0) + 1);
  // For an issued month, PENDING begins only once its statement turns out to differ.
  let pending = issued === null ? await begin() : null;
  try {
    const before = issued === null ? null : beforeOf(task.store, issued);
    const document = await stateOpenMonth(
      { ...task, issuedOf: contentIn(task.store) },
      month,
      before,
    );
    const service = publishedByService(document.statement);
    // Lines that could not be read now are no reason to revise an issued month: the revision waits
    // until the source answers.
    const waits =
      isOutOfReach(month.books.unread) && document.statement.summary.verdict.state === 'incomplete';
    if (issued !== null && (waits || document.statement.revision.number === issued.revision))
      return { merchant, report: issued, isNew: false, service };
    pending ??= await begin();
    const begun = pending;
    const report = await issueReport(task.store, begun, (files) =>
      writeFiles(
        task,
        { document, report: begun, learnedUntil: month.books.learned?.until },
        files,
      ),
    );
    return { merchant, report, isNew: true, service };
  } catch (failure) {
    if (failure instanceof StoreFailed || isConnectionFailure(failure)) throw failure;
    const isBefore = failure instanceof StatementRefused && failure.code === 'BEFORE_FIRST_LINE';
    if (isBefore && issued !== null)
      return { merchant, report: issued, isNew: false, service: null };
    task.onFailure(merchant, failure);
    const report = await failReport(task.store, pending ?? (await begin()), reasonOf(failure));
    const nothing = isNothingYet(failure) ? ({ isNothingYet: true } as const) : {};
    return { merchant, report, isNew: true, service: null, ...nothing };
  }
}

/** Returns the content of issued months, to compare with. */
function contentIn(store: Store): AskIssued {
  return async (key) => contentOf(await loadIssuedReport(store, key));
}

/**
 * Returns the content of an issued report; `null` when it has none, as in a row that this program
 * did not issue.
 */
function contentOf(report: ReportRecord | null): IssuedStatement | null {
  const issued = report?.issued as IssuedStatement | null | undefined;
  return issued?.integrity === undefined ? null : issued;
}

function beforeOf(store: Store, report: ReportRecord): MonthBefore {
  const issued = contentOf(report);
  if (issued !== null) return { issued, readJson: () => readReportFile(store, report, 'json') };
  const { merchant, period, revision } = report;
  const message = `Revision ${revision} of ${merchant} ${period} is in the store without its content: restore it from a backup, for it can be neither compared nor revised.`;
  throw new StoreFailed('FILE_ALTERED', message);
}

async function beginRevision(
  task: PublishTask,
  month: OpenMonth,
  revision: number,
): Promise<ReportRecord> {
  const report = await beginReport(task.store, {
    id: task.newId(),
    merchant: month.books.snapshot.merchant,
    period: formatPeriod(task.period),
    revision,
    periodLabel: labelOf(task.period, task.options.language),
    periodStart: month.bounds.start,
    periodEnd: month.bounds.end,
    requestedAt: task.now,
  });
  task.onPending(report);
  return report;
}

interface Begun {
  readonly document: StatementDocument;
  readonly report: ReportRecord;
  /** See `IssuedStatement.learnedUntil`. */
  readonly learnedUntil: number | undefined;
}

/**
 * Renders the document in each format into the store and reads it back from there. Throws
 * `DocumentRefused` at the first format that differs from the statement.
 */
async function writeFiles(
  task: PublishTask,
  { document, report, learnedUntil }: Begun,
  files: ReportFiles,
): Promise<Issue> {
  const { statement } = document;
  const { options, announcements = NOTHING_ANNOUNCED } = task;
  for (const format of task.formats) {
    const { name, mediaType } = format;
    const readBack = readerOf(format);
    const file = { format: name, fileName: fileNameOf(statement, format), mediaType };
    await files.write(file, (out) => format.write(document, options, out));
    const differences = await readBack(files.read(name), {
      statement,
      language: options.language,
    }).catch((cause) => {
      throw new DocumentRefused(
        `The ${name} document cannot be read back: ${(cause as Error).message}`,
        { cause },
      );
    });
    if (differences.length > 0) throw new DocumentRefused(describeDifferences(name, differences));
  }
  // Beside the documents: the entries by which books that hold the revision before are corrected,
  // and the service's own file as it was served.
  const names = task.formats.map(({ name }) => name);
  for (const beside of [...deltasOf(document, names), ...serviceFileOf(document)]) {
    const { name, mediaType } = beside;
    const file = { format: name, fileName: fileNameOf(statement, beside), mediaType };
    await files.write(file, (out) => beside.write(document, options, out));
  }
  const { revision, generatedAt, integrity, summary, paymentsByLink } = statement;
  const { fr, en } = verdictInWords(statement);
  const reasons = { fr: [...fr.reasons, ...fr.links], en: [...en.reasons, ...en.links] };
  const toDo = inOurWords(statement, toDoLines);
  const openRoots = openRootsOf(statement.findings);
  const { chain } = statement.circumstances.coverage;
  const figures = periodFigures(statement);
  const books = booksLeftBy(report.period, statement.journal);
  const kept = {
    revision,
    generatedAt,
    integrity,
    summary,
    paymentsByLink,
    reasons,
    toDo,
    openRoots,
    figures,
    books,
  };
  const learned = learnedUntil === undefined ? {} : { learnedUntil, engine: task.engine };
  const issued: IssuedStatement = {
    ...kept,
    ...learned,
    ...(chain === undefined ? {} : { chain }),
  };
  const isHeld =
    announcements.holds(summary.verdict.state) || (await areRewritten(task.store, statement));
  const deliveries = announcements.statement({ ...report, isHeld });
  return { generatedAt, issued, isHeld, deliveries };
}

/**
 * Tells whether history under this month was rewritten: an open finding says so, or lines were read
 * anew since it was issued. Such a month is held whatever is configured, because a person must
 * release it.
 */
async function areRewritten(
  store: Store,
  { findings, summary, merchant, period }: Statement,
): Promise<boolean> {
  const isOpen = findings.rows.some(
    ({ kind, severity, state }) =>
      KINDS[kind].rewrites && severity === 'critical' && state === 'open',
  );
  // Findings that are counted but not listed may be about a rewritten line.
  const mayBe = findings.count > findings.rows.length && summary.verdict.state === 'broken';
  const key = { merchant: merchant.reference, period: period.period };
  return isOpen || mayBe || (await wasRereadSinceIssue(store, key));
}

function fileNameOf(
  statement: Statement,
  format: Pick<StatementFormat, 'extension' | 'fileName'>,
): string {
  const { merchant, period, revision } = statement;
  const key = { merchant: merchant.reference, period: period.period };
  return (
    format.fileName?.(statement) ?? `${statementName(key, revision.number)}.${format.extension}`
  );
}

/** Thrown for a document that must not be issued; the message says why. */
class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
}

/**
 * Returns the reason that the merchant reads. Messages that are not meant for readers go only to
 * the log.
 */
function reasonOf(failure: unknown): string {
  const isForReaders = [DocumentRefused, StatementRefused, SourceFailed, StoreFailed].some(
    (kind) => failure instanceof kind,
  );
  return isForReaders
    ? (failure as Error).message
    : 'The report could not be made; the log of the engine says why.';
}
