// Which files were sent to whom: the files of a month that a place has, for the next delivery to
// it, and the register of all files that were sent or downloaded. Lists no file that certainly did
// not arrive.

import { sql } from 'kysely';
import type { SentFile } from '../../../core/domain/delivery/choose-files.ts';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { anyOf, ask, build, by, jsonText } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/** One target of one channel, and a merchant's month. */
export type Place = MonthKey & Pick<NewDelivery, 'channel' | 'target'>;

/**
 * Selects the deliveries of the month's statements to a place. Mail addresses are compared without
 * regard to case.
 */
export function deliveriesTo({ channel, target, merchant, period }: Place) {
  return build
    .selectFrom('deliveries as d')
    .select(['d.delivery_id as id', 'd.state'])
    .where('d.merchant', '=', merchant)
    .where('d.channel', '=', channel)
    .where(({ eb, fn, val }) =>
      channel === 'mail'
        ? eb(fn('lower', ['d.target']), '=', fn('lower', [val(target)]))
        : eb('d.target', '=', target),
    )
    .where('d.topic', '=', 'statement')
    .where(jsonText('d.content', 'period'), '=', period)
    .orderBy('d.delivery_id');
}

/**
 * Selects attempts, each by its last record only: an attempt that was recorded as in doubt may have
 * a second record, with the outcome that became known later.
 */
const ATTEMPTS = build
  .selectFrom('deliveries as d')
  .innerJoin('delivery_attempts as a', 'a.delivery_id', 'd.delivery_id')
  .where(({ exists, not, selectFrom }) => {
    const others = selectFrom('delivery_attempts as l').whereRef(
      'l.delivery_id',
      '=',
      'a.delivery_id',
    );
    const same = others.whereRef('l.started_at', '=', 'a.started_at');
    return not(
      exists(same.whereRef('l.attempt_number', '>', 'a.attempt_number').select('l.outcome')),
    );
  });

/**
 * Loads the states of the deliveries to a place as one text, `seen`, and the attempts that brought
 * files or may have brought some, in their order. For a folder, these are all attempts that began,
 * because each may have written some files. `files` is `null` when they are not known.
 */
export async function loadPlace({ pool }: Store, place: Place) {
  const { rows } = await ask(pool, deliveriesTo(place));
  const ids = rows.map(({ id }) => id);
  const attempts = ATTEMPTS.where('d.delivery_id', '=', anyOf('uuid', ids))
    .where(({ eb, or, and }) =>
      or([
        eb('a.outcome', 'in', ['SUCCESS', 'IN_DOUBT']),
        and({ 'd.channel': 'folder' }).and('a.files', 'is not', null),
      ]),
    )
    .select(({ ref }) => [
      'd.delivery_id as id',
      jsonText('d.content', 'reportId').as('reportId'),
      ref('a.files').$castTo<readonly SentFile[] | null>().as('files'),
      'a.finished_at as at',
      'a.outcome',
    ])
    .orderBy('a.started_at');
  return {
    seen: rows.map(({ state }) => state).join(),
    attempts: (await ask(pool, attempts)).rows,
  };
}

const COLUMNS = sql`f("revision" int, "format" text, "fileName" text, "sha256" text)`;
const SENT = ATTEMPTS.crossJoinLateral(sql<SentFile>`json_to_recordset(a.files)`.as<'f'>(COLUMNS))
  .where('a.outcome', 'in', ['SUCCESS', 'IN_DOUBT'])
  .select(({ ref }) => [
    'a.finished_at as at',
    'd.merchant',
    jsonText('d.content', 'period').as('period'),
    'f.revision',
    'f.format',
    'f.fileName',
    'f.sha256',
    ref('d.channel').$castTo<string>().as('way'),
    'd.target as to',
    jsonText('d.content', 'askedBy').as('askedBy'),
    ref('a.outcome').$castTo<string>().as('outcome'),
  ]);

/**
 * Returns a word of an entry's subject, counted from 1. The subject of a download is as
 * `nameDownload` writes it: `r2 SHA256 2026-10 FORMAT NAME`.
 */
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

/**
 * Lists the files of attempts and downloads, newest first. `to` is an address, a folder, or the
 * operator who downloaded the file. `askedBy` is who had it sent once more. With the outcome
 * IN_DOUBT the file may have arrived.
 */
export async function listSentFiles(
  store: Store,
  query: {
    readonly merchant?: string | undefined;
    readonly period?: string | undefined;
    readonly limit: number;
  },
) {
  const { merchant, period, limit } = query;
  const list = ALL.$if(merchant !== undefined, (some) => some.where('u.merchant', '=', merchant!))
    .$if(period !== undefined, (some) => some.where('u.period', '=', period!))
    .$call(by('u.at desc', 'u.format'))
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}
