// What a merchant calls itself, by its newest profile. Refuses to guess: null where no profile was read.

import { ask, build } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

export async function loadMerchantName(store: Store, merchant: string): Promise<string | null> {
  const load = build
    .selectFrom('profile_versions as p')
    .innerJoin('merchants as m', 'm.merchant_id', 'p.merchant_id')
    .select('p.name')
    .where('m.reference', '=', merchant)
    .orderBy('p.version', 'desc')
    .limit(1);
  return (await ask(store.pool, load)).rows[0]?.name ?? null;
}
