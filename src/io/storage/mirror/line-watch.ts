// How far the history of a merchant's feed was compared with its mirror: one row a merchant, written at a first reading and
// where lines moved. Refuses to judge what moved them.

import { type Lease, requireLease } from '../merchants/merchant-lock.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import type { Store } from '../server/store.ts';

/** As of the last comparison of what was served with what was stored. */
export interface LineWatch {
  /** What the pages up to this one brought was compared. */
  readonly comparedIntake: number;
  /** By how many positions the newest known line stood lower in the service's list than in the mirror. */
  readonly positionShift: number;
  /** The newest line that was served; null: the newest one stored. */
  readonly headSequence: number | null;
}

/** Throws `LeaseLost`. */
export async function saveLineWatch(store: Store, lease: Lease, watch: LineWatch): Promise<void> {
  const values = {
    compared_intake: watch.comparedIntake,
    position_shift: watch.positionShift,
    head_sequence: watch.headSequence,
  };
  await inTransaction(store, async (client) => {
    await requireLease(client, lease);
    const save = build
      .insertInto('line_watches')
      .values({ merchant_id: lease.merchantId, ...values })
      .onConflict((conflict) => conflict.column('merchant_id').doUpdateSet(values));
    await ask(client, save);
  });
}
