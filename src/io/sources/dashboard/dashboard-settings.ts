// What the operator configures for the dashboard API, and the defaults. Refuses, before anything is sent, settings that
// could never work; a credential's value is never repeated in a message.

import { checkWebSettings, refuseSettings, WEB_DEFAULTS, type WebSettings } from '../web/web-settings.ts';

/** What logs a merchant in (dashboard API, "Login result"); both came by SMS at account creation. */
export interface DashboardCredentials {
  /** The phone number. */
  readonly numero: string;
  readonly password: string;
}

/**
 * Names of query parameters: the document shows what they mean and not how they are called. The merchant's account reference; start
 * and end of the payments searched, both inclusive.
 */
const PARAMETERS = { merchant: 'merchant_reference', from: 'startDate', until: 'endDate' } as const;

/** `baseUrl` is the document's `{base_url}`. */
export interface DashboardSettings extends WebSettings {
  /** Merchant's reference → its credentials. */
  readonly merchants: Readonly<Record<string, DashboardCredentials>>;
  readonly parameters: Readonly<Record<keyof typeof PARAMETERS, string>>;
}

export const DASHBOARD_DEFAULTS = {
  parameters: PARAMETERS,
  ...WEB_DEFAULTS,
} as const satisfies Partial<DashboardSettings>;

const API = 'the dashboard API';

/** Throws `SourceFailed` INVALID_SETTINGS naming the setting. */
export function checkDashboardSettings(settings: DashboardSettings): void {
  checkWebSettings(settings, API);
  for (const [merchant, credentials] of Object.entries(settings.merchants)) {
    for (const name of ['numero', 'password'] as const) {
      if (credentials[name] === '') refuseSettings(API, `the ${name} of ${merchant} is empty`);
    }
  }
  const names = Object.values(settings.parameters);
  if (names.includes('')) refuseSettings(API, 'a name under parameters is empty');
  if (new Set(names).size < names.length) refuseSettings(API, 'two names under parameters are the same');
}
