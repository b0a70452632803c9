// Runs. A night covers every merchant: it is begun once, worked on by many processes, and ended
// once. A run by hand is worked on by one process. Refuses to leave two nights open: a night that
// begins ends the one before.

import { sql } from 'kysely';
import type pg from 'pg';
import {
  type DeliveryContent,
  type GatheredNight,
  type NewDelivery,
  PLACE_DOWN_LIKE,
  type RunProblem,
  readPlaceDown,
} from '../../../core/domain/delivery/delivery.ts';
import type { Verdict } from '../../../core/domain/finding.ts';
import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import {
  countRun,
  expectAgain,
  expectMembers,
  failExpected,
  keepTotals,
  OVERTAKEN,
} from '../conclusions/run-members.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { type MerchantLock, tryLock } from '../merchants/merchant-lock.ts';
import { anyOf, ask, build, prepare, type Queries, type Slots } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';

export interface NewNight {
  /**
   * The id of the job that begins the night. The same job begins one night, however often it is
   * done.
   */
  readonly jobId: string;
  /** When it was due; null when it was begun by hand. */
  readonly plannedFor: Instant | null;
  readonly startedAt: Instant;
  readonly source: string;
  readonly engine: string;
  readonly merchants: readonly string[];
}

/**
 * Returns the deliveries that announce a night. They are written when the night ends: `run` reports
 * that it did not cover every merchant, `night` reports its results.
 */
export interface AnnounceNight {
  run(problem: RunProblem): readonly NewDelivery[];
  night(night: GatheredNight): readonly NewDelivery[];
}

export interface BegunNight {
  readonly runId: number;
  /** Nights that were still open and were closed by this one. */
  readonly closed: readonly number[];
}

/**
 * Milliseconds. A night that began less than this long ago may still be at work when the next one
 * begins; it hands its unsettled merchants on to the next.
 */
const HANDED_ON_WITHIN = 12 * HOUR;
const MOST_MISSING = 20;

/**
 * Adds the night and all merchants that it expects, or nothing, and closes nights that are still
 * open. When the job has begun a night already, returns that night.
 */
export async function beginNight(
  store: Store,
  night: NewNight,
  announce: AnnounceNight,
): Promise<BegunNight> {
  return inTransaction(store, async (client) => {
    const { jobId, plannedFor, startedAt, source, engine, merchants } = night;
    const begin = build
      .insertInto('runs')
      .values({
        kind: 'night',
        job_id: jobId,
        planned_for: plannedFor,
        started_at: startedAt,
        source: storableText(source),
        engine,
        expected: merchants.length,
      })
      .onConflict((conflict) => conflict.column('job_id').doNothing())
      .returning('run_id');
    const runId = (await ask(client, begin)).rows[0]?.run_id;
    if (runId === undefined) {
      const known = build.selectFrom('runs').select('run_id').where('job_id', '=', jobId);
      return { runId: (await ask(client, known)).rows[0]!.run_id, closed: [] };
    }
    await expectMembers(client, runId, merchants);
    const closed = (await ask(client, OPEN_NIGHTS.where('run_id', '<', runId).forUpdate())).rows;
    for (const { run_id, started_at } of closed) {
      const handsOn = startedAt - started_at < HANDED_ON_WITHIN;
      await close(client, { kind: 'night', runId: run_id, at: startedAt, announce, handsOn });
    }
    return { runId, closed: closed.map(({ run_id }) => run_id) };
  });
}

interface EndedNight {
  readonly runId: number;
  readonly at: Instant;
  /** `undefined` when nothing is announced. */
  readonly announce: AnnounceNight | undefined;
  /**
   * True when merchants that are not settled yet pass to the next night. Then only the next night
   * reports them if it does not cover them either.
   */
  readonly handsOn?: boolean;
}

/**
 * Closes a run that is still open, and settles as failed the merchants that it expects. A run that
 * has ended stays as it is.
 */
async function close(
  client: pg.ClientBase,
  run: EndedNight & { readonly kind: 'manual' | 'night' },
): Promise<void> {
  const { runId, at, kind } = run;
  const end = build
    .updateTable('runs')
    .set({
      finished_at: at,
      closed: kind === 'night' ? 'the next night began' : 'it was interrupted',
    })
    .where('run_id', '=', runId)
    .where('finished_at', 'is', null);
  if ((await ask(client, end)).count === 0) return;
  await failExpected(client, run);
  await announceEnd(client, run);
}

