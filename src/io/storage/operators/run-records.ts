// The record of past runs, for people and programs: coverage, verdicts, durations, new and resolved
// findings. Reads only.

import { type InferResult, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { AuditReport, Finding, Severity, Verdict } from '../../../core/domain/finding.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import {
  countMembers,
  NO_MEMBERS,
  type RunTotals,
  type Settlement,
} from '../conclusions/run-members.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { ask, askPage, build, by, jsonText, type Page } from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import { LAST_SEEN } from './find-findings.ts';

/** A run's row. It has the totals of the run's merchants once the run has ended. */
type OwnRecord = InferResult<typeof RUNS>[number];

const RUNS = build
  .selectFrom('runs')
  .select(({ fn, lit, ref }) => [
    'run_id as runId',
    'kind',
    'planned_for as plannedFor',
    'started_at as startedAt',
    'finished_at as finishedAt',
    'closed',
    'source',
    'engine',
    fn.coalesce('expected', lit(0)).as('expected'),
    ref('totals').$castTo<RunTotals | null>().as('totals'),
  ]);

/**
 * A run. `plannedFor` is `null` when it was not planned. `finishedAt` is `null` while it goes on,
 * or when it never ended properly. `closed` says why it ended without covering every merchant.
 * `coverage.expected` counts the merchants that it was to cover.
 */
export type RunRecord = Awaited<ReturnType<typeof recordsOf>>[number];

/** A finding that a run added, resolved or found again, as it was last reported. */
export interface ChangedFinding
  extends Pick<Finding, 'fingerprint' | 'severity' | 'message' | 'causedBy'> {
  readonly change: 'added' | 'resolved' | 'settled' | 'reopened';
  readonly merchant: string;
  readonly kind: string;
}

/** Lists a page of runs, newest first, with the number of all. */
export async function listRuns(store: Store, page: Page) {
  const { total, items } = await askPage(store.pool, RUNS.orderBy('run_id', 'desc'), page);
  return { total, items: await recordsOf(store, items) };
}

export async function loadRun(store: Store, runId: number): Promise<RunRecord | null> {
  const { rows } = await ask(store.pool, RUNS.where('run_id', '=', runId));
  return (await recordsOf(store, rows))[0] ?? null;
}

/**
 * Adds the totals to runs. Counts the merchants only of runs that have not ended, because the
 * others have stored totals.
 */
async function recordsOf(store: Store, own: readonly OwnRecord[]) {
  const uncounted = own.filter(({ totals }) => totals === null).map(({ runId }) => runId);
  const counted = await countMembers(store.pool, uncounted);
  return own.map(({ expected, totals, ...run }) => {
    const { coverage, ...record } = totals ?? counted.get(run.runId) ?? NO_MEMBERS;
    return { ...run, ...record, coverage: { expected, ...coverage } };
  });
}

export interface MemberPage extends Page {
  readonly state?: 'expected' | Settlement['state'] | undefined;
  readonly verdict?: Verdict | undefined;
  /** True for only merchants that were not judged, or not yet; false for only those that were. */
  readonly notJudged?: boolean;
}

/**
 * Lists a page of a run's merchants, by reference, with the number of all. `startedAt` is the
 * beginning of the last attempt.
 */
export function listRunMembers(store: Store, runId: number, page: MemberPage) {
  const { state, verdict, notJudged } = page;
  const judged = sql<boolean>`(x.state = 'done' and x.reason is null)`;
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
    .$if(verdict !== undefined, (members) => members.where('x.verdict', '=', verdict!))
    .$if(state !== undefined, (members) => members.where('x.state', '=', state!))
    .$if(notJudged === true, (members) => members.where(({ not }) => not(judged)))
    .$if(notJudged === false, (members) => members.where(judged))
    .orderBy('m.reference');
  return askPage(store.pool, list, page);
}

/**
 * Lists the runs that began within the bounds and were to cover the merchant, ascending. The
 * figures of its report are `null` when the run did not judge the merchant.
 */
