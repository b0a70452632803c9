// Writes the audit kit of a merchant's period: every row from the first line on, what was issued, decided and notified, and the evidence,
// in one ZIP that others check and replay. Reads one moment of the mirror. Refuses a period that is not over, or of which no month
// was issued.

import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Bounds, boundsOf, formatPeriod, type Period, type Year } from '../../../core/domain/period.ts';
import { openZone } from '../../../core/domain/zone.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { KIT_FORMAT, type KitPart, type Sealed, writeKit, writing } from '../../../io/evidence/audit-kit.ts';
import { SERVICE_FILE } from '../../../io/formats/deltas.ts';
import { writtenBooks } from '../../../io/sources/file/write-books.ts';
import { loadStandingDecisions } from '../../../io/storage/conclusions/standing-decisions.ts';
import { type KeptTable, keptRows } from '../../../io/storage/evidence/kept-rows.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listReports, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import { closable } from '../closable.ts';
import { exportNight } from '../evidence/export-evidence.ts';
import type { EvidenceTask } from '../evidence/record-evidence.ts';
import type { MerchantPlace, OpenBooks } from '../month/open-month.ts';
import { refuseUnended } from '../month/state-month.ts';
import { repositoryOfMirror } from '../month/write-statements.ts';
import {
  type KitAbout,
  type KitMonth,
  type KitSettings,
  type LeftOut,
  restateMonth,
  SURROUNDINGS,
  type Surroundings,
  statedAs,
} from './replay-kit.ts';

export interface WriteKitTask {
  readonly evidence: EvidenceTask;
  readonly merchant: string;
  readonly period: Period | Year;
  /** Of the ZIP. */
  readonly file: string;
  readonly settingsFor: (merchant: MerchantPlace) => KitSettings;
  /** The operator who exports it. */
  readonly by: string;
  readonly now: Instant;
  readonly readMe: (about: KitAbout) => string;
  /** Called when something begins, with how many lines or files are to come, and as they pass. */
  readonly onStep: (name: string, expected: number | null) => (done: number) => void;
}

/** What the parts of a kit are made of: one moment of the mirror, and the months of the period that were issued. */
export interface KitContext extends Pick<WriteKitTask, 'evidence' | 'merchant' | 'period' | 'now'> {
  readonly store: Store;
  readonly settings: KitSettings;
  /** Of the period. */
  readonly bounds: Bounds;
  /** They stay open until every part is written. */
  readonly books: OpenBooks;
  /** Of each month of the period every revision that is READY, ascending. */
  readonly reports: readonly ReportRecord[];
  /** A folder for what is made before it is packed; it goes when the kit is written. */
  readonly scratch: string;
}

/** What belongs into every kit; each gives its files, and says what it has to leave out. */
const PARTS: readonly ((context: KitContext) => Promise<Parts>)[] = [rowParts, issuedParts, keptParts, evidenceParts];

export interface Parts {
  readonly parts: readonly KitPart[];
  readonly notIncluded?: readonly LeftOut[];
}

