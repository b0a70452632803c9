// How far a merchant's mirror reaches, from the counters that every page keeps. Refuses to count history.

import type { Instant } from '../../domain/instant.ts';
import type { Store } from '../server/store.ts';

/** What a source needs to serve only what is new. All but `lastIntake` are fields of the sources' own `Since`. */
export interface StoredExtent {
  /** Highest sequence stored; −1 when there is no line yet. */
  readonly lastSequence: number;
  readonly entryCount: number;
  readonly operationCount: number;
  /** 0 when there is no operation yet. */
  readonly newestOperationCreatedAt: Instant;
  readonly newestOperationUpdatedAt: Instant;
  /** Number of the newest page stored. */
  readonly lastIntake: number;
}

/** Null when nothing has been stored for the merchant. */
export async function loadStoredExtent(store: Store, merchant: string): Promise<StoredExtent | null> {
  const answer = await store.pool.query<StoredExtent>({
    name: 'stored extent',
    text: `select coalesce(h.last_sequence, -1) as "lastSequence", h.entry_count as "entryCount",
      h.operation_count as "operationCount", h.intake as "lastIntake",
      coalesce(h.newest_operation_created_at, 0) as "newestOperationCreatedAt",
      coalesce(h.newest_operation_updated_at, 0) as "newestOperationUpdatedAt"
    from merchants m
    join merchant_heads h on h.merchant_id = m.merchant_id
    where m.reference = $1 and h.intake > 0`,
    values: [merchant],
  });
  return answer.rows[0] ?? null;
}
