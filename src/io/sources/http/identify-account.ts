// Whose account a key opens, for whoever looks at the settings: the profile and the wallet, asked once each.

import { askProfile, askWallet } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';

/** Each is null where it could not be read. */
export interface AccountIdentity {
  /** The wallet's `merchantId`. */
  readonly merchantId: string | null;
  readonly name: string | null;
  readonly country: string | null;
}

/** Throws `SourceFailed`. */
export async function identifyAccount(
  settings: HttpSettings,
  { merchant, stop }: { readonly merchant: string; readonly stop: AbortSignal },
): Promise<AccountIdentity> {
  checkHttpSettings(settings);
  const asker = { settings: { ...settings, retries: { ...settings.retries, attempts: 1 } }, merchant, stop };
  const profile = await askProfile(asker);
  const wallet = await askWallet(asker);
  const { name, country } = profile.kind === 'read' ? profile.value : { name: null, country: null };
  return { merchantId: wallet.kind === 'read' ? wallet.value.merchantId : null, name, country };
}
