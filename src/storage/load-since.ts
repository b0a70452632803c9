// How far a merchant's mirror reaches, from the counters that every page keeps. Refuses to count history.

import type { Instant } from '../domain/instant.ts';
import type { Store } from './store.ts';

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
export async function loadSince(store: Store, merchant: string): Promise<StoredExtent | null> {
  const answer = await store.pool.query<HeadRow>({
    name: 'stored extent',
    text: `select h.intake, h.last_sequence, h.entry_count, h.operation_count, h.newest_operation_created_at,
      h.newest_operation_updated_at
    from merchants m
    join merchant_heads h on h.merchant_id = m.merchant_id
    where m.reference = $1`,
    values: [merchant],
  });
  const head = answer.rows[0];
  if (head === undefined || head.intake === 0) return null;
  return {
    lastSequence: head.last_sequence ?? -1,
    entryCount: head.entry_count,
    operationCount: head.operation_count,
    newestOperationCreatedAt: head.newest_operation_created_at ?? 0,
    newestOperationUpdatedAt: head.newest_operation_updated_at ?? 0,
    lastIntake: head.intake,
  };
}

interface HeadRow {
  readonly intake: number;
  readonly last_sequence: number | null;
  readonly entry_count: number;
  readonly operation_count: number;
  readonly newest_operation_created_at: number | null;
  readonly newest_operation_updated_at: number | null;
}
