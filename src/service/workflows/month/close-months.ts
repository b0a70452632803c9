// Closes issued months of one merchant in calendar order: one month, or those of a year. Unless the
// caller expects them, refuses months that a person should look at first: those with open roots or
// a held statement.

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OPEN_STATES } from '../../../core/domain/finding.ts';
import { type Instant, parseInstant } from '../../../core/domain/instant.ts';
import { documentName } from '../../../core/domain/naming/names.ts';
import {
  formatPeriod,
  type MonthKey,
  type Period,
  parsePeriod,
  periodAfter,
  type StatedPeriod,
  type Year,
} from '../../../core/domain/period.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import { booksLeftBy } from '../../../core/statements/books-before.ts';
import { certifyMonths } from '../../../core/statements/certificate.ts';
import { openBooksWith, openYear } from '../../../core/statements/entries/year-opening.ts';
import type { BooksBefore, JournalRow, JournalSettings } from '../../../core/statements/journal.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import { writeCertificate } from '../../../io/formats/attestation/certificate.ts';
import { openingJournal } from '../../../io/formats/bookkeeping/journal.ts';
import type { FormatOptions } from '../../../io/formats/port/format.ts';
import { statementIn } from '../../../io/formats/read-back/read-back.ts';
import {
  type Closing,
  closeMonth,
  loadClosing,
  loadLateLines,
  notClosable,
  notIssued,
  withMonthLock,
} from '../../../io/storage/issued/month-lock.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listIssuedMonths, loadIssuedReport } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { type FoundFinding, findFindings } from '../../../io/storage/operators/find-findings.ts';
import { makeFolder } from '../../../io/storage/server/make-folder.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export interface CloseWish {
  readonly merchant: string;
  readonly period: StatedPeriod;
  readonly by: string;
  readonly reason: string | null;
  readonly now: Instant;
  /**
   * What the caller expects to be open. A number: exactly so many roots, and the statement may be
   * held. `any`: any number of roots. `null`: no open root and no held statement.
   */
  readonly expectOpen: number | 'any' | null;
}

export interface ExaminedMonth extends Closing, MonthKey {
  /**
   * The open roots that closing the month would fix in place: those at lines of the month or before
   * it, and, of roots without a line, those dated before the month's end or not at all.
   */
  readonly openRoots: readonly FoundFinding[];
}

export interface MonthClosing extends ExaminedMonth {
  /** `asked` means that something unexpected is open, so that no month of the wish was closed. */
  readonly outcome: 'closed' | 'closed before' | 'asked';
}

/**
 * Closes the months of the wish and returns them. If months are open in a way that the wish does
 * not expect, closes none and returns only those. In a year, months before the first issued one are
 * left out. Waits while a month is being issued. Throws `StoreFailed` (UNKNOWN_MERCHANT,
 * NOT_CLOSABLE).
 */
export async function closeMonths(store: Store, wish: CloseWish): Promise<readonly MonthClosing[]> {
  const { merchant, by, reason, now } = wish;
  const months = await examineMonths(store, wish);
  const open = unexpectedOf(months, wish);
  if (open.length > 0) return open.map((month) => ({ ...month, outcome: 'asked' }));
  const closings: MonthClosing[] = [];
  for (const month of months) {
    const key = { merchant, period: month.period };
    const isNew = await withMonthLock(store, key, () =>
      closeMonth(store, key, { by, reason, now }),
    );
    closings.push({ ...month, outcome: isNew ? 'closed' : 'closed before' });
  }
  return closings;
}

/** Returns the months that are not closed yet and have more or less open than the wish expects. */
export function unexpectedOf(
  months: readonly ExaminedMonth[],
  { expectOpen }: CloseWish,
): readonly ExaminedMonth[] {
  return months.filter(({ closed, isHeld, openRoots: { length } }) => {
    const isExpected =
      expectOpen === null ? !isHeld && length === 0 : expectOpen === 'any' || expectOpen === length;
    return closed === null && !isExpected;
  });
}

