// Which operator asks. Tokens are compared by their hashes, in a time that tells nothing of them, and every fault of a token
// is the same fault to its bearer.

import { createHash, timingSafeEqual } from 'node:crypto';
import { DirectError } from './direct-error.ts';

export interface Operator {
  readonly name: string;
  readonly token: string;
}

/** The operator's name, from the header `authorization`. Throws `DirectError` 401. */
export type VerifyOperator = (authorization: unknown) => string;

/** Longer ones are not looked at. */
const LONGEST_TOKEN = 8_192;

export function openOperators(operators: readonly Operator[]): VerifyOperator {
  const known = operators.map(({ name, token }) => ({ name, hash: hashOf(token) }));
  return (authorization) => {
    const given = typeof authorization === 'string' && authorization.length <= LONGEST_TOKEN ? authorization : '';
    const hash = hashOf(/^bearer +(\S+)$/i.exec(given)?.[1] ?? '');
    // Every one is compared, also after one that fits.
    const found = known.filter((one) => timingSafeEqual(one.hash, hash));
    if (found[0] === undefined) throw new DirectError(401, 'INVALID_CREDENTIALS', 'Credentials are absent or invalid.');
    return found[0].name;
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
