// Calls the simulated dashboard API over real HTTP: as a merchant who has logged in, as its server
// with key and secret, or as anybody.

import type { Sandbox, SandboxMerchant } from '../../src/sandbox/service/start-sandbox.ts';
import { type Ask, ask } from './sandbox-caller.ts';

/** Calls as anybody. Paths are below the dashboard's base address. */
export function anybodyOf({ dashboardUrl }: Pick<Sandbox, 'dashboardUrl'>): Ask {
  return (method, path, asked) => ask(`${dashboardUrl}${path}`, method, asked);
}

export function merchantOf(sandbox: Sandbox, reference: string): SandboxMerchant {
  return sandbox.merchants.find((one) => one.reference === reference)!;
}

/** Calls as the merchant's server, with `x-api-key` and `x-api-secret`. */
export function serverOf(sandbox: Sandbox, reference: string): Ask {
  const { apiKey, apiSecret } = merchantOf(sandbox, reference);
  const keys = { 'x-api-key': apiKey, 'x-api-secret': apiSecret };
  return (method, path, asked = {}) =>
    anybodyOf(sandbox)(method, `/web-merchant${path}`, {
      ...asked,
      headers: { ...keys, ...asked.headers },
    });
}

/**
 * Calls as a merchant who logs in anew for each call, with the reference in the query. Paths are
 * below `/web-merchant`.
 */
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
