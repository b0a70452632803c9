// Asks the direct API: each request with the merchant's two credentials in their headers. It sends only GETs, so that a
// repetition is always safe.

import type { Found } from '../web/found.ts';
import { type Answer, askWeb } from '../web/transport.ts';
import type { HttpSettings } from './http-settings.ts';
import { DIRECT_API } from './service-error.ts';

export interface Question<Value> {
  readonly merchant: string;
  /** Under the base address, with a leading `/`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | number>>;
  readonly read: (body: Uint8Array) => Found<Value>;
  readonly stop: AbortSignal;
}

/** Throws `SourceFailed` when every attempt failed, or the first one did in a way that no repetition mends. */
export async function ask<Value>(settings: HttpSettings, question: Question<Value>): Promise<Answer<Value>> {
  const { apiKey, apiSecret } = settings.merchants[question.merchant]!;
  return askWeb(settings, {
    ...question,
    request: `GET ${question.path} of ${question.merchant}`,
    method: 'GET',
    headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
    body: null,
    expects: 200,
    dialect: DIRECT_API,
  });
}
