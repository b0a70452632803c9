// A partner's calls over HTTP: again after what is temporary, with the same Idempotency-Key where there is one, as the direct API
// document asks for ("Errors": the call is retried with the same key).

import { setTimeout as sleep } from 'node:timers/promises';

export interface Reply {
  readonly status: number;
  /** Of an error of the direct API; null where there is none. */
  readonly code: string | null;
  readonly body: unknown;
}

export interface Asking {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  /** What tells who asks, and the Idempotency-Key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const MOST_ATTEMPTS = 12;
/** Milliseconds: however long the service says that one should wait. */
const LONGEST_PAUSE = 50;

/** The last answer: one that is not temporary, or the twelfth. Rejects when nobody answers. */
export async function ask(asking: Asking): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await askOnce(asking);
    if (!isTemporary(reply) || attempt === MOST_ATTEMPTS) return reply;
    await sleep(Math.min(LONGEST_PAUSE, 2 ** attempt));
  }
}

function isTemporary({ status, code }: Reply): boolean {
  return status === 429 || status >= 500 || code === 'IDEMPOTENT_REQUEST_IN_FLIGHT';
}

async function askOnce({ method, url, headers, body }: Asking): Promise<Reply> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answered = (await response.json()) as { readonly error?: { readonly code?: string } | string } | null;
  const error = answered?.error;
  return { status: response.status, code: typeof error === 'object' ? (error.code ?? null) : null, body: answered };
}
