// The merchants that the mirror holds, and the numbers that they go by there.

import type pg from 'pg';
import type { Store } from '../server/store.ts';

/** References, sorted. */
export async function loadMerchants(store: Store): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('merchants').select('reference').orderBy('reference').execute();
  return rows.map((row) => row.reference);
}

/** True when the mirror has heard of the merchant, whether or not it has read anything of it. */
export async function knowsMerchant(store: Store, reference: string): Promise<boolean> {
  const query = store.db.selectFrom('merchants').select('merchant_id').where('reference', '=', reference);
  return (await query.executeTakeFirst()) !== undefined;
}

type Queries = Pick<pg.ClientBase, 'query'> | pg.Pool;

/** Null when the mirror has not heard of the merchant. */
export async function findMerchantId(queries: Queries, reference: string): Promise<number | null> {
  const found = await queries.query<{ merchant_id: number }>({
    name: 'find merchant',
    text: 'select merchant_id from merchants where reference = $1',
    values: [reference],
  });
  return found.rows[0]?.merchant_id ?? null;
}

/** Enters a merchant that is new; nothing is read of it by that. */
export async function enterMerchant(queries: Queries, reference: string): Promise<number> {
  const known = await findMerchantId(queries, reference);
  if (known !== null) return known;
  const enter = 'insert into merchants (reference) values ($1) on conflict (reference) do nothing';
  await queries.query(enter, [reference]);
  return (await findMerchantId(queries, reference))!;
}
