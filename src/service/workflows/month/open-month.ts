// Takes a merchant's month from its books to its statement: opens the books, finds the month's
// bounds, audits from the first line, and makes the statement. Refuses a month that cannot be
// stated.

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
import {
  changedAccounts,
  differingAccounts,
  noteDiffering,
} from '../../../core/statements/books-before.ts';
import { type LinksRead, notCompared } from '../../../core/statements/comparison.ts';
import { bindRates } from '../../../core/statements/entries/books.ts';
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

/** Opens books that can be read more than once: files, tables, or the mirror. */
export interface BookRepository {
  /** Returns the merchants to state when the caller names none. */
  merchants(): Promise<readonly string[]>;
  /** Tells whether a merchant can be requested by name. */
  knows(merchant: string): Promise<boolean>;
  open(merchant: string): Promise<OpenBooks>;
  /** Where months of these books are issued; absent when they are issued nowhere. */
  readonly issued?: {
    readonly months: ListIssued;
    readonly report: (key: MonthKey) => Promise<IssuedReport | null>;
    readonly read: (report: IssuedReport['report'], format: string) => AsyncIterable<Uint8Array>;
  };
}

export interface OpenBooks {
  readonly snapshot: Snapshot;
  /**
   * The instant up to which the books are known to be complete; `null` when only the caller can
   * say.
   */
  readonly completeUntil: Instant | null;
  /** The closed months, ascending; absent when none is closed or closings are not kept. */
  readonly closed?: readonly ClosedMonth[];
  /**
   * The part of the month that could not be read again just now; absent or `null` when there is
   * none.
   */
  readonly unread?: Note | null;
  /** The hash chain over the stored lines; absent or `null` when no chain is kept. */
  readonly chain?: ChainMark | null;
  /** Returns what the mirror knows about payments by link; absent when nothing is kept. */
  readonly links?: (
    of: Pick<MonthTask, 'period' | 'now'> & Pick<MonthSettings, 'bounds'>,
  ) => Promise<KnownLinks>;
  /** How far the mirror has read; absent for books that do not keep this. */
  readonly learned?: {
    /** The number of the last page that the mirror stored. */
    readonly until: number;
    /**
     * Tells whether the month that ends at `end` has news: rows of its time came with pages after
     * number `after`, lines were found altered in such pages, or a person has decided about a
     * finding or had lines read anew since `at`.
     */
    readonly since: (news: {
      readonly end: Instant;
      readonly after: number;
      readonly at: Instant;
    }) => Promise<boolean>;
  };
  /** Judges the snapshot as a full audit would. */
  readonly audit: (task: AuditTask) => Promise<Audited>;
  /**
   * Judges the books as they stood at a cut. `now` must be the audit of the same books as of the
   * reading.
   */
  readonly auditAt: (cut: CutWish, options: AuditOptions, now: Audited) => Promise<CutAudited>;
  /** Returns the rows of the audited books. */
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
  /** Returns issued periods to compare with; absent when the statement is compared with none. */
  readonly issuedOf?: AskIssued;
  /** Lists the months whose bounds the period must join; absent when it need not join any. */
  readonly issuedMonths?: ListIssued;
  readonly engine: string;
  readonly now: Instant;
  /**
   * Called when a merchant begins, with the expected number of its lines (`null` when it is
   * unknown). The function it returns is called with the number of lines read so far.
   */
  readonly onMerchant: (
    merchant: string,
    expectedEntries: number | null,
  ) => (entries: number) => void;
}

export interface MerchantPlace {
  readonly reference: string;
  /** `null` when no profile was read. */
  readonly country: string | null;
}

export interface MonthWish {
  readonly merchant: string;
  /** The bounds of the revision before; `null` for a first revision. */
  readonly issuedBounds: PlaceIssued | null;
}

/**
 * Returns the newest revision issued for a period; `null` when there is none, or none that can be
 * compared.
 */
