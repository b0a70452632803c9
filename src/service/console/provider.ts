// A provider of OpenID Connect, which says who a person is. What the person may do is the business
// of the operator of that name here. Authorization code flow with PKCE, state and nonce (OpenID
// Connect Core 1.0, 3.1; RFC 7636).

import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  discovery,
} from 'openid-client';
import type { Operators } from '../workflows/operators/known-operators.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** The claim of the ID token that is the name of an operator. */
  readonly nameClaim: string;
}

/** The path to which the provider sends people back. */
export const RETURN = '/login/return';

const SECONDS = 10;

export type Provider = NonNullable<ReturnType<typeof openProvider>>;

interface Server {
  readonly oidc?: ProviderSettings | undefined;
  /** The address at which people reach the console. */
  readonly publicUrl?: string | undefined;
}

/** Opens the provider; `null` where none is configured, or no address to come back to. */
export function openProvider({ oidc, publicUrl }: Server, findNamed: Operators['ofName']) {
  if (oidc === undefined || publicUrl === undefined) return null;
  const { issuer, clientId, clientSecret, nameClaim } = oidc;
  const server = new URL(issuer);
  // Only an address of this machine is configured without TLS.
  const execute = server.protocol === 'http:' ? [allowInsecureRequests] : [];
  let found: ReturnType<typeof discovery> | null = null;
  const find = () => {
    found ??= discovery(server, clientId, clientSecret, undefined, { execute, timeout: SECONDS });
    found.catch(() => {
      found = null;
    });
    return found;
  };
  return {
    name: server.host,
    /**
     * Returns the address at the provider where the login goes on whose id only the browser has.
     * Throws when the provider does not answer.
     */
    addressOf: async (id: string): Promise<string> =>
      buildAuthorizationUrl(await find(), {
        redirect_uri: new URL(RETURN, publicUrl).href,
        scope: 'openid email profile',
        code_challenge: createHash('sha256').update(id).digest('base64url'),
        code_challenge_method: 'S256',
        state: partOf('state', id),
        nonce: partOf('nonce', id),
      }).href,
    findNamed,
    /**
     * Returns the name of the person who comes back at `path`. Throws where the answer does not
     * belong to that login, or has no name.
     */
    nameAt: async (id: string, path: string): Promise<string> => {
      const answer = await authorizationCodeGrant(await find(), new URL(path, publicUrl), {
        pkceCodeVerifier: id,
        expectedState: partOf('state', id),
        expectedNonce: partOf('nonce', id),
        idTokenExpected: true,
      });
      const claims = answer.claims()!;
      const name = claims[nameClaim];
      // Anyone may write another person's mail address into an account, so that it must be
      // verified.
      const isVerified = nameClaim !== 'email' || claims.email_verified === true;
      if (typeof name === 'string' && isVerified) return name;
      throw new Error(`The ID token has no ${nameClaim}, or one that is not verified.`);
    },
  };
}

function partOf(purpose: string, id: string): string {
  return createHash('sha256').update(`${purpose} ${id}`).digest('base64url');
}
