// What becomes of stored findings: their states, and what the engine and people decided about them.

import { sql } from 'kysely';
import type { Finding } from '../../../core/domain/finding.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { DecisionTerms } from '../../../core/domain/settlement.ts';
import { ask, build, jsonText } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

export const FINDING_STATES = ['open', 'acknowledged', 'settled', 'accepted', 'resolved'] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export const FINDING_ACTIONS = ['acknowledge', 'resolve', 'settle', 'accept', 'reopen'] as const;
export type FindingAction = (typeof FINDING_ACTIONS)[number];

export interface FindingDecision {
  readonly action: FindingAction;
  readonly stateBefore: FindingState;
  readonly stateAfter: FindingState;
  readonly reason: string;
  readonly by: string;
  readonly at: Instant;
  /** What a person's decision rests on; null: it is for good, or the engine's. */
  readonly terms: DecisionTerms | null;
  /** The run in which the engine decided; null when a person did. */
  readonly runId: number | null;
}

/** By how much the root `f` of a query has made a recorded figure wrong, without sign; 0 of what is no root. */
export const MONEY = sql<string>`greatest(
    abs(coalesce((f.content #>> '{item,balance}')::numeric, 0)),
    abs(coalesce((f.content #>> '{item,reserved}')::numeric, 0))
  )`;

/** That of the merchant's wallet as it was last read, of a query of findings `f`; null: it never was. */
export const CURRENCY = build
  .selectFrom('wallet_readings as w')
  .select('w.currency')
  .where('w.merchant_id', '=', sql.ref<number>('f.merchant_id'))
  .orderBy('w.intake', 'desc')
  .limit(sql.lit(1));

/** Findings of one merchant that a run has confirmed before, and that are not resolved. */
export async function loadConfirmedFingerprints(store: Store, merchantId: number): Promise<ReadonlySet<string>> {
  const query = build
    .selectFrom('findings')
    .select('fingerprint')
    .where('merchant_id', '=', merchantId)
    .where('state', '<>', 'resolved')
    .where(jsonText('content', 'status'), '=', 'confirmed');
  const { rows } = await ask(store.pool, query);
  return new Set(rows.map((row) => row.fingerprint));
}

/** What a report makes of a finding that was open; null: it is not in the report. */
export function stateIn(finding: Finding | undefined): 'open' | 'settled' | 'accepted' | null {
  if (finding === undefined) return null;
  if (finding.settledBy !== null) return 'settled';
  return finding.accepted === null ? 'open' : 'accepted';
}

/** The reason for which the engine settles it. */
export function saidSettled({ settledBy }: Finding): string {
  const lines = settledBy!.lines;
  return `Corrected by line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}.`;
}
