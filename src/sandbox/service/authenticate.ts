// Who is calling: the pair of headers of the direct API ("Authentication"), compared in constant time.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Account } from './account.ts';
import { ApiError } from './api-error.ts';

/** An account that no secret opens is compared with this one, so that an unknown key takes as long as a known one. */
const NOBODY = digestOf('no account has this secret');

/**
 * The account of the credentials. Throws 401 INVALID_CREDENTIALS, 403 IP_NOT_ALLOWED, and 403 ACCOUNT_SUSPENDED for a
 * suspended account; a PENDING account can read (Merchant, `status`).
 */
export function authenticate(
  accounts: ReadonlyMap<string, Account>,
  caller: { readonly apiKey: unknown; readonly apiSecret: unknown; readonly address: string },
): Account {
  const account = typeof caller.apiKey === 'string' ? accounts.get(caller.apiKey) : undefined;
  const secret = typeof caller.apiSecret === 'string' ? caller.apiSecret : '';
  const matches = timingSafeEqual(digestOf(secret), account === undefined ? NOBODY : digestOf(account.apiSecret));
  if (account === undefined || !matches) {
    const message = 'API credentials are absent or invalid.';
    throw new ApiError({ status: 401, code: 'INVALID_CREDENTIALS', message });
  }
  const { allowedAddresses, status } = account.plan;
  if (allowedAddresses !== null && !allowedAddresses.includes(caller.address)) {
    throw new ApiError({ status: 403, code: 'IP_NOT_ALLOWED', message: 'The caller address is not declared.' });
  }
  if (status === 'SUSPENDED') {
    throw new ApiError({ status: 403, code: 'ACCOUNT_SUSPENDED', message: 'The account is suspended.' });
  }
  return account;
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
