// One call with one merchant's credentials: the service answers, takes them, and they open the account that they are
// configured for. Asked once; reads nothing else.

import type { Instant } from '../../domain/instant.ts';
import { askProfile } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';

/** The service's clock as it answered, null when it sent none. Throws `SourceFailed`. */
export async function probeMerchant(
  settings: HttpSettings,
  { merchant, stop }: { readonly merchant: string; readonly stop: AbortSignal },
): Promise<Instant | null> {
  checkHttpSettings(settings);
  const once = { ...settings, retries: { ...settings.retries, attempts: 1 } };
  return (await askProfile({ settings: once, merchant, stop })).date;
}
