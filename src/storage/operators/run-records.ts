// The record of runs, for people and programs that ask afterwards: coverage, verdicts, durations, what was new and what was
// resolved. Reads only.

import type { AuditReport, Severity, Verdict } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Store } from '../server/store.ts';

export interface RunRecord {
  readonly runId: number;
  readonly kind: 'manual' | 'night';
  /** When it was due; null when nobody planned it. */
  readonly plannedFor: Instant | null;
  readonly startedAt: Instant;
  /** Null while it goes on, or when it never ended properly. */
  readonly finishedAt: Instant | null;
  /** Why it ended without covering everyone; null where it did not end so. */
  readonly closed: string | null;
  readonly source: string;
  readonly engine: string;
  readonly coverage: {
    /** Merchants that it was to cover. */
    readonly expected: number;
    /** Read to the end and judged. */
    readonly judged: number;
    /** Could not be read to the end. */
    readonly unread: number;
    /** Could not be judged, because of us. */
    readonly failed: number;
    /** Not settled yet. */
    readonly waiting: number;
  };
  readonly verdicts: { readonly clean: number; readonly broken: number; readonly incomplete: number };
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findings: { readonly added: number; readonly resolved: number; readonly reopened: number };
  /** The oldest instant up to which the books of a judged merchant were known; null when none was judged. */
  readonly watermark: Instant | null;
}

export interface MemberRecord {
  readonly merchant: string;
  readonly state: 'expected' | 'done' | 'failed';
  readonly verdict: Verdict | null;
  /** Why it was not judged; null where it was. */
  readonly reason: string | null;
  readonly attempts: number;
  /** Of the last attempt. */
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly watermark: Instant | null;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findings: { readonly added: number; readonly resolved: number; readonly reopened: number };
}

/** A finding that a run added, resolved or found again, as it was last reported. */
export interface ChangedFinding {
  readonly change: 'added' | 'resolved' | 'settled' | 'reopened';
  readonly merchant: string;
  readonly fingerprint: string;
  readonly kind: string;
  readonly severity: Severity;
  readonly message: string;
  readonly causedBy: string | null;
}

export interface RunPage {
  readonly limit: number;
  /** Only runs older than this one. */
  readonly before?: number;
  /** How many to leave out. */
  readonly offset?: number;
}

/** Newest first. */
export async function listRuns(store: Store, page: RunPage): Promise<readonly RunRecord[]> {
  return loadRecords(store, 'run_id < $1 order by run_id desc limit $2 offset $3', [
    page.before ?? Number.MAX_SAFE_INTEGER,
    page.limit,
    page.offset ?? 0,
  ]);
}

export async function countRuns(store: Store): Promise<number> {
  const answer = await store.pool.query<{ count: number }>('select count(*) as count from runs');
  return answer.rows[0]!.count;
}

/** Null when there is no such run. */
export async function loadRun(store: Store, runId: number): Promise<RunRecord | null> {
  return (await loadRecords(store, 'run_id = $1 limit $2', [runId, 1]))[0] ?? null;
}

/** What a run says of itself, and what its members say of it. */
type OwnRecord = Omit<RunRecord, keyof MembersRecord | 'coverage'> & { readonly expected: number };
type MembersRecord = Pick<RunRecord, 'verdicts' | 'entriesAdded' | 'operationsChanged' | 'findings' | 'watermark'> & {
  readonly coverage: Omit<RunRecord['coverage'], 'expected'>;
};

const NO_MEMBERS: MembersRecord = {
  coverage: { judged: 0, unread: 0, failed: 0, waiting: 0 },
  verdicts: { clean: 0, broken: 0, incomplete: 0 },
  entriesAdded: 0,
  operationsChanged: 0,
  findings: { added: 0, resolved: 0, reopened: 0 },
  watermark: null,
};

