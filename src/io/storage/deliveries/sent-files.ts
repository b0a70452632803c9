// Which files left for whom: what a place has of a month, for the next delivery to it, and the register of all that was sent or
// downloaded. Lists nothing that certainly did not arrive.

import { sql } from 'kysely';
import type { SentFile } from '../../../core/domain/delivery/choose-files.ts';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { ask, build, by, jsonText } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/** One receiver by one way, and a month. */
export type Place = MonthKey & Pick<NewDelivery, 'channel' | 'target'>;

/** When the last attempt at a delivery `d` ended. */
const LAST = build
  .selectFrom('delivery_attempts as a')
  .select(({ fn }) => fn.max('a.finished_at').as('at'))
  .where('a.delivery_id', '=', sql.ref<string>('d.delivery_id'))
  .$asScalar()
  .$notNull();

/** Deliveries of the month's statements to the place. `files`: of the last attempt; null: not known. */
export function deliveriesTo({ channel, target, merchant, period }: Place) {
  return build
    .selectFrom('deliveries as d')
    .select(({ ref }) => [
      'd.state',
      jsonText('d.content', 'reportId').as('reportId'),
      ref('d.files').$castTo<readonly SentFile[] | null>().as('files'),
      LAST.as('at'),
    ])
    .where('d.merchant', '=', merchant)
    .where(({ and }) => and({ 'd.channel': channel, 'd.target': target, 'd.topic': 'statement' }))
    .where(jsonText('d.content', 'period'), '=', period)
    .orderBy('d.delivery_id');
}

export async function loadDeliveriesTo({ pool }: Store, place: Place) {
  return (await ask(pool, deliveriesTo(place))).rows;
}

const COLUMNS = sql`f("revision" int, "format" text, "fileName" text, "sha256" text)`;
const SENT = build
  .selectFrom('deliveries as d')
  .innerJoinLateral(sql<SentFile>`json_to_recordset(d.files)`.as<'f'>(COLUMNS), (join) => join.onTrue())
  .where('d.state', 'in', ['SUCCESS', 'IN_DOUBT'])
  .select(({ ref }) => [
    LAST.as('at'),
    'd.merchant',
    jsonText('d.content', 'period').as('period'),
    'f.revision',
    'f.format',
    'f.fileName',
    'f.sha256',
    ref('d.channel').$castTo<string>().as('way'),
    'd.target as to',
    jsonText('d.content', 'askedBy').as('askedBy'),
    ref('d.state').$castTo<string>().as('outcome'),
  ]);

/** Of entries that have a file as `nameDownload` does. */
const word = (number: number) => sql<string>`split_part(t.subject, ' ', ${sql.lit(number)})`;
const DOWNLOADED = build
  .selectFrom('trail as t')
  .where(sql<boolean>`t.subject ~ '^r[0-9]+ [0-9a-f]{64} '`)
  .where('t.status', '=', 200)
  .select([
    't.at',
    't.merchant',
    word(3).as('period'),
    sql<number>`substr(${word(1)}, 2)::int`.as('revision'),
    word(4).as('format'),
    word(5).as('fileName'),
    word(2).as('sha256'),
    sql<string>`t.via`.as('way'),
    't.operator as to',
    sql<string | null>`null`.as('askedBy'),
    sql<string>`'SUCCESS'`.as('outcome'),
  ]);
const ALL = build.selectFrom(SENT.unionAll(DOWNLOADED).as('u')).selectAll();

/** Newest first. `to`: an address, a folder, or who downloaded it; `askedBy`: who had it sent once more. IN_DOUBT: it may have arrived. */
export async function listSentFiles(
  store: Store,
  query: { readonly merchant?: string | undefined; readonly period?: string | undefined; readonly limit: number },
) {
  const { merchant, period, limit } = query;
  const list = ALL.$if(merchant !== undefined, (some) => some.where('u.merchant', '=', merchant!))
    .$if(period !== undefined, (some) => some.where('u.period', '=', period!))
    .$call(by('u.at desc', 'u.format'))
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}
