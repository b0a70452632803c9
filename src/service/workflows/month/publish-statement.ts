// Issues the reports of a month: PENDING, then stated, rendered, read back and compared, then READY
// with its files, or FAILED with the reason. Refuses to issue a document that does not say what the
// statement says.

import { NO_TRACING, type Tracing } from '../../../core/domain/measures.ts';
import {
  formatPeriod,
  labelOf,
  type MonthKey,
  type Period,
  statementName,
} from '../../../core/domain/period.ts';
import { KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { booksLeftBy } from '../../../core/statements/books-before.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
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
import { verdictInWords } from '../../../io/formats/sentences/verdict-reasons.ts';
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
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
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
  /** Each is a file of the report; a report whose document of one cannot be read back is FAILED. */
  readonly formats: readonly StatementFormat[];
  readonly options: FormatOptions;
  /** A new UUID. */
  readonly newId: () => string;
  /** Called with a report as soon as it is PENDING. */
  readonly onPending: (report: ReportRecord) => void;
  /** What is announced of a report that is READY; absent: nothing. */
  readonly announcements?: Announcements;
  /** Called with a report that is READY, once it is issued. */
  readonly onIssued?: (report: ReportRecord) => Promise<unknown>;
  /** Absent: the work is not traced. */
  readonly tracing?: Tracing;
  /** Called with what a FAILED report says in one sentence: for the log. */
  readonly onFailure: (merchant: string, failure: unknown) => void;
}

export interface Published {
  readonly merchant: string;
  /** READY or FAILED. */
  readonly report: ReportRecord;
  /** False: the month was issued before, and is stated in the same way now. */
  readonly isNew: boolean;
  /** What the service says of the month; null when ours could not be stated. */
  readonly service: PublishedByService | null;
  /** A later month that was issued before this one, `YYYY-MM`; absent: none was. */
  readonly outOfOrder?: string | undefined;
}

export type PublishOutcome = Published | { readonly merchant: string; readonly refused: string };

/** One merchant after the other. What stops one, whatever it is, does not stop the next. */
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
 * Waits while another process issues the same month, and then finds what that one has issued.
 * Throws `StatementRefused` when the month has not ended, the books move or could not be read again
 * for its first statement, and `StoreFailed`; whatever else goes wrong makes a FAILED report.
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
    // Closed, it stays as it was issued, whatever is known by now.
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
      const later = (await joined.issuedMonths(merchant)).find(({ period }) => period > key.period);
      return { ...published, outOfOrder: later?.period };
    });
  });
}

/**
 * Stated in part, a month would stay so: a revision needs news of it, and that its source answers
 * again is none.
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
 * What the revision in force says otherwise than what would be stated now, which is not kept;
 * empty: nothing, none is in force, or the store has it without its content.
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
    // There is nothing of it to state any more.
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
  // A month that was issued is PENDING again only when it turns out to be stated otherwise.
  let pending = issued === null ? await begin() : null;
  try {
    const before = issued === null ? null : beforeOf(task.store, issued);
    const document = await stateOpenMonth(
      { ...task, issuedOf: contentIn(task.store) },
      month,
      before,
    );
    const service = publishedByService(document.statement);
    // What could not be read now changes no issued month: a revision that would only say so waits
    // for the source.
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
    if (failure instanceof StoreFailed) throw failure;
    const isBefore = failure instanceof StatementRefused && failure.code === 'BEFORE_FIRST_LINE';
    if (isBefore && issued !== null)
      return { merchant, report: issued, isNew: false, service: null };
    task.onFailure(merchant, failure);
    const report = await failReport(task.store, pending ?? (await begin()), reasonOf(failure));
    return { merchant, report, isNew: true, service: null };
  }
}

/** What was issued of other months. */
function contentIn(store: Store): AskIssued {
  return async (key) => contentOf(await loadIssuedReport(store, key));
}

/** Null: there is none, as in a row that this program did not issue. */
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
  /** As `IssuedStatement`. */
  readonly learnedUntil: number | undefined;
}

/**
 * Renders and reads back format after format, out of the store itself; the first difference ends
 * it.
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
  // What accounts that hold the revision before must be given, and the service's own file as it was
  // served.
  const names = task.formats.map(({ name }) => name);
  for (const beside of [...deltasOf(document, names), ...serviceFileOf(document)]) {
    const { name, mediaType } = beside;
    const file = { format: name, fileName: fileNameOf(statement, beside), mediaType };
    await files.write(file, (out) => beside.write(document, options, out));
  }
  const { revision, generatedAt, integrity, summary, paymentsByLink } = statement;
  const { fr, en } = verdictInWords(statement);
  const reasons = { fr: [...fr.reasons, ...fr.links], en: [...en.reasons, ...en.links] };
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
 * By an open finding, or read anew since the month was last let go: whatever is configured, a
 * person lets such a month go.
 */
async function areRewritten(
  store: Store,
  { findings, summary, merchant, period }: Statement,
): Promise<boolean> {
  const isOpen = findings.rows.some(
    ({ kind, severity, state }) =>
      KINDS[kind].rewrites && severity === 'critical' && state === 'open',
  );
  // One of those that are counted alone may say so.
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

/** A document that must not be issued; the message says why. */
class DocumentRefused extends Error {
  override readonly name = 'DocumentRefused';
}

/** For the merchant to read: what is not meant for readers is left to the log. */
function reasonOf(failure: unknown): string {
  const isForReaders = [DocumentRefused, StatementRefused, SourceFailed, StoreFailed].some(
    (kind) => failure instanceof kind,
  );
  return isForReaders
    ? (failure as Error).message
    : 'The report could not be made; the log of the engine says why.';
}
