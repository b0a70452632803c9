// Calls the simulated dashboard API over real HTTP: as a merchant who has logged in, as its server with key and secret, or as
// anybody.

import type { Sandbox, SandboxMerchant } from '../../src/sandbox/service/start-sandbox.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into answers of every shape
  readonly body: any;
}

export interface Asked {
  /** JSON, or a multipart form. */
  readonly body?: unknown;
  /** Instead of `body`: as it is sent. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Ask = (method: string, path: string, asked?: Asked) => Promise<Answer>;

/** Paths are below the dashboard's base address. */
export function anybodyOf({ dashboardUrl }: Pick<Sandbox, 'dashboardUrl'>): Ask {
  return async (method, path, { body, text, headers } = {}) => {
    const isForm = body instanceof FormData;
    const sent = text ?? (isForm ? body : body === undefined ? undefined : JSON.stringify(body));
    const type: Record<string, string> = sent === undefined || isForm ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${dashboardUrl}${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(sent !== undefined && { body: sent }),
    });
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? await response.json() : await response.text(),
    };
  };
}

export function merchantOf(sandbox: Sandbox, reference: string): SandboxMerchant {
  return sandbox.merchants.find((one) => one.reference === reference)!;
}

/** With `x-api-key` and `x-api-secret`. */
export function serverOf(sandbox: Sandbox, reference: string): Ask {
  const { apiKey, apiSecret } = merchantOf(sandbox, reference);
  const keys = { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
  return (method, path, asked = {}) =>
    anybodyOf(sandbox)(method, `/web-merchant${path}`, { ...asked, headers: { ...keys, ...asked.headers } });
}

/** Logged in anew for each call, and with the merchant's reference in the query. Paths are below `/web-merchant`. */
export function userOf(
  sandbox: Sandbox,
  reference: string,
  dashboard: SandboxMerchant['dashboard'] = merchantOf(sandbox, reference).dashboard,
): Ask {
  return async (method, path, asked = {}) => {
    const token = await tokenOf(sandbox, dashboard);
    const named = `${path}${path.includes('?') ? '&' : '?'}merchant_reference=${reference}`;
    const headers = { authenticationtoken: token, ...asked.headers };
    return anybodyOf(sandbox)(method, `/web-merchant${named}`, { ...asked, headers });
  };
}

async function tokenOf(sandbox: Sandbox, dashboard: SandboxMerchant['dashboard']): Promise<string> {
  const logged = await anybodyOf(sandbox)('POST', '/user/login-merchant', { body: dashboard });
  return logged.body.access_token;
}
