// What the operator configures for the dashboard API, and the defaults. Refuses, before anything is
// sent, settings that could never work; a credential's value is never repeated in a message.

import {
  checkBaseUrl,
  refuseSettings,
  WEB_DEFAULTS,
  type WebSettings,
} from '../web/web-settings.ts';

/**
 * What logs a merchant in (dashboard API, "Login result"); both came by SMS at account creation.
 */
export interface DashboardCredentials {
  /** The phone number. */
  readonly numero: string;
  readonly password: string;
}

/**
 * Names of query parameters: the document shows what they mean and not how they are called. The
 * merchant's account reference; start and end of the payments searched, both inclusive.
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

/**
 * What the configuration's check cannot see. Throws `SourceFailed` INVALID_SETTINGS naming the
 * setting.
 */
export function checkDashboardSettings(settings: DashboardSettings): void {
  checkBaseUrl(settings.baseUrl, API);
  const names = Object.values(settings.parameters);
  if (new Set(names).size < names.length)
    refuseSettings(API, 'two names under parameters are the same');
}
