// Issued months that lines and operations which came later belong to. Months that would be stated
// otherwise now are stored with the merchant's head, where the next reading finds them.

import type { Compilable, Expression, ExpressionBuilder } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import {
  isFinal,
  OPERATION_STATUSES,
  type OperationStatus,
} from '../../../core/domain/operation.ts';
import type { ChangedMonth } from '../../../core/domain/snapshot.ts';
import type { EndedBefore } from '../../../core/kernel/replay/cut.ts';
import { type Lease, requireLease } from '../merchants/merchant-lock.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { anyOf, ask, build, type Queries } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { BY_INDEX } from '../server/database-snapshot.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { changeState } from './row-digests.ts';

/**
 * Lists issued months that are not closed, for example `2026-10`, ascending: those with new lines
 * or operations dated before the month's end, in pages after `after`. With `isWhole`, lists all of
 * them, whatever came.
 */
export async function listTouchedMonths(
  store: Store,
  merchantId: number,
  { after, isWhole }: { readonly after: number; readonly isWhole: boolean },
): Promise<readonly string[]> {
  const list = build
    .selectFrom('reports as r')
    .select('r.period')
    .distinct()
    .where(({ and }) => and({ 'r.merchant_id': merchantId, 'r.status': 'READY' }))
    .where(({ exists, lit, or, ref, selectFrom }) => {
      const newLines = selectFrom('entries as e')
        .select('e.sequence')
        .where('e.merchant_id', '=', merchantId);
      const newVersions = selectFrom('operation_versions as v')
        .select('v.version')
        .where('v.merchant_id', '=', merchantId);
      return or([
        lit(isWhole),
        exists(
          newLines.where('e.intake', '>', after).where('e.created_at', '<', ref('r.period_end')),
        ),
        exists(
          newVersions
            .where('v.intake', '>', after)
            .where((of) => isBefore(of, ref('r.period_end'))),
        ),
      ]);
    })
    .where(({ exists, not, selectFrom }) => {
      const closed = selectFrom('closed_months as k')
        .select('k.period')
        .whereRef('k.period', '=', 'r.period');
      return not(exists(closed.whereRef('k.merchant_id', '=', 'r.merchant_id')));
    })
    .orderBy('r.period');
  const { rows } = await inTransaction(store, (client) => ask(client, list), BY_INDEX);
  return rows.map(({ period }) => period);
}

/**
 * A condition that the operation's version `v` is a fact of the time before `end`: the operation
 * was changed before `end`, or had ended before it.
 */
function isBefore(
  { or, eb }: ExpressionBuilder<Database & { v: Database['operation_versions'] }, 'v'>,
  end: Expression<number> | Instant,
) {
  return or([eb('v.updated_at', '<', end), eb('v.completed_at', '<', end)]);
}

/**
 * Returns whether a statement up to `end` may come out otherwise now. It may when pages after
 * `after` brought lines or operations dated before `end`, or altered lines, or when after the
 * instant `at` a person decided about a finding or had lines read anew.
 */
export async function hasNewsOf(
  store: Store,
  merchant: string,
  { end, after, at }: { readonly end: Instant; readonly after: number; readonly at: Instant },
): Promise<boolean> {
  const id = merchantIdOf(merchant);
  const lines = build.selectFrom('entries').select('merchant_id').where('merchant_id', '=', id);
  const versions = build
    .selectFrom('operation_versions as v')
    .select('v.merchant_id')
    .where('v.merchant_id', '=', id);
  const words = build
    .selectFrom('finding_decisions')
    .select('merchant_id')
    .where('merchant_id', '=', id);
  const rereads = build
    .selectFrom('ledger_rereads')
    .select('merchant_id')
    .where('merchant_id', '=', id);
  const altered = build
    .selectFrom('entry_alterations')
    .select('merchant_id')
    .where('merchant_id', '=', id);
  const each: readonly Compilable<{ merchant_id: number }>[] = [
    lines.where('intake', '>', after).where('created_at', '<', end).limit(1),
    versions
      .where('v.intake', '>', after)
      .where((of) => isBefore(of, end))
      .limit(1),
    words.where('decided_at', '>', at).where('run_id', 'is', null).limit(1),
    rereads.where('decided_at', '>', at).limit(1),
    altered.where('intake', '>', after).limit(1),
  ];
  return inTransaction(
    store,
    async (client) => {
      for (const one of each) if ((await ask(client, one)).rows.length > 0) return true;
      return false;
    },
    BY_INDEX,
  );
}

