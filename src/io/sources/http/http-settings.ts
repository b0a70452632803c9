// What the operator configures for the direct API, and the defaults. Refuses, before anything is
// sent, settings that would leak a credential or could never work; a credential's value is never
// repeated in a message.

import {
  checkBaseUrl,
  isHeaderValue,
  refuseSettings,
  WEB_DEFAULTS,
  type WebSettings,
} from '../web/web-settings.ts';
import type { ServedOrder } from './served-page.ts';

/** The two headers of every call (direct API, "Authentication"). */
export interface HttpCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/**
 * Paths under the base address. Those of wallet, ledger and a single operation are "not shown", so
 * all are settings.
 */
export type HttpPaths = Readonly<Record<keyof typeof PATHS, string>>;

const PATHS = {
  profile: '/merchants/me',
  wallet: '/wallet',
  ledger: '/ledger',
  operations: '/operations',
  /** Holds `{reference}` once: the place of the operation's reference. */
  operation: '/operations/{reference}',
  /** Of notifications that failed or were abandoned. */
  deliveries: '/merchants/me/webhooks',
} as const;

/** `baseUrl` is `https://…/v1`. A list's page that is too long is requested again, smaller. */
export interface HttpSettings extends WebSettings {
  /** Merchant's reference → its credentials: one key opens one account. */
  readonly merchants: Readonly<Record<string, HttpCredentials>>;
  readonly paths: HttpPaths;
  /** `auto`, or the name of the field that holds a list's items (`data.items` for a nested one). */
  readonly envelope: string;
  /** 2 to 200: the document allows 1 to 200, and pages of one row could not overlap. */
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
 * What the configuration's check cannot see. Throws `SourceFailed` INVALID_SETTINGS naming the
 * setting, never a credential's value.
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
