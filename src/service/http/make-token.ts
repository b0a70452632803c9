// A token such as the signer of the dashboard makes them, for trying the Report API. Only where the secret is shared: a
// signer that is known by its public keys signs for itself.

import { SignJWT } from 'jose';
import type { Instant } from '../../core/domain/instant.ts';
import type { TokenSettings } from './verify-token.ts';

/** The text of a JWT that names `merchant` until `expiresAt`; null where only the signer can make one. */
export async function makeToken(
  { keys, algorithms, merchantClaim, issuer, audience }: TokenSettings,
  { merchant, expiresAt }: { readonly merchant: string; readonly expiresAt: Instant },
): Promise<string | null> {
  const [algorithm] = algorithms;
  if (!('secret' in keys) || algorithm === undefined) return null;
  const token = new SignJWT({ [merchantClaim]: merchant })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
    .setExpirationTime(new Date(expiresAt));
  if (issuer !== null) token.setIssuer(issuer);
  if (audience !== null) token.setAudience(audience);
  return token.sign(new TextEncoder().encode(keys.secret));
}
