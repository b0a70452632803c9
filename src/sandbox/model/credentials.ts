// The keys of an account and of its notifications. They follow from the seed, the merchant and the
// number of regenerations, so that a configuration stays valid from run to run.

import { drawPhoneNumber } from './operators.ts';
import type { MerchantPlan } from './plan.ts';
import { drawLetters, seedRandom } from './random.ts';

export interface Credentials {
  readonly apiKey: string;
  apiSecret: string;
  /**
   * The login of the dashboard ("Login result"): the phone number, and the password that was sent
   * by SMS.
   */
  readonly dashboard: { readonly numero: string; readonly password: string };
}

/**
 * Returns the keys as they are first issued. The secret has 64 characters, as the dashboard
 * document says of a regenerated one.
 */
export function firstCredentials(plan: MerchantPlan, seed: string): Credentials {
  const random = seedRandom(`${seed}/${plan.reference}/credentials`);
  const apiKey = `gk_test_${drawLetters(random, 24).toLowerCase()}`;
  const secret = drawLetters(random, 48);
  const drawnNumber = drawPhoneNumber(random, plan.country);
  const dashboard = {
    numero: plan.contact?.phoneNumber ?? drawnNumber,
    password: drawLetters(random, 12).toLowerCase(),
  };
  const rest = drawLetters(seedRandom(`${seed}/${plan.reference}/rest of the secret`), 8);
  return { apiKey, apiSecret: `gs_test_${`${secret}${rest}`.toLowerCase()}`, dashboard };
}

/** Returns the account's secret after it was regenerated `times` times, at least once. */
export function regeneratedSecret(
  of: { readonly reference: string; readonly seed: string },
  times: number,
): string {
  const random = seedRandom(`${of.seed}/${of.reference}/secret ${times}`);
  return `gs_test_${drawLetters(random, 56).toLowerCase()}`;
}

/** Returns the signing secret, `whsec_…`, after it was rotated `times` times. */
export function signingSecret(
  of: { readonly reference: string; readonly seed: string },
  times: number,
): string {
  const random = seedRandom(`${of.seed}/${of.reference}/signing secret ${times}`);
  return `whsec_${drawLetters(random, 40).toLowerCase()}`;
}

/** Returns the hint: "Last eight characters of the current signing secret." */
export function hintOf(secret: string): string {
  return secret.slice(-8);
}
