// Loads the facts that decide whether a merchant's month can be stated: up to when its books are
// known, its country, and the months that were issued.

import { type InferResult, sql } from 'kysely';
import { profiled } from '../merchants/merchants.ts';
import { booksKnownUntil } from '../mirror/stored-extent.ts';
import { anyOf, ask, build, prepare, type Slots } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * `country` is `null` when no profile was read. `knownUntil` is the instant up to which the books
 * are known, by the newest reading that came to its end in a run; `null` when none has. `hasLines`
 * says whether the mirror has any line. `issued` holds those of the periods asked about that have a
 * READY report.
 */
export type MonthReadiness = InferResult<ReturnType<typeof readiness>>[number];

/**
 * Loads the readiness of merchants, by reference. `merchants` is `null` for every merchant.
 * `periods` are `YYYY-MM`.
 */
export async function loadMonthReadiness(
  store: Store,
  asked: { readonly merchants: readonly string[] | null; readonly periods: readonly string[] },
): Promise<readonly MonthReadiness[]> {
  const { merchants, periods } = asked;
  if (merchants !== null) return (await ask(store.pool, readinessOf({ merchants, periods }))).rows;
  return (await ask(store.pool, readiness(periods))).rows;
}

/** This query is prepared, because a night runs it many times for some merchants. */
const readinessOf = prepare(
  'month readiness',
  (at: Slots<{ readonly merchants: readonly string[]; readonly periods: readonly string[] }>) =>
    readiness(at('periods')).where('m.reference', '=', anyOf('text', at('merchants'))),
);

function readiness(periods: readonly string[]) {
  return build
    .selectFrom('merchant_heads as h')
    .innerJoin('merchants as m', 'm.merchant_id', 'h.merchant_id')
    .select(({ fn, selectFrom }) => [
      'm.reference as merchant',
      profiled('country', 'h').as('country'),
      booksKnownUntil(sql.ref<number>('h.merchant_id')).as('knownUntil'),
      sql<boolean>`h.entry_count > 0`.as('hasLines'),
      fn
        .coalesce(
          selectFrom('reports as r')
            .select((read) =>
              read.fn.agg<readonly string[]>('array_agg', ['r.period']).distinct().as('periods'),
            )
            .whereRef('r.merchant_id', '=', 'h.merchant_id')
            .where(({ and }) =>
              and({ 'r.status': sql.lit('READY' as const), 'r.period': anyOf('text', periods) }),
            )
            .$asScalar(),
          sql<readonly string[]>`'{}'`,
        )
        .as('issued'),
    ])
    .orderBy('m.reference');
}

/**
 * Lists the newest issued month of each merchant, with the country in its newest profile. `end` is
 * the first instant after the month.
 */
export async function listNewestIssued(store: Store) {
  const list = build
    .selectFrom('reports as r')
    .innerJoin('merchants as m', 'm.merchant_id', 'r.merchant_id')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'r.merchant_id')
    .distinctOn('r.merchant_id')
    .select([
      'm.reference',
      profiled('country', 'h').as('country'),
      'r.period',
      'r.period_end as end',
    ])
    .where('r.status', '=', sql.lit('READY'))
    .orderBy('r.merchant_id')
    .orderBy('r.period', 'desc');
  return (await ask(store.pool, list)).rows;
}