/**
 * Ends a night once every merchant is settled. Returns `again` when merchants that could not be
 * read or judged are expected once more instead, which happens at most once a night. Returns `null`
 * when the night still expects merchants, or had ended before.
 */
export async function endNight(
  store: Store,
  night: EndingNight,
): Promise<'ended' | 'again' | null> {
  const { runId, at, announce, triesAgainWithin } = night;
  // This cheap query comes first, because the function is called after every merchant and ends the
  // night only once.
  if ((await ask(store.pool, nightWaits({ runId }))).count === 1) return null;
  return inTransaction(store, async (client) => {
    const lock = build
      .selectFrom('runs')
      .select(['started_at', 'tried_again_at'])
      .where(({ and }) => and({ run_id: runId, kind: 'night' }))
      .where('finished_at', 'is', null)
      .where('expected', 'is not', null)
      .forUpdate();
    const open = (await ask(client, lock)).rows[0];
    if (open === undefined || (await ask(client, nightWaits({ runId }))).count === 1) return null;
    const of = build.updateTable('runs').where('run_id', '=', runId);
    const mayTry = open.tried_again_at === null && at - open.started_at < triesAgainWithin;
    if (mayTry && (await expectAgain(client, runId)) > 0) {
      await ask(client, of.set({ tried_again_at: at }));
      return 'again';
    }
    await ask(client, of.set({ finished_at: at }));
    await announceEnd(client, { runId, at, announce });
    return 'ended';
  });
}

interface EndingNight {
  readonly runId: number;
  readonly at: Instant;
  readonly announce: AnnounceNight;
  /** Milliseconds from the beginning of the night, after which no merchant is tried again. */
  readonly triesAgainWithin: number;
}

/** Returns 2 once the night's failed merchants are tried again, and 1 before. */
export async function loadRound(store: Store, runId: number): Promise<1 | 2> {
  const load = build.selectFrom('runs').select('tried_again_at').where('run_id', '=', runId);
  return (await ask(store.pool, load)).rows[0]?.tried_again_at == null ? 1 : 2;
}

const nightWaits = prepare('night waits', (at: Slots<{ readonly runId: number }>) =>
  build
    .selectFrom('run_members')
    .select('merchant_id')
    .where(({ and }) => and({ run_id: at('runId'), state: sql.lit('expected' as const) }))
    // The search begins at the highest merchant, because the highest are settled last: from the
    // lowest on, it would pass the index entries of all merchants that are settled.
    .orderBy('run_id', 'desc')
    .orderBy('merchant_id', 'desc')
    .limit(sql.lit(1)),
);

async function announceEnd(
  client: pg.ClientBase,
  { runId, at, announce, handsOn = false }: EndedNight,
): Promise<void> {
  const totals = await keepTotals(client, runId);
  if (announce === undefined) return;
  const whole = await loadCoverage(client, runId);
  const missing = whole.missing.filter(({ reason }) => !handsOn || reason !== OVERTAKEN);
  const coverage = { ...whole, missing };
  const unjudged = missing.length + (whole.down ?? []).length;
  if (handsOn && whole.done + unjudged === 0) return;
  const isCovered = handsOn ? unjudged === 0 : coverage.done === coverage.expected;
  const problems = isCovered ? [] : announce.run({ kind: 'NOT_COVERED', ...coverage });
  const { verdicts, entriesAdded } = totals;
  const digest = { ...coverage, runId, verdicts, entriesAdded, news: await gatherFindings(client) };
  await addDeliveries(client, [...problems, ...announce.night(digest)], at);
}

/**
 * Loads how far a night has come. `missing` lists merchants that were not judged and will not be;
 * `down` groups those whose source did not answer.
 */
