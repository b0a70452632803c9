// What locks a month: one generation of it at a time, where the second caller waits and then finds what the first has issued; and
// for good, when a person has closed it. Refuses to close a month that was never issued, or before one that is closed; opens
// none again.

import { type SqlBool, sql } from 'kysely';
import type { Instant } from '../../domain/instant.ts';
import type { ClosedMonth, MonthKey } from '../../domain/period.ts';
import { ask, build } from '../server/ask.ts';
import { connectAlone } from '../server/open-store.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';

/**
 * Runs `work` while no other process issues this month of this merchant. The lock has a connection of its own and goes with
 * it; should that be lost, the unique keys of `reports` still let one of two generations through.
 */
export async function withMonthLock<T>(
  store: Store,
  month: { readonly merchant: string; readonly period: string },
  work: () => Promise<T>,
): Promise<T> {
  const client = await connectAlone(store);
  const name = JSON.stringify(['report', month.merchant, month.period]);
  try {
    await ask(client, build.selectNoFrom(sql`pg_advisory_lock(hashtextextended(${name}, 0))`.as('locked')));
    return await work();
  } finally {
    // The end of the connection gives the lock back.
    await client.end().catch(() => {});
  }
}

/** Ascending. */
export async function loadClosedMonths(store: Store, merchant: string): Promise<readonly ClosedMonth[]> {
  const load = build
    .selectFrom('closed_months as c')
    .innerJoin('merchants as m', 'm.merchant_id', 'c.merchant_id')
    .select(['c.period', 'c.period_end as end', 'c.last_sequence as lastSequence'])
    .where('m.reference', '=', merchant)
    .orderBy('c.period');
  return (await ask(store.pool, load)).rows;
}

/**
 * False: it was closed before, and stays as it was. Throws `StoreFailed` (NOT_CLOSABLE). The last line is that of all months
 * that were issued up to this one. Called under the month's lock.
 */
export async function closeMonth(
  store: Store,
  { merchant, period }: MonthKey,
  { by, now }: { readonly by: string; readonly now: Instant },
): Promise<boolean> {
  const closed = await loadClosedMonths(store, merchant);
  if (closed.some((one) => one.period === period)) return false;
  const later = closed.find((one) => one.period > period);
  if (later !== undefined) throw notClosable(`${later.period} is closed, and months are closed in their order`);
  const lastSequence = sql<number>`max((r.issued -> 'summary' ->> 'lastSequence')::bigint)`;
  const close = build
    .insertInto('closed_months')
    .columns(['merchant_id', 'period', 'period_end', 'last_sequence', 'closed_at', 'closed_by'])
    .expression((from) =>
      from
        .selectFrom('merchants as m')
        .innerJoin('reports as r', 'r.merchant_id', 'm.merchant_id')
        .select(({ fn, val }) => [
          'm.merchant_id',
          val(period).as('period'),
          fn.max('r.period_end').as('period_end'),
          lastSequence.as('last_sequence'),
          val(now).as('closed_at'),
          val(storableText(by)).as('closed_by'),
        ])
        .where('m.reference', '=', merchant)
        .where('r.status', '=', 'READY')
        .where('r.period', '<=', period)
        .groupBy('m.merchant_id')
        .having(({ eb, fn }) => fn<SqlBool>('bool_or', [eb('r.period', '=', period)]))
        .having(lastSequence, 'is not', null),
    );
  if ((await ask(store.pool, close)).count === 1) return true;
  throw notClosable(
    `${period} of ${merchant} was not issued, or has no line: run 'pointage publish ${merchant} ${period}'`,
  );
}

function notClosable(why: string): StoreFailed {
  return new StoreFailed('NOT_CLOSABLE', `The month cannot be closed: ${why}.`);
}
