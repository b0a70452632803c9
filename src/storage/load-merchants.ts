// The merchants that the mirror holds.

import type { Store } from './store.ts';

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