/**
 * Stores the changed months of a merchant. `compared` are the months that were stated again, and
 * `changed` those of them that came out otherwise; stored months that were not compared stay.
 * Throws `LeaseLost`.
 */
export async function keepChangedMonths(
  store: Store,
  lease: Lease,
  {
    compared,
    changed,
  }: { readonly compared: readonly string[]; readonly changed: readonly ChangedMonth[] },
): Promise<void> {
  const { merchantId } = lease;
  await inTransaction(store, async (client) => {
    await requireLease(client, lease);
    const kept = (await loadChangedMonths(client, [merchantId])).get(merchantId) ?? [];
    const others = kept.filter(({ period }) => !compared.includes(period));
    const months = [...others, ...changed];
    const keep = build
      .updateTable('merchant_heads')
      .set({ changed_months: months.length === 0 ? null : storableJson(months) })
      .where('merchant_id', '=', merchantId);
    await changeState(client, merchantId, () => ask(client, keep));
  });
}

/**
 * Loads the changed months, by merchant and in order. Leaves out months of which a revision was
 * issued since.
 */
export async function loadChangedMonths(
  queries: Queries,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly ChangedMonth[]>> {
  if (merchantIds.length === 0) return new Map();
  const load = build
    .selectFrom('merchant_heads as h')
    .innerJoin('reports as r', 'r.merchant_id', 'h.merchant_id')
    .select(({ ref }) => [
      'h.merchant_id as merchantId',
      'r.period',
      ref('h.changed_months').$castTo<readonly ChangedMonth[]>().as('months'),
    ])
    .select(({ fn }) => fn.max('r.revision').as('revision'))
    .where('h.merchant_id', '=', anyOf('bigint', merchantIds))
    .where('h.changed_months', 'is not', null)
    .where('r.status', '=', 'READY')
    .groupBy(['h.merchant_id', 'r.period'])
    .orderBy('r.period');
  const { rows } = await ask(queries, load);
  const stillChanged = rows.flatMap(({ merchantId, period, months, revision }) =>
    // The owner of the tables may have written anything into this column, so it may not be a list.
    (Array.isArray(months) ? months : [])
      .filter((month: ChangedMonth) => month.period === period && month.revision === revision)
      .map((month: ChangedMonth) => ({ merchantId, month })),
  );
  const byMerchant = Map.groupBy(stillChanged, ({ merchantId }) => merchantId);
  return new Map(
    [...byMerchant].map(([merchantId, found]) => [merchantId, found.map(({ month }) => month)]),
  );
}

/**
 * Loads operations that were served twice in the same final state: once updated before `end`, and
 * again updated at `end` or later. Gives, by reference, that state and the earliest instants that
 * came with it.
 */
export async function loadEndedBefore(
  { pool }: Store,
  merchant: string,
  end: Instant,
): Promise<EndedBefore> {
  const load = build
    .selectFrom('operation_versions as w')
    .innerJoin('operation_versions as v', (join) =>
      join
        .onRef('v.merchant_id', '=', 'w.merchant_id')
        .onRef('v.reference', '=', 'w.reference')
        .onRef('v.status', '=', 'w.status')
        .onRef('v.version', '<', 'w.version'),
    )
    .select(({ fn, ref }) => [
      'v.reference',
      ref('v.status').$castTo<OperationStatus>().as('status'),
      fn.min('v.completed_at').as('completedAt'),
      fn.min('v.updated_at').as('updatedAt'),
    ])
    .where('w.merchant_id', '=', merchantIdOf(merchant))
    .where('w.updated_at', '>=', end)
    .where('v.updated_at', '<', end)
    .where('v.status', 'in', OPERATION_STATUSES.filter(isFinal))
    .groupBy(['v.reference', 'v.status']);
  const { rows } = await ask(pool, load);
  return new Map(rows.map(({ reference, ...known }) => [reference, known]));
}
