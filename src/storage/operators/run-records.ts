// The record of runs, for people and programs that ask afterwards: coverage, verdicts, durations, what was new and what was
// resolved. Reads only.

import { type Compilable, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { AuditReport, Severity, Verdict } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import { anyOf, ask, build, jsonText } from '../server/ask.ts';
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
  const { before, limit, offset = 0 } = page;
  const some = RUNS.$if(before !== undefined, (runs) => runs.where('run_id', '<', before!));
  return loadRecords(store, some.orderBy('run_id', 'desc').limit(limit).offset(offset));
}

export async function countRuns(store: Store): Promise<number> {
  const count = build.selectFrom('runs').select(({ fn }) => fn.countAll<number>().as('count'));
  return (await ask(store.pool, count)).rows[0]!.count;
}

/** Null when there is no such run. */
export async function loadRun(store: Store, runId: number): Promise<RunRecord | null> {
  return (await loadRecords(store, RUNS.where('run_id', '=', runId)))[0] ?? null;
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

const RUNS = build
  .selectFrom('runs')
  .select(({ fn, lit }) => [
    'run_id as runId',
    'kind',
    'planned_for as plannedFor',
    'started_at as startedAt',
    'finished_at as finishedAt',
    'closed',
    'source',
    'engine',
    fn.coalesce('expected', lit(0)).as('expected'),
  ]);

async function loadRecords(store: Store, runs: Compilable<OwnRecord>): Promise<readonly RunRecord[]> {
  const own = (await ask(store.pool, runs)).rows;
  const counted = await ask(store.pool, membersOf(own.map(({ runId }) => runId)));
  const members = new Map(counted.rows.map(({ runId, ...record }) => [runId, record]));
  return own.map(({ expected, ...run }) => {
    const { coverage, ...record } = members.get(run.runId) ?? NO_MEMBERS;
    return { ...run, ...record, coverage: { expected, ...coverage } };
  });
}

function membersOf(runIds: readonly number[]): Compilable<MembersRecord & { readonly runId: number }> {
  return build
    .selectFrom('run_members')
    .select(({ and, cast, eb, fn }) => {
      const all = fn.countAll<number>();
      const sum = (column: 'entries_added' | 'operations_changed' | Changed) => cast<number>(fn.sum(column), 'bigint');
      const judged = and([eb('state', '=', 'done'), eb('reason', 'is', null)]);
      const withVerdict = (verdict: Verdict) => all.filterWhere('verdict', '=', verdict);
      return [
        'run_id as runId',
        jsonBuildObject({
          judged: all.filterWhere(judged),
          unread: all.filterWhere('state', '=', 'done').filterWhere('reason', 'is not', null),
          failed: all.filterWhere('state', '=', 'failed'),
          waiting: all.filterWhere('state', '=', 'expected'),
        }).as('coverage'),
        jsonBuildObject({
          clean: withVerdict('clean'),
          broken: withVerdict('broken'),
          incomplete: withVerdict('incomplete'),
        }).as('verdicts'),
        sum('entries_added').as('entriesAdded'),
        sum('operations_changed').as('operationsChanged'),
        jsonBuildObject({
          added: sum('findings_added'),
          resolved: sum('findings_resolved'),
          reopened: sum('findings_reopened'),
        }).as('findings'),
        fn.min<number | null>('watermark').filterWhere(judged).as('watermark'),
      ];
    })
    .where('run_id', '=', anyOf('bigint', runIds))
    .groupBy('run_id');
}

type Changed = 'findings_added' | 'findings_resolved' | 'findings_reopened';

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
  const { after, state, verdict, notJudged = false, limit, offset = 0 } = page;
  const list = build
    .selectFrom('run_members as x')
    .innerJoin('merchants as m', 'm.merchant_id', 'x.merchant_id')
    .select(({ ref }) => [
      'm.reference as merchant',
      'x.state',
      'x.verdict',
      'x.reason',
      'x.attempts',
      'x.started_at as startedAt',
      'x.finished_at as finishedAt',
      'x.watermark',
      'x.entries_added as entriesAdded',
      'x.operations_changed as operationsChanged',
      jsonBuildObject({
        added: ref('x.findings_added'),
        resolved: ref('x.findings_resolved'),
        reopened: ref('x.findings_reopened'),
      }).as('findings'),
    ])
    .where('x.run_id', '=', runId)
    .$if(after !== undefined, (members) => members.where('m.reference', '>', after!))
    .$if(verdict !== undefined, (members) => members.where('x.verdict', '=', verdict!))
    .$if(state !== undefined, (members) => members.where('x.state', '=', state!))
    .$if(notJudged, (members) =>
      members.where(({ eb, or }) => or([eb('x.state', '<>', 'done'), eb('x.reason', 'is not', null)])),
    )
    .orderBy('m.reference')
    .limit(limit)
    .offset(offset);
  return (await ask(store.pool, list)).rows;
}

