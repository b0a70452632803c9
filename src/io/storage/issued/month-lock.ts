// Locks months. Only one process may generate a month's report at a time: the second caller waits,
// and then finds the report that the first has issued. A month that a person has closed is locked
// for good. Refuses to close a month that was never issued, or a month before one that is closed.
// No month is ever opened again.

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
 * Runs `work` while no other process issues this month of this merchant. The lock has its own
 * connection and ends with it. If that connection is lost, two generations may run, but the unique
 * keys of `reports` let only one of them through.
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

/** Loads the closed months of a merchant, the earliest first. */
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

/** The figures that closing a month would fix, and the state of the month now. */
export interface Closing {
  /** The highest sequence that the issued statements of this month or an earlier one include. */
  readonly lastSequence: number;
  /** First instant after the month. */
  readonly end: Instant;
  /**
   * The number of lines that are dated before the month's end and are in no statement. Once the
   * month is closed, they count in the next month.
   */
  readonly lateLines: number;
  readonly isHeld: boolean;
  /** `null` when the month is not closed. */
  readonly closed: {
    readonly at: Instant;
    readonly by: string;
    readonly reason: string | null;
  } | null;
}

/** Loads the closing of a month; `null` when the month was not issued, or has no line. */
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
 * Returns the sequences, ascending, of the lines that are dated in one of the closed months and
 * came after its last sequence.
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

/**
 * Selects what closing the month would fix. There is no row unless the month was issued and has a
 * line.
 */
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
 * Closes a month. Returns false when it was closed before; then nothing changes. Throws
 * `StoreFailed` (NOT_CLOSABLE). The caller must hold the month's lock.
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
