// The tokens of the dashboard API: a JWT that names the merchant, signed and read with one fixed algorithm, and expiring
// by the simulated time. Whatever else a caller presents is refused.

import { errors, jwtVerify, SignJWT } from 'jose';
import { type Instant, SECOND } from '../../../core/domain/instant.ts';
import { TOKEN_ALGORITHM } from './choices.ts';

export interface TokenKey {
  readonly secret: Uint8Array;
  /** Milliseconds. */
  readonly lifetime: number;
}

export async function issueToken(key: TokenKey, claim: { readonly merchant: string; readonly now: Instant }) {
  const issuedAt = Math.floor(claim.now / SECOND);
  return new SignJWT({})
    .setProtectedHeader({ alg: TOKEN_ALGORITHM, typ: 'JWT' })
    .setSubject(claim.merchant)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + Math.floor(key.lifetime / SECOND))
    .sign(key.secret);
}

/** The merchant's reference, or null for a token that is not ours, has been altered, or has expired. */
export async function readToken(key: TokenKey, given: { readonly token: unknown; readonly now: Instant }) {
  if (typeof given.token !== 'string') return null;
  try {
    const options = { algorithms: [TOKEN_ALGORITHM], currentDate: new Date(given.now), requiredClaims: ['sub', 'exp'] };
    const { payload } = await jwtVerify(given.token, key.secret, options);
    return payload.sub ?? null;
  } catch (error) {
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}
