// What locks a month: one generation of it at a time, where the second caller waits and then finds
// what the first has issued; and for good, when a person has closed it. Refuses to close a month
// that was never issued, or before one that is closed; opens none again.

import { type SqlBool, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { ClosedMonth, MonthKey } from '../../../core/domain/period.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import { findMerchantId } from '../merchants/merchants.ts';
import { digestClosing } from '../mirror/row-digests.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { connectAlone } from '../server/open-store.ts';
import { storableNullable, storableText } from '../server/storable-text.ts';
import { type Store, StoreFailed } from '../server/store.ts';
import { listHeldMonths } from './reports.ts';

/**
 * Runs `work` while no other process issues this month of this merchant. The lock has a connection
 * of its own and goes with it; should that be lost, the unique keys of `reports` still let one of
 * two generations through.
 */
export async function withMonthLock<T>(
  store: Store,
  month: MonthKey,
  work: () => Promise<T>,
): Promise<T> {
  const client = await connectAlone(store);
  const name = JSON.stringify(['report', month.merchant, month.period]);
  try {
    await ask(
      client,
      build.selectNoFrom(sql`pg_advisory_lock(hashtextextended(${name}, 0))`.as('locked')),
    );
    return await work();
  } finally {
    // The end of the connection gives the lock back.
    await client.end().catch(() => {});
  }
}

/** Ascending. */
export async function loadClosedMonths(
  store: Store,
  merchant: string,
): Promise<readonly ClosedMonth[]> {
  const load = build
    .selectFrom('closed_months as c')
    .innerJoin('merchants as m', 'm.merchant_id', 'c.merchant_id')
    .select([
      'c.period',
      'c.period_end as end',
      'c.last_sequence as lastSequence',
      'c.closed_at as at',
      'c.closed_by as by',
    ])
    .where('m.reference', '=', merchant)
    .orderBy('c.period');
  return (await ask(store.pool, load)).rows;
}

/** What closing a month would fix, and what is known about it by now. */
export interface Closing {
  /** The highest of all months that were issued up to this one. */
  readonly lastSequence: number;
  /** First instant after the month. */
  readonly end: Instant;
  /** Lines that are dated before its end and were not stated: they fall into the month after it. */
  readonly lateLines: number;
  readonly isHeld: boolean;
  /** Null: it is not closed. */
  readonly closed: {
    readonly at: Instant;
    readonly by: string;
    readonly reason: string | null;
  } | null;
}

/** Null: the month was not issued, or has no line. */
export async function loadClosing(
  store: Store,
  { merchant, period }: MonthKey,
): Promise<Closing | null> {
  const merchantId = await findMerchantId(store.pool, merchant);
  if (merchantId === null) return null;
  const [fixed] = (await ask(store.pool, fixedBy({ merchantId, period }))).rows;
  if (fixed === undefined) return null;
  const late = build
    .selectFrom('entries')
    .select(({ fn }) => fn.count<number>('sequence').distinct().as('lines'))
    .where('merchant_id', '=', merchantId)
    .where('sequence', '>', fixed.last_sequence)
    .where('created_at', '<', fixed.period_end);
  const known = build
    .selectFrom('closed_months')
    .select(['closed_at as at', 'closed_by as by', 'reason'])
    .where(({ and }) => and({ merchant_id: merchantId, period }));
  return {
    lastSequence: fixed.last_sequence,
    end: fixed.period_end,
    lateLines: (await ask(store.pool, late)).rows[0]!.lines,
    isHeld: (await listHeldMonths(store, merchant)).some((month) => month.period === period),
    closed: (await ask(store.pool, known)).rows[0] ?? null,
  };
}

/**
 * Of months that are closed, the lines that are dated in them and came too late: their sequences,
 * ascending.
 */
export async function loadLateLines(store: Store, merchant: string, closed: readonly Closing[]) {
  const load = build
    .selectFrom('entries')
    .select('sequence')
    .distinct()
    .where('merchant_id', '=', (await findMerchantId(store.pool, merchant)) ?? 0)
    .where(({ and, eb, or }) =>
      or(
        closed.map(({ lastSequence, end }) =>
          and([eb('sequence', '>', lastSequence), eb('created_at', '<', end)]),
        ),
      ),
    )
    .orderBy('sequence');
  return (await ask(store.pool, load)).rows.map(({ sequence }) => sequence);
}

/** A row where the month was issued and has a line. */
function fixedBy({ merchantId, period }: { readonly merchantId: number; readonly period: string }) {
  const lastSequence = sql<number>`max((r.issued -> 'summary' ->> 'lastSequence')::bigint)`;
  return build
    .selectFrom('reports as r')
    .select(({ fn }) => [fn.max('r.period_end').as('period_end'), lastSequence.as('last_sequence')])
    .where(({ and }) => and({ 'r.merchant_id': merchantId, 'r.status': 'READY' }))
    .where('r.period', '<=', period)
    .having(({ eb, fn }) => fn<SqlBool>('bool_or', [eb('r.period', '=', period)]))
    .having(lastSequence, 'is not', null);
}

/**
 * False: it was closed before, and stays as it was. Throws `StoreFailed` (NOT_CLOSABLE). Called
 * under the month's lock.
 */
export async function closeMonth(
  store: Store,
  { merchant, period }: MonthKey,
  {
    by,
    now,
    reason,
  }: { readonly by: string; readonly now: Instant; readonly reason: string | null },
): Promise<boolean> {
  const closed = await loadClosedMonths(store, merchant);
  if (closed.some((one) => one.period === period)) return false;
  const later = closed.find((one) => one.period > period);
  if (later !== undefined)
    throw notClosable(`${later.period} is closed, and months are closed in their order`);
  const merchantId = (await findMerchantId(store.pool, merchant)) ?? 0;
  const [fixed] = (await ask(store.pool, fixedBy({ merchantId, period }))).rows;
  if (fixed === undefined) throw notIssued({ merchant, period });
  const who = { closed_at: now, closed_by: storableText(by), reason: storableNullable(reason) };
  const close = build
    .insertInto('closed_months')
    .values({ merchant_id: merchantId, period, ...fixed, ...who });
  await inTransaction(store, async (client) => {
    await ask(client, close);
    await digestClosing(client, merchantId, fixed.period_end);
  });
  return true;
}

export function notIssued({ merchant, period }: MonthKey): StoreFailed {
  return notClosable(
    `${period} of ${merchant} was not issued, or has no line: run '${commandLine('statement issue', merchant, period)}'`,
  );
}

export function notClosable(why: string): StoreFailed {
  return new StoreFailed('NOT_CLOSABLE', `The month cannot be closed: ${why}.`);
}
