// How the simulated service behaves where the document is silent, and how badly it behaves on demand.

import { HOUR } from '../../domain/instant.ts';
import type { CourierSettings } from '../courier/courier.ts';

export type ListEnvelope = 'array' | 'data' | 'items';

export interface Misbehaviour {
  /** Chance that a call is answered with 500 INTERNAL_ERROR. */
  readonly failureRate: number;
  /** After every `calls` calls of an account, the next `refusals` are answered with 429 and Retry-After; null: never. */
  readonly rateLimit: {
    readonly calls: number;
    readonly refusals: number;
    readonly retryAfterSeconds: number;
  } | null;
  /** Each call waits a time drawn between the two, milliseconds; null: none waits. */
  readonly latency: { readonly from: number; readonly to: number } | null;
}

/** The dashboard API, where its document is silent. */
export interface DashboardSettings {
  /** Milliseconds that a token opens the API. */
  readonly tokenLifetime: number;
  /** A search answers so many of the newest payments and says nothing of the others; null: all. */
  readonly paymentCap: number | null;
}

export interface Settings {
  /** A list is `[…]`, `{"data": […]}` or `{"items": […]}`; the document does not show it. */
  readonly listEnvelope: ListEnvelope;
  readonly ledgerOrder: 'ascending' | 'descending';
  readonly operationOrder: 'newest-first' | 'oldest-first';
  readonly misbehaviour: Misbehaviour;
  readonly dashboard: DashboardSettings;
  /** How notifications of both APIs are sent, where it is not as usual. */
  readonly courier: Partial<CourierSettings>;
}

export const DEFAULT_SETTINGS: Settings = {
  listEnvelope: 'data',
  ledgerOrder: 'ascending',
  operationOrder: 'newest-first',
  misbehaviour: { failureRate: 0, rateLimit: null, latency: null },
  dashboard: { tokenLifetime: HOUR, paymentCap: null },
  courier: {},
};
