// Nights: runs over every merchant, begun once, worked on by many, and ended once. Refuses to leave two going on: a night
// that begins ends the one before.

import type pg from 'pg';
import type { NewDelivery, NightDigest, RunProblem } from '../../domain/delivery/delivery.ts';
import type { Instant } from '../../domain/instant.ts';
import { expectMembers } from '../conclusions/run-members.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { inTransaction } from '../server/transaction.ts';
import { gatherDigest } from './night-digest.ts';

export interface NewNight {
  /** Of the job that begins it: the same job begins one night, however often it is done. */
  readonly jobId: string;
  /** When it was due; null when it was begun by hand. */
  readonly plannedFor: Instant | null;
  readonly startedAt: Instant;
  readonly source: string;
  readonly engine: string;
  readonly merchants: readonly string[];
}

/** What is to be announced of a night, written with its end: that it did not cover everyone, and what it came to. */
export interface AnnounceNight {
  run(problem: RunProblem): readonly NewDelivery[];
  night(digest: NightDigest): readonly NewDelivery[];
}

export interface BegunNight {
  readonly runId: number;
  /** Nights that were still going on, and are closed now. */
  readonly closed: readonly number[];
}

const OVERTAKEN = 'the next night began before this merchant was settled';
const MOST_MISSING = 20;

/** The run and all that it expects, or nothing. */
export async function beginNight(store: Store, night: NewNight, announce: AnnounceNight): Promise<BegunNight> {
  return inTransaction(store, async (client) => {
    const { jobId, plannedFor, startedAt, source, engine, merchants } = night;
    const begun = await client.query<{ run_id: number }>(
      `insert into runs (kind, job_id, planned_for, started_at, source, engine, expected)
      values ('night', $1, $2, $3, $4, $5, $6)
      on conflict (job_id) do nothing
      returning run_id`,
      [jobId, plannedFor, startedAt, storableText(source), engine, merchants.length],
    );
    const runId = begun.rows[0]?.run_id;
    if (runId === undefined) {
      const known = await client.query<{ run_id: number }>('select run_id from runs where job_id = $1', [jobId]);
      return { runId: known.rows[0]!.run_id, closed: [] };
    }
    await expectMembers(client, runId, merchants);
    const open = await client.query<{ run_id: number }>(
      `select run_id
      from runs
      where kind = 'night' and finished_at is null and run_id < $1
      order by run_id
      for update`,
      [runId],
    );
    const closed = open.rows.map((row) => row.run_id);
    for (const earlier of closed) await closeNight(client, { runId: earlier, at: startedAt, announce });
    return { runId, closed };
  });
}

async function closeNight(
  client: pg.ClientBase,
  { runId, at, announce }: { readonly runId: number; readonly at: Instant; readonly announce: AnnounceNight },
): Promise<void> {
  await client.query(
    `update run_members
    set state = 'failed', reason = $2, finished_at = $3
    where run_id = $1 and state = 'expected'`,
    [runId, OVERTAKEN, at],
  );
  await client.query('update runs set finished_at = $2, closed = $3 where run_id = $1', [
    runId,
    at,
    'the next night began',
  ]);
  await announceEnd(client, { runId, at, announce });
}

/** True when this call has ended it: every merchant is settled, and nobody ended it before. */
export async function endNight(
  store: Store,
  { runId, at, announce }: { readonly runId: number; readonly at: Instant; readonly announce: AnnounceNight },
): Promise<boolean> {
  // Asked after every merchant, and answered no but once. Who is settled is never expected again.
  const waiting = await store.pool.query({
    name: 'night waits',
    text: "select 1 from run_members where run_id = $1 and state = 'expected' limit 1",
    values: [runId],
  });
  if (waiting.rowCount === 1) return false;
  return inTransaction(store, async (client) => {
    const ended = await client.query(
      `update runs
      set finished_at = $2
      where run_id = $1
        and kind = 'night'
        and finished_at is null
        and expected is not null`,
      [runId, at],
    );
    if (ended.rowCount !== 1) return false;
    await announceEnd(client, { runId, at, announce });
    return true;
  });
}

async function announceEnd(
  client: pg.ClientBase,
  { runId, at, announce }: { readonly runId: number; readonly at: Instant; readonly announce: AnnounceNight },
): Promise<void> {
  const coverage = await loadCoverage(client, runId);
  const isCovered = coverage.done === coverage.expected;
  const problems = isCovered ? [] : announce.run({ kind: 'NOT_COVERED', ...coverage });
  const digest = await gatherDigest(client, { ...coverage, runId });
  await addDeliveries(client, [...problems, ...announce.night(digest)], at);
}

/** How far a night has come. `missing`: not judged, and not to be judged any more. */
export async function loadCoverage(
  queries: Pick<pg.ClientBase, 'query'> | pg.Pool,
  runId: number,
): Promise<Omit<RunProblem, 'kind'>> {
  const found = await queries.query<{ night: number; expected: number }>(
    'select coalesce(planned_for, started_at) as night, coalesce(expected, 0) as expected from runs where run_id = $1',
    [runId],
  );
  const counted = await queries.query<{ done: number }>(
    "select count(*) as done from run_members where run_id = $1 and state = 'done' and reason is null",
    [runId],
  );
  const missing = await queries.query<{ merchant: string; reason: string }>(
    `select m.reference as merchant, x.reason
    from run_members x
    join merchants m on m.merchant_id = x.merchant_id
    where x.run_id = $1 and x.reason is not null
    order by m.reference
    limit $2`,
    [runId, MOST_MISSING],
  );
  return { ...found.rows[0]!, ...counted.rows[0]!, runId, missing: missing.rows };
}

export interface NightRecord {
  readonly runId: number;
  readonly plannedFor: Instant | null;
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  /** Merchants not settled yet. */
  readonly expected: number;
}

/** Nights that were due or began since an instant, and where `open` says so those that go on; oldest first. */
export async function loadNights(
  store: Store,
  asked: { readonly since: Instant; readonly open: boolean },
): Promise<readonly NightRecord[]> {
  const answer = await store.pool.query<Omit<NightRecord, 'expected'>>(
    `select run_id as "runId", planned_for as "plannedFor", started_at as "startedAt", finished_at as "finishedAt"
    from runs
    where kind = 'night'
      and (coalesce(planned_for, started_at) >= $1 or started_at >= $1 or ($2 and finished_at is null))
    order by run_id`,
    [asked.since, asked.open],
  );
  const waiting = await store.pool.query<{ run_id: number; expected: number }>(
    `select run_id, count(*) as expected
    from run_members
    where run_id = any ($1::bigint[]) and state = 'expected'
    group by run_id`,
    [answer.rows.map(({ runId }) => runId)],
  );
  const counts = new Map(waiting.rows.map((row) => [row.run_id, row.expected]));
  return answer.rows.map((night) => ({ ...night, expected: counts.get(night.runId) ?? 0 }));
}

/** Writes what is to be announced of a problem, unless it was announced before. */
export async function addProblem(
  store: Store,
  { problem, at, announce }: { readonly problem: RunProblem; readonly at: Instant; readonly announce: AnnounceNight },
): Promise<void> {
  await inTransaction(store, (client) => addDeliveries(client, announce.run(problem), at));
}