/** Throws `StoreFailed` (UNKNOWN_MERCHANT, UNKNOWN_REPORT) and `StatementRefused` (PERIOD_NOT_ENDED). */
export async function writeAuditKit(task: WriteKitTask): Promise<Sealed<KitAbout>> {
  const { evidence, merchant, file, onStep } = task;
  const { store } = evidence;
  await requireMerchant(store, merchant);
  const books = await repositoryOfMirror(store).open(merchant);
  await using _ = closable(books.snapshot);
  const scratch = await mkdtemp(join(tmpdir(), 'pointage-kit-'));
  try {
    const context = await contextOf(task, books, scratch);
    const about = await aboutKit(task, context);
    const made = await Promise.all(PARTS.map((make) => make(context)));
    const left = [...about.notIncluded, ...made.flatMap(({ notIncluded = [] }) => notIncluded)];
    const whole = { ...about, notIncluded: left };
    const readMe = { path: 'README.txt', write: writing(task.readMe(whole)) };
    const parts = [readMe, ...made.flatMap((one) => one.parts)];
    return await writeKit(file, { parts, about: () => whole, onPart: onStep('files', parts.length) });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function contextOf(task: WriteKitTask, books: OpenBooks, scratch: string): Promise<KitContext> {
  const { evidence, merchant, period, now, settingsFor } = task;
  const { store } = evidence;
  const settings = settingsFor({ reference: merchant, country: books.snapshot.profiles.at(-1)?.country ?? null });
  const bounds = boundsOf(period, openZone(settings.zone)!);
  refuseUnended(bounds, { period, until: books.completeUntil ?? now });
  const all = (await listReports(store, merchant)).filter(({ status }) => status === 'READY');
  const name = formatPeriod(period);
  const reports = all
    .filter((report) => report.period.slice(0, name.length) === name)
    .sort((a, b) => (a.period === b.period ? a.revision - b.revision : a.period < b.period ? -1 : 1));
  if (reports.length > 0) return { evidence, merchant, period, now, store, settings, bounds, books, reports, scratch };
  const months = period.month === null ? `any month of ${name}` : name;
  const how = `pointage statement issue ${merchant} ${period.month === null ? `${name}-12` : name}`;
  throw new StoreFailed('UNKNOWN_REPORT', `No statement of ${months} of ${merchant} was issued: see '${how}'.`);
}

async function aboutKit(task: WriteKitTask, context: KitContext): Promise<KitAbout> {
  const { evidence, merchant, now, by, onStep } = task;
  const { books, settings, reports, period, store } = context;
  const months: KitMonth[] = [];
  for (const report of inForce(reports)) {
    const onProgress = onStep(report.period, books.snapshot.expectedEntries);
    const { engine } = evidence;
    const stated = await restateMonth({
      ...{ merchant, settings, createdAt: now, books, engine, period: report.period, onProgress },
      issued: report.issued as IssuedStatement,
      issuedBounds: { start: report.periodStart, end: report.periodEnd },
      readJson: () => readReportFile(store, report, 'json'),
    });
    const { integrity, summary } = report.issued as IssuedStatement;
    const { contentHash, chainHead } = integrity;
    months.push({
      period: report.period,
      revision: report.revision,
      isHeld: report.isHeld,
      json: pathOf(report, report.files.find(({ format }) => format === 'json')!.fileName),
      issued: { contentHash, chainHead, verdict: summary.verdict.state },
      stated: statedAs(stated),
    });
  }
  return {
    format: KIT_FORMAT,
    merchant,
    period: formatPeriod(period),
    engine: evidence.engine,
    createdAt: now,
    createdBy: by,
    settings,
    chain: books.chain ?? null,
    months,
    notIncluded: [...missingMonths(context), ...NEVER_INCLUDED],
    replay: `pointage audit-kit replay ${task.file.split(/[\\/]/).at(-1)}`,
  };
}

function inForce(reports: readonly ReportRecord[]): readonly ReportRecord[] {
  return [...new Map(reports.map((report) => [report.period, report])).values()];
}

function pathOf({ period }: ReportRecord, fileName: string): string {
  return `statements/${period}/${fileName}`;
}

/** Payments by link, payouts and the bounds of months are as runs and statements have kept them; rows have the fields that are read. */
const NEVER_INCLUDED: readonly LeftOut[] = [{ what: 'dashboard' }, { what: 'fields' }];

/** Months without a statement. */
function missingMonths({ period, reports }: KitContext): readonly LeftOut[] {
  if (period.month !== null) return [];
  const issued = new Set(reports.map((report) => report.period));
  const all = Array.from({ length: 12 }, (_, i) => formatPeriod({ year: period.year, month: i + 1 }));
  const missing = all.filter((month) => !issued.has(month));
  return missing.length === 0 ? [] : [{ what: 'months', which: missing.join(', ') }];
}

function piped(text: () => AsyncIterable<string | Uint8Array>): KitPart['write'] {
  return (out: Writable) => pipeline(Readable.from(text(), { objectMode: false }), out);
}

async function rowParts({ store, merchant, books }: KitContext): Promise<Parts> {
  const { snapshot, completeUntil, closed = [], chain = null } = books;
  const { profiles, currency, watermark, absent, rejected, adjustedAt } = snapshot;
  const { departures = [], missing = [], alterations = [], tampered = null, changedMonths = [] } = snapshot;
  const surroundings: Surroundings = {
    ...{ profiles, currency, watermark, absent, rejected, adjustedAt },
    ...{ departures, missing, alterations, tampered, changedMonths },
    closing: await snapshot.closing(),
    completeUntil,
    closed,
    chain,
    decisions: await loadStandingDecisions(store, merchant),
  };
  const files = (await writtenBooks(snapshot)).map(({ name, text }) => ({ path: `rows/${name}`, write: piped(text) }));
  const text = `${JSON.stringify(surroundings, null, 1)}\n`;
  return { parts: [...files, { path: `rows/${SURROUNDINGS}`, write: writing(text) }] };
}

/** As they were issued and are kept, every revision; the service's own files once more beside each other. */
async function issuedParts({ store, reports }: KitContext): Promise<Parts> {
  const parts = reports.flatMap((report) =>
    report.files.flatMap(({ format, fileName }): readonly KitPart[] => {
      const write = piped(() => readReportFile(store, report, format));
      const service = { path: `service/${fileName}`, write };
      return [{ path: pathOf(report, fileName), write }, ...(format === SERVICE_FILE ? [service] : [])];
    }),
  );
  return { parts };
}

/** Where rows of the store go, as they are kept. */
const KEPT: Readonly<Record<string, KeptTable>> = {
  'rows/operation-versions.jsonl': { table: 'operation_versions', order: ['reference', 'version'] },
  'rows/profile-versions.jsonl': { table: 'profile_versions', order: ['version'] },
  'rows/wallet-readings.jsonl': { table: 'wallet_readings', order: ['intake'] },
  'rows/alterations.jsonl': { table: 'entry_alterations', order: ['intake', 'sequence'] },
  'rows/row-digests.jsonl': { table: 'row_digests', order: ['part', 'page'] },
  'rows/readings.jsonl': { table: 'run_members', order: ['run_id'] },
  'rows/chain-heads.jsonl': { table: 'run_merchants', order: ['run_id'], without: ['report'] },
  'findings/findings.jsonl': { table: 'findings', order: ['fingerprint'] },
  'findings/decisions.jsonl': { table: 'finding_decisions', order: ['fingerprint', 'decision_number'] },
  'findings/closed-months.jsonl': { table: 'closed_months', order: ['period'] },
  'findings/held-statements.jsonl': { table: 'report_holds', order: ['report_id', 'act'] },
  'findings/lines-read-anew.jsonl': { table: 'ledger_rereads', order: ['reread'] },
  'service/payments.jsonl': { table: 'payment_versions', order: ['reference', 'seen_at'] },
  'service/payouts.jsonl': { table: 'payout_readings', order: ['part', 'item', 'read_at'] },
};

async function keptParts({ store, merchant, bounds }: KitContext): Promise<Parts> {
  const received = { column: 'received_at', bounds };
  const order = ['received_at', 'channel', 'event_id', 'variant'];
  const notified: KeptTable = { table: 'notifications', order, within: received };
  const all = { ...KEPT, 'notifications/notifications.jsonl': notified };
  const parts = Object.entries(all).map(([path, kept]) => ({
    path,
    write: piped(() => keptRows(store, merchant, kept)),
  }));
  return { parts };
}

/** The newest night with its proof, and the program that checks it. */
async function evidenceParts({ evidence, merchant, scratch }: KitContext): Promise<Parts> {
  try {
    const folder = join(scratch, 'night');
    const { files } = await exportNight(evidence, merchant, folder);
    const parts = files.map((name) => ({
      path: `evidence/${name}`,
      write: (out: Writable) => pipeline(createReadStream(join(folder, name)), out),
    }));
    return { parts };
  } catch (failure) {
    if (!(failure instanceof StoreFailed)) throw failure;
    return { parts: [], notIncluded: [{ what: 'night', which: failure.message }] };
  }
}