export async function countRunMembers(
  store: Store,
  runId: number,
  { state, verdict }: Pick<MemberPage, 'state' | 'verdict'>,
): Promise<number> {
  const count = build
    .selectFrom('run_members')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', runId)
    .$if(state !== undefined, (members) => members.where('state', '=', state!))
    .$if(verdict !== undefined, (members) => members.where('verdict', '=', verdict!));
  return (await ask(store.pool, count)).rows[0]!.count;
}

/** Added ones first, then by merchant and fingerprint; `offset`: how many to leave out. */
export async function listRunChanges(
  store: Store,
  runId: number,
  page: { readonly limit: number; readonly offset?: number },
): Promise<readonly ChangedFinding[]> {
  const added = build
    .selectFrom('findings')
    .select([sql.lit<ChangedFinding['change']>('added').as('change'), 'merchant_id', 'fingerprint'])
    .where('first_seen_run', '=', runId);
  const decided = build
    .selectFrom('finding_decisions')
    .select([CHANGE_BY_DECISION.as('change'), 'merchant_id', 'fingerprint'])
    .where('run_id', '=', runId);
  const list = build
    .selectFrom(added.unionAll(decided).as('c'))
    .innerJoin('findings as f', (join) =>
      join.onRef('f.merchant_id', '=', 'c.merchant_id').onRef('f.fingerprint', '=', 'c.fingerprint'),
    )
    .innerJoin('merchants as m', 'm.merchant_id', 'c.merchant_id')
    .select(({ ref }) => [
      'c.change',
      'm.reference as merchant',
      'f.fingerprint',
      'f.kind',
      ref('f.severity').$castTo<Severity>().as('severity'),
      jsonText('f.content', 'message').$notNull().as('message'),
      jsonText('f.content', 'causedBy').as('causedBy'),
    ])
    .orderBy('c.change')
    .orderBy('m.reference')
    .orderBy('f.fingerprint')
    .limit(page.limit)
    .offset(page.offset ?? 0);
  return (await ask(store.pool, list)).rows;
}

const CHANGE_BY_DECISION = sql<ChangedFinding['change']>`case action
    when 'resolve' then 'resolved'
    when 'settle' then 'settled'
    else 'reopened'
  end`;

/** What the run said of the merchants that it judged, those not clean first, then by reference. */
export async function loadRunReports(
  store: Store,
  runId: number,
  page: { readonly limit: number },
): Promise<readonly AuditReport[]> {
  const load = build
    .selectFrom('run_merchants as s')
    .innerJoin('merchants as m', 'm.merchant_id', 's.merchant_id')
    .select(({ ref }) => ref('s.report').$castTo<AuditReport>().as('report'))
    .where('s.run_id', '=', runId)
    .orderBy(({ eb }) => eb('s.verdict', '=', 'clean'))
    .orderBy('m.reference')
    .limit(page.limit);
  return (await ask(store.pool, load)).rows.map(({ report }) => report);
}
