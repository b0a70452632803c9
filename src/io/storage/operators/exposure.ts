// What confirmed roots come to, by currency, state and age: one query over a partial index.

import { sql } from 'kysely';
import { DAY, type Instant } from '../../../core/domain/instant.ts';
import { AGE_BEGINS, AGES, EXPOSED_STATES, type Exposure } from '../../../core/domain/measures.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { ask, build, type Queries } from '../server/ask.ts';

/** Only what there is: by currency, an unknown one last, then state and age. */
export async function loadExposure(
  client: Queries,
  { merchant, at }: { readonly merchant?: string | undefined; readonly at: Instant },
): Promise<readonly Exposure[]> {
  const roots = build
    .selectFrom('findings as f')
    .innerJoin('runs as r', 'r.run_id', 'f.first_seen_run')
    .select(({ ref }) => [
      'f.currency',
      ref('f.state').$castTo<Exposure['state']>().as('state'),
      ageOf(at).as('age'),
      'f.amount_off',
      'f.concerned',
    ])
    .where('f.is_root', '=', sql.lit(true))
    .where('f.is_confirmed', '=', sql.lit(true))
    .where('f.state', '<>', sql.lit('resolved'));
  const query = build
    .selectFrom((merchant === undefined ? roots : roots.where('f.merchant_id', '=', merchantIdOf(merchant))).as('x'))
    .select(({ fn }) => [
      'x.currency',
      'x.state',
      'x.age',
      fn.countAll<number>().as('findings'),
      fn.sum<string>('x.amount_off').as('off'),
      fn.coalesce(fn.sum<string>('x.concerned'), sql<string>`0`).as('concerned'),
    ])
    .groupBy(['x.currency', 'x.state', 'x.age'])
    .orderBy('x.currency')
    .orderBy(sql`array_position(${sql.lit(STATES)}::text[], x.state)`)
    .orderBy('x.age');
  const { rows } = await ask(client, query);
  return rows.map(({ age, ...row }): Exposure => {
    const amounts = row.currency === null ? { off: null, concerned: null } : {};
    return { ...row, ...amounts, age: AGES[age]! };
  });
}

const STATES = `{${EXPOSED_STATES.join()}}`;

/** By its place in AGES. */
function ageOf(at: Instant) {
  const days = sql`(${at}::bigint - coalesce(f.item_at, r.started_at)) / ${sql.lit(DAY)}`;
  return sql<number>`width_bucket(${days}, ${sql.lit(`{${AGE_BEGINS.join()}}`)}::bigint[])`;
}
