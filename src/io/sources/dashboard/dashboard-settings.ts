// The settings of the dashboard API, and their defaults. Refuses, before anything is sent, settings
// that could never work; a credential's value is never repeated in a message.

import {
  checkBaseUrl,
  refuseSettings,
  WEB_DEFAULTS,
  type WebSettings,
} from '../web/web-settings.ts';

/**
 * The credentials of a merchant's login (dashboard API, "Login result"); both came by SMS when the
 * account was created.
 */
export interface DashboardCredentials {
  /** The phone number. */
  readonly numero: string;
  readonly password: string;
}

/**
 * Names of query parameters, whose meanings the document shows without their names: the merchant's
 * account reference, and start and end of the payments searched, both inclusive.
 */
const PARAMETERS = { merchant: 'merchant_reference', from: 'startDate', until: 'endDate' } as const;

/** Settings of the dashboard API. `baseUrl` is the document's `{base_url}`. */
export interface DashboardSettings extends WebSettings {
  /** Credentials by merchant's reference. */
  readonly merchants: Readonly<Record<string, DashboardCredentials>>;
  readonly parameters: Readonly<Record<keyof typeof PARAMETERS, string>>;
}

export const DASHBOARD_DEFAULTS = {
  parameters: PARAMETERS,
  ...WEB_DEFAULTS,
} as const satisfies Partial<DashboardSettings>;

const API = 'the dashboard API';

/**
 * Checks what the configuration's own check cannot. Throws `SourceFailed` INVALID_SETTINGS, which
 * names the setting.
 */
export function checkDashboardSettings(settings: DashboardSettings): void {
  checkBaseUrl(settings.baseUrl, API);
  const names = Object.values(settings.parameters);
  if (new Set(names).size < names.length)
    refuseSettings(API, 'two names under parameters are the same');
}