/**
 * Returns each month of the period with its open roots and with what closing would fix. Without
 * `now`, every month counts as ended. Throws like `closeMonths`.
 */
export async function examineMonths(
  store: Store,
  {
    merchant,
    period,
    now = Number.POSITIVE_INFINITY,
  }: Pick<CloseWish, 'merchant' | 'period'> & Partial<CloseWish>,
): Promise<readonly ExaminedMonth[]> {
  await requireMerchant(store, merchant);
  const roots = await loadOpenRoots(store, merchant);
  const months: ExaminedMonth[] = [];
  const all = monthsOf(period);
  const ended = all.filter(({ year, month }) => Date.UTC(year, month) <= now);
  for (const month of all) {
    const key = { merchant, period: formatPeriod(month) };
    const closing = await loadClosing(store, key);
    const isBefore = closing === null && period.month === null && months.length === 0;
    if (isBefore) continue;
    if (closing === null)
      throw ended.includes(month) ? notIssued(key) : notEnded(period, months.at(-1));
    const openRoots = roots.filter((root) => isOf(closing, root));
    months.push({ ...key, ...closing, openRoots });
  }
  if (months.length === 0)
    throw notIssued({ merchant, period: formatPeriod(ended.at(-1) ?? period) });
  return months;
}

function isOf(
  { lastSequence, end }: Closing,
  { finding: { sequence, itemAt } }: FoundFinding,
): boolean {
  if (sequence !== null) return Number(sequence) <= lastSequence;
  return itemAt === null || parseInstant(itemAt)! < end;
}

function notEnded(period: StatedPeriod, last: ExaminedMonth | undefined): Error {
  const from = formatPeriod(periodAfter({ year: period.year, month: period.month ?? 12 }));
  const until =
    last === undefined
      ? ''
      : `; until then by months, '${commandLine('statement close', last.merchant, last.period)}'`;
  const text = `${formatPeriod(period)} has not ended, and can be closed once it is issued, from ${from}-01 on`;
  return notClosable(`${text}${until}`);
}

function monthsOf({ year, month }: StatedPeriod): readonly Period[] {
  const months = month === null ? Array.from({ length: 12 }, (_, i) => i + 1) : [month];
  return months.map((one) => ({ year, month: one }));
}

const MOST_ROOTS = 1_000;

async function loadOpenRoots(store: Store, merchant: string): Promise<readonly FoundFinding[]> {
  const found = await Promise.all(
    OPEN_STATES.map((state) =>
      findFindings(store, { merchant, state, rootsOnly: true, limit: MOST_ROOTS, offset: 0 }),
    ),
  );
  return found.flatMap(({ items }) => items);
}

const MOST_NAMED = 3;

/** Says in English what is open in a month, and where its late lines go. */
export function describeOpen({ openRoots, isHeld, ...closing }: ExaminedMonth): string {
  const count = openRoots.length;
  const named = openRoots
    .slice(0, MOST_NAMED)
    .map(({ finding }) => `${finding.kind} ${finding.fingerprint.slice(0, 8)}`);
  const roots = `${count} ${count === 1 ? 'root is' : 'roots are'} open (${named.join(', ')}${count > MOST_NAMED ? ', …' : ''})`;
  const open = [...(count === 0 ? [] : [roots]), ...(isHeld ? ['its statement is held'] : [])].join(
    ', ',
  );
  return `${open}; ${describeLate(closing)}.`;
}

export function describeLate({
  lateLines,
  period,
}: Pick<MonthClosing, 'lateLines' | 'period'>): string {
  const next = formatPeriod(periodAfter(parsePeriod(period)!));
  if (lateLines === 0) return `what comes later and is dated in it falls into ${next}`;
  const lines =
    lateLines === 1
      ? '1 line that is dated in it and not stated falls'
      : `${lateLines} lines that are dated in it and not stated fall`;
  return `${lines} into ${next}, as what comes later does`;
}

