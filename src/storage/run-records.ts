// Runs as operators look at them: what each was to cover and did, and what became of each merchant. Refuses to write any.

import type { Verdict } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { Store } from './open-store.ts';

export interface RunRecord {
  readonly id: number;
  readonly kind: 'manual' | 'night';
  readonly source: string;
  readonly engine: string;
  readonly startedAt: Instant;
  /** Null while it goes on, or when it never ended properly. */
  readonly finishedAt: Instant | null;
  /** When its schedule wanted it; null when no schedule did. */
  readonly plannedFor: Instant | null;
  /** Merchants that it was to cover; null when that was not written down. */
  readonly expected: number | null;
  /** Why it ended without covering everyone; null when it did not. */
  readonly closed: string | null;
  readonly clean: number;
  readonly broken: number;
  readonly incomplete: number;
  /** Merchants that could not be judged at all. */
  readonly failed: number;
  /** Merchants still to be done. */
  readonly waiting: number;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findingsAdded: number;
  readonly findingsResolved: number;
  readonly findingsReopened: number;
}

export const MEMBER_STATES = ['expected', 'done', 'failed'] as const;
export type MemberState = (typeof MEMBER_STATES)[number];

export interface RunMember {
  readonly merchant: string;
  readonly state: MemberState;
  readonly verdict: Verdict | null;
  readonly reason: string | null;
  readonly attempts: number;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly watermark: Instant | null;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findingsAdded: number;
  readonly findingsResolved: number;
  readonly findingsReopened: number;
  /** Of its books as a whole; null where it was not judged. */
  readonly entries: number | null;
  readonly operations: number | null;
  readonly findings: number | null;
  readonly roots: number | null;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A run whose merchants were not entered one by one is told from what it said of each. */
const MEMBERS = `
  select merchant_id, run_id, state, verdict, entries_added, operations_changed, findings_added, findings_resolved,
    findings_reopened
  from run_members
  where run_id = r.run_id
  union all
  select merchant_id, run_id, 'done', verdict, 0, 0, 0, 0, 0
  from run_merchants said
  where run_id = r.run_id
    and not exists (select 1 from run_members m where m.merchant_id = said.merchant_id and m.run_id = said.run_id)`;

const RECORD = `r.run_id as id, r.kind, r.source, r.engine, r.started_at as "startedAt", r.finished_at as "finishedAt",
  r.planned_for as "plannedFor", r.expected, r.closed, counted.clean, counted.broken, counted.incomplete, counted.failed,
  counted.waiting, counted."entriesAdded", counted."operationsChanged", counted."findingsAdded",
  counted."findingsResolved", counted."findingsReopened"`;

const COUNTED = `
  select count(*) filter (where verdict = 'clean') as clean,
    count(*) filter (where verdict = 'broken') as broken,
    count(*) filter (where verdict = 'incomplete') as incomplete,
    count(*) filter (where state = 'failed' and verdict is null) as failed,
    count(*) filter (where state = 'expected') as waiting,
    coalesce(sum(entries_added), 0)::bigint as "entriesAdded",
    coalesce(sum(operations_changed), 0)::bigint as "operationsChanged",
    coalesce(sum(findings_added), 0)::bigint as "findingsAdded",
    coalesce(sum(findings_resolved), 0)::bigint as "findingsResolved",
    coalesce(sum(findings_reopened), 0)::bigint as "findingsReopened"
  from (${MEMBERS}) member`;

/** Newest first, with how many there are. */
export async function listRunRecords(
  store: Store,
  { limit, offset }: Page,
): Promise<{ readonly total: number; readonly items: readonly RunRecord[] }> {
  const counted = await store.pool.query<{ total: number }>('select count(*) as total from runs');
  const listed = await store.pool.query<RunRecord>(
    `select ${RECORD}
    from (
      select run_id, kind, source, engine, started_at, finished_at, planned_for, expected, closed
      from runs
      order by run_id desc
      limit $1 offset $2
    ) r
    cross join lateral (${COUNTED}) counted
    order by r.run_id desc`,
    [limit, offset],
  );
  return { total: counted.rows[0]!.total, items: listed.rows };
}

/** Null when there is none. */
export async function findRunRecord(store: Store, id: number): Promise<RunRecord | null> {
  const found = await store.pool.query<RunRecord>(
    `select ${RECORD} from runs r cross join lateral (${COUNTED}) counted where r.run_id = $1`,
    [id],
  );
  return found.rows[0] ?? null;
}

export interface MemberQuery extends Page {
  readonly runId: number;
  readonly state?: MemberState | undefined;
  readonly verdict?: Verdict | undefined;
}

/** By merchant, with how many there are. */
export async function listRunMembers(
  store: Store,
  query: MemberQuery,
): Promise<{ readonly total: number; readonly items: readonly RunMember[] }> {
  const values = [query.runId, query.state ?? null, query.verdict ?? null];
  const counted = await store.pool.query<{ total: number }>(
    `select count(*) as total from (${WHOLE_MEMBERS}) member ${CHOSEN}`,
    values,
  );
  const listed = await store.pool.query<RunMember>(
    `select merchants.reference as merchant, ${MEMBER}
    from (${WHOLE_MEMBERS}) member
    join merchants on merchants.merchant_id = member.merchant_id
    ${CHOSEN}
    order by member.merchant_id
    limit $4 offset $5`,
    [...values, query.limit, query.offset],
  );
  return { total: counted.rows[0]!.total, items: listed.rows };
}

/** What was to be done for each merchant, with what was said of its books. */
const WHOLE_MEMBERS = `
  select coalesce(m.merchant_id, s.merchant_id) as merchant_id, coalesce(m.state, 'done') as state,
    coalesce(m.verdict, s.verdict) as verdict, m.reason, coalesce(m.attempts, 1) as attempts, m.started_at,
    m.finished_at, m.watermark, coalesce(m.entries_added, 0) as entries_added,
    coalesce(m.operations_changed, 0) as operations_changed, coalesce(m.findings_added, 0) as findings_added,
    coalesce(m.findings_resolved, 0) as findings_resolved, coalesce(m.findings_reopened, 0) as findings_reopened,
    s.entries, s.operations, s.findings, s.roots
  from (
    select merchant_id, state, verdict, reason, attempts, started_at, finished_at, watermark, entries_added,
      operations_changed, findings_added, findings_resolved, findings_reopened
    from run_members
    where run_id = $1
  ) m
  full join (
    select merchant_id, verdict, entries, operations, findings, roots
    from run_merchants
    where run_id = $1
  ) s on s.merchant_id = m.merchant_id`;

const CHOSEN = 'where ($2::text is null or member.state = $2) and ($3::text is null or member.verdict = $3)';

const MEMBER = `member.state, member.verdict, member.reason, member.attempts, member.started_at as "startedAt",
  member.finished_at as "finishedAt", member.watermark, member.entries_added as "entriesAdded",
  member.operations_changed as "operationsChanged", member.findings_added as "findingsAdded",
  member.findings_resolved as "findingsResolved", member.findings_reopened as "findingsReopened", member.entries,
  member.operations, member.findings, member.roots`;
