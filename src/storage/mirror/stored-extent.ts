// How far a merchant's mirror reaches, from the counters that every page keeps. Refuses to count history.

import type { Instant } from '../../domain/instant.ts';
import { askTogether } from '../../together/ask-together.ts';
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

/** Replays that begin together do not end together. */
const AFTER_REPLAYS = { wait: 5 };

/** Null when nothing has been stored for the merchant. */
export const loadStoredExtent = askTogether<string, StoredExtent | null, Store>(async ({ pool }, merchants) => {
  const answer = await pool.query<StoredExtent & { readonly merchant: string }>({
    name: 'stored extent',
    text: `select m.reference as merchant, coalesce(h.last_sequence, -1) as "lastSequence", h.entry_count as "entryCount",
      h.operation_count as "operationCount", h.intake as "lastIntake",
      coalesce(h.newest_operation_created_at, 0) as "newestOperationCreatedAt",
      coalesce(h.newest_operation_updated_at, 0) as "newestOperationUpdatedAt"
    from merchants m
    join merchant_heads h on h.merchant_id = m.merchant_id
    where m.reference = any ($1::text[]) and h.intake > 0`,
    values: [merchants],
  });
  const known = new Map(answer.rows.map(({ merchant, ...extent }) => [merchant, extent]));
  return merchants.map((merchant) => known.get(merchant) ?? null);
}, AFTER_REPLAYS);
