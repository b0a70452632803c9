// Findings as operators look for them: across merchants, by what they are and what became of them, a page at a time. Refuses
// to change any.

import type { Finding, FindingStatus, Severity } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { FindingDecision, FindingState } from '../conclusions/findings.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';

export interface FindingQuery {
  readonly merchant?: string | undefined;
  readonly kind?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly state?: FindingState | undefined;
  readonly status?: FindingStatus | undefined;
  /** Seen first by a run that began at or after this instant. */
  readonly since?: Instant | undefined;
  /** Leave out what follows from another finding. */
  readonly rootsOnly?: boolean;
  readonly limit: number;
  readonly offset?: number;
}

export type LastDecision = Pick<FindingDecision, 'action' | 'by' | 'reason' | 'at'>;

export interface FoundFinding {
  readonly merchant: string;
  readonly state: FindingState;
  readonly firstSeenRun: number;
  readonly firstSeenAt: Instant | null;
  readonly lastSeenRun: number;
  readonly lastSeenAt: Instant | null;
  /** Of the wallet as it was last read; null: none was. */
  readonly currency: string | null;
  /** What was decided last; null: nothing was. */
  readonly lastDecision: LastDecision | null;
  /** As the run `lastSeenRun` reported it. */
  readonly finding: Finding;
}

const SELECTED = `m.reference as merchant, f.state, f.first_seen_run as "firstSeenRun", first.started_at as "firstSeenAt",
  f.last_seen_run as "lastSeenRun", last.started_at as "lastSeenAt", f.content as finding,
  (
    select w.currency
    from wallet_readings w
    where w.merchant_id = f.merchant_id
    order by w.intake desc
    limit 1
  ) as currency,
  (
    select json_build_object('action', d.action, 'by', d.decided_by, 'reason', d.reason, 'at', d.decided_at)
    from finding_decisions d
    where d.merchant_id = f.merchant_id and d.fingerprint = f.fingerprint
    order by d.decision_number desc
    limit 1
  ) as "lastDecision"`;

const EACH = `select ${SELECTED}
    from findings f
    join merchants m on m.merchant_id = f.merchant_id
    left join runs first on first.run_id = f.first_seen_run
    left join runs last on last.run_id = f.last_seen_run`;

/** Worst first, the most money first among equals, then by merchant, line and fingerprint; with how many there are. */
export async function findFindings(
  store: Store,
  query: FindingQuery,
): Promise<{ readonly total: number; readonly items: readonly FoundFinding[] }> {
  const { where, values } = conditionsOf(query);
  const counted = await store.pool.query<{ total: number }>(
    `select count(*) as total from findings f where ${where}`,
    values,
  );
  const { total } = counted.rows[0]!;
  const { limit, offset = 0 } = query;
  if (total <= offset) return { total, items: [] };
  const listed = await store.pool.query<FoundFinding>(
    `with page as (
      select f.merchant_id, f.fingerprint
      from findings f
      join merchants m on m.merchant_id = f.merchant_id
      where ${where}
      order by ${WORST_FIRST}
      limit $${values.length + 1} offset $${values.length + 2}
    )
    select ${SELECTED}
    from page
    join findings f on f.merchant_id = page.merchant_id and f.fingerprint = page.fingerprint
    join merchants m on m.merchant_id = f.merchant_id
    left join runs first on first.run_id = f.first_seen_run
    left join runs last on last.run_id = f.last_seen_run
    order by ${WORST_FIRST}`,
    [...values, limit, offset],
  );
  return { total, items: listed.rows };
}

/** The findings of that fingerprint, by merchant: one, unless two merchants' should ever be the same. */
export async function findByFingerprint(
  store: Store,
  wanted: { readonly fingerprint: string; readonly merchant?: string | undefined },
): Promise<readonly FoundFinding[]> {
  const { where, values } = conditionsOf({ merchant: wanted.merchant, limit: 1 });
  const found = await store.pool.query<FoundFinding>(
    `${EACH}
    where ${where} and f.fingerprint = $${values.length + 1}
    order by f.merchant_id`,
    [...values, wanted.fingerprint],
  );
  return found.rows;
}

/**
 * The one finding whose fingerprint begins with `prefix`, and its decisions, oldest first. Null when there is none; throws
 * `StoreFailed` (AMBIGUOUS_FINGERPRINT) when there are several.
 */
export async function loadFinding(
  store: Store,
  prefix: string,
): Promise<(FoundFinding & { readonly decisions: readonly FindingDecision[] }) | null> {
  const { rows } = await store.pool.query<FoundFinding>(
    `${EACH}
    where starts_with(f.fingerprint, $1)
    order by f.fingerprint, f.merchant_id
    limit 2`,
    [prefix],
  );
  const found = rows[0];
  if (found === undefined) return null;
  if (rows.length > 1) {
    throw new StoreFailed(
      'AMBIGUOUS_FINGERPRINT',
      `Several findings begin with ${prefix}: give more of the fingerprint.`,
    );
  }
  const { merchant, finding } = found;
  return { ...found, decisions: await loadDecisions(store, { merchant, fingerprint: finding.fingerprint }) };
}

/** What was decided about a finding, oldest first. */
export async function loadDecisions(
  store: Store,
  of: { readonly merchant: string; readonly fingerprint: string },
): Promise<readonly FindingDecision[]> {
  const decided = await store.pool.query<FindingDecision>(
    `select d.action, d.state_before as "stateBefore", d.state_after as "stateAfter", d.reason, d.decided_by as by,
      d.decided_at as at, d.terms, d.run_id as "runId"
    from finding_decisions d
    where d.merchant_id = (select merchant_id from merchants where reference = $1) and d.fingerprint = $2
    order by d.decision_number`,
    [of.merchant, of.fingerprint],
  );
  return decided.rows;
}

/** By how much a root has made a recorded figure wrong, without sign; 0 of what is no root. */
const MONEY = `greatest(
    abs(coalesce((f.content #>> '{item,balance}')::numeric, 0)),
    abs(coalesce((f.content #>> '{item,reserved}')::numeric, 0))
  )`;

const WORST_FIRST = `array_position(array['critical', 'error', 'warning', 'info'], f.severity), ${MONEY} desc, m.reference,
  (f.content ->> 'sequence')::bigint, f.fingerprint`;

function conditionsOf(query: FindingQuery): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const add = (condition: string, value: unknown): void => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  add('f.merchant_id = (select merchant_id from merchants where reference = ?)', query.merchant);
  add('f.state = ?', query.state);
  add('f.severity = ?', query.severity);
  add('f.kind = ?', query.kind);
  add("f.content ->> 'status' = ?", query.status);
  add('f.first_seen_run in (select run_id from runs where started_at >= ?)', query.since);
  if (query.rootsOnly === true) conditions.push("f.content ->> 'causedBy' is null");
  return { where: conditions.length === 0 ? 'true' : conditions.join(' and '), values };
}