export async function listRunsOf(store: Store, merchant: string, { start, end }: Bounds) {
  const list = build
    .selectFrom('run_members as x')
    .innerJoin('runs as r', 'r.run_id', 'x.run_id')
    .leftJoin('run_merchants as s', (join) =>
      join.onRef('s.merchant_id', '=', 'x.merchant_id').onRef('s.run_id', '=', 'x.run_id'),
    )
    .select([
      'r.run_id as runId',
      'r.kind as run',
      'r.started_at as startedAt',
      'x.finished_at as finishedAt',
    ])
    .select(['x.state', 'x.verdict', 'x.reason', 's.entries', 's.operations', 's.roots'])
    .select([
      'x.entries_added as entriesAdded',
      'x.findings_added as added',
      'x.findings_resolved as resolved',
    ])
    .select(sql<AuditReport['notChecked'] | null>`s.report -> 'notChecked'`.as('notChecked'))
    .where('x.merchant_id', '=', merchantIdOf(merchant))
    .where(({ between }) => between('r.started_at', start, end - 1))
    .orderBy('r.run_id');
  return (await ask(store.pool, list)).rows;
}

/**
 * Lists the findings that a run changed: the added ones first, then by merchant and fingerprint.
 * `page.offset` is the number of findings to leave out.
 */
export async function listRunChanges(
  store: Store,
  runId: number,
  page: Page,
): Promise<readonly ChangedFinding[]> {
  const added = build
    .selectFrom('findings')
    .select([sql.lit<ChangedFinding['change']>('added').as('change'), 'merchant_id', 'fingerprint'])
    .where('first_seen_run', '=', runId);
  const decided = build
    .selectFrom('finding_decisions')
    .select([CHANGE_BY_DECISION.as('change'), 'merchant_id', 'fingerprint'])
    .where('run_id', '=', runId)
    .where('action', '<>', sql.lit('become'));
  // The page is chosen first, so that the contents of other findings are not read.
  const keys = build
    .selectFrom(added.unionAll(decided).as('k'))
    .innerJoin('merchants as m', 'm.merchant_id', 'k.merchant_id')
    .select(['k.change', 'k.merchant_id', 'k.fingerprint', 'm.reference as merchant'])
    .$call(by('k.change', 'm.reference', 'k.fingerprint'))
    .limit(page.limit)
    .offset(page.offset ?? 0);
  const list = build
    .selectFrom(keys.as('c'))
    .innerJoin('findings as f', (join) =>
      join
        .onRef('f.merchant_id', '=', 'c.merchant_id')
        .onRef('f.fingerprint', '=', 'c.fingerprint'),
    )
    .select(({ ref }) => [
      'c.change',
      'c.merchant',
      'f.fingerprint',
      'f.kind',
      ref('f.severity').$castTo<Severity>().as('severity'),
      jsonText('f.content', 'message').$notNull().as('message'),
      'f.caused_by as causedBy',
    ])
    .$call(by('c.change', 'c.merchant', 'f.fingerprint'));
  return (await ask(store.pool, list)).rows;
}

const CHANGE_BY_DECISION = sql<ChangedFinding['change']>`case action
    when 'resolve' then 'resolved'
    when 'settle' then 'settled'
    else 'reopened'
  end`;

/**
 * Loads the reports of a run: merchants that are not clean first, then by reference. When a report
 * was stored without its many findings, they are loaded as they were last reported, but only those
 * that this run saw last.
 */
export async function loadRunReports(
  store: Store,
  runId: number,
  page: { readonly limit: number },
): Promise<readonly AuditReport[]> {
  const load = build
    .selectFrom('run_merchants as s')
    .innerJoin('merchants as m', 'm.merchant_id', 's.merchant_id')
    .select(({ ref }) => [
      's.merchant_id',
      's.findings',
      ref('s.report').$castTo<AuditReport>().as('report'),
    ])
    .where('s.run_id', '=', runId)
    .orderBy(({ eb }) => eb('s.verdict', '=', 'clean'))
    .orderBy('m.reference')
    .limit(page.limit);
  const { rows } = await ask(store.pool, load);
  return Promise.all(
    rows.map(async ({ merchant_id, findings, report }) => {
      if (report.findings.length === findings) return report;
      return { ...report, findings: await loadReported(store, { merchantId: merchant_id, runId }) };
    }),
  );
}

/** Loads findings in the order of a report. */
async function loadReported(
  store: Store,
  of: { readonly merchantId: number; readonly runId: number },
): Promise<readonly Finding[]> {
  const load = build
    .selectFrom('findings as f')
    .select(({ ref }) => ref('f.content').$castTo<Finding>().as('finding'))
    .where('f.merchant_id', '=', of.merchantId)
    .where(LAST_SEEN, '=', of.runId)
    .$call(by('f.sequence', 'f.is_root desc', 'f.fingerprint'));
  return (await ask(store.pool, load)).rows.map(({ finding }) => finding);
}
