// What locks a month: one generation of it at a time, where the second caller waits and then finds what the first has issued; and
// for good, when a person has closed it. Refuses to close a month that was never issued, or before one that is closed; opens
// none again.

import type { Instant } from '../../domain/instant.ts';
import type { ClosedMonth, MonthKey } from '../../domain/period.ts';
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
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    // The end of the connection gives the lock back.
    await client.end().catch(() => {});
  }
}

/** Ascending. */
export async function loadClosedMonths(store: Store, merchant: string): Promise<readonly ClosedMonth[]> {
  const found = await store.pool.query<{ period: string; period_end: string; last_sequence: string }>(
    `select c.period, c.period_end, c.last_sequence
    from closed_months c
    join merchants m on m.merchant_id = c.merchant_id
    where m.reference = $1
    order by c.period`,
    [merchant],
  );
  return found.rows.map(({ period, period_end, last_sequence }) => ({
    period,
    end: Number(period_end),
    lastSequence: Number(last_sequence),
  }));
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
  const written = await store.pool.query(
    `insert into closed_months (merchant_id, period, period_end, last_sequence, closed_at, closed_by)
    select m.merchant_id, $2, max(r.period_end), max((r.issued -> 'summary' ->> 'lastSequence')::bigint), $3, $4
    from merchants m
    join reports r on r.merchant_id = m.merchant_id and r.status = 'READY' and r.period <= $2
    where m.reference = $1
    group by m.merchant_id
    having bool_or(r.period = $2) and max((r.issued -> 'summary' ->> 'lastSequence')::bigint) is not null`,
    [merchant, period, now, storableText(by)],
  );
  if (written.rowCount === 1) return true;
  throw notClosable(
    `${period} of ${merchant} was not issued, or has no line: run 'pointage publish ${merchant} ${period}'`,
  );
}

function notClosable(why: string): StoreFailed {
  return new StoreFailed('NOT_CLOSABLE', `The month cannot be closed: ${why}.`);
}
