// What becomes of stored findings: their states, and what the engine and people decided about them.

import { sql } from 'kysely';
import type { Instant } from '../domain/instant.ts';
import type { Store } from './store.ts';

export type FindingState = 'open' | 'acknowledged' | 'resolved';

export type FindingAction = 'acknowledge' | 'resolve' | 'reopen';

export interface FindingDecision {
  readonly action: FindingAction;
  readonly stateBefore: FindingState;
  readonly stateAfter: FindingState;
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
  /** The run in which the engine decided; null when a person did. */
  readonly runId: number | null;
}

/** Findings of one merchant that a run has confirmed before, and that are not resolved. */
export async function loadConfirmedFingerprints(store: Store, merchantId: number): Promise<ReadonlySet<string>> {
  const rows = await store.db
    .selectFrom('findings')
    .select('fingerprint')
    .where('merchant_id', '=', merchantId)
    .where('state', '<>', 'resolved')
    .where(sql`content ->> 'status'`, '=', 'confirmed')
    .execute();
  return new Set(rows.map((row) => row.fingerprint));
}
