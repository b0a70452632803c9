// Monthly reports in the store: their life from PENDING to READY or FAILED, and what is known of them. Refuses to touch one
// that is READY or FAILED; its figures and files stay.

import type { Instant } from '../../domain/instant.ts';
import type { MonthKey } from '../../domain/period.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';

export interface ReportRecord extends MonthKey {
  /** UUID. */
  readonly id: string;
  readonly revision: number;
  readonly status: 'PENDING' | 'READY' | 'FAILED';
  readonly periodLabel: string;
  readonly periodStart: Instant;
  /** First instant after the month. */
  readonly periodEnd: Instant;
  readonly requestedAt: Instant;
  /** Null unless READY. */
  readonly generatedAt: Instant | null;
  /** Null unless FAILED. */
  readonly error: string | null;
  /** As it was given to `issueReport`, its keys in their order; null unless READY. */
  readonly issued: unknown;
  /** By format; none unless READY. */
  readonly files: readonly ReportFile[];
}

export interface ReportFile {
  /** Name of the format: `pdf`. */
  readonly format: string;
  readonly fileName: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

export type NewReport = Pick<
  ReportRecord,
  'id' | 'merchant' | 'period' | 'revision' | 'periodLabel' | 'periodStart' | 'periodEnd' | 'requestedAt'
>;

/** Throws `StoreFailed` (UNKNOWN_MERCHANT). Called under the month's lock. */
export async function beginReport(store: Store, report: NewReport): Promise<ReportRecord> {
  const { id, merchant, period, revision, periodLabel, periodStart, periodEnd, requestedAt } = report;
  const begun = await store.pool.query(
    `insert into reports (
      merchant_id, report_id, period, revision, attempt, status, period_label, period_start, period_end, requested_at
    )
    select m.merchant_id, $2, $3, $4, coalesce(max(r.attempt), 0) + 1, 'PENDING', $5, $6, $7, $8
    from merchants m
    left join reports r on r.merchant_id = m.merchant_id and r.period = $3 and r.revision = $4
    where m.reference = $1
    group by m.merchant_id`,
    [merchant, id, period, revision, periodLabel, periodStart, periodEnd, requestedAt],
  );
  if (begun.rowCount === 1)
    return { ...report, status: 'PENDING', generatedAt: null, error: null, issued: null, files: [] };
  throw new StoreFailed('UNKNOWN_MERCHANT', `There is no merchant '${merchant}' in the mirror.`);
}

/** Moves a PENDING report to FAILED. Throws `StoreFailed` (REPORT_TAKEN_OVER) when it is PENDING no more. */
export async function failReport(store: Store, report: ReportRecord, error: string): Promise<ReportRecord> {
  const said = storableText(error);
  const failed = await store.pool.query(
    `update reports
    set status = 'FAILED', error = $3
    where merchant_id = (select merchant_id from merchants where reference = $1)
      and report_id = $2
      and status = 'PENDING'`,
    [report.merchant, report.id, said],
  );
  if (failed.rowCount !== 1) throw takenOver(report);
  return { ...report, status: 'FAILED', error: said };
}

/** Fails what a process that ended on the way has left PENDING. Called under the month's lock. */
export async function failAbandoned(store: Store, key: MonthKey, error: string): Promise<void> {
  await store.pool.query(
    `update reports
    set status = 'FAILED', error = $3
    where merchant_id = (select merchant_id from merchants where reference = $1)
      and period = $2
      and status = 'PENDING'`,
    [key.merchant, key.period, error],
  );
}

export function takenOver(report: ReportRecord): StoreFailed {
  return new StoreFailed('REPORT_TAKEN_OVER', `Report ${report.id} is no longer PENDING; nothing of it was saved.`);
}

/** The revision in force: the highest that is READY; null when the month was never issued. */
export async function loadIssuedReport(store: Store, key: MonthKey): Promise<ReportRecord | null> {
  const where = `m.reference = $1 and r.period = $2 and r.status = 'READY'
    order by r.revision desc
    limit 1`;
  return (await loadReports(store, where, [key.merchant, key.period]))[0] ?? null;
}

/**
 * Every revision of every month of a merchant, newest first: the last attempt of each. What failed before that attempt is
 * left out.
 */
export async function listReports(store: Store, merchant: string): Promise<readonly ReportRecord[]> {
  const where = `m.reference = $1
      and not exists (
        select 1
        from reports later
        where later.merchant_id = r.merchant_id
          and later.period = r.period
          and later.revision = r.revision
          and later.attempt > r.attempt
      )
    order by r.requested_at desc, r.period desc, r.revision desc`;
  return loadReports(store, where, [merchant]);
}

/** Null when the merchant has no report of that id, even where another merchant has. `id` is a UUID. */
export async function findReport(
  store: Store,
  wanted: { readonly merchant: string; readonly id: string },
): Promise<ReportRecord | null> {
  const found = await loadReports(store, 'm.reference = $1 and r.report_id = $2', [wanted.merchant, wanted.id]);
  return found[0] ?? null;
}

async function loadReports(store: Store, where: string, values: readonly string[]): Promise<readonly ReportRecord[]> {
  const answer = await store.pool.query<ReportRecord>(
    `select r.report_id as id, m.reference as merchant, r.period, r.revision, r.status, r.period_label as "periodLabel",
      r.period_start as "periodStart", r.period_end as "periodEnd", r.requested_at as "requestedAt",
      r.generated_at as "generatedAt", r.error, r.issued,
      (
        select coalesce(json_agg(json_build_object(
          'format', f.format, 'fileName', f.file_name, 'mediaType', f.media_type, 'size', f.size, 'sha256', f.sha256
        ) order by f.format), '[]')
        from report_files f
        where f.merchant_id = r.merchant_id and f.report_id = r.report_id
      ) as files
    from reports r
    join merchants m on m.merchant_id = r.merchant_id
    where ${where}`,
    [...values],
  );
  return answer.rows;
}
