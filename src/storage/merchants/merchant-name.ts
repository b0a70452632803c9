// What a merchant calls itself, by its newest profile. Refuses to guess: null where no profile was read.

import type { Store } from '../server/store.ts';

export async function loadMerchantName(store: Store, merchant: string): Promise<string | null> {
  const answer = await store.pool.query<{ name: string }>(
    `select p.name
    from profile_versions p
    join merchants m on m.merchant_id = p.merchant_id
    where m.reference = $1
    order by p.version desc
    limit 1`,
    [merchant],
  );
  return answer.rows[0]?.name ?? null;
}
