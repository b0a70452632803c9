// Merchants of the mirror as operators see them: what the last run said, up to when the books are known, what stands
// open. Refuses to judge, and to load anybody's books.

import type { AuditReport, Severity, Verdict } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Store } from '../server/store.ts';

export interface MerchantRecord {
  readonly reference: string;
  /** Of the newest profile; null where none was read. */
  readonly name: string | null;
  readonly country: string | null;
  readonly status: string | null;
  /** Of the last run that judged it; null before the first. */
  readonly verdict: Verdict | null;
  readonly lastRun: number | null;
  readonly lastRunAt: Instant | null;
  /** The mirror holds what the source had at this instant; null: it was never read. */
  readonly watermark: Instant | null;
  /** Roots that nobody has acknowledged and that are still found. */
  readonly openFindings: number;
}

const RECORD = `m.reference, profile.name, profile.country, profile.status, last.verdict, last.run_id as "lastRun",
  last.started_at as "lastRunAt", coalesce(last.watermark, last.started_at) as watermark,
  (
    select count(*)
    from findings f
    where f.merchant_id = h.merchant_id and f.state = 'open' and f.content ->> 'causedBy' is null
  ) as "openFindings"`;

const BESIDE = `join merchant_heads h on h.merchant_id = m.merchant_id
  left join lateral (
    select name, country, status
    from profile_versions
    where merchant_id = h.merchant_id
    order by version desc
    limit 1
  ) profile on true
  left join lateral (
    select s.verdict, s.run_id, r.started_at, x.watermark
    from run_merchants s
    join runs r on r.run_id = s.run_id
    left join run_members x on x.merchant_id = s.merchant_id and x.run_id = s.run_id
    where s.merchant_id = h.merchant_id
    order by s.run_id desc
    limit 1
  ) last on true`;

/** By reference, with how many there are. */
export async function listMerchantRecords(
  store: Store,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly items: readonly MerchantRecord[] }> {
  const counted = await store.pool.query<{ total: number }>('select count(*) as total from merchants');
  const listed = await store.pool.query<MerchantRecord>(
    `select ${RECORD}
    from (select merchant_id, reference from merchants order by reference limit $1 offset $2) m
    ${BESIDE}
    order by m.reference`,
    [page.limit, page.offset],
  );
  return { total: counted.rows[0]!.total, items: listed.rows };
}

/** Null when the mirror does not know the merchant. */
export async function findMerchantRecord(store: Store, reference: string): Promise<MerchantRecord | null> {
  const found = await store.pool.query<MerchantRecord>(
    `select ${RECORD} from merchants m ${BESIDE} where m.reference = $1`,
    [reference],
  );
  return found.rows[0] ?? null;
}

/** The report of the last run that judged the merchant; null before the first. */
export async function loadLastReport(store: Store, reference: string): Promise<AuditReport | null> {
  const found = await store.pool.query<{ report: AuditReport }>(
    `select s.report
    from merchants m
    join run_merchants s on s.merchant_id = m.merchant_id
    where m.reference = $1
    order by s.run_id desc
    limit 1`,
    [reference],
  );
  return found.rows[0]?.report ?? null;
}

/** Findings of one merchant that are not resolved, roots and others, by severity and state. */
export async function countFindings(
  store: Store,
  reference: string,
): Promise<readonly { readonly severity: Severity; readonly state: string; readonly count: number }[]> {
  const counted = await store.pool.query<{ severity: Severity; state: string; count: number }>(
    `select f.severity, f.state, count(*) as count
    from findings f
    join merchants m on m.merchant_id = f.merchant_id
    where m.reference = $1 and f.state <> 'resolved'
    group by f.severity, f.state
    order by f.severity, f.state`,
    [reference],
  );
  return counted.rows;
}
