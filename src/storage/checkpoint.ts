// The replay's checkpoint: the state after a known line, so that the next run reads only what is new. Refuses to give a
// checkpoint back once a line has arrived at or below the head it was taken at.

import type { Store } from './open-store.ts';

export interface Checkpoint {
  /** The state includes every line up to this sequence … */
  readonly lastSequence: number;
  /** … and every page up to this one. */
  readonly lastIntake: number;
  /** JSON, opaque to the store. */
  readonly state: string;
  /** What computed the state; another engine's state is for the caller to refuse. */
  readonly engine: string;
}

/** Null when there is none, or when late lines have made it void: the replay must start at the first line. */
export async function loadCheckpoint(store: Store, merchant: string): Promise<Checkpoint | null> {
  const row = await store.db
    .selectFrom('checkpoints')
    .innerJoin('merchants', 'merchants.merchant_id', 'checkpoints.merchant_id')
    .innerJoin('merchant_heads', 'merchant_heads.merchant_id', 'checkpoints.merchant_id')
    .select(['checkpoints.last_sequence', 'checkpoints.last_intake', 'state', 'engine'])
    .where('merchants.reference', '=', merchant)
    .whereRef('late_intake', '<=', 'checkpoints.last_intake')
    .executeTakeFirst();
  if (row === undefined) return null;
  return { lastSequence: row.last_sequence, lastIntake: row.last_intake, state: row.state, engine: row.engine };
}
