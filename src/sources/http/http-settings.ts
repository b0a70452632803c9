// What the operator configures for the direct API, and the defaults. Refuses, before anything is sent, settings that
// would leak a credential or could never work; a credential's value is never repeated in a message.

import type { Instant } from '../../domain/instant.ts';
import { SourceFailed } from '../source.ts';

/** The two headers of every call (direct API, "Authentication"). */
export interface HttpCredentials {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** Paths under the base address. All but `profile` and `operations` are "not shown" by the document, so all are settings. */
export interface HttpPaths {
  readonly profile: string;
  readonly wallet: string;
  readonly ledger: string;
  readonly operations: string;
  /** Holds `{reference}` once: the place of the operation's reference. */
  readonly operation: string;
}

/** How a list is served: `auto` looks at the first page. */
export type ServedOrder = 'auto' | 'ascending' | 'descending';

export interface HttpRetries {
  /** Attempts for one request, the first included. */
  readonly attempts: number;
  /** Milliseconds: the longest wait before the second attempt; it doubles for each one after. */
  readonly firstDelay: number;
  /** Milliseconds: no wait of our own choosing is longer. */
  readonly longestDelay: number;
  /** Milliseconds: a longer `Retry-After` is cut to this. */
  readonly longestRetryAfter: number;
}

/** One line for the operator's log. Holds no credential, no body. */
export interface HttpEvent {
  readonly what: 'retry' | 'smaller-pages';
  readonly merchant: string;
  readonly request: string;
  readonly why: string;
  /** Milliseconds until the next attempt; 0 when it follows at once. */
  readonly wait: number;
}

export interface HttpSettings {
  /** `https://…/v1`: no user, password, query or fragment. */
  readonly baseUrl: string;
  /** Merchant's reference → its credentials: one key opens one account. */
  readonly merchants: Readonly<Record<string, HttpCredentials>>;
  readonly paths: HttpPaths;
  /** `auto`, or the name of the field that holds a list's items (`data.items` for a nested one). */
  readonly envelope: string;
  /** 2 to 200: the document allows 1 to 200, and pages of one row could not overlap. */
  readonly pageSize: number;
  readonly ledgerOrder: ServedOrder;
  readonly operationsOrder: ServedOrder;
  /** Milliseconds for one attempt, from sending to the last byte of the body. */
  readonly deadline: number;
  readonly retries: HttpRetries;
  /** A longer body is not read on: pages are made smaller, anything else fails. */
  readonly maxResponseBytes: number;
  readonly clock: () => Instant;
  /** From 0 up to, not including, 1: the jitter of the waits. */
  readonly random: () => number;
  readonly log: (event: HttpEvent) => void;
}

export const HTTP_DEFAULTS = {
  paths: {
    profile: '/merchants/me',
    wallet: '/wallet',
    ledger: '/ledger',
    operations: '/operations',
    operation: '/operations/{reference}',
  },
  envelope: 'auto',
  pageSize: 200,
  ledgerOrder: 'auto',
  operationsOrder: 'auto',
  deadline: 30_000,
  retries: { attempts: 6, firstDelay: 500, longestDelay: 20_000, longestRetryAfter: 120_000 },
  maxResponseBytes: 8 * 1024 * 1024,
} as const satisfies Partial<HttpSettings>;

/** Throws `SourceFailed` INVALID_SETTINGS naming the setting, never its value when that is a credential. */
export function checkHttpSettings(settings: HttpSettings): void {
  checkBaseUrl(settings.baseUrl);
  for (const [merchant, { apiKey, apiSecret }] of Object.entries(settings.merchants)) {
    // A header that cannot be sent would be quoted, secret and all, in the message of the failure.
    if (!isHeaderValue(apiKey)) refuse(`the apiKey of ${merchant} is empty or holds a character no header may hold`);
    if (!isHeaderValue(apiSecret))
      refuse(`the apiSecret of ${merchant} is empty or holds a character no header may hold`);
  }
  for (const [name, path] of Object.entries(settings.paths)) {
    if (!path.startsWith('/')) refuse(`paths.${name} must begin with '/'`);
  }
  if (!settings.paths.operation.includes('{reference}')) refuse('paths.operation must hold {reference}');
  if (!isWithin(settings.pageSize, { least: 2, most: 200 })) refuse('pageSize must be a whole number from 2 to 200');
  if (!isWithin(settings.retries.attempts, { least: 1, most: 100 })) refuse('retries.attempts must be from 1 to 100');
  if (!(settings.deadline > 0)) refuse('deadline must be a positive number of milliseconds');
  if (!(settings.maxResponseBytes > 0)) refuse('maxResponseBytes must be positive');
}

function checkBaseUrl(text: string): void {
  if (!URL.canParse(text)) refuse('baseUrl is not an absolute address');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse('baseUrl must be an http or https address');
  if (url.username !== '' || url.password !== '') refuse('baseUrl must not hold a user name or a password');
  if (url.search !== '' || url.hash !== '') refuse('baseUrl must not hold a query or a fragment');
}

function isHeaderValue(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

function isWithin(value: number, range: { readonly least: number; readonly most: number }): boolean {
  return Number.isInteger(value) && value >= range.least && value <= range.most;
}

function refuse(why: string): never {
  throw new SourceFailed('INVALID_SETTINGS', `The settings of the direct API cannot be used: ${why}.`);
}
