// Audits that were requested over HTTP, from QUEUED to DONE or FAILED. Refuses to change an audit
// that has ended. Judges nothing; it stores the results that it is given.

import type { InferResult } from 'kysely';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { addDeliveries } from '../deliveries/outbox.ts';
import { ask, askPage, build, by, type Page } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export const AUDIT_STATES = ['QUEUED', 'RUNNING', 'DONE', 'FAILED'] as const;

export const AUDIT_SOURCES = ['mirror', 'service'] as const;
export type AuditSourceName = (typeof AUDIT_SOURCES)[number];

const COLUMNS = [
  'audit_id as id',
  'merchant',
  'source',
  'as_of as asOf',
  'period',
  'requested_by as requestedBy',
  'requested_at as requestedAt',
  'state',
  'attempts',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'entries_read as entriesRead',
  'error',
] as const;

const AUDITS = build.selectFrom('audits').select(COLUMNS);

/**
 * An audit. Rows newer than `asOf` are left out; when a month was requested (`period`, `YYYY-MM`),
 * `asOf` is the first instant after it. `requestedBy` is the operator's name. `startedAt` is the
 * beginning of the first attempt. `error` is `null` unless the audit FAILED.
 */
export type StoredAudit = InferResult<typeof AUDITS>[number];

export type AuditWish = Pick<
  StoredAudit,
  'merchant' | 'source' | 'asOf' | 'period' | 'requestedBy' | 'requestedAt'
>;

export async function addAudit(
  store: Store,
  audit: AuditWish & { readonly id: string },
): Promise<StoredAudit> {
  const { id, merchant, source, asOf, period, requestedBy, requestedAt } = audit;
  const add = build
    .insertInto('audits')
    .values({
      audit_id: id,
      merchant,
      source,
      as_of: asOf,
      period,
      requested_by: storableText(requestedBy),
      requested_at: requestedAt,
    })
    .returning(COLUMNS);
  return (await ask(store.pool, add)).rows[0]!;
}

/** Finds an audit; `null` when there is none. `id` must be a UUID. */
export async function findAudit(store: Store, id: string): Promise<StoredAudit | null> {
  const find = AUDITS.where('audit_id', '=', id);
  return (await ask(store.pool, find)).rows[0] ?? null;
}

/**
 * Loads the result of a DONE audit, as the JSON text that was stored; `null` for any other audit.
 */
export async function loadAuditResult(store: Store, id: string): Promise<string | null> {
  const load = build
    .selectFrom('audits')
    .select(({ cast }) => cast<string | null>('result', 'text').as('result'))
    .where('audit_id', '=', id);
  return (await ask(store.pool, load)).rows[0]?.result ?? null;
}

/** Lists a page of audits, newest first, with the number of all. */
export function listAudits(store: Store, page: Page) {
  return askPage(store.pool, AUDITS.orderBy('requested_at', 'desc').orderBy('audit_id'), page);
}

/** Ids of audits that have not ended, the oldest first. */
export async function listUnfinishedAudits(
  store: Store,
  limit: number,
): Promise<readonly string[]> {
  const list = build
    .selectFrom('audits')
    .select('audit_id')
    .where('state', 'in', UNFINISHED)
    .$call(by('requested_at', 'audit_id'))
    .limit(limit);
  return (await ask(store.pool, list)).rows.map((row) => row.audit_id);
}

const UNFINISHED = ['QUEUED', 'RUNNING'] as const;

/**
 * Begins an attempt at an audit, also at one whose worker died. Returns `null` when the audit has
 * ended, or does not exist.
 */
export async function takeAudit(
  store: Store,
  id: string,
  at: Instant,
): Promise<StoredAudit | null> {
  const take = build
    .updateTable('audits')
    .set(({ fn, eb, val }) => ({
      state: 'RUNNING',
      attempts: eb('attempts', '+', 1),
      started_at: fn.coalesce('started_at', val(at)),
      entries_read: 0,
    }))
    .where('audit_id', '=', id)
    .where('state', 'in', UNFINISHED)
    .returning(COLUMNS);
  return (await ask(store.pool, take)).rows[0] ?? null;
}

export async function noteEntriesRead(store: Store, id: string, entries: number): Promise<void> {
  const note = build
    .updateTable('audits')
    .set({ entries_read: entries })
    .where(({ and }) => and({ audit_id: id, state: 'RUNNING' }));
  await ask(store.pool, note);
}

/**
 * Ends an audit, and adds the deliveries that announce it in the same transaction. Does nothing
 * when another worker has ended the audit meanwhile, because both have the same result.
 */
export async function endAudit(
  store: Store,
  id: string,
  end: {
    readonly at: Instant;
    readonly entries: number;
    readonly announced: readonly NewDelivery[];
  } & ({ readonly result: object } | { readonly error: string }),
): Promise<void> {
  const ended =
    'result' in end
      ? ({ state: 'DONE', result: storableJson(end.result), error: null } as const)
      : ({ state: 'FAILED', result: null, error: storableText(end.error) } as const);
  const note = build
    .updateTable('audits')
    .set({ ...ended, finished_at: end.at, entries_read: end.entries })
    .where(({ and }) => and({ audit_id: id, state: 'RUNNING' }));
  await inTransaction(store, async (client) => {
    if ((await ask(client, note)).count > 0) await addDeliveries(client, end.announced, end.at);
  });
}
