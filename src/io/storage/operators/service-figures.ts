// The figures of this installation for its metrics, by a few queries whose cost grows with the
// number of merchants and not with the history. Metrics are read over and over while others work,
// so the queries use one connection, one after the other.

import { type AliasedExpression, type SqlBool, sql } from 'kysely';
import type pg from 'pg';
import type { Instant } from '../../../core/domain/instant.ts';
import type { NightFigures, ServiceFigures } from '../../../core/domain/measures.ts';
import { loadExposure } from '../conclusions/exposure.ts';
import { HANDED_ON } from '../conclusions/findings.ts';
import { countStanding } from '../conclusions/run-members.ts';
import { examineLog } from '../evidence/log.ts';
import { booksKnownUntil } from '../mirror/stored-extent.ts';
import { ask, build, by, type Queries } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * Loads the figures. Ages are as of `at`. The figures are not of one moment: a change during the
 * queries may show in one figure and not yet in the next.
 */
export async function loadServiceFigures(store: Store, at: Instant): Promise<ServiceFigures> {
  const client = await store.pool.connect();
  try {
    const night = await loadNewestNight(client);
    return {
      runs: (await ask(client, RUNS)).rows,
      newestNight: night,
      ...(await loadLag(client, night !== null)),
      verdicts: (await countStanding(client)).filter(({ verdict }) => verdict !== 'none'),
      findings: (await ask(client, FINDINGS)).rows,
      exposure: await loadExposure(client, { at }),
      entries: (await ask(client, ENTRIES)).rows[0]!.entries,
      deliveries: await loadDeliveryFigures(client),
      log: await examineLog(client),
    };
  } finally {
    client.release();
  }
}

/** Counts the deliveries that did not arrive, by channel and state. */
export async function loadDeliveryFigures(client: Queries): Promise<ServiceFigures['deliveries']> {
  return (await ask(client, DELIVERIES)).rows;
}

async function loadNewestNight(client: pg.ClientBase): Promise<NightFigures | null> {
  const [night] = (await ask(client, NEWEST_NIGHT)).rows;
  if (night === undefined) return null;
  const members = (await ask(client, MEMBERS)).rows;
  return {
    ...night,
    members: members.map(({ state, merchants }) => ({
      state: state === 'expected' ? 'waiting' : state,
      merchants,
    })),
    entriesAdded: members.reduce((sum, { added }) => sum + added, 0),
  };
}

type Lag = Pick<
  ServiceFigures,
  'lastNightFinishedAt' | 'watched' | 'oldestWatermark' | 'neverRead'
>;

async function loadLag(client: pg.ClientBase, hasNight: boolean): Promise<Lag> {
  const [finished] = (await ask(client, LAST_NIGHT_FINISHED)).rows;
  const [watermarks] = (await ask(client, hasNight ? WATERMARKS_OF_NIGHT : WATERMARKS_OF_ALL)).rows;
  return { ...finished!, ...watermarks! };
}

const count = build.fn.countAll<number>();

const RUNS = build
  .selectFrom('runs')
  .select([
    'kind',
    sql<
      ServiceFigures['runs'][number]['outcome']
    >`case when finished_at is null then 'running' when closed is null then 'complete' else 'closed' end`.as(
      'outcome',
    ),
    count.as('count'),
  ])
  .groupBy(['kind', 'outcome'])
  .$call(by('kind', 'outcome'));

const NIGHTS = build.selectFrom('runs').where('kind', '=', 'night');

const NEWEST_NIGHT = NIGHTS.select(['started_at as startedAt', 'finished_at as finishedAt'])
  .orderBy('run_id', 'desc')
  .limit(1);

const LAST_NIGHT_FINISHED = NIGHTS.select(({ fn }) =>
  fn.max<Instant | null>('finished_at').as('lastNightFinishedAt'),
);

const NEWEST_NIGHT_ID = NIGHTS.select(({ fn }) => fn.max('run_id').as('run_id'));

const MEMBERS = build
  .selectFrom('run_members')
  .select(({ cast, fn }) => [
    'state',
    count.as('merchants'),
    cast<number>(fn.sum('entries_added'), 'bigint').as('added'),
  ])
  .where('run_id', '=', NEWEST_NIGHT_ID)
  .groupBy('state')
  .orderBy('state');

/**
 * A merchant whose lag is watched, with the instant up to which the newest night read it; `null`
 * when that night has not.
 */
interface Watched {
  readonly merchant_id: number;
  readonly watermark: Instant | null;
}

/**
 * Selects figures over the instants up to which the watched merchants were last read: by the newest
 * night, or by an earlier run if that night has not.
 */
function watermarksOf(watched: AliasedExpression<Watched, 'w'>) {
  const each = build
    .selectFrom(watched)
    .leftJoinLateral(
      () =>
        booksKnownUntil(sql.ref<number>('w.merchant_id'))
          .where(sql<SqlBool>`w.watermark is null`)
          .as('known'),
      (join) => join.onTrue(),
    )
    .select(({ fn }) => fn.coalesce('w.watermark', 'known.watermark').as('read_until'));
  return build
    .selectFrom(each.as('each'))
    .select(({ fn }) => [
      count.as('watched'),
      fn.min<Instant | null>('read_until').as('oldestWatermark'),
      fn.countAll<number>().filterWhere('read_until', 'is', null).as('neverRead'),
    ]);
}

/**
 * The merchants of the newest night. Only these are watched, because a merchant that no longer
 * takes part in nights has no lag.
 */
const WATERMARKS_OF_NIGHT = watermarksOf(
  build
    .selectFrom('run_members')
    .select(['merchant_id', 'watermark'])
    .where('run_id', '=', NEWEST_NIGHT_ID)
    .as('w'),
);

/** All merchants: they are watched before the first night. */
const WATERMARKS_OF_ALL = watermarksOf(
  build
    .selectFrom('merchant_heads')
    .select(['merchant_id', sql<null>`null::bigint`.as('watermark')])
    .as('w'),
);

const FINDINGS = build
  .selectFrom('findings as f')
  .leftJoin('findings as root', (join) =>
    join
      .onRef('root.merchant_id', '=', 'f.merchant_id')
      .onRef('root.fingerprint', '=', 'f.caused_by')
      .on('root.state', 'in', HANDED_ON),
  )
  .select(({ fn }) => [
    'f.severity',
    fn.coalesce('root.state', 'f.state').as('state'),
    count.as('count'),
  ])
  .where('f.state', '<>', 'resolved')
  .groupBy(['f.severity', sql`2`])
  .orderBy('f.severity')
  .orderBy(sql`2`);

const ENTRIES = build
  .selectFrom('merchant_heads')
  .select(({ cast, fn, lit }) =>
    cast<number>(fn.coalesce(fn.sum('entry_count'), lit(0)), 'bigint').as('entries'),
  );

const DELIVERIES = build
  .selectFrom('deliveries')
  .select(['channel', 'state', count.as('count')])
  .where('state', 'not in', ['SUCCESS', 'GATHERED'])
  .groupBy(['channel', 'state'])
  .$call(by('channel', 'state'));
