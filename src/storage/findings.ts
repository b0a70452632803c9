// Stored findings and what people decided about them. Refuses a decision without a reason, and never drops history.

import { sql } from 'kysely';
import type { Finding, Severity } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { Store } from './store.ts';
import { StoreFailed } from './store-failed.ts';

export type FindingState = 'open' | 'acknowledged' | 'resolved';

export type FindingAction = 'acknowledge' | 'resolve' | 'reopen';

export interface StoredFinding {
  readonly merchant: string;
  readonly state: FindingState;
  readonly firstSeenRun: number;
  readonly lastSeenRun: number;
  /** As the run `lastSeenRun` reported it. */
  readonly finding: Finding;
}

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

export interface FindingFilter {
  readonly merchant?: string | undefined;
  readonly state?: FindingState | undefined;
  readonly severity?: Severity | undefined;
  readonly kind?: string | undefined;
  readonly limit: number;
}

/** Worst first, then by merchant, sequence and fingerprint. */
export async function listFindings(store: Store, filter: FindingFilter): Promise<readonly StoredFinding[]> {
  let query = storedFindings(store);
  if (filter.merchant !== undefined) query = query.where('merchants.reference', '=', filter.merchant);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.severity !== undefined) query = query.where('severity', '=', filter.severity);
  if (filter.kind !== undefined) query = query.where('kind', '=', filter.kind);
  const rows = await query
    .orderBy(sql`array_position(array['critical', 'error', 'warning', 'info'], severity)`)
    .orderBy('merchants.reference')
    .orderBy(sql`(content ->> 'sequence')::bigint`)
    .orderBy('fingerprint')
    .limit(filter.limit)
    .execute();
  return rows.map(storedFinding);
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

/**
 * The one finding whose fingerprint begins with `prefix`, and its decisions, oldest first. Null when there is none; throws
 * `StoreFailed` (AMBIGUOUS_FINGERPRINT) when there are several.
 */
export async function loadFinding(
  store: Store,
  prefix: string,
): Promise<(StoredFinding & { readonly decisions: readonly FindingDecision[] }) | null> {
  const rows = await storedFindings(store)
    .where(sql<boolean>`starts_with(fingerprint, ${prefix})`)
    .orderBy('fingerprint')
    .limit(2)
    .execute();
  const row = rows[0];
  if (row === undefined) return null;
  if (rows.length > 1) {
    throw new StoreFailed(
      'AMBIGUOUS_FINGERPRINT',
      `Several findings begin with ${prefix}: give more of the fingerprint.`,
    );
  }
  const decisions = await store.db
    .selectFrom('finding_decisions')
    .select(['action', 'state_before', 'state_after', 'reason', 'decided_by', 'decided_at', 'run_id'])
    .where('merchant_id', '=', row.merchant_id)
    .where('fingerprint', '=', row.fingerprint)
    .orderBy('decision_number')
    .execute();
  return {
    ...storedFinding(row),
    decisions: decisions.map((decision) => ({
      action: decision.action as FindingAction,
      stateBefore: decision.state_before as FindingState,
      stateAfter: decision.state_after as FindingState,
      reason: decision.reason,
      by: decision.decided_by,
      at: decision.decided_at,
      runId: decision.run_id,
    })),
  };
}

function storedFindings(store: Store) {
  return store.db
    .selectFrom('findings')
    .innerJoin('merchants', 'merchants.merchant_id', 'findings.merchant_id')
    .select(['findings.merchant_id', 'reference', 'fingerprint', 'state'])
    .select(['first_seen_run', 'last_seen_run', 'content']);
}

type FindingRow = Awaited<ReturnType<ReturnType<typeof storedFindings>['execute']>>[number];

function storedFinding(row: FindingRow): StoredFinding {
  return {
    merchant: row.reference,
    state: row.state as FindingState,
    firstSeenRun: row.first_seen_run,
    lastSeenRun: row.last_seen_run,
    finding: row.content as Finding,
  };
}
