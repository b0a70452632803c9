// Finds which merchant a token belongs to. Every fault of a token is answered alike. The algorithms
// are fixed by configuration and never taken from the token, and an expiry is required.

import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Instant } from '../../../core/domain/instant.ts';
import { ApiError, invalidCredentials } from './errors.ts';

/** A secret shared with the signer, or where the signer's public keys are. */
type Keys = { readonly secret: string } | { readonly jwksUrl: string } | { readonly jwks: object };

export type TokenSettings = Keys & {
  readonly algorithms: readonly string[];
  /** The claim that holds the merchant's reference. */
  readonly merchantClaim: string;
  /** The issuer that a token must name; absent: not checked. */
  readonly issuer?: string | undefined;
  /** The audience that a token must name; absent: not checked. */
  readonly audience?: string | undefined;
  readonly clockToleranceSeconds: number;
};

/**
 * Returns the merchant's reference. Throws `ApiError`: 401, or 503 when the signer's keys cannot be
 * had.
 */
export type VerifyToken = (token: unknown) => Promise<string>;

/** Longer tokens are not looked at. */
const LONGEST_TOKEN = 8_192;
/** Matches a token as the standard spells it: without padding. */
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export function openTokens(settings: TokenSettings, clock: () => Instant): VerifyToken {
  const { algorithms, merchantClaim, issuer, audience, clockToleranceSeconds } = settings;
  const key = keysOf(settings);
  return async (token) => {
    if (typeof token !== 'string' || token.length > LONGEST_TOKEN || !TOKEN.test(token))
      throw invalidCredentials();
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [...algorithms],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock()),
        requiredClaims: ['exp', merchantClaim],
        ...(issuer === undefined ? {} : { issuer }),
        ...(audience === undefined ? {} : { audience }),
      });
      const merchant = payload[merchantClaim];
      const isName = typeof merchant === 'string' && merchant !== '' && !merchant.includes('\0');
      // A number too large to be one, 1e400, would never expire.
      if (isName && Number.isFinite(payload.exp)) return merchant;
    } catch (failure) {
      if (!FAULTS.some((fault) => failure instanceof fault)) {
        const message = 'Tokens cannot be checked at the moment';
        throw Object.assign(new ApiError(503, message), { cause: failure });
      }
    }
    throw invalidCredentials();
  };
}

function keysOf(keys: Keys): JWTVerifyGetKey {
  if ('secret' in keys) {
    const secret = new TextEncoder().encode(keys.secret);
    return async () => secret;
  }
  if ('jwks' in keys) return createLocalJWKSet(keys.jwks as JSONWebKeySet);
  return createRemoteJWKSet(new URL(keys.jwksUrl));
}

const FAULTS = [
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/**
 * Returns the text of a JWT that names `merchant` until `expiresAt`; `null` where only the signer
 * can make one.
 */
export async function makeToken(
  { algorithms, merchantClaim, issuer, audience, ...keys }: TokenSettings,
  { merchant, expiresAt }: { readonly merchant: string; readonly expiresAt: Instant },
): Promise<string | null> {
  const [algorithm] = algorithms;
  if (!('secret' in keys) || algorithm === undefined) return null;
  const token = new SignJWT({ [merchantClaim]: merchant })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setExpirationTime(new Date(expiresAt));
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(new TextEncoder().encode(keys.secret));
}
