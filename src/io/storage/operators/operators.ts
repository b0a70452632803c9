// Operators that were added by command, by the hash of their token. Refuses a second operator of a
// name while the first is not revoked. The rows stay, as the record of who could act.

import type { InferResult } from 'kysely';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { Operator, Role } from '../../../core/domain/operators/role.ts';
import { ask, build, by } from '../server/ask.ts';
import { storableJson, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

const OPERATORS = build
  .selectFrom('operators')
  .select(({ ref }) => [
    'operator_name as name',
    ref('roles').$castTo<readonly Role[]>().as('roles'),
    'merchant',
    'added_at as addedAt',
    'expires_at as expiresAt',
    'used_on as usedOn',
    'revoked_at as revokedAt',
  ]);

/**
 * An operator. `usedOn` is the last day on which the token was used, `YYYY-MM-DD`, UTC. `expiresAt`
 * is `null` when the token never expires.
 */
export type StoredOperator = InferResult<typeof OPERATORS>[number];

interface NewOperator extends Operator {
  readonly hash: string;
  readonly addedAt: Instant;
  readonly expiresAt: Instant | null;
}

/** Adds an operator. Returns false when the name is taken. */
export async function addOperator(store: Store, operator: NewOperator): Promise<boolean> {
  const { hash, name, roles, merchant, addedAt, expiresAt } = operator;
  const add = build
    .insertInto('operators')
    .values({
      token_hash: hash,
      operator_name: storableText(name),
      roles,
      merchant,
      added_at: addedAt,
      expires_at: expiresAt,
    })
    .onConflict((conflict) =>
      conflict.column('operator_name').where('revoked_at', 'is', null).doNothing(),
    );
  return (await ask(store.pool, add)).count > 0;
}

/** Lists operators: those in force first, by name, and of one name the newest first. */
export async function listOperators(
  store: Store,
  limit: number,
): Promise<readonly StoredOperator[]> {
  const list = OPERATORS.orderBy(({ eb }) => eb('revoked_at', 'is not', null))
    .$call(by('operator_name', 'added_at desc', 'token_hash'))
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}

/** Revokes an operator. Returns false when no operator in force has that name. */
export async function revokeOperator(store: Store, name: string, at: Instant): Promise<boolean> {
  const revoke = build
    .updateTable('operators')
    .set({ revoked_at: at })
    .where('operator_name', '=', name)
    .where('revoked_at', 'is', null);
  return (await ask(store.pool, revoke)).count > 0;
}

type OperatorKey = Readonly<{ token_hash: string } | { operator_name: string }>;

/**
 * Finds the operator with this token or name. Returns `null` when there is no such operator, or
 * when the token was revoked or has expired at `now`.
 */
export async function findOperator(store: Store, key: OperatorKey, now: Instant) {
  const find = OPERATORS.select('token_hash as hash')
    .where(({ and }) => and(key))
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  return (await ask(store.pool, find)).rows[0] ?? null;
}

/** As `findOperator`, and stores the day as the last one on which the token was used. */
export async function takeOperator(
  store: Store,
  key: OperatorKey,
  now: Instant,
): Promise<(Operator & { readonly hash: string }) | null> {
  const found = await findOperator(store, key, now);
  if (found === null) return null;
  const { usedOn, name, roles, merchant, hash } = found;
  const today = formatInstant(now).slice(0, 10);
  const note = build
    .updateTable('operators')
    .set({ used_on: today })
    .where('token_hash', '=', hash);
  if (usedOn !== today) await ask(store.pool, note);
  return { name, roles, merchant, hash };
}

// Sessions of people in the console, by the hash of their id. A session that has expired or was
// ended is not found. The rows stay, as the record of who was here.

/**
 * A form that was sent after its session had ended: its page, and its fields as they were filled
 * in.
 */
export interface Draft {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

interface NewSession {
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

/** Finds a session; `null` when there is none, or it has ended or expired. */
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
  await ask(
    store.pool,
    build.updateTable('console_sessions').set({ draft: null }).where('session_hash', '=', hash),
  );
}

export async function endSession(store: Store, hash: string, at: Instant): Promise<void> {
  const end = build
    .updateTable('console_sessions')
    .set({ ended_at: at, draft: null })
    .where('session_hash', '=', hash);
  await ask(store.pool, end.where('ended_at', 'is', null));
}
