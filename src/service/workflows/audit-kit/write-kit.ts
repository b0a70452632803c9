// Writes the audit kit of a merchant's period: every row from the first line on, everything that
// was issued, decided and notified, and the evidence, in one ZIP that others check and replay. All
// of it is read from one moment of the mirror. Refuses a period that is not over, or for which no
// month was issued.

import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Instant } from '../../../core/domain/instant.ts';
import {
  type Bounds,
  boundsOf,
  formatPeriod,
  type Period,
  type Year,
} from '../../../core/domain/period.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import { openZone } from '../../../core/domain/zone.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { type KitPart, type Manifest, textPart, writeKit } from '../../../io/evidence/audit-kit.ts';
import { writtenBooks } from '../../../io/sources/file/write-books.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import { type KeptTable, keptRows } from '../../../io/storage/evidence/kept-rows.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listReports, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { StoreFailed } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { fileParts, linesPart, nightParts } from '../evidence/export-evidence.ts';
import type { EvidenceTask } from '../evidence/record-evidence.ts';
import { placeIn } from '../month/issued-months.ts';
import type { MerchantPlace, MonthTask, OpenBooks } from '../month/open-month.ts';
import { refuseUnended } from '../month/state-month.ts';
import { repositoryOfMirror } from '../month/write-statements.ts';
import {
  type KitAbout,
  type KitMonth,
  type KitSettings,
  type LeftOut,
  LINES,
  SURROUNDINGS,
  statedAs,
} from './hold-kit.ts';
import { restateMonth, type Surroundings } from './replay-kit.ts';

export interface WriteKitTask {
  readonly evidence: EvidenceTask;
  readonly merchant: string;
  readonly period: Period | Year;
  /** The path of the ZIP. */
  readonly file: string;
  readonly settingsFor: (merchant: MerchantPlace) => KitSettings;
  /** The operator who exports it. */
  readonly by: string;
  readonly now: Instant;
  readonly readMe: (about: KitAbout) => string;
  /** Returns further parts, in addition to those of every kit. */
  readonly more: (context: KitContext) => Promise<Parts>;
  /**
   * Called when a month or the files begin, with the number of lines or files to come. The function
   * it returns is called with the number done so far.
   */
  readonly onStep: MonthTask['onMerchant'];
}

/**
 * What the parts of a kit are made from: one moment of the mirror, and the issued months of the
 * period.
 */
export interface KitContext extends WriteKitTask {
  readonly settings: KitSettings;
  /** The bounds of the period. */
  readonly bounds: Bounds;
  /** The caller keeps the books open until every part is written. */
  readonly books: OpenBooks;
  /** Every READY revision of each month of the period, ascending. */
  readonly reports: readonly ReportRecord[];
}

/** Files, and what had to be left out of the kit. */
export interface Parts {
  readonly parts: readonly KitPart[];
  readonly notIncluded?: readonly LeftOut[];
}

/** The functions that make the parts of every kit. */
const PARTS: readonly ((context: KitContext) => Promise<Parts>)[] = [
  rowParts,
  issuedParts,
  keptParts,
  evidenceParts,
];

/**
 * Writes the ZIP and returns its manifest. Throws `StoreFailed` (UNKNOWN_MERCHANT, UNKNOWN_REPORT)
 * and `StatementRefused` (PERIOD_NOT_ENDED).
 */
export async function writeAuditKit(task: WriteKitTask): Promise<Manifest<KitAbout>> {
  const { evidence, merchant, file, onStep } = task;
  await requireMerchant(evidence.store, merchant);
  const books = await repositoryOfMirror(evidence.store).open(merchant);
  await using _ = closable(books.snapshot);
  const context = await contextOf(task, books);
  const made = await Promise.all([...PARTS, task.more].map((make) => make(context)));
  const left = made.flatMap(({ notIncluded = [] }) => notIncluded);
  const about = aboutKit(context, await monthsOf(context), left);
  const parts = [textPart('README.txt', task.readMe(about)), ...made.flatMap((one) => one.parts)];
  return await writeKit(file, about, { parts, onPart: onStep('files', parts.length) });
}

