// POST /user/login-merchant: the phone number and the password that came by SMS, for a token.

import type { Instant } from '../../../../core/domain/instant.ts';
import { linkCountriesOf } from '../../../dashboard/payments.ts';
import { drawLetters, drawUuid, seedRandom } from '../../../random.ts';
import type { Account } from '../../account.ts';
import { sameSecret } from '../../authenticate.ts';
import type { Service } from '../../service.ts';
import { LOGIN_FAILED } from '../choices.ts';
import { Refusal } from '../refusal.ts';
import { issueToken, type TokenKey } from '../tokens.ts';

/** Throws 404. A phone number may be that of several accounts. */
export function accountOfLogin({ accounts }: Service, body: unknown): Account {
  const { numero, password } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const known = accounts.filter((one) => one.dashboard.numero === numero && linkCountriesOf(one.plan).length > 0);
  const account = known.find(({ dashboard }) => sameSecret(password, dashboard.password));
  if (known.length === 0) sameSecret(password, null);
  if (account === undefined) throw new Refusal(404, LOGIN_FAILED);
  return account;
}

export async function loginResult(
  account: Account,
  issuing: { readonly key: TokenKey; readonly now: Instant; readonly seed: string },
) {
  const { merchant, merchantId } = account.simulation;
  const random = seedRandom(`${issuing.seed}/${merchant.reference}/user`);
  return {
    access_token: await issueToken(issuing.key, { merchant: merchant.reference, now: issuing.now }),
    refresh_token: drawLetters(random, 40),
    user: {
      id: drawUuid(random),
      numero: account.dashboard.numero,
      fullname: merchant.name,
      email: merchant.email,
      merchant_id: merchantId,
      userType: 'MERCHANT',
    },
  };
}
