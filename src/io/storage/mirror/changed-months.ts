// Issued months in which lie lines and operations that came later, and what became of them: kept with the merchant's head, where the
// next reading finds it.

import type { ChangedMonth } from '../../../core/domain/snapshot.ts';
import { type Lease, requireLease } from '../merchants/merchant-lock.ts';
import { anyOf, ask, build, type Queries } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { BY_INDEX } from '../server/database-snapshot.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { changeState } from './row-digests.ts';

/**
 * `2026-10`, ascending: months that were issued and not closed, with rows of pages after this one that are dated before their end; `isWhole`:
 * whatever came.
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
      const newLines = selectFrom('entries as e').select('e.sequence').where('e.merchant_id', '=', merchantId);
      const newVersions = selectFrom('operation_versions as v')
        .select('v.version')
        .where('v.merchant_id', '=', merchantId);
      return or([
        lit(isWhole),
        exists(newLines.where('e.intake', '>', after).where('e.created_at', '<', ref('r.period_end'))),
        exists(newVersions.where('v.intake', '>', after).where('v.created_at', '<', ref('r.period_end'))),
      ]);
    })
    .where(({ exists, not, selectFrom }) => {
      const closed = selectFrom('closed_months as k').select('k.period').whereRef('k.period', '=', 'r.period');
      return not(exists(closed.whereRef('k.merchant_id', '=', 'r.merchant_id')));
    })
    .orderBy('r.period');
  const { rows } = await inTransaction(store, (client) => ask(client, list), BY_INDEX);
  return rows.map(({ period }) => period);
}

/** `compared`: the months that were stated again; `changed`: those of them that came out otherwise. Throws `LeaseLost`. */
export async function keepChangedMonths(
  store: Store,
  lease: Lease,
  { compared, changed }: { readonly compared: readonly string[]; readonly changed: readonly ChangedMonth[] },
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

/** By merchant, by month; without those of which a revision was issued since. */
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
    // What the owner of the tables wrote in its place may be no list.
    (Array.isArray(months) ? months : [])
      .filter((month: ChangedMonth) => month.period === period && month.revision === revision)
      .map((month: ChangedMonth) => ({ merchantId, month })),
  );
  const byMerchant = Map.groupBy(stillChanged, ({ merchantId }) => merchantId);
  return new Map([...byMerchant].map(([merchantId, found]) => [merchantId, found.map(({ month }) => month)]));
}