export type AskIssued = (
  key: MonthKey,
) => Promise<Pick<
  IssuedStatement,
  'revision' | 'integrity' | 'summary' | 'figures' | 'books'
> | null>;

/** The revision before the one being made. */
export interface MonthBefore {
  readonly issued: IssuedStatement;
  /** Returns the bytes of its JSON form. */
  readonly readJson: () => AsyncIterable<Uint8Array>;
}

/**
 * Returns what was issued for the period before and for the same period of the year before; for a
 * day, nothing. Periods in another currency are left out.
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
 * Returns what the month before has left in the books as it was issued; `null` when nothing is
 * known. Throws `StatementRefused` when the currency of the books has changed since, because the
 * months of one year must share one currency.
 */
async function booksBefore(
  { period, issuedOf }: Pick<MonthTask, 'period' | 'issuedOf'>,
  merchant: string,
  { books }: JournalSettings,
): Promise<BooksBefore | null> {
  if (period.month === null || 'day' in period || issuedOf === undefined) return null;
  const left = (await issuedOf({ merchant, period: formatPeriod(periodBefore(period)) }))?.books;
  // Earlier versions issued months without the terms of their books.
  if (left?.terms === undefined) return null;
  const currency = books?.currency ?? null;
  if (left.terms.currency === currency || period.month === 1) return left;
  const name = (one: string | null): string => one ?? "the wallet's currency";
  const message = `The books of ${merchant} were in ${name(left.terms.currency)} in ${left.period} and would be in ${name(currency)} in ${formatPeriod(period)}: the months of a year are in one currency. Set 'journal.books' back, and change it in January.`;
  throw new StatementRefused('BOOKS_CURRENCY_CHANGED', message);
}

/**
 * Returns what each month of a year has left in the books, from the first issued month to December.
 * Empty for other periods, and when a month after the first issued one is missing.
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
  const asIssued = differingAccounts(months, document.statement.journal);
  const notes = [...changed, ...noteDiffering(asIssued)];
  if (notes.length === 0) return document;
  const { circumstances } = document.statement;
  const notChecked = [...circumstances.notChecked, ...notes];
  return {
    ...document,
    statement: {
      ...document.statement,
      circumstances: {
        ...circumstances,
        notChecked,
        ...(asIssued.length === 0 ? {} : { asIssued }),
      },
    },
  };
}

export interface OpenMonth extends Pick<MonthSettings, 'zone' | 'bounds' | 'boundsFrom'> {
  readonly books: OpenBooks;
  readonly completeUntil: Instant;
  readonly service: ServiceMonth | null;
}

/**
 * Opens the books and calls `use` while they are open. Throws `StatementRefused` when the month has
 * not ended, or when the books change while they are read.
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
  // Refuse before the audit, which takes long.
  refuseUnended(place.bounds, { period, until: snapshot.watermark ?? completeUntil });
  return await use({ books, completeUntil, ...place, service });
}

/**
 * Makes the statement of an open month. Throws `StatementRefused` when there is nothing to state,
 * or amounts are too large. The caller must keep the books open while it reads the document's
 * lines.
 *
 * A revision of an issued month must follow from its lines alone. When the first try finds a
 * change, the month is therefore stated again with `isWhole`, which uses no checkpoint and no
 * stored opening.
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
  // Findings about issued months must not be part of a statement.
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
  const configured = task.journalFor(merchant);
  const links = await linksOf(month, { ...task, merchant, currency, before });
  const left = await booksBefore(task, merchant, configured);
  const months = await booksOfMonths(task, merchant);
  // What was issued keeps its rates, whatever is configured for its days since. An attestation has no
  // books of its own: it takes those of its month.
  const { year, month: ofYear } = period;
  const issuedAs = 'day' in period && ofYear !== null ? { year, month: ofYear } : period;
  const own =
    months.at(-1) ?? (await task.issuedOf?.({ merchant, period: formatPeriod(issuedAs) }))?.books;
  const journal = { ...configured, books: bindRates(configured.books, own ?? left) };
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
    // The service's one report covers either payments by link or the wallet's operations, and is
    // compared with those alone.
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
    months,
  });
  const changed = await withEntryChanges(joined, before);
  // When the statement is the same as before, it keeps the service's file that was fetched then.
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

/**
 * Adds to a year's statement the day on which each of its months was issued, because entries keep
 * those days.
 */
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
 * Tells whether an issued month must stay as it is although it is judged differently now. It
 * changes only because of news about it: a row dated before its end that came since, or a person's
 * decision. A part that this reading could not reach is no news, and neither are rows after its
 * end.
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

