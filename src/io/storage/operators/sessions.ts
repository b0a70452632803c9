// Sessions of people in the console, by the hash of their id. Refuses to know one that has expired or was ended; the rows stay, as
// the record of who was here.

import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** A form that was sent when its session had ended: the page that it is on, and what it held. */
export interface Draft {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface NewSession {
  readonly hash: string;
  readonly operator: string;
  readonly credential: string;
  readonly begunAt: Instant;
  readonly expiresAt: Instant;
  readonly draft: Draft | null;
}

export async function addSession(store: Store, session: NewSession): Promise<void> {
  const { hash, operator, credential, begunAt, expiresAt, draft } = session;
  const add = build.insertInto('console_sessions').values({
    session_hash: hash,
    operator: storableText(operator),
    credential,
    begun_at: begunAt,
    expires_at: expiresAt,
    draft: draft === null ? null : storableJson(draft),
  });
  await ask(store.pool, add);
}

/** Null when there is none, or none any more. */
export async function findSession(store: Store, hash: string, now: Instant) {
  const find = build
    .selectFrom('console_sessions')
    .select(({ ref }) => ['credential', ref('draft').$castTo<Draft | null>().as('draft')])
    .where('session_hash', '=', hash)
    .where('expires_at', '>', now)
    .where('ended_at', 'is', null);
  return (await ask(store.pool, find)).rows[0] ?? null;
}

export async function forgetDraft(store: Store, hash: string): Promise<void> {
  await ask(store.pool, build.updateTable('console_sessions').set({ draft: null }).where('session_hash', '=', hash));
}

export async function endSession(store: Store, hash: string, at: Instant): Promise<void> {
  const end = build.updateTable('console_sessions').set({ ended_at: at, draft: null }).where('session_hash', '=', hash);
  await ask(store.pool, end.where('ended_at', 'is', null));
}
