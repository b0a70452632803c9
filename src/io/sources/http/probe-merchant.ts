// One call with one merchant's credentials: the service answers, takes them, and they open the account that they are
// configured for. Asked once; reads nothing else.

import type { Instant } from '../../../core/domain/instant.ts';
import { decodeNotifying, type Notifying } from '../decode/decode-merchant.ts';
import { askAccount } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';

export interface Probed {
  /** The service's clock as it answered; null: it sent none. */
  readonly date: Instant | null;
  /** Null where that could not be read. */
  readonly notifying: Notifying | null;
}

/** Throws `SourceFailed`. */
export async function probeMerchant(
  settings: HttpSettings,
  { merchant, stop }: { readonly merchant: string; readonly stop: AbortSignal },
): Promise<Probed> {
  checkHttpSettings(settings);
  const once = { ...settings, retries: { ...settings.retries, attempts: 1 } };
  const asked = await askAccount({ settings: once, merchant, stop }, decodeNotifying);
  return { date: asked.date, notifying: asked.kind === 'read' ? asked.value : null };
}