async function contextOf(task: WriteKitTask, books: OpenBooks): Promise<KitContext> {
  const { evidence, merchant, period, now, settingsFor } = task;
  const settings = settingsFor({
    reference: merchant,
    country: books.snapshot.profiles.at(-1)?.country ?? null,
  });
  const bounds = boundsOf(period, openZone(settings.zone)!);
  refuseUnended(bounds, { period, until: books.completeUntil ?? now });
  const name = formatPeriod(period);
  const reports = (await listReports(evidence.store, merchant))
    .filter((report) => report.status === 'READY' && report.period.slice(0, name.length) === name)
    .sort((a, b) =>
      a.period === b.period ? a.revision - b.revision : a.period < b.period ? -1 : 1,
    );
  if (reports.length > 0) return { ...task, settings, bounds, books, reports };
  const month = period.month === null ? `${name}-12` : name;
  const command = commandLine('statement issue', merchant, month);
  const message = `No statement of ${merchant} was issued of ${name}. Issue ${period.month === null ? 'its months first, each as' : 'it first:'} '${command}'.`;
  throw new StoreFailed('UNKNOWN_REPORT', message);
}

async function monthsOf(context: KitContext): Promise<readonly KitMonth[]> {
  const {
    evidence,
    merchant,
    now: createdAt,
    books,
    settings,
    reports,
    onStep: onMerchant,
  } = context;
  const { store, engine } = evidence;
  const months: KitMonth[] = [];
  for (const report of new Map(reports.map((one) => [one.period, one])).values()) {
    const { period, revision, isHeld } = report;
    const issued = report.issued as IssuedStatement;
    const readJson = () => readReportFile(store, report, 'json');
    const task = {
      merchant,
      settings,
      createdAt,
      engine,
      books,
      period,
      before: { issued, readJson },
      onMerchant,
    };
    const { changes: _, ...stated } = await restateMonth({
      ...task,
      issuedBounds: await placeIn(store, report),
    });
    const json = `statements/${period}/${report.files.find(({ format }) => format === 'json')!.fileName}`;
    months.push({ period, revision, isHeld, json, issued: statedAs(issued), stated });
  }
  return months;
}

function aboutKit(
  context: KitContext,
  months: readonly KitMonth[],
  left: readonly LeftOut[],
): KitAbout {
  const { evidence, merchant, period, now, by, settings, books, file } = context;
  return {
    merchant,
    period: formatPeriod(period),
    engine: evidence.engine,
    createdAt: now,
    createdBy: by,
    settings,
    chain: books.chain ?? null,
    months,
    notIncluded: [
      ...left,
      ...missingMonths(period, months),
      { what: 'dashboard' },
      { what: 'fields' },
    ],
    replay: commandLine('audit-kit replay', basename(file)),
  };
}

/** Returns the months of a year that have no statement. */
export function missingMonths(
  { year, month }: Period | Year,
  months: readonly Pick<KitMonth, 'period'>[],
) {
  const all =
    month === null
      ? Array.from({ length: 12 }, (_, i) => formatPeriod({ year, month: i + 1 }))
      : [];
  const missing = all.filter((one) => !months.some(({ period }) => period === one));
  return missing.length === 0 ? [] : [{ what: 'months', which: missing.join(', ') } as const];
}

async function rowParts({ evidence, merchant, books }: KitContext): Promise<Parts> {
  const { snapshot, completeUntil, closed = [], chain = null } = books;
  const decisions = await loadStandingDecisions(evidence.store, merchant);
  const closing = await snapshot.closing();
  // JSON leaves functions out, so of the snapshot it writes exactly what is in no other file.
  const surroundings: Surroundings = { snapshot, closing, completeUntil, closed, chain, decisions };
  const written = Object.entries(await writtenBooks(snapshot));
  const files = written.map(([name, text]) => streamPart(`rows/${name}`, () => text));
  const lines = linesPart(evidence.store, {
    path: LINES,
    merchant,
    most: chain?.lines ?? Number.POSITIVE_INFINITY,
  });
  return {
    parts: [...files, lines, textPart(SURROUNDINGS, `${JSON.stringify(surroundings, null, 1)}\n`)],
  };
}