/**
 * Tells whether the service's report has other bounds than the month. That is so where the month
 * had to join the months issued before.
 */
function isOfOthers({ bounds, service }: Pick<OpenMonth, 'bounds' | 'service'>): boolean {
  return service?.bounds != null && !areEqual(service.bounds, bounds);
}

const OTHER_BOUNDS: Reason = {
  why: 'its month has other bounds than the statement',
  code: 'REPORT_OF_OTHER_BOUNDS',
};

/**
 * Reads payments by link for the statement. While they cannot be read, those that the month was
 * issued with are used. An attestation, which ends with a day, reads none: it states those that the
 * month which ends with that day was issued with.
 */
async function linksOf(
  month: OpenMonth,
  stated: Pick<MonthTask, 'period' | 'now' | 'issuedMonths'> &
    Pick<MonthSettings, 'merchant' | 'currency'> & { readonly before: MonthBefore | null },
): Promise<LinksRead> {
  const { books, bounds, zone, service } = month;
  const { period, now, currency, before } = stated;
  if ('day' in period) {
    const section = await sectionOf(stated, bounds);
    return section === null ? NO_LINKS : { ...NO_LINKS, section, isKnown: true };
  }
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
  const read = (await service?.links(wanted)) ?? NO_LINKS;
  if (read.isKnown || before === null || issued === null) return read;
  return { ...read, money: await issuedMoney(issued, before.readJson()) };
}

/** Of the month that was issued and ends with the day; null: none does, or nothing was paid so. */
async function sectionOf(
  { period, merchant, issuedMonths }: Parameters<typeof linksOf>[1],
  { end }: Bounds,
): Promise<LinksRead['section']> {
  const months = (await issuedMonths?.(merchant, String(period.year))) ?? [];
  const month = months.find(
    (one) => one.end === end && one.period === formatPeriod(period).slice(0, 7),
  );
  return (await month?.statement())?.paymentsByLink ?? null;
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
 * Returns what the service publishes for the period. The service publishes whole months, so the
 * year takes its start from January and its end from December, and a day takes only its start.
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

/** True for a whole month: the service publishes reports for no other period. */
function isMonth(period: StatedPeriod): boolean {
  return period.month !== null && !('day' in period);
}

/**
 * Returns the bounds without a comparison, because the service's figures of a month can be compared
 * with that month alone.
 */
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
 * Adds the document hash to the statement, reading its lines, operations and payments once. Words
 * and layout come from the template and are not hashed, so the hash is the same in both languages.
 */
export async function sealDocument(document: StatementDocument): Promise<StatementDocument> {
  const { statement } = document;
  const { documentHash: _, ...integrity } = statement.integrity;
  const hash = createHash('sha256').update(JSON.stringify({ ...statement, integrity }));
  // Hash row by row, because the source may cut batches anywhere.
  for await (const lines of document.lines())
    for (const line of lines) hash.update(`\n${JSON.stringify(line)}`);
  for await (const some of document.operations())
    for (const one of some) hash.update(`\n${JSON.stringify(one)}`);
  for (const payments of document.payments?.() ?? [])
    for (const one of payments) hash.update(`\n${JSON.stringify(one)}`);
  const documentHash = hash.digest('hex');
  return { ...document, statement: { ...statement, integrity: { ...integrity, documentHash } } };
}
