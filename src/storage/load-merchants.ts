// The merchants that the mirror holds.

import type { Store } from './open-store.ts';

/** References, sorted. */
export async function loadMerchants(store: Store): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('merchants').select('reference').orderBy('reference').execute();
  return rows.map((row) => row.reference);
}
