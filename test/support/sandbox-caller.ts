// Calls the simulated service over real HTTP as a partner does, with the merchant's credentials,
// and its control as a tester does.

import type { Sandbox, SandboxMerchant } from '../../src/sandbox/service/start-sandbox.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  readonly body: any;
}

export interface Asked {
  /** JSON, or a multipart form. */
  readonly body?: unknown;
  /** The body as it is sent, instead of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

function credentialsOf({ apiKey, apiSecret }: Pick<SandboxMerchant, 'apiKey' | 'apiSecret'>) {
  return { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
}

export function partnerOf(sandbox: Sandbox, reference: string): Ask {
  const merchant = sandbox.merchants.find((one) => one.reference === reference)!;
  return (method, path, asked = {}) =>
    ask(`${sandbox.url}${path}`, method, {
      ...asked,
      headers: { ...credentialsOf(merchant), ...asked.headers },
    });
}

export function controlOf(sandbox: Sandbox): Ask {
  return (method, path, asked = {}) => ask(`${sandbox.origin}/sandbox${path}`, method, asked);
}

/** Calls `url`. A form is sent as one; an answer that is no JSON is returned as text. */
export async function ask(
  url: string,
  method: string,
  { body, text, headers }: Asked = {},
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const sent = text ?? (isForm ? body : body === undefined ? undefined : JSON.stringify(body));
  const type: Record<string, string> =
    sent === undefined || isForm ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...type, ...headers },
    ...(sent !== undefined && { body: sent }),
  });
  const answer = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text: answer,
    body: isJson ? JSON.parse(answer) : answer,
  };
}
