// Up to when a merchant's mirror is known to be complete.

import type { Instant } from '../../domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * The newest instant at which a run had read the merchant, or where it kept no account of that, at which it began: whatever
 * happened before is there. Null: no run has read it.
 */
export async function loadWatermark(store: Store, merchant: string): Promise<Instant | null> {
  const query = build
    .selectFrom('merchants')
    .innerJoin('run_merchants', 'run_merchants.merchant_id', 'merchants.merchant_id')
    .innerJoin('runs', 'runs.run_id', 'run_merchants.run_id')
    .leftJoin('run_members', (join) =>
      join
        .onRef('run_members.merchant_id', '=', 'run_merchants.merchant_id')
        .onRef('run_members.run_id', '=', 'run_merchants.run_id'),
    )
    .select(({ fn }) => fn.max<number | null>(fn.coalesce('run_members.watermark', 'runs.started_at')).as('watermark'))
    .where('merchants.reference', '=', merchant);
  return (await ask(store.pool, query)).rows[0]?.watermark ?? null;
}