/**
 * Writes `CLOTURE_M001_2026.json` and `.pdf` for a year whose months are closed, beginning with the
 * first issued month, and `OUVERTURE_M001_2027.journal`, the balances that these months leave to the
 * next year as a plain-text journal. Written again, the files are the same except for lines that
 * came since. Returns the paths of the files. Throws `StoreFailed` (UNKNOWN_MERCHANT, NOT_CLOSABLE).
 */
export async function certifyYear(
  store: Store,
  { merchant, period }: { readonly merchant: string; readonly period: Year },
  {
    folder,
    journal,
    ...options
  }: Pick<FormatOptions, 'template' | 'language'> & {
    readonly folder: string;
    readonly journal: JournalSettings;
  },
): Promise<readonly string[]> {
  const year = formatPeriod(period);
  const months = await examineMonths(store, { merchant, period });
  const closings = [];
  for (const { period: month, lateLines, closed } of months) {
    if (closed === null)
      throw notClosable(`there is no certificate of ${year}, as ${month} of ${merchant} is open`);
    const statement = await loadStatement(store, { merchant, period: month });
    closings.push({ statement, lateLines, closed });
  }
  const all = await loadBooks(store, merchant, `${year}-12`);
  const certificate = certifyMonths(year, closings, {
    late: await loadLateLines(store, merchant, months),
    opening: openingRowsOf(year, all, { first: closings[0]!.statement, journal }),
  });
  const text = JSON.stringify(certificate);
  const hash = createHash('sha256').update(text).digest('hex');
  makeFolder(folder);
  const [json, pdf] = ['json', 'pdf'].map((form) =>
    join(folder, `${documentName('CLOTURE', merchant, year)}.${form}`),
  );
  await writeFile(
    json!,
    `{"format":"pointage closing 1","hash":"${hash}",\n"certificate":${text}}\n`,
  );
  await writeCertificate(certificate, { ...options, hash }, createWriteStream(pdf!));
  // Months that post what they begin with need no other opening.
  const isPosted = journal.opening === 'posted';
  const opening = isPosted ? null : openYear(all, journal.accounts.openingResult);
  if (opening === null) return [json!, pdf!];
  const next = String(period.year + 1);
  const file = join(folder, `${documentName('OUVERTURE', merchant, next)}.journal`);
  const about = { merchant: certificate.merchant, currency: certificate.currency };
  const last = all.at(-1)!.period;
  await writeFile(
    file,
    openingJournal({ ...about, year: next, last, ...opening }, options.language),
  );
  return [json!, pdf!, file];
}

/** What the months before leave to the year; null: it is not known. */
function openingRowsOf(
  year: string,
  all: readonly BooksBefore[],
  { first, journal }: { readonly first: Statement; readonly journal: JournalSettings },
): readonly JournalRow[] | null {
  const before = all.filter(({ period }) => period < year);
  const result = journal.accounts.openingResult;
  if (before.length > 0) return openYear(before, result)?.rows ?? null;
  const isFirst = first.journal.opening === 'posted' && journal.opening === 'asserted';
  return isFirst ? openBooksWith(all[0]!, result) : null;
}

/** What every month up to the last has left in the books, as it was issued, ascending. */
async function loadBooks(
  store: Store,
  merchant: string,
  last: string,
): Promise<readonly BooksBefore[]> {
  const months: BooksBefore[] = [];
  for (const { period } of await listIssuedMonths(store, merchant)) {
    const key = { merchant, period };
    if (period > last || parsePeriod(period) === null) continue;
    const report = await loadIssuedReport(store, key);
    const known = (report?.issued as IssuedStatement | null | undefined)?.books;
    months.push(known ?? booksLeftBy(period, (await loadStatement(store, key)).journal));
  }
  return months;
}

/** Reads the statement from the JSON file that was issued. */
async function loadStatement(store: Store, key: MonthKey): Promise<Statement> {
  const report = await loadIssuedReport(store, key);
  const statement = await statementIn(readReportFile(store, report!, 'json'));
  if (statement === null)
    throw notClosable(`${key.period} of ${key.merchant} was issued in a form that is not read`);
  return statement;
}
