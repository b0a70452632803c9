// The merchants of a run: expected, begun, settled, and counted into the run's totals. Refuses to
// settle a merchant twice, unless the first time was only because its run was overtaken or
// interrupted.

import { type InferResult, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type pg from 'pg';
import type { Verdict } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addHeads, addMerchants, merchantIdOf } from '../merchants/merchants.ts';
import { addingTo, anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** How a merchant's part of a run ended. */
export interface Settlement {
  /** `failed` when the merchant could not be judged at all, by our fault. */
  readonly state: 'done' | 'failed';
  /**
   * The verdict of the audit; `null` or `incomplete` when the merchant was not judged. If its books
   * were broken when they were last judged, `settleMembers` stores `broken` instead.
   */
  readonly verdict: Verdict | null;
  /** One sentence on why the merchant was not judged; `null` when it was. */
  readonly reason: string | null;
  readonly finishedAt: Instant;
  /**
   * The instant, by the source's clock, up to which the mirror is complete; `null` when the source
   * was not read to its end.
   */
  readonly watermark: Instant | null;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findings: {
    readonly added: number;
    readonly resolved: number;
    readonly reopened: number;
  };
}

export const NOTHING_READ = {
  entriesAdded: 0,
  operationsChanged: 0,
  findings: { added: 0, resolved: 0, reopened: 0 },
  watermark: null,
} as const;

/**
 * Adds the merchants to a run as expected. Merchants that are new to the store are entered first.
 * Known merchants are left out of that insert, because each row of it would use up a number. Must
 * run in the caller's transaction.
 */
export async function expectMembers(
  client: pg.ClientBase,
  runId: number,
  references: readonly string[],
): Promise<void> {
  const among = build.selectFrom('merchants').where('reference', '=', anyOf('text', references));
  const known = new Set(
    (await ask(client, among.select('reference'))).rows.map(({ reference }) => reference),
  );
  await addMerchants(
    client,
    references.filter((reference) => !known.has(reference)),
  );
  const entered = await ask(client, among.select('merchant_id').orderBy('merchant_id'));
  const merchantIds = entered.rows.map((row) => row.merchant_id);
  await addHeads(client, merchantIds);
  await ask(
    client,
    expectedMembers(merchantIds.map((merchant_id) => ({ merchant_id, run_id: runId }))),
  );
}

const expectedMembers = addingTo(
  'run_members',
  { bigint: ['merchant_id', 'run_id'] },
  { name: null, key: ['merchant_id', 'run_id'], taken: 'keep' },
);

/** References of the merchants that a run still has to settle, sorted. */
export async function loadExpected(store: Store, runId: number): Promise<readonly string[]> {
  const load = build
    .selectFrom('run_members as x')
    .innerJoin('merchants as m', 'm.merchant_id', 'x.merchant_id')
    .select('m.reference')
    .where(({ and }) => and({ 'x.run_id': runId, 'x.state': 'expected' }))
    .orderBy('m.reference');
  return (await ask(store.pool, load)).rows.map(({ reference }) => reference);
}

/**
 * Returns the references, sorted, of merchants that `source` no longer lists: their last run was
 * over this source, and they are not in `listed`. Retired merchants are left out. The last run
 * counts because a store may have merchants of several sources.
 */
export async function loadUnlisted(
  { pool }: Store,
  { source, listed }: { readonly source: string; readonly listed: readonly string[] },
): Promise<readonly string[]> {
  const known = build
    .selectFrom('merchants')
    .select(['merchant_id', 'reference'])
    .where('retired_at', 'is', null);
  const isListed = new Set(listed);
  const others = (await ask(pool, known)).rows.filter(({ reference }) => !isListed.has(reference));
  if (others.length === 0) return [];
  const merchantIds = others.map(({ merchant_id }) => merchant_id);
  const lastRuns = build
    .selectFrom('run_members')
    .select(({ fn }) => ['merchant_id', fn.max<number>('run_id').as('run_id')])
    .where('merchant_id', '=', anyOf('bigint', merchantIds))
    .groupBy('merchant_id');
  const last = new Map(
    (await ask(pool, lastRuns)).rows.map((row) => [row.merchant_id, row.run_id]),
  );
  const runsOver = build
    .selectFrom('runs')
    .select('run_id')
    .where('source', '=', storableText(source))
    .where('run_id', '=', anyOf('bigint', [...new Set(last.values())]));
  const over = new Set((await ask(pool, runsOver)).rows.map(({ run_id }) => run_id));
  return others
    .flatMap(({ merchant_id, reference }) => (over.has(last.get(merchant_id)!) ? [reference] : []))
    .sort();
}

/**
 * The reason for a merchant that a run expects only because the store knows it: the source does not
 * list it any more.
 */
export const UNLISTED = 'the source lists this merchant no longer: put it back, or retire it';

/** Counts an attempt at a merchant under a run. */
export async function beginMember(store: Store, member: BegunMember): Promise<void> {
  await ask(store.pool, begunMember(member));
}

interface BegunMember {
  readonly runId: number;
  readonly merchant: string;
  readonly at: Instant;
}

const begunMember = prepare('member begun', (at: Slots<BegunMember>) =>
  build
    .updateTable('run_members')
    .set(({ eb, lit }) => ({ attempts: eb('attempts', '+', lit(1)), started_at: at('at') }))
    .where('run_id', '=', at('runId'))
    .where(({ and }) =>
      and({ merchant_id: merchantIdOf(at('merchant')), state: sql.lit('expected' as const) }),
    ),
);

/**
 * Counts an attempt at a merchant of the night under way, and gives the night's run. Gives `null`
 * when no night is under way or the night does not expect the merchant.
 */
export const takeMember = askTogether<
  { readonly merchantId: number; readonly at: Instant },
  number | null,
  Store
>(async ({ pool }, asked) => {
  const merchantIds = asked.map(({ merchantId }) => merchantId);
  const { rows } = await ask(
    pool,
    takenMembers({ merchantIds, at: Math.max(...asked.map(({ at }) => at)) }),
  );
  const taken = new Map(rows.map((row) => [row.merchant_id, row.run_id]));
  return merchantIds.map((merchantId) => taken.get(merchantId) ?? null);
});

export async function loadMember(
  store: Store,
  { runId, merchant }: Pick<BegunMember, 'runId' | 'merchant'>,
) {
  const load = build
    .selectFrom('run_members')
    .select(['state', 'attempts', 'verdict'])
    .where(({ and }) => and({ merchant_id: merchantIdOf(merchant), run_id: runId }));
  return (await ask(store.pool, load)).rows[0];
}

/**
 * The beginning of the reason for a merchant that was given up because its job failed.
 * `expectAgain` knows by it which merchants to try again; a merchant whose worker died each time
 * has another reason and is not tried again.
 */
export const WORK_FAILED = 'its work failed';

/**
 * Makes a run expect merchants again whose source did not answer or whose work failed, because both
 * may have passed. Must run in the caller's transaction. Returns how many merchants.
 */
export async function expectAgain(client: pg.ClientBase, runId: number): Promise<number> {
  const again = build
    .updateTable('run_members')
    .set({ state: 'expected', verdict: null, reason: null, finished_at: null })
    .where('run_id', '=', runId)
    .where(({ eb, or }) =>
      or([eb('reason', 'like', 'UNREACHABLE: %'), eb('reason', 'like', `${WORK_FAILED} %`)]),
    );
  return (await ask(client, again)).count;
}

/**
 * Selects the night under way. There is at most one, because a night that begins ends the one
 * before.
 */
function nightAtWork() {
  return build
    .selectFrom('runs')
    .select(({ fn }) => fn.max('run_id').as('run_id'))
    .where('kind', '=', sql.lit('night'))
    .where('finished_at', 'is', null);
}

// Finds the merchants by number, without a join of `merchants`, because of the planner: until a
// night's rows are in the table's statistics it takes them for few, and would read them all for
// each hundred merchants.
const takenMembers = prepare(
  'take members',
  (at: Slots<{ readonly merchantIds: readonly number[]; readonly at: Instant }>) =>
    build
      .updateTable('run_members')
      .set(({ eb, lit }) => ({ attempts: eb('attempts', '+', lit(1)), started_at: at('at') }))
      .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
      .where(({ and }) => and({ run_id: nightAtWork(), state: sql.lit('expected' as const) }))
      .returning(['merchant_id', 'run_id']),
);

export interface SettledMember extends Settlement {
  readonly merchantId: number;
}

/**
 * Reason of a merchant that was not settled when the next night began. A later conclusion still
 * settles it.
 */
export const OVERTAKEN = 'the next night began before this merchant was settled';
/** As `OVERTAKEN`, for a run that a person started. */
const INTERRUPTED = 'the run was interrupted before this merchant was settled';

/**
 * Settles as failed the merchants that a run still expects. Must run in the transaction that closes
 * the run.
 */
export async function failExpected(
  client: pg.ClientBase,
  run: { readonly runId: number; readonly at: Instant; readonly kind: 'manual' | 'night' },
): Promise<void> {
  const reason = run.kind === 'night' ? OVERTAKEN : INTERRUPTED;
  const fail = build
    .updateTable('run_members')
    .set({ state: 'failed', reason, finished_at: run.at })
    .where(({ and }) => and({ run_id: run.runId, state: 'expected' }))
    .returning('merchant_id');
  const failed = (await ask(client, fail)).rows.map(({ merchant_id }) => merchant_id);
  const broken = await brokenOf(client, failed);
  const keep = build
    .updateTable('run_members')
    .set({ verdict: 'broken' })
    .where('run_id', '=', run.runId)
    .where('merchant_id', '=', anyOf('bigint', [...broken]));
  if (broken.size > 0) await ask(client, keep);
}

/**
 * Settles merchants of a run. A merchant that was settled before stays as it is, unless the reason
 * was that the run was overtaken or interrupted. A merchant that was not judged keeps the verdict
 * `broken` if its books were broken.
 */
export async function settleMembers(
  queries: Queries,
  runId: number,
  members: readonly SettledMember[],
): Promise<void> {
  const merchantIds = members.map(({ merchantId }) => merchantId);
  const unjudged = members
    .filter(({ reason }) => reason !== null)
    .map(({ merchantId }) => merchantId);
  const broken = await brokenOf(queries, unjudged);
  const settled = members.map((one) =>
    one.reason !== null && broken.has(one.merchantId) ? { ...one, verdict: 'broken' } : one,
  );
  await ask(queries, settledMembers({ runId, merchantIds, members: storableJson(settled) }));
}

/** Those of the merchants whose books were broken when a run last judged them. */
async function brokenOf(
  queries: Queries,
  merchantIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (merchantIds.length === 0) return new Set();
  const last = build
    .selectFrom('run_merchants as s')
    .select('s.verdict')
    .whereRef('s.merchant_id', '=', sql.ref('h.merchant_id'))
    .orderBy('s.run_id', 'desc')
    .limit(1);
  const broken = build
    .selectFrom('merchant_heads as h')
    .select('h.merchant_id')
    .where('h.merchant_id', '=', anyOf('bigint', merchantIds))
    .where(last, '=', 'broken');
  return new Set((await ask(queries, broken)).rows.map(({ merchant_id }) => merchant_id));
}

type SettledRow = Omit<SettledMember, 'findings'>;

interface SettledMembers {
  readonly runId: number;
  readonly merchantIds: readonly number[];
  readonly members: string;
}

// The merchants' numbers are passed beside the rows for the planner's sake, as in `takenMembers`.
const settledMembers = prepare('settle members', (at: Slots<SettledMembers>) => {
  const change = (name: keyof Settlement['findings']) =>
    sql<number>`(s.findings ->> ${sql.lit(name)})::bigint`;
  return build
    .updateTable('run_members as x')
    .from(
      sql<SettledRow>`jsonb_to_recordset(${at('members')}::jsonb)`.as<'s'>(
        sql`s ("merchantId" bigint, state text, verdict text, reason text, "finishedAt" bigint,
          watermark bigint, "entriesAdded" bigint, "operationsChanged" bigint, findings jsonb)`,
      ),
    )
    .set(({ fn, ref }) => ({
      state: ref('s.state'),
      verdict: ref('s.verdict'),
      reason: ref('s.reason'),
      started_at: fn.coalesce('x.started_at', 's.finishedAt'),
      finished_at: ref('s.finishedAt'),
      watermark: ref('s.watermark'),
      entries_added: ref('s.entriesAdded'),
      operations_changed: ref('s.operationsChanged'),
      findings_added: change('added'),
      findings_resolved: change('resolved'),
      findings_reopened: change('reopened'),
    }))
    .where('x.run_id', '=', at('runId'))
    .where('x.merchant_id', '=', anyOf('bigint', at('merchantIds')))
    .whereRef('x.merchant_id', '=', 's.merchantId')
    .where(({ eb, or }) =>
      or([
        eb('x.state', '=', sql.lit('expected')),
        eb('x.reason', 'in', [sql.lit(OVERTAKEN), sql.lit(INTERRUPTED)]),
      ]),
    );
});

/**
 * Selects the standing verdict of the merchant of the query's head `h`: the outcome of the newest
 * run that has settled it. `verdict` is `null` when that run failed by our fault. `reason` says why
 * that run did not judge the merchant; `null` when it did.
 */
export function standingOf() {
  return build
    .selectFrom('run_members as y')
    .select(['y.verdict', 'y.reason'])
    .where('y.merchant_id', '=', sql.ref<number>('h.merchant_id'))
    .where('y.state', '<>', sql.lit('expected'))
    .orderBy('y.run_id', 'desc')
    .limit(sql.lit(1));
}

/**
 * Counts the merchants that are not retired by their standing verdict. `failed`: not judged, by our
 * fault. `none`: no run has settled them.
 */
export async function countStanding(queries: Queries) {
  const count = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .leftJoinLateral(standingOf().as('standing'), (join) => join.onTrue())
    .select(({ fn }) => [
      sql<
        Verdict | 'failed' | 'none'
      >`coalesce(standing.verdict, case when standing.reason is null then 'none' else 'failed' end)`.as(
        'verdict',
      ),
      fn.countAll<number>().as('merchants'),
    ])
    .where('m.retired_at', 'is', null)
    .groupBy(sql`1`)
    .orderBy(sql`1`);
  return (await ask(queries, count)).rows;
}

/**
 * The totals of a run. In `coverage`, merchants that are `judged` were read to the end and judged,
 * `unread` ones could not be read to the end, `failed` ones could not be judged by our fault, and
 * `waiting` ones are not settled yet. `verdicts` counts standing verdicts, also of merchants that
 * were not judged. `watermark` is the earliest instant up to which the books of a judged merchant
 * were known; `null` when no merchant was judged.
 */
export type RunTotals = Omit<InferResult<ReturnType<typeof membersOf>>[number], 'runId'>;

export const NO_MEMBERS: RunTotals = {
  coverage: { judged: 0, unread: 0, failed: 0, waiting: 0 },
  verdicts: { clean: 0, broken: 0, incomplete: 0 },
  ...NOTHING_READ,
};

/** Counts the totals of each run. Runs without merchants are left out. */
export async function countMembers(
  queries: Queries,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, RunTotals>> {
  if (runIds.length === 0) return new Map();
  const counted = await ask(queries, membersOf(runIds));
  return new Map(counted.rows.map(({ runId, ...totals }) => [runId, totals]));
}

/**
 * Stores the totals in the run's row, and returns them. Call in the transaction that ends the run,
 * once all its merchants are settled, or that settles one after the run has ended.
 */
export async function keepTotals(queries: Queries, runId: number): Promise<RunTotals> {
  const totals = await countRun(queries, runId);
  const keep = build
    .updateTable('runs')
    .set({ totals: JSON.stringify(totals) })
    .where('run_id', '=', runId);
  await ask(queries, keep);
  return totals;
}

export async function countRun(queries: Queries, runId: number): Promise<RunTotals> {
  return (await countMembers(queries, [runId])).get(runId) ?? NO_MEMBERS;
}

function membersOf(runIds: readonly number[]) {
  return build
    .selectFrom('run_members')
    .select(({ and, cast, eb, fn }) => {
      const all = fn.countAll<number>();
      const sum = (
        column: 'entries_added' | 'operations_changed' | `findings_${keyof Settlement['findings']}`,
      ) => cast<number>(fn.sum(column), 'bigint');
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
