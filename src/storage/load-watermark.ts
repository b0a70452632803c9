// Up to when a merchant's mirror is known to be complete.

import type { Instant } from '../domain/instant.ts';
import type { Store } from './open-store.ts';

/** When the newest run that read the merchant began: whatever happened before it is there. Null: no run has read it. */
export async function loadWatermark(store: Store, merchant: string): Promise<Instant | null> {
  const row = await store.db
    .selectFrom('runs')
    .innerJoin('run_merchants', 'run_merchants.run_id', 'runs.run_id')
    .innerJoin('merchants', 'merchants.merchant_id', 'run_merchants.merchant_id')
    .select(({ fn }) => fn.max<number | null>('runs.started_at').as('watermark'))
    .where('merchants.reference', '=', merchant)
    .executeTakeFirst();
  return row?.watermark ?? null;
}
