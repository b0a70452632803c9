// Up to when a merchant's mirror is known to be complete.

import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/**
 * By the source's own clock, when the newest run that read the merchant to the end began: whatever happened before is there.
 * Null: no run has, or none is known.
 */
export async function loadWatermark(store: Store, merchant: string): Promise<Instant | null> {
  const query = build
    .selectFrom('merchants as m')
    .innerJoin('run_members as x', 'x.merchant_id', 'm.merchant_id')
    .select('x.watermark')
    .where('m.reference', '=', merchant)
    .where('x.watermark', 'is not', null)
    .orderBy('x.run_id', 'desc')
    .limit(1);
  return (await ask(store.pool, query)).rows[0]?.watermark ?? null;
}

/** How often the merchant was read to the end. */
export async function countReadings(store: Store, merchant: string): Promise<number> {
  const query = build
    .selectFrom('merchants as m')
    .innerJoin('run_members as x', 'x.merchant_id', 'm.merchant_id')
    .select(({ fn }) => fn.countAll<number>().as('readings'))
    .where('m.reference', '=', merchant)
    .where('x.watermark', 'is not', null);
  return (await ask(store.pool, query)).rows[0]!.readings;
}
