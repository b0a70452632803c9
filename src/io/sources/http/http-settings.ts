// The settings of the direct API, and their defaults. Refuses, before anything is sent, settings
// that would leak a credential or could never work; a credential's value is never repeated in a
// message.

import {
  checkBaseUrl,
  isHeaderValue,
  refuseSettings,
  WEB_DEFAULTS,
  type WebSettings,
} from '../web/web-settings.ts';
import type { ServedOrder } from './served-page.ts';

/** The two headers of every request (direct API, "Authentication"). */
export interface HttpCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/**
 * Paths below the base address. All are settings, because the document does not show those of
 * wallet, ledger and a single operation.
 */
export type HttpPaths = Readonly<Record<keyof typeof PATHS, string>>;

const PATHS = {
  profile: '/merchants/me',
  wallet: '/wallet',
  ledger: '/ledger',
  operations: '/operations',
  /** Must contain `{reference}` once, where the operation's reference belongs. */
  operation: '/operations/{reference}',
  /** Path of the list of notifications that failed or were abandoned. */
  deliveries: '/merchants/me/webhooks',
} as const;

/**
 * Settings of the direct API. `baseUrl` is `https://…/v1`. A page of a list that is too long is
 * requested again with fewer rows.
 */
export interface HttpSettings extends WebSettings {
  /** Credentials by merchant's reference: one key opens one account. */
  readonly merchants: Readonly<Record<string, HttpCredentials>>;
  readonly paths: HttpPaths;
  /**
   * `auto`, or the name of the field that holds a list's items (`data.items` for a nested field).
   */
  readonly envelope: string;
  /**
   * Rows of a page, 2 to 200: the document allows 1 to 200, and pages of one row could not overlap.
   */
  readonly pageSize: number;
  readonly ledgerOrder: ServedOrder;
  readonly operationsOrder: ServedOrder;
}

export const HTTP_DEFAULTS = {
  paths: PATHS,
  envelope: 'auto',
  pageSize: 200,
  ledgerOrder: 'auto',
  operationsOrder: 'auto',
  ...WEB_DEFAULTS,
} as const satisfies Partial<HttpSettings>;

/**
 * Checks what the configuration's own check cannot. Throws `SourceFailed` INVALID_SETTINGS, which
 * names the setting, never a credential's value.
 */
export function checkHttpSettings(settings: HttpSettings): void {
  checkBaseUrl(settings.baseUrl, API);
  for (const [merchant, credentials] of Object.entries(settings.merchants)) {
    for (const name of ['apiKey', 'apiSecret'] as const) {
      if (isHeaderValue(credentials[name])) continue;
      refuseSettings(
        API,
        `the ${name} of ${merchant} is empty or holds a character no header may hold`,
      );
    }
  }
}

const API = 'the direct API';
