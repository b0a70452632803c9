// How the simulated service behaves where the documents are silent, and how badly it behaves on demand.

import { HOUR } from '../../core/domain/instant.ts';
import type { CourierSettings } from '../courier/courier.ts';

export type ListEnvelope = 'array' | 'data' | 'items';

/** Milliseconds of machine time, drawn between the two. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

/** Trouble by name. Shares are 0 … 1; all of it follows from the seed and the number of calls. */
export interface Misbehaviour {
  /** Chance that a call is answered with 500 INTERNAL_ERROR. */
  readonly failureRate: number;
  /** After every `calls` calls of an account, the next `refusals` are answered with 429 and Retry-After; null: never. */
  readonly rateLimit: {
    readonly calls: number;
    readonly refusals: number;
    readonly retryAfterSeconds: number;
  } | null;
  /** Each call waits; null: none waits. */
  readonly latency: Pause | null;
  /** How long a creation is being processed: meanwhile its Idempotency-Key is in flight; null: no time. */
  readonly creationTakes: Pause | null;
  /** Share of creations answered with 503 before anything was recorded. */
  readonly unavailableBeforeRecording: number;
  /** Share of creations that are recorded and answered with 503 all the same. */
  readonly unavailableAfterRecording: number;
}

/** The dashboard API, where its document is silent. */
export interface DashboardSettings {
  /** Milliseconds that a token opens the API. */
  readonly tokenLifetime: number;
  /** A search answers so many of the newest payments and says nothing of the others; null: all. */
  readonly paymentCap: number | null;
}

/** What becomes of operations that calls create: it is drawn, or they wait until somebody decides or they expire. */
export const FATES = ['drawn', 'decided'] as const;
export type Fates = (typeof FATES)[number];

export interface Settings {
  /** A list is `[…]`, `{"data": […]}` or `{"items": […]}`; the document does not show it. */
  readonly listEnvelope: ListEnvelope;
  readonly ledgerOrder: 'ascending' | 'descending';
  readonly operationOrder: 'newest-first' | 'oldest-first';
  readonly misbehaviour: Misbehaviour;
  readonly fates: Fates;
  readonly dashboard: DashboardSettings;
  /** How notifications of both APIs are sent, where it is not as usual. */
  readonly courier: Partial<CourierSettings>;
}

/** What need not be said is as usual. */
export type GivenSettings = Partial<Omit<Settings, 'misbehaviour'> & { readonly misbehaviour: Partial<Misbehaviour> }>;

const NO_MISBEHAVIOUR: Misbehaviour = {
  failureRate: 0,
  rateLimit: null,
  latency: null,
  creationTakes: null,
  unavailableBeforeRecording: 0,
  unavailableAfterRecording: 0,
};

const DEFAULT_SETTINGS: Settings = {
  listEnvelope: 'data',
  ledgerOrder: 'ascending',
  operationOrder: 'newest-first',
  misbehaviour: NO_MISBEHAVIOUR,
  fates: 'drawn',
  dashboard: { tokenLifetime: HOUR, paymentCap: null },
  courier: {},
};

/** A value of its own: control may change the misbehaviour and the fates as the service runs. */
export function settingsFrom(given: GivenSettings = {}): Settings {
  return { ...DEFAULT_SETTINGS, ...given, misbehaviour: { ...NO_MISBEHAVIOUR, ...given.misbehaviour } };
}
