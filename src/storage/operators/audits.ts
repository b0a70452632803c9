// Audits that were asked for over HTTP: their life from QUEUED to DONE or FAILED. Refuses to touch one that has ended, and to
// judge; it stores what it is given.

import type { Instant } from '../../domain/instant.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export const AUDIT_STATES = ['QUEUED', 'RUNNING', 'DONE', 'FAILED'] as const;
export type AuditState = (typeof AUDIT_STATES)[number];

export const AUDIT_SOURCES = ['mirror', 'service'] as const;
export type AuditSourceName = (typeof AUDIT_SOURCES)[number];

export interface AuditWish {
  readonly merchant: string;
  readonly source: AuditSourceName;
  /** What is newer is left out. */
  readonly asOf: Instant;
  /** `YYYY-MM`, when it was asked for by month: then `asOf` is the first instant after it. */
  readonly period: string | null;
  /** The operator's name. */
  readonly requestedBy: string;
  readonly requestedAt: Instant;
}

export interface StoredAudit extends AuditWish {
  /** UUID. */
  readonly id: string;
  readonly state: AuditState;
  readonly attempts: number;
  /** Of the first attempt. */
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly entriesRead: number;
  /** Null unless FAILED. */
  readonly error: string | null;
}

const COLUMNS = `audit_id as id, merchant, source, as_of as "asOf", period, requested_by as "requestedBy",
  requested_at as "requestedAt", state, attempts, started_at as "startedAt", finished_at as "finishedAt",
  entries_read as "entriesRead", error`;

export async function addAudit(store: Store, audit: AuditWish & { readonly id: string }): Promise<StoredAudit> {
  const { id, merchant, source, asOf, period, requestedBy, requestedAt } = audit;
  const added = await store.pool.query<StoredAudit>(
    `insert into audits (audit_id, merchant, source, as_of, period, requested_by, requested_at)
    values ($1, $2, $3, $4, $5, $6, $7)
    returning ${COLUMNS}`,
    [id, merchant, source, asOf, period, storableText(requestedBy), requestedAt],
  );
  return added.rows[0]!;
}

/** Null when there is none. `id` is a UUID. */
export async function findAudit(store: Store, id: string): Promise<StoredAudit | null> {
  const found = await store.pool.query<StoredAudit>(`select ${COLUMNS} from audits where audit_id = $1`, [id]);
  return found.rows[0] ?? null;
}

/** The JSON text of what a DONE audit said, as it was stored; null for any other. */
export async function loadAuditResult(store: Store, id: string): Promise<string | null> {
  const found = await store.pool.query<{ result: string | null }>(
    'select result::text as result from audits where audit_id = $1',
    [id],
  );
  return found.rows[0]?.result ?? null;
}

/** Newest first, with how many there are. */
export async function listAudits(
  store: Store,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly items: readonly StoredAudit[] }> {
  const counted = await store.pool.query<{ total: number }>('select count(*) as total from audits');
  const listed = await store.pool.query<StoredAudit>(
    `select ${COLUMNS} from audits order by requested_at desc, audit_id limit $1 offset $2`,
    [page.limit, page.offset],
  );
  return { total: counted.rows[0]!.total, items: listed.rows };
}

/** Ids of audits that have not ended, the oldest first. */
export async function listUnfinishedAudits(store: Store, limit: number): Promise<readonly string[]> {
  const listed = await store.pool.query<{ audit_id: string }>(
    `select audit_id from audits where state in ('QUEUED', 'RUNNING') order by requested_at, audit_id limit $1`,
    [limit],
  );
  return listed.rows.map((row) => row.audit_id);
}

/** Begins an attempt: also of an audit whose worker died on the way. Null when it has ended, or there is none. */
export async function takeAudit(store: Store, id: string, at: Instant): Promise<StoredAudit | null> {
  const taken = await store.pool.query<StoredAudit>(
    `update audits
    set state = 'RUNNING', attempts = attempts + 1, started_at = coalesce(started_at, $2), entries_read = 0
    where audit_id = $1 and state in ('QUEUED', 'RUNNING')
    returning ${COLUMNS}`,
    [id, at],
  );
  return taken.rows[0] ?? null;
}

export async function noteEntriesRead(store: Store, id: string, entries: number): Promise<void> {
  await store.pool.query("update audits set entries_read = $2 where audit_id = $1 and state = 'RUNNING'", [
    id,
    entries,
  ]);
}

/** Does nothing when somebody else has ended it meanwhile: two who audit the same say the same. */
export async function endAudit(
  store: Store,
  id: string,
  end: { readonly at: Instant; readonly entries: number } & ({ readonly result: object } | { readonly error: string }),
): Promise<void> {
  const { at, entries } = end;
  const [state, result, error] =
    'result' in end ? ['DONE', storableJson(end.result), null] : ['FAILED', null, storableText(end.error)];
  await store.pool.query(
    `update audits
    set state = $2, finished_at = $3, entries_read = $4, result = $5, error = $6
    where audit_id = $1 and state = 'RUNNING'`,
    [id, state, at, entries, result, error],
  );
}
