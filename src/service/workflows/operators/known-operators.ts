// Who the operators are: those of the configuration, and those that were added by command. Of both
// only the SHA-256 of the token is kept in memory or in the store. An operator that was revoked or
// has expired is refused at the next call. Refuses a name that another operator has.

import { createHash, randomBytes } from 'node:crypto';
import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import type { Operator } from '../../../core/domain/operators/role.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import {
  addOperator,
  addSession,
  type Draft,
  endSession,
  findOperator,
  findSession,
  forgetDraft,
  listOperators,
  revokeOperator,
  type StoredOperator,
  takeOperator,
} from '../../../io/storage/operators/operators.ts';
import { storeOfOperators } from '../../../io/storage/server/merchant-store.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

type ConfiguredOperator = Operator & { readonly token: string };

export type KnownOperator = Operator & { readonly hash: string };

/**
 * Finds operators. If the configuration and the store both have a name, the operator of the
 * configuration counts.
 */
export type Operators = ReturnType<typeof openOperators>;

interface Known {
  readonly configured: readonly ConfiguredOperator[];
  /** `null` when there are only the operators of the configuration. */
  readonly store: Store | null;
  readonly clock: () => Instant;
}

export function openOperators({ configured, store, clock }: Known) {
  const known = configured.map(({ token, ...operator }) => ({ ...operator, hash: hashOf(token) }));
  const hashes = new Map(known.map((one) => [one.hash, one] as const));
  const names = new Map(known.map((one) => [one.name, one] as const));
  const opened = store === null ? null : storeOfOperators(store);
  const find = async (ours: KnownOperator | undefined, by: Parameters<typeof takeOperator>[1]) => {
    if (ours !== undefined || opened === null) return ours ?? null;
    const stored = await takeOperator(opened, by, clock());
    return stored === null || names.has(stored.name) ? null : stored;
  };
  /**
   * Returns the operator whose token has this hash; `null` when there is none, or when it was
   * revoked or has expired.
   */
  const ofHash = (hash: string): Promise<KnownOperator | null> =>
    find(hashes.get(hash), { token_hash: hash });
  return {
    ofHash,
    ofToken: (token: string) => ofHash(hashOf(token)),
    ofName: (name: string) => find(names.get(name), { operator_name: name }),
    /**
     * Does what `ofName` does for an operator who is not calling: the day of last use is not
     * changed.
     */
    standing: async (name: string): Promise<Operator | null> =>
      names.get(name) ?? (opened && (await findOperator(opened, { operator_name: name }, clock()))),
  };
}

/** Hashes a token or the id of a session. Both have 256 random bits, so no salt is needed. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Begins every token, so that people, and programs that look for secrets in files, recognize it.
 */
const PREFIX = 'pointage_';

interface NewOperator extends Operator {
  readonly addedAt: Instant;
  /** `null` when the token never expires. */
  readonly expiresAt: Instant | null;
}

/**
 * Adds an operator and returns its token, which is stored nowhere. Throws `StoreFailed`
 * (OPERATOR_REFUSED).
 */
export async function createOperator(
  store: Store,
  configured: readonly Operator[],
  operator: NewOperator,
): Promise<string> {
  const { name } = operator;
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  if (configured.some((one) => one.name === name))
    throw refused(`${name} is an operator of the configuration already.`);
  if (await addOperator(store, { ...operator, hash: hashOf(token) })) return token;
  throw refused(
    `There is an operator ${name} already: ${commandLine('operator revoke', name)}, or give another name.`,
  );
}

/**
 * Revokes an operator: from now on every call with its token is refused. Throws `StoreFailed`
 * (OPERATOR_REFUSED).
 */
export async function removeOperator(
  store: Store,
  configured: readonly Operator[],
  { name, at }: { readonly name: string; readonly at: Instant },
): Promise<void> {
  if (await revokeOperator(store, name, at)) return;
  const where = configured.some((one) => one.name === name)
    ? `${name} is in the configuration: take it out of server.operators there.`
    : `There is no operator ${name} to revoke: pointage operator list has them.`;
  throw refused(where);
}

type ListedOperator = Operator & Pick<StoredOperator, 'expiresAt' | 'usedOn' | 'revokedAt'>;

/** Lists operators, those of the configuration first. */
export async function listKnownOperators(
  store: Store,
  configured: readonly ConfiguredOperator[],
  limit: number,
): Promise<readonly (ListedOperator & { readonly from: 'configuration' | 'store' })[]> {
  const never = { expiresAt: null, usedOn: null, revokedAt: null };
  const ours = configured.map(({ token: _, ...operator }) => ({
    ...operator,
    ...never,
    from: 'configuration' as const,
  }));
  const stored = await listOperators(store, limit);
  return [...ours, ...stored.map((one) => ({ ...one, from: 'store' as const }))].slice(0, limit);
}

function refused(message: string): StoreFailed {
  return new StoreFailed('OPERATOR_REFUSED', message);
}

export type { Draft };

export type Sessions = ReturnType<typeof sessionsOf>;

export const SESSION_HOURS = 12;

/** The form of a session's id: 256 bits in base64url. Other texts are not looked up. */
const ID = /^[\w-]{43}$/;

export function sessionsOf(
  opened: Store,
  { operators, clock }: { readonly operators: Operators; readonly clock: () => Instant },
) {
  const store = storeOfOperators(opened);
  return {
    /** Begins a session and returns its id. */
    begin: async (
      { name: operator, hash: credential }: KnownOperator,
      draft: Draft | null,
    ): Promise<string> => {
      const [id, now] = [randomBytes(32).toString('base64url'), clock()];
      const span = { begunAt: now, expiresAt: now + SESSION_HOURS * HOUR };
      await addSession(store, { ...span, hash: hashOf(id), operator, credential, draft });
      return id;
    },
    /**
     * Returns the operator of a session, with the roles of today, and the draft that the session
     * holds; `null` when there is no such session.
     */
    find: async (id: string) => {
      if (!ID.test(id)) return null;
      const found = await findSession(store, hashOf(id), clock());
      const operator = found === null ? null : await operators.ofHash(found.credential);
      return found === null || operator === null ? null : { operator, draft: found.draft };
    },
    forgetDraft: (id: string) => forgetDraft(store, hashOf(id)),
    end: (id: string) => endSession(store, hashOf(id), clock()),
  };
}
