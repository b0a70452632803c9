// A partner's calls over HTTP: with its keys, again after what is temporary and with the same Idempotency-Key, as the direct
// API document asks for ("Errors": the call is retried with the same key).

import { setTimeout as sleep } from 'node:timers/promises';

export interface Keys {
  /** Base address of the direct API, `/v1` included. */
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

export interface Reply {
  readonly status: number;
  /** Of an error; null where there is none. */
  readonly code: string | null;
  readonly body: unknown;
}

export interface Asking {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
}

const MOST_ATTEMPTS = 12;
/** Milliseconds: however long the service says that one should wait. */
const LONGEST_PAUSE = 50;

/** The last answer: one that is not temporary, or the twelfth. Rejects when nobody answers. */
export async function ask(keys: Keys, asking: Asking): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askOnce(keys, asking);
    if (!isTemporary(reply) || attempt === MOST_ATTEMPTS) return reply;
    await sleep(Math.min(LONGEST_PAUSE, 2 ** attempt));
  }
}

function isTemporary({ status, code }: Reply): boolean {
  return status === 429 || status >= 500 || code === 'IDEMPOTENT_REQUEST_IN_FLIGHT';
}

async function askOnce({ url, apiKey, apiSecret }: Keys, { method, path, key, body }: Asking): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-api-key': apiKey,
      'x-api-secret': apiSecret,
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answered = (await response.json()) as { readonly error?: { readonly code?: string } } | null;
  return { status: response.status, code: answered?.error?.code ?? null, body: answered };
}
