// Sessions of operators in a browser: begun with a token, or by a provider's word, known by an id that only the browser has, over after
// 12 hours, at logout, and once the operator's token is no operator's any more.

import { randomBytes } from 'node:crypto';
import { HOUR, type Instant } from '../../../core/domain/instant.ts';
import {
  addSession,
  type Draft,
  endSession,
  findSession,
  forgetDraft,
} from '../../../io/storage/operators/sessions.ts';
import { storeOfOperators } from '../../../io/storage/server/merchant-store.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { hashOf, type KnownOperator, type Operators } from './known-operators.ts';

export type { Draft };

export type Sessions = ReturnType<typeof sessionsOf>;

export const SESSION_HOURS = 12;

/** 256 bits; longer or shorter ids are not looked up. */
const ID = /^[\w-]{43}$/;

export function sessionsOf(
  opened: Store,
  { operators, clock }: { readonly operators: Operators; readonly clock: () => Instant },
) {
  const store = storeOfOperators(opened);
  return {
    /** The id of a new session. */
    begin: async ({ name: operator, hash: credential }: KnownOperator, draft: Draft | null): Promise<string> => {
      const [id, now] = [randomBytes(32).toString('base64url'), clock()];
      const span = { begunAt: now, expiresAt: now + SESSION_HOURS * HOUR };
      await addSession(store, { ...span, hash: hashOf(id), operator, credential, draft });
      return id;
    },
    /** Whose session it is, with the roles of today, and the draft that it holds; null for none. */
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
