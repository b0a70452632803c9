// A merchant's month, from its books to its statement: opens them, finds the month's bounds,
// refuses a month that cannot be stated, audits from the first line, and states.

import { createHash } from 'node:crypto';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Parties } from '../../../core/domain/merchant.ts';
import {
  type Bounds,
  boundsOf,
  type ClosedMonth,
  formatPeriod,
  type MonthKey,
  periodBefore,
  type StatedPeriod,
} from '../../../core/domain/period.ts';
import type {
  ChainMark,
  NotChecked,
  Note,
  Reason,
  Snapshot,
} from '../../../core/domain/snapshot.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import type { CutWish } from '../../../core/kernel/reconcile/session.ts';
import { changedAccounts, differingAccounts } from '../../../core/statements/books-before.ts';
import { type LinksRead, notCompared } from '../../../core/statements/comparison.ts';
import { validatedBy } from '../../../core/statements/entries/validation.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import type { BooksBefore, JournalSettings } from '../../../core/statements/journal.ts';
import type { PhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import type { MonthSettings } from '../../../core/statements/month-settings.ts';
import { type IssuedStatement, isJudgementAlone } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { ComparedPeriod } from '../../../core/statements/summary.ts';
import { withEntryChanges } from '../../../io/formats/bookkeeping/entry-changes.ts';
import type { StatementDocument } from '../../../io/formats/port/format.ts';
import type { AuditOptions } from '../audit/audit-snapshot.ts';
import { closable } from '../closable.ts';
import {
  areEqual,
  choosePlace,
  type IssuedReport,
  keepPlace,
  type ListIssued,
  type PlaceIssued,
} from './issued-months.ts';
import type { Audited, AuditTask, CutAudited, MonthRows } from './month-rows.ts';
import { issuedMoney, type KnownLinks, NO_LINKS, NOTHING_KNOWN } from './read-links.ts';
import type { AskServiceMonth, FetchedDocument, ServiceMonth } from './service-month.ts';
import { refuseUnended, stateMonth } from './state-month.ts';

/** Where books that can be read more than once come from: files, tables, or the mirror. */
export interface BookRepository {
  /** All that are meant where none is named. */
  merchants(): Promise<readonly string[]>;
  /** Whether it can be asked for by name. */
  knows(merchant: string): Promise<boolean>;
  open(merchant: string): Promise<OpenBooks>;
  /** Where months of these books are issued; absent: nowhere. */
  readonly issued?: {
    readonly months: ListIssued;
    readonly report: (key: MonthKey) => Promise<IssuedReport | null>;
    readonly read: (report: IssuedReport['report'], format: string) => AsyncIterable<Uint8Array>;
  };
}

export interface OpenBooks {
  readonly snapshot: Snapshot;
  /** The books are known to be complete up to here; null: as far as the caller says. */
  readonly completeUntil: Instant | null;
  /** Ascending; absent: none is, or they are not kept. */
  readonly closed?: readonly ClosedMonth[];
  /** What of the month could not be read again just now; absent, or null: nothing. */
  readonly unread?: Note | null;
  /** Of the lines as they are stored; absent, or null: no chain is kept over them. */
  readonly chain?: ChainMark | null;
  /** What the mirror knows of payments by link; absent: nothing is kept. */
  readonly links?: (
    of: Pick<MonthTask, 'period' | 'now'> & Pick<MonthSettings, 'bounds'>,
  ) => Promise<KnownLinks>;
  /**
   * What the mirror has learned so far, and whether it learned anything of a time since then;
   * absent: nothing is kept of that.
   */
  readonly learned?: {
    readonly until: number;
    readonly since: (news: {
      readonly end: Instant;
      readonly after: number;
      readonly at: Instant;
    }) => Promise<boolean>;
  };
  /** As a full audit of the snapshot would judge them. */
  readonly audit: (task: AuditTask) => Promise<Audited>;
  /** As they stood at a cut. `now`: as of the reading. */
  readonly auditAt: (cut: CutWish, options: AuditOptions, now: Audited) => Promise<CutAudited>;
  /** Of what was audited. */
  readonly rows: (audited: Audited) => MonthRows;
}

export interface MonthTask {
  readonly repository: BookRepository;
  readonly period: StatedPeriod;
  readonly phoneNumbers: PhoneNumbers;
  readonly zoneFor: (merchant: MerchantPlace) => Zone;
  readonly journalFor: (merchant: string) => JournalSettings;
  readonly partiesFor: (merchant: MerchantPlace) => Parties;
  readonly auditFor: (merchant: string) => Omit<AuditOptions, 'onProgress'>;
  readonly serviceMonthOf: AskServiceMonth;
  /** Where earlier periods are issued; absent: the statement is compared with none. */
  readonly issuedOf?: AskIssued;
  /** Months whose bounds the period must join; absent: it joins whatever there is. */
  readonly issuedMonths?: ListIssued;
  readonly engine: string;
  readonly now: Instant;
  /** Called when a merchant begins, with its expected number of lines, and as they pass. */
  readonly onMerchant: (
    merchant: string,
    expectedEntries: number | null,
  ) => (entries: number) => void;
}

export interface MerchantPlace {
  readonly reference: string;
  /** Null: no profile was read. */
  readonly country: string | null;
}

export interface MonthWish {
  readonly merchant: string;
  /** Of the revision before; null at the first one. */
  readonly issuedBounds: PlaceIssued | null;
}

/**
 * What was issued of another period, the newest revision; null: nothing, or nothing that can be
 * compared.
 */
export type AskIssued = (
  key: MonthKey,
) => Promise<Pick<
  IssuedStatement,
  'revision' | 'integrity' | 'summary' | 'figures' | 'books'
> | null>;

/** The revision before. */
export interface MonthBefore {
  readonly issued: IssuedStatement;
  /** Its JSON form, as bytes. */
  readonly readJson: () => AsyncIterable<Uint8Array>;
}

/**
 * The period before, and the same of the year before; of a day none. Those of another currency are
 * left out.
 */
async function comparedWith(
  { period, issuedOf }: Pick<MonthTask, 'period' | 'issuedOf'>,
  { merchant, currency }: { readonly merchant: string; readonly currency: string },
): Promise<readonly ComparedPeriod[]> {
  if ('day' in period || issuedOf === undefined) return [];
  const yearBefore = { ...period, year: period.year - 1 };
  const periods = period.month === null ? [yearBefore] : [periodBefore(period), yearBefore];
  const found = await Promise.all(
    periods.map(async (one): Promise<readonly ComparedPeriod[]> => {
      const key = { merchant, period: formatPeriod(one) };
      const issued = await issuedOf(key);
      if (issued?.figures === undefined || issued.summary.currency !== currency) return [];
      const { number: revision } = issued.revision;
      return [
        {
          period: key.period,
          revision,
          documentHash: issued.integrity.documentHash,
          figures: issued.figures,
        },
      ];
    }),
  );
  return found.flat();
}

/**
 * What the month before has left in the books, as it was issued; null: nothing that is known.
 * Throws `StatementRefused` where the books have another currency since: months of one year are in
 * one.
 */
async function booksBefore(
  { period, issuedOf }: Pick<MonthTask, 'period' | 'issuedOf'>,
  merchant: string,
  { books }: JournalSettings,
): Promise<BooksBefore | null> {
  if (period.month === null || 'day' in period || issuedOf === undefined) return null;
  const left = (await issuedOf({ merchant, period: formatPeriod(periodBefore(period)) }))?.books;
  // What was issued by a version that kept none of it has no terms.
  if (left?.terms === undefined) return null;
  const currency = books?.currency ?? null;
  if (left.terms.currency === currency || period.month === 1) return left;
  const name = (one: string | null): string => one ?? "the wallet's currency";
  const message = `The books of ${merchant} were in ${name(left.terms.currency)} in ${left.period} and would be in ${name(currency)} in ${formatPeriod(period)}: the months of a year are in one currency. Set 'journal.books' back, and change it in January.`;
  throw new StatementRefused('BOOKS_CURRENCY_CHANGED', message);
}

/**
 * Of a year whose months were issued, from the first that was to December, what each has left in
 * the books; else none.
 */
async function booksOfMonths(
  { period, issuedOf }: Pick<MonthTask, 'period' | 'issuedOf'>,
  merchant: string,
): Promise<readonly BooksBefore[]> {
  if (period.month !== null || issuedOf === undefined) return [];
  const months = Array.from({ length: 12 }, (_, i) =>
    formatPeriod({ year: period.year, month: i + 1 }),
  );
  const issued = await Promise.all(
    months.map(async (month) => (await issuedOf({ merchant, period: month }))?.books),
  );
  const known = issued.flatMap((books) => (books?.terms === undefined ? [] : [books]));
  const first = issued.findIndex((books) => books?.terms !== undefined);
  return first >= 0 && known.length === months.length - first ? known : [];
}

function withNotes(
  document: StatementDocument,
  {
    changed,
    months,
  }: { readonly changed: readonly NotChecked[]; readonly months: readonly BooksBefore[] },
): StatementDocument {
  const notes = [...changed, ...differingAccounts(months, document.statement.journal)];
  if (notes.length === 0) return document;
  const { circumstances } = document.statement;
  const notChecked = [...circumstances.notChecked, ...notes];
  return {
    ...document,
    statement: { ...document.statement, circumstances: { ...circumstances, notChecked } },
  };
}

export interface OpenMonth extends Pick<MonthSettings, 'zone' | 'bounds' | 'boundsFrom'> {
  readonly books: OpenBooks;
  readonly completeUntil: Instant;
  readonly service: ServiceMonth | null;
}

/**
 * The books are open while `use` runs. Throws `StatementRefused` when the month has not ended, or
 * the books move.
 */
export async function withOpenMonth<T>(
  task: MonthTask,
  { merchant, issuedBounds }: MonthWish,
  use: (month: OpenMonth) => Promise<T>,
): Promise<T> {
  const { period } = task;
  const books = await task.repository.open(merchant);
  await using snapshot = closable(books.snapshot);
  const own = task.zoneFor({
    reference: merchant,
    country: snapshot.profiles.at(-1)?.country ?? null,
  });
  refuseMoving(snapshot);
  await using service = closable(
    await serviceOf(task, { merchant, configured: boundsOf(period, own) }),
  );
  const wish = { merchant, period, zone: own, stated: service?.bounds ?? null };
  const issued = issuedBounds === null ? await task.issuedMonths?.(merchant) : [];
  const place =
    issuedBounds === null ? await choosePlace(wish, issued ?? []) : keepPlace(issuedBounds, wish);
  const completeUntil = books.completeUntil ?? task.now;
  // Before the work of an audit.
  refuseUnended(place.bounds, { period, until: snapshot.watermark ?? completeUntil });
  return await use({ books, completeUntil, ...place, service });
}

/**
 * Throws `StatementRefused` when there is nothing to state, or amounts are too large. Its lines
 * need the books open. A month that was issued is revised on the word of its lines alone: where it
 * would be, it is stated again without what runs have kept (`isWhole`).
 */
export async function stateOpenMonth(
  task: MonthTask,
  month: OpenMonth,
  before: MonthBefore | null,
  isWhole = false,
): Promise<StatementDocument> {
  const { books, completeUntil, zone, bounds, boundsFrom, service } = month;
  const { snapshot, closed = [], chain = null } = books;
  const { merchant } = snapshot;
  const { period, phoneNumbers, engine, now } = task;
  const onProgress = task.onMerchant(merchant, snapshot.expectedEntries);
  // What was issued before is no part of what is stated.
  const options = { ...task.auditFor(merchant), changedMonths: [] };
  const audited = await books.audit({
    engine: isWhole ? 'none' : engine,
    options: { ...options, onProgress },
  });
  const cut = { end: bounds.end, closed, withWallet: false };
  const then = await books.auditAt(cut, { ...options, onProgress: () => {} }, audited);
  const { opening } = options;
  const rows = books.rows(audited);
  const currency = snapshot.currency ?? audited.report.currency ?? '';
  const journal = task.journalFor(merchant);
  const links = await linksOf(month, { period, now, currency, before });
  const left = await booksBefore(task, merchant, journal);
  const parties = task.partiesFor({
    reference: merchant,
    country: snapshot.profiles.at(-1)?.country ?? null,
  });
  const document = await stateMonth({
    snapshot,
    rows: isWhole ? { ...rows, openings: { ...rows.openings, list: async () => [] } } : rows,
    report: then.report,
    cut: then.cut,
    now: audited.report,
    month: {
      period,
      zone,
      bounds,
      boundsFrom,
      opening,
      closed,
      journal,
      before: left,
      phoneNumbers,
      parties,
    },
    completeUntil,
    // One report is of one population, and is held against that one.
    compareService:
      service === null || links.section?.comparison != null
        ? null
        : (summary) => (isOfOthers(month) ? notCompared(OTHER_BOUNDS) : service.compare(summary)),
    links,
    chain,
    comparatives: await comparedWith(task, { merchant, currency }),
    engine,
    generatedAt: now,
    issued: before?.issued ?? null,
    onProgress,
  });
  const issued = before?.issued.revision.number ?? null;
  const joined = withNotes(document, {
    changed: left === null ? [] : changedAccounts(left, journal),
    months: await booksOfMonths(task, merchant),
  });
  const changed = await withEntryChanges(joined, before);
  // What is issued as it was keeps the file that was fetched then.
  const isIssued = changed.statement.revision.number === issued;
  if (issued !== null && !isIssued && !isWhole) return stateOpenMonth(task, month, before, true);
  if (
    before !== null &&
    !isIssued &&
    (await isFrozen(changed.statement, { task, month, before }))
  ) {
    const { revision, generatedAt } = before.issued;
    return { ...changed, statement: { ...changed.statement, revision, generatedAt } };
  }
  const dated = isIssued || period.month !== null ? changed : await withMonthDays(task, changed);
  return sealDocument(
    isIssued || service === null ? dated : withDocument(dated, await service.document()),
  );
}

/** Entries of a year keep the days on which its months were issued. */
async function withMonthDays(
  { issuedMonths }: Pick<MonthTask, 'issuedMonths'>,
  document: StatementDocument,
): Promise<StatementDocument> {
  const { statement } = document;
  const { revision, period, merchant } = statement;
  const validated = [...validatedBy(statement)];
  for (const { period: month, statement: read } of (await issuedMonths?.(
    merchant.reference,
    period.period,
  )) ?? []) {
    const issued = await read();
    if (issued === null) continue;
    const until = issued.summary.lastSequence;
    validated.push(...validatedBy(issued).map((one) => ({ ...one, month, until })));
  }
  const isOwn = validated.every(({ month }) => month === undefined);
  return isOwn
    ? document
    : { ...document, statement: { ...statement, revision: { ...revision, validated } } };
}

/**
 * A month that was issued is judged otherwise for news of it alone: for a row of its time that was
 * learned since, or a word of a person. What this reading could not reach is none, nor is what lies
 * behind its end.
 */
async function isFrozen(
  { revision }: Statement,
  {
    task,
    month,
    before,
  }: { readonly task: MonthTask; readonly month: OpenMonth; readonly before: MonthBefore },
): Promise<boolean> {
  const { learnedUntil, engine, generatedAt } = before.issued;
  const { learned } = month.books;
  if (learned === undefined || learnedUntil === undefined || engine !== task.engine) return false;
  const news = { end: month.bounds.end, after: learnedUntil, at: generatedAt };
  return isJudgementAlone(revision) && !(await learned.since(news));
}

/** The service's report is of other bounds than those that join what was issued. */
function isOfOthers({ bounds, service }: Pick<OpenMonth, 'bounds' | 'service'>): boolean {
  return service?.bounds != null && !areEqual(service.bounds, bounds);
}

const OTHER_BOUNDS: Reason = {
  why: 'its month has other bounds than the statement',
  code: 'REPORT_OF_OTHER_BOUNDS',
};

/**
 * While payments cannot be read, those that the month was issued with stand. An attestation, up to
 * the end of a day, is of the wallet alone.
 */
async function linksOf(
  month: OpenMonth,
  stated: Pick<MonthTask, 'period' | 'now'> &
    Pick<MonthSettings, 'currency'> & { readonly before: MonthBefore | null },
): Promise<LinksRead> {
  const { books, bounds, zone, service } = month;
  const { period, now, currency, before } = stated;
  const issued = before?.issued.paymentsByLink ?? null;
  const known = (await books.links?.({ period, bounds, now })) ?? NOTHING_KNOWN;
  const wanted = {
    bounds,
    zone,
    currency,
    withoutReport: !isMonth(period) || isOfOthers(month),
    now,
    known,
  };
  const read = ('day' in period ? null : await service?.links(wanted)) ?? NO_LINKS;
  if (read.isKnown || before === null || issued === null) return read;
  return { ...read, money: await issuedMoney(issued, before.readJson()) };
}

function withDocument(
  document: StatementDocument,
  fetched: FetchedDocument | null,
): StatementDocument {
  if (fetched === null) return document;
  const { statement } = document;
  const circumstances = { ...statement.circumstances, serviceDocument: fetched.about };
  return { ...document, statement: { ...statement, circumstances }, serviceFile: fetched.bytes };
}

/**
 * The service publishes months: a year begins with its January and ends with its December, a day
 * ends where it ends.
 */
async function serviceOf(
  { period, serviceMonthOf }: MonthTask,
  { merchant, configured }: { readonly merchant: string; readonly configured: Bounds },
): Promise<ServiceMonth | null> {
  const { year, month } = period;
  if (month === null) {
    const [first, last] = [
      await serviceMonthOf(merchant, { year, month: 1 }),
      await serviceMonthOf(merchant, { year, month: 12 }),
    ];
    const bounds = {
      start: first?.bounds?.start ?? configured.start,
      end: last?.bounds?.end ?? configured.end,
    };
    return withoutReport(bounds, [first, last]);
  }
  const service = await serviceMonthOf(merchant, { year, month });
  if (isMonth(period)) return service;
  return withoutReport({ start: service?.bounds?.start ?? configured.start, end: configured.end }, [
    service,
  ]);
}

/** Of a whole month the service publishes a report. */
function isMonth(period: StatedPeriod): boolean {
  return period.month !== null && !('day' in period);
}

/** Bounds alone: what the service states of a month is compared with that month. */
function withoutReport(
  bounds: Bounds,
  months: readonly (ServiceMonth | null)[],
): ServiceMonth | null {
  const asked = months.filter((month) => month !== null);
  const [first] = asked;
  if (first === undefined) return null;
  const isUnknown = asked.some((month) => month.isUnknown);
  const isStated = !isUnknown && asked.some((month) => month.bounds !== null);
  return {
    bounds: isStated ? bounds : null,
    isUnknown,
    compare: () => null,
    links: (wanted) => first.links(wanted),
    document: async () => null,
    close: async () => {
      for (const month of asked) await month.close();
    },
  };
}

function refuseMoving(snapshot: Snapshot): void {
  if (!snapshot.moving) return;
  const message = `The books of ${snapshot.merchant} move while they are read: run 'pointage run' first, and make statements of the mirror (without --source).`;
  throw new StatementRefused('BOOKS_MOVE', message);
}

/**
 * Reads its lines, operations and payments once. Words and layout are the template's: the hash is
 * the same in both languages.
 */
export async function sealDocument(document: StatementDocument): Promise<StatementDocument> {
  const { statement } = document;
  const { documentHash: _, ...integrity } = statement.integrity;
  const hash = createHash('sha256').update(JSON.stringify({ ...statement, integrity }));
  // One by one: batches are cut as the source pleases.
  for await (const lines of document.lines())
    for (const line of lines) hash.update(`\n${JSON.stringify(line)}`);
  for await (const some of document.operations())
    for (const one of some) hash.update(`\n${JSON.stringify(one)}`);
  for (const payments of document.payments?.() ?? [])
    for (const one of payments) hash.update(`\n${JSON.stringify(one)}`);
  const documentHash = hash.digest('hex');
  return { ...document, statement: { ...statement, integrity: { ...integrity, documentHash } } };
}