function streamPart(path: string, text: () => AsyncIterable<string>): KitPart {
  return { path, write: (out) => pipeline(Readable.from(text(), { objectMode: false }), out) };
}

/**
 * Returns every revision's files as they were issued, and the service's own files a second time in
 * a folder of their own.
 */
async function issuedParts({ evidence, reports }: KitContext): Promise<Parts> {
  const parts = reports.flatMap((report) =>
    fileParts(evidence.store, report).flatMap(({ path, write }): readonly KitPart[] => [
      { path: `statements/${report.period}/${path}`, write },
      ...(path.endsWith('.service.pdf') ? [{ path: `service/${path}`, write }] : []),
    ]),
  );
  return { parts };
}

/** The tables whose rows are copied as they are stored, by the path in the kit. */
const KEPT: Readonly<Record<string, KeptTable>> = {
  'rows/operation-versions.jsonl': { table: 'operation_versions', order: ['reference', 'version'] },
  'rows/profile-versions.jsonl': { table: 'profile_versions', order: ['version'] },
  'rows/wallet-readings.jsonl': { table: 'wallet_readings', order: ['intake'] },
  'rows/alterations.jsonl': { table: 'entry_alterations', order: ['intake', 'sequence'] },
  'rows/row-digests.jsonl': { table: 'row_digests', order: ['part', 'page'] },
  'rows/runs.jsonl': { table: 'run_members', order: ['run_id'] },
  'findings/findings.jsonl': { table: 'findings', order: ['fingerprint'] },
  'findings/decisions.jsonl': {
    table: 'finding_decisions',
    order: ['fingerprint', 'decision_number'],
  },
  'findings/closed-months.jsonl': { table: 'closed_months', order: ['period'] },
  'findings/held-statements.jsonl': { table: 'report_holds', order: ['report_id', 'act'] },
  'findings/lines-read-anew.jsonl': { table: 'ledger_rereads', order: ['reread'] },
  'service/payments.jsonl': { table: 'payment_versions', order: ['reference', 'seen_at'] },
  'service/payouts.jsonl': { table: 'payout_readings', order: ['part', 'item', 'read_at'] },
};

async function keptParts({
  evidence,
  merchant,
  bounds,
  books: { chain },
}: KitContext): Promise<Parts> {
  const order = ['received_at', 'channel', 'event_id', 'variant'];
  const notified: KeptTable = {
    table: 'notifications',
    order,
    within: { column: 'received_at', bounds },
  };
  // Only pages of this moment: a run may store more while the kit is written.
  const known = { start: 0, end: (chain?.lines ?? Number.MAX_SAFE_INTEGER) + 1 };
  const pages: KeptTable = {
    table: 'readings',
    order: ['page'],
    within: { column: 'chain_lines', bounds: known },
  };
  const all = {
    ...KEPT,
    'rows/readings.jsonl': pages,
    'notifications/notifications.jsonl': notified,
  };
  return {
    parts: Object.entries(all).map(([path, kept]) =>
      streamPart(path, () => keptRows(evidence.store, merchant, kept)),
    ),
  };
}

/** Returns the newest night with its proof and the program that checks it. */
async function evidenceParts({ evidence, merchant }: KitContext): Promise<Parts> {
  try {
    const { parts } = await nightParts(evidence, merchant);
    return { parts: parts.map((part) => ({ ...part, path: `evidence/${part.path}` })) };
  } catch (failure) {
    if (!(failure instanceof StoreFailed)) throw failure;
    return { parts: [], notIncluded: [{ what: 'night', which: failure.message }] };
  }
}