export async function loadCoverage(
  queries: Queries,
  runId: number,
): Promise<Omit<RunProblem, 'kind'>> {
  const night = build
    .selectFrom('runs')
    .select(({ fn, lit }) => [
      fn.coalesce('planned_for', 'started_at').as('night'),
      fn.coalesce('expected', lit(0)).as('expected'),
    ])
    .where('run_id', '=', runId);
  const missing = build
    .selectFrom('run_members as x')
    .innerJoin('merchants as m', 'm.merchant_id', 'x.merchant_id')
    .select(({ ref }) => ['m.reference as merchant', ref('x.reason').$notNull().as('reason')])
    .where('x.run_id', '=', runId)
    .where('x.reason', 'not like', PLACE_DOWN_LIKE)
    .orderBy('m.reference')
    .limit(MOST_MISSING);
  const unreached = build
    .selectFrom('run_members')
    .select(({ fn, ref }) => [
      ref('reason').$notNull().as('reason'),
      fn.countAll<number>().as('merchants'),
      fn.countAll<number>().filterWhere('verdict', '=', 'broken').as('broken'),
    ])
    .where('run_id', '=', runId)
    .where('reason', 'like', PLACE_DOWN_LIKE)
    .groupBy('reason')
    .orderBy('reason')
    .limit(MOST_MISSING);
  const found = (await ask(queries, night)).rows[0]!;
  const { judged: done } = (await countRun(queries, runId)).coverage;
  const down = (await ask(queries, unreached)).rows.map(({ reason, ...counts }) => ({
    ...readPlaceDown(reason)!,
    ...counts,
  }));
  return { ...found, done, runId, missing: (await ask(queries, missing)).rows, down };
}

/** Returns the nights that are open, the oldest first. */
export async function loadOpenNights({ pool }: Store): Promise<readonly number[]> {
  return (await ask(pool, OPEN_NIGHTS)).rows.map(({ run_id: runId }) => runId);
}

const OPEN_NIGHTS = build
  .selectFrom('runs')
  .select(['run_id', 'started_at'])
  .where('kind', '=', 'night')
  .where('finished_at', 'is', null)
  .orderBy('run_id');

/** A night. `expected` counts the merchants that are not settled yet. */
export type NightRecord = Awaited<ReturnType<typeof loadNights>>[number];

/**
 * Loads the nights that were due or began at `since` or later, and with `open` also every night
 * that is open; the oldest first.
 */
export async function loadNights(
  store: Store,
  { since, open }: { readonly since: Instant; readonly open: boolean },
) {
  const load = build
    .selectFrom('runs')
    .select([
      'run_id as runId',
      'planned_for as plannedFor',
      'started_at as startedAt',
      'finished_at as finishedAt',
    ])
    .where('kind', '=', 'night')
    .where(({ eb, fn, or }) =>
      or([
        eb(fn.coalesce('planned_for', 'started_at'), '>=', since),
        eb('started_at', '>=', since),
        ...(open ? [eb('finished_at', 'is', null)] : []),
      ]),
    )
    .orderBy('run_id');
  const nights = (await ask(store.pool, load)).rows;
  const runIds = nights.map(({ runId }) => runId);
  const waiting = build
    .selectFrom('run_members')
    .select(({ fn }) => ['run_id', fn.countAll<number>().as('expected')])
    .where('run_id', '=', anyOf('bigint', runIds))
    .where('state', '=', 'expected')
    .groupBy('run_id');
  const counts = new Map(
    (await ask(store.pool, waiting)).rows.map((row) => [row.run_id, row.expected]),
  );
  return nights.map((night) => ({ ...night, expected: counts.get(night.runId) ?? 0 }));
}

/** Adds the deliveries that announce a problem, unless it was announced before. */
export async function addProblem(
  store: Store,
  {
    problem,
    at,
    announce,
  }: { readonly problem: RunProblem; readonly at: Instant; readonly announce: AnnounceNight },
): Promise<void> {
  await inTransaction(store, (client) => addDeliveries(client, announce.run(problem), at));
}

interface NewRun extends Pick<NewNight, 'startedAt' | 'source' | 'engine'> {
  /**
   * The merchants to cover; a reference given twice counts once. Absent when the run does not count
   * its merchants.
   */
  readonly merchants?: readonly string[];
}

