// What a run was to do for each merchant, and what became of it. Refuses to settle a merchant twice, and to reopen one that
// was settled.

import type pg from 'pg';
import type { Verdict } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import { askTogether } from '../../together/ask-together.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** How a merchant's part of a run ended. */
export interface Settlement {
  /** failed: it could not be judged at all, because of us; then there is no verdict. */
  readonly state: 'done' | 'failed';
  readonly verdict: Verdict | null;
  /** One sentence where the merchant was not judged; null where it was. */
  readonly reason: string | null;
  readonly finishedAt: Instant;
  /** The mirror holds what the source had at this instant; null when it was not read to the end. */
  readonly watermark: Instant | null;
  readonly entriesAdded: number;
  readonly operationsChanged: number;
  readonly findings: { readonly added: number; readonly resolved: number; readonly reopened: number };
}

export const NOTHING_READ = {
  watermark: null,
  entriesAdded: 0,
  operationsChanged: 0,
  findings: { added: 0, resolved: 0, reopened: 0 },
} as const;

/**
 * Within the caller's transaction: enters merchants that are new, and expects all of them of the run. Sequences of keys are
 * not used up by merchants that are known.
 */
export async function expectMembers(
  client: pg.ClientBase,
  runId: number,
  references: readonly string[],
): Promise<void> {
  const known = await client.query<{ reference: string }>(
    'select reference from merchants where reference = any ($1::text[])',
    [references],
  );
  const old = new Set(known.rows.map(({ reference }) => reference));
  await client.query(
    `insert into merchants (reference)
    select reference
    from unnest($1::text[]) as given (reference)
    order by reference
    on conflict (reference) do nothing`,
    [references.filter((reference) => !old.has(reference))],
  );
  const entered = await client.query<{ merchant_id: number }>(
    'select merchant_id from merchants where reference = any ($1::text[]) order by merchant_id',
    [references],
  );
  const merchantIds = entered.rows.map((row) => row.merchant_id);
  await client.query(
    `insert into merchant_heads (merchant_id)
    select merchant_id
    from unnest($1::bigint[]) as given (merchant_id)
    on conflict (merchant_id) do nothing`,
    [merchantIds],
  );
  await client.query(
    `insert into run_members (merchant_id, run_id)
    select merchant_id, $2
    from unnest($1::bigint[]) as given (merchant_id)`,
    [merchantIds, runId],
  );
}

/** References of the merchants that a run has still to settle, sorted. */
export async function loadExpected(store: Store, runId: number): Promise<readonly string[]> {
  const answer = await store.pool.query<{ reference: string }>(
    `select m.reference
    from run_members x
    join merchants m on m.merchant_id = x.merchant_id
    where x.run_id = $1 and x.state = 'expected'
    order by m.reference`,
    [runId],
  );
  return answer.rows.map(({ reference }) => reference);
}

/** Notes that a merchant is begun under a run. */
export async function beginMember(
  store: Store,
  member: { readonly runId: number; readonly merchant: string; readonly at: Instant },
): Promise<void> {
  await store.pool.query(
    `update run_members
    set attempts = attempts + 1, started_at = $3
    where run_id = $1 and merchant_id = (select merchant_id from merchants where reference = $2) and state = 'expected'`,
    [member.runId, member.merchant, member.at],
  );
}

/** The night that goes on, if it expects this merchant, noted as begun with it; null when none does. */
export const takeMember = askTogether<{ readonly merchant: string; readonly at: Instant }, number | null, Store>(
  async ({ pool }, asked) => {
    const answer = await pool.query<{ merchant: string; run_id: number }>({
      name: 'take members',
      text: `update run_members x
      set attempts = attempts + 1, started_at = $2
      from merchants m
      where m.reference = any ($1::text[])
        and x.merchant_id = m.merchant_id
        and x.run_id = (${NIGHT_AT_WORK})
        and x.state = 'expected'
      returning m.reference as merchant, x.run_id`,
      values: [asked.map(({ merchant }) => merchant), Math.max(...asked.map(({ at }) => at))],
    });
    const taken = new Map(answer.rows.map((row) => [row.merchant, row.run_id]));
    return asked.map(({ merchant }) => taken.get(merchant) ?? null);
  },
);

/** The night that goes on, if it has begun with this merchant without settling it; null when none has. */
export async function findBegunMember(store: Store, merchant: string): Promise<number | null> {
  const answer = await store.pool.query<{ run_id: number }>(
    `select x.run_id
    from merchants m
    join run_members x on x.merchant_id = m.merchant_id
    where m.reference = $1 and x.run_id = (${NIGHT_AT_WORK}) and x.state = 'expected' and x.attempts > 0`,
    [merchant],
  );
  return answer.rows[0]?.run_id ?? null;
}

/** There is one at most: a night that begins ends the one before. */
const NIGHT_AT_WORK = "select max(run_id) from runs where kind = 'night' and finished_at is null";

export interface SettledMember extends Settlement {
  readonly runId: number;
  readonly merchant: string;
}

/** Changes nothing of a merchant that its run does not expect any more. */
export async function settleMembers(
  queries: Pick<pg.ClientBase, 'query'> | pg.Pool,
  members: readonly SettledMember[],
): Promise<void> {
  await queries.query({
    name: 'settle members',
    text: `update run_members x
    set state = s.state,
      verdict = s.verdict,
      reason = s.reason,
      started_at = coalesce(x.started_at, s."finishedAt"),
      finished_at = s."finishedAt",
      watermark = s.watermark,
      entries_added = s."entriesAdded",
      operations_changed = s."operationsChanged",
      findings_added = (s.findings ->> 'added')::bigint,
      findings_resolved = (s.findings ->> 'resolved')::bigint,
      findings_reopened = (s.findings ->> 'reopened')::bigint
    from jsonb_to_recordset($1::jsonb) as s ("runId" bigint, merchant text, state text, verdict text, reason text,
      "finishedAt" bigint, watermark bigint, "entriesAdded" bigint, "operationsChanged" bigint, findings jsonb)
    join merchants m on m.reference = s.merchant
    where x.run_id = s."runId" and x.merchant_id = m.merchant_id and x.state = 'expected'`,
    values: [storableJson(members)],
  });
}