async function loadRecords(store: Store, which: string, values: readonly number[]): Promise<readonly RunRecord[]> {
  const own = await store.pool.query<OwnRecord>(
    `select run_id as "runId", kind, planned_for as "plannedFor", started_at as "startedAt",
      finished_at as "finishedAt", closed, source, engine, coalesce(expected, 0) as expected
    from runs
    where ${which}`,
    [...values],
  );
  const counted = await store.pool.query<MembersRecord & { readonly runId: number }>(
    `select run_id as "runId",
      json_build_object('judged', count(*) filter (where state = 'done' and reason is null),
        'unread', count(*) filter (where state = 'done' and reason is not null),
        'failed', count(*) filter (where state = 'failed'),
        'waiting', count(*) filter (where state = 'expected')) as coverage,
      json_build_object('clean', count(*) filter (where verdict = 'clean'),
        'broken', count(*) filter (where verdict = 'broken'),
        'incomplete', count(*) filter (where verdict = 'incomplete')) as verdicts,
      sum(entries_added)::bigint as "entriesAdded", sum(operations_changed)::bigint as "operationsChanged",
      json_build_object('added', sum(findings_added)::bigint, 'resolved', sum(findings_resolved)::bigint,
        'reopened', sum(findings_reopened)::bigint) as findings,
      min(watermark) filter (where state = 'done' and reason is null) as watermark
    from run_members
    where run_id = any ($1::bigint[])
    group by run_id`,
    [own.rows.map(({ runId }) => runId)],
  );
  const members = new Map(counted.rows.map(({ runId, ...record }) => [runId, record]));
  return own.rows.map(({ expected, ...run }) => {
    const { coverage, ...record } = members.get(run.runId) ?? NO_MEMBERS;
    return { ...run, ...record, coverage: { expected, ...coverage } };
  });
}

export interface MemberPage {
  readonly limit: number;
  /** Only merchants after this reference. */
  readonly after?: string;
  readonly state?: MemberRecord['state'] | undefined;
  readonly verdict?: Verdict | undefined;
  /** Only those that were not judged, or not yet. */
  readonly notJudged?: boolean;
  /** How many to leave out. */
  readonly offset?: number;
}

/** By merchant reference. */
export async function listRunMembers(store: Store, runId: number, page: MemberPage): Promise<readonly MemberRecord[]> {
  const answer = await store.pool.query<MemberRecord>(
    `select m.reference as merchant, x.state, x.verdict, x.reason, x.attempts, x.started_at as "startedAt",
      x.finished_at as "finishedAt", x.watermark, x.entries_added as "entriesAdded",
      x.operations_changed as "operationsChanged",
      json_build_object('added', x.findings_added, 'resolved', x.findings_resolved, 'reopened', x.findings_reopened)
        as findings
    from run_members x
    join merchants m on m.merchant_id = x.merchant_id
    where x.run_id = $1
      and m.reference > $2
      and ($3::text is null or x.verdict = $3)
      and (not $4::boolean or x.state <> 'done' or x.reason is not null)
      and ($5::text is null or x.state = $5)
    order by m.reference
    limit $6 offset $7`,
    [
      runId,
      page.after ?? '',
      page.verdict ?? null,
      page.notJudged ?? false,
      page.state ?? null,
      page.limit,
      page.offset ?? 0,
    ],
  );
  return answer.rows;
}

export async function countRunMembers(
  store: Store,
  runId: number,
  { state, verdict }: Pick<MemberPage, 'state' | 'verdict'>,
): Promise<number> {
  const answer = await store.pool.query<{ count: number }>(
    `select count(*) as count
    from run_members
    where run_id = $1 and ($2::text is null or state = $2) and ($3::text is null or verdict = $3)`,
    [runId, state ?? null, verdict ?? null],
  );
  return answer.rows[0]!.count;
}

/** Added ones first, then by merchant and fingerprint; `offset`: how many to leave out. */
export async function listRunChanges(
  store: Store,
  runId: number,
  page: { readonly limit: number; readonly offset?: number },
): Promise<readonly ChangedFinding[]> {
  const answer = await store.pool.query<ChangedFinding>(
    `select c.change, m.reference as merchant, f.fingerprint, f.kind, f.severity, f.content ->> 'message' as message,
      f.content ->> 'causedBy' as "causedBy"
    from (
      select 'added' as change, merchant_id, fingerprint
      from findings
      where first_seen_run = $1
      union all
      select case action when 'resolve' then 'resolved' when 'settle' then 'settled' else 'reopened' end, merchant_id, fingerprint
      from finding_decisions
      where run_id = $1
    ) c
    join findings f on f.merchant_id = c.merchant_id and f.fingerprint = c.fingerprint
    join merchants m on m.merchant_id = c.merchant_id
    order by c.change, m.reference, f.fingerprint
    limit $2 offset $3`,
    [runId, page.limit, page.offset ?? 0],
  );
  return answer.rows;
}

/** What the run said of the merchants that it judged, those not clean first, then by reference. */
export async function loadRunReports(
  store: Store,
  runId: number,
  page: { readonly limit: number },
): Promise<readonly AuditReport[]> {
  const answer = await store.pool.query<{ report: AuditReport }>(
    `select s.report
    from run_merchants s
    join merchants m on m.merchant_id = s.merchant_id
    where s.run_id = $1
    order by s.verdict = 'clean', m.reference
    limit $2`,
    [runId, page.limit],
  );
  return answer.rows.map(({ report }) => report);
}
