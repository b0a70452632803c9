// The service's figures for its metrics, by a few queries whose cost grows with the number of merchants and not with the
// history. Asked over and over while others work: one connection, one query after the other.

import type pg from 'pg';
import type { NightFigures, ServiceFigures } from '../../domain/service-figures.ts';
import type { Store } from '../server/store.ts';

/** Not one moment: what changes in between may show in one figure and not yet in the next. */
export async function loadServiceFigures(store: Store): Promise<ServiceFigures> {
  const client = await store.pool.connect();
  try {
    const night = await loadNewestNight(client);
    return {
      runs: await rowsOf(client, RUNS),
      newestNight: night,
      ...(await loadLag(client, night !== null)),
      verdicts: await rowsOf(client, VERDICTS),
      findings: await rowsOf(client, FINDINGS),
      entries: (await rowsOf<{ entries: number }>(client, ENTRIES))[0]!.entries,
      deliveries: await rowsOf(client, DELIVERIES),
    };
  } finally {
    client.release();
  }
}

async function rowsOf<Row extends pg.QueryResultRow>(client: pg.ClientBase, text: string): Promise<readonly Row[]> {
  return (await client.query<Row>(text)).rows;
}

async function loadNewestNight(client: pg.ClientBase): Promise<NightFigures | null> {
  const [night] = await rowsOf<Omit<NightFigures, 'members' | 'entriesAdded'>>(client, NEWEST_NIGHT);
  if (night === undefined) return null;
  const members = await rowsOf<{ state: string; merchants: number; added: number }>(client, MEMBERS);
  return {
    ...night,
    members: members.map(({ state, merchants }) => ({ state, merchants })),
    entriesAdded: members.reduce((sum, { added }) => sum + added, 0),
  };
}

type Lag = Pick<ServiceFigures, 'lastNightFinishedAt' | 'watched' | 'oldestWatermark' | 'neverRead'>;

async function loadLag(client: pg.ClientBase, hasNight: boolean): Promise<Lag> {
  const [finished] = await rowsOf<Pick<Lag, 'lastNightFinishedAt'>>(client, LAST_NIGHT_FINISHED);
  const sql = hasNight ? WATERMARKS_OF_NIGHT : WATERMARKS_OF_ALL;
  const [watermarks] = await rowsOf<Omit<Lag, 'lastNightFinishedAt'>>(client, sql);
  return { ...finished!, ...watermarks! };
}

const RUNS = `
  select kind, case when finished_at is null then 'running' when closed is null then 'complete' else 'closed' end as outcome,
    count(*) as count
  from runs
  group by 1, 2
  order by 1, 2`;

const NEWEST_NIGHT = `
  select started_at as "startedAt", finished_at as "finishedAt"
  from runs
  where kind = 'night'
  order by run_id desc
  limit 1`;

const LAST_NIGHT_FINISHED = `
  select max(finished_at) as "lastNightFinishedAt"
  from runs
  where kind = 'night'`;

const MEMBERS = `
  select state, count(*) as merchants, sum(entries_added)::bigint as added
  from run_members
  where run_id = (select max(run_id) from runs where kind = 'night')
  group by state
  order by state`;

/** Of each merchant the last instant up to which it was read, where `of` gives it none itself. */
const watermarksOf = (of: { readonly from: string; readonly watermark: string; readonly where: string }): string => `
  select count(*) as watched, min(read_until) as "oldestWatermark", count(*) filter (where read_until is null) as "neverRead"
  from (
    select coalesce(${of.watermark}, known.watermark) as read_until
    from ${of.from} w
    left join lateral (
      select e.watermark
      from run_members e
      where e.merchant_id = w.merchant_id and e.watermark is not null and ${of.watermark} is null
      order by e.run_id desc
      limit 1
    ) known on true
    where ${of.where}
  ) each`;

/** A merchant that is no longer run has no lag: the newest night's are watched … */
const WATERMARKS_OF_NIGHT = watermarksOf({
  from: 'run_members',
  watermark: 'w.watermark',
  where: "w.run_id = (select max(run_id) from runs where kind = 'night')",
});

/** … and before the first night all. */
const WATERMARKS_OF_ALL = watermarksOf({ from: 'merchant_heads', watermark: 'null::bigint', where: 'true' });

/** A merchant that failed has no verdict of its own; a run that is over expects nobody any more. */
const VERDICTS = `
  with newest as (
    select run_id
    from runs
    where finished_at is not null
    order by (kind = 'night') desc, run_id desc
    limit 1
  )
  select case when state = 'done' then verdict else 'failed' end as verdict, count(*) as merchants
  from run_members
  where run_id = (select run_id from newest)
  group by 1
  order by 1`;

const FINDINGS = `
  select severity, state, count(*) as count
  from findings
  where state in ('open', 'acknowledged')
  group by severity, state
  order by severity, state`;

const ENTRIES = `
  select coalesce(sum(entry_count), 0)::bigint as entries
  from merchant_heads`;

const DELIVERIES = `
  select channel, state, count(*) as count
  from deliveries
  where state <> 'SUCCESS'
  group by channel, state
  order by channel, state`;