/** Begins a run by hand and returns its number; later runs have higher numbers. */
export async function startRun(store: Store, run: NewRun): Promise<number> {
  const { startedAt, source, engine, merchants = [] } = run;
  return inTransaction(store, async (client) => {
    const expected = new Set(merchants).size;
    const begin = build
      .insertInto('runs')
      .values({ started_at: startedAt, source: storableText(source), engine, expected })
      .returning('run_id');
    const runId = (await ask(client, begin)).rows[0]!.run_id;
    await expectMembers(client, runId, merchants);
    return runId;
  });
}

/**
 * Ends a run by hand. `announce` is given when the run was over every merchant, and announces its
 * results as those of a night. Throws `StoreFailed` (UNKNOWN_RUN).
 */
export async function finishRun(
  store: Store,
  run: {
    readonly runId: number;
    readonly finishedAt: Instant;
    readonly announce?: AnnounceNight | undefined;
  },
): Promise<void> {
  const { runId, finishedAt, announce } = run;
  const finish = build
    .updateTable('runs')
    .set({ finished_at: finishedAt, closed: null })
    .where('run_id', '=', runId);
  await inTransaction(store, async (client) => {
    if ((await ask(client, finish)).count === 0)
      throw new StoreFailed('UNKNOWN_RUN', `There is no run ${runId}.`);
    await announceEnd(client, { runId, at: finishedAt, announce });
  });
}

/**
 * Takes the lock of a run by hand, which its process holds to the end. An open run that is not
 * locked was left by a process that died. Returns `null` when another process holds the lock.
 */
export function lockRun(store: Store, runId: number): Promise<MerchantLock | null> {
  return tryLock(store, -runId);
}

/**
 * Closes the runs by hand whose process is gone. The next run that announces its end announces
 * their findings too.
 */
export async function closeLeftRuns(store: Store, at: Instant): Promise<void> {
  const open = build
    .selectFrom('runs')
    .select('run_id')
    .where('kind', '=', 'manual')
    .where('finished_at', 'is', null);
  for (const { run_id: runId } of (await ask(store.pool, open)).rows) {
    const lock = await lockRun(store, runId);
    if (lock === null) continue;
    await closeRun(store, { runId, at, announce: undefined }).finally(() => lock.release());
  }
}

/**
 * Closes a run by hand that did not come to its end. `announce` is as in `finishRun`. A run that
 * has ended stays as it is.
 */
export async function closeRun(store: Store, run: Omit<EndedNight, 'handsOn'>): Promise<void> {
  await inTransaction(store, (client) => close(client, { ...run, kind: 'manual' }));
}

// The digest of a night: verdicts and new findings. Takes the findings that were held for it out of
// the outbox in the same transaction, so that each is announced once.

const WORST_FIRST: readonly Verdict[] = ['broken', 'incomplete', 'clean'];

type Findings = Extract<DeliveryContent, { readonly topic: 'findings' }>;

/**
 * Takes all held findings out of the outbox and returns them, one item for each merchant: broken
 * books first, then by reference. They include findings that an earlier night concluded after its
 * end. Must run in the transaction that ends the night.
 */
async function gatherFindings(client: pg.ClientBase): Promise<GatheredNight['news']> {
  const gather = build
    .updateTable('deliveries')
    .set({ state: 'GATHERED' })
    .where(({ and }) => and({ state: 'HELD', topic: 'findings' }))
    .returning(({ ref }) => ref('content').$castTo<Findings>().as('content'));
  const { rows } = await ask(client, gather);
  const byMerchant = new Map<string, Findings>();
  const held = new Map(
    rows.map(({ content }) => [`${content.runId}/${content.merchant}`, content]),
  );
  for (const content of [...held.values()].sort((a, b) => a.runId - b.runId)) {
    const { findings = [], more = 0 } = byMerchant.get(content.merchant) ?? {};
    const joined = { findings: [...findings, ...content.findings], more: more + content.more };
    byMerchant.set(content.merchant, { ...content, ...joined });
  }
  const rank = ({ verdict }: Findings): number => WORST_FIRST.indexOf(verdict);
  return [...byMerchant.values()]
    .sort((a, b) => rank(a) - rank(b) || (a.merchant < b.merchant ? -1 : 1))
    .map(({ merchant, verdict, findings, more }) => ({ merchant, verdict, findings, more }));
}
