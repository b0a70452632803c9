// What one merchant's credentials open, asked once: that the service answers, takes them, and gives the account that they are
// configured for; and whose account it is. For a look at the settings: reads nothing else.

import type { Instant } from '../../../core/domain/instant.ts';
import { decodeNotifying, type Notifying } from '../decode/decode-merchant.ts';
import { type Asker, askAccount, askProfile, askWallet } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';

type OfMerchant = Pick<Asker, 'merchant' | 'stop'>;

/** Each is null where it could not be read. */
export interface AccountIdentity {
  /** The wallet's `merchantId`. */
  readonly merchantId: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

/** Throws `SourceFailed`. */
export async function identifyAccount(settings: HttpSettings, of: OfMerchant): Promise<AccountIdentity> {
  const asker = askerOnce(settings, of);
  const profile = await askProfile(asker);
  const wallet = await askWallet(asker);
  const { name, country } = profile.kind === 'read' ? profile.value : { name: null, country: null };
  return { merchantId: wallet.kind === 'read' ? wallet.value.merchantId : null, name, country };
}

export interface Probed {
  /** The service's clock as it answered; null: it sent none. */
  readonly date: Instant | null;
  /** Null where that could not be read. */
  readonly notifying: Notifying | null;
}

/** Throws `SourceFailed`. */
export async function probeMerchant(settings: HttpSettings, of: OfMerchant): Promise<Probed> {
  const asked = await askAccount(askerOnce(settings, of), decodeNotifying);
  return { date: asked.date, notifying: asked.kind === 'read' ? asked.value : null };
}

function askerOnce(settings: HttpSettings, of: OfMerchant): Asker {
  checkHttpSettings(settings);
  return { settings: { ...settings, retries: { ...settings.retries, attempts: 1 } }, ...of };
}
