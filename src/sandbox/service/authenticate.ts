// Who is calling: the pair of headers of the direct API ("Authentication"), compared in constant time, and the address.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from './account.ts';
import { allowsAddress } from './addresses.ts';
import { ApiError } from './api-error.ts';

/** An account that no secret opens is compared with this one, so that an unknown key takes as long as a known one. */
const NOBODY = digestOf('no account has this secret');

/** The account of the credentials. Throws 401 INVALID_CREDENTIALS and 403 IP_NOT_ALLOWED. */
export function authenticate(
  accounts: readonly Account[],
  caller: { readonly apiKey: unknown; readonly apiSecret: unknown; readonly address: string },
): Account {
  const account = accounts.find(({ apiKey }) => apiKey === caller.apiKey);
  const matches = sameSecret(caller.apiSecret, account?.apiSecret ?? null);
  if (account === undefined || !matches) {
    const message = 'API credentials are absent or invalid.';
    throw new ApiError({ status: 401, code: 'INVALID_CREDENTIALS', message });
  }
  if (!allowsAddress(account, caller.address)) {
    throw new ApiError({ status: 403, code: 'IP_NOT_ALLOWED', message: 'The caller address is not declared.' });
  }
  return account;
}

/** In constant time; `known` null: there is no such account, which takes as long to find out. */
export function sameSecret(given: unknown, known: string | null): boolean {
  const secret = digestOf(typeof given === 'string' ? given : '');
  return timingSafeEqual(secret, known === null ? NOBODY : digestOf(known)) && known !== null;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
