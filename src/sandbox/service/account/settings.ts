// How the simulated service behaves where the documents are silent, and how badly it behaves on
// request: names of misbehaviour, and the settings that each name means. Names for notifications
// come from the courier.

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { HOUR } from '../../../core/domain/instant.ts';
import {
  type CourierSettings,
  MISDELIVERIES,
  type MisdeliveryName,
} from '../../courier/courier.ts';

export type ListEnvelope = 'array' | 'data' | 'items';

const share = z.number({ error: 'must be a share from 0 to 1' }).min(0).max(1);

/** Milliseconds of machine time, drawn between the two. */
const pause = z
  .strictObject({ from: z.int().min(0), to: z.int().max(60_000) })
  .refine(({ from, to }) => from <= to, { error: 'must go from less to more' })
  .nullable();

/**
 * Misbehaviour of calls and, in `misdelivery`, of notifications. Shares are 0 … 1. Everything
 * follows from the seed and the number of calls.
 */
export const misbehaviourForm = z.strictObject({
  /** Chance that a call is answered with 500 INTERNAL_ERROR. */
  failureRate: share,
  /**
   * After every `calls` calls of an account, the next `refusals` are answered with 429 and
   * Retry-After; `null` for never.
   */
  rateLimit: z
    .strictObject({
      calls: z.int().min(1),
      refusals: z.int().min(1),
      retryAfterSeconds: z.int().min(0),
    })
    .nullable(),
  /** How long each call waits before it is answered; `null` for no wait. */
  latency: pause,
  /**
   * How long a creation is being processed; its Idempotency-Key is in flight meanwhile. `null` for
   * no time.
   */
  creationTakes: pause,
  /** Share of creations answered with 503 before anything was recorded. */
  unavailableBeforeRecording: share,
  /** Share of creations that are recorded and answered with 503 all the same. */
  unavailableAfterRecording: share,
  misdelivery: z.partialRecord(z.enum(Object.keys(MISDELIVERIES) as MisdeliveryName[]), share),
});
export type Misbehaviour = Readonly<Omit<z.output<typeof misbehaviourForm>, 'misdelivery'>>;

/** How the dashboard API behaves where its document is silent. */
export interface DashboardSettings {
  /** Milliseconds for which a token is valid. */
  readonly tokenLifetime: number;
  /**
   * A search answers at most this many of the newest payments, without saying that others exist;
   * `null` for all.
   */
  readonly paymentCap: number | null;
}

/**
 * How operations that calls create end. `drawn`: by chance; `decided`: they are PENDING until a
 * control call decides, or expire.
 */
export const FATES = ['drawn', 'decided'] as const;
export type Fates = (typeof FATES)[number];

export interface Settings {
  /**
   * Whether a list is `[…]`, `{"data": […]}` or `{"items": […]}`; the document does not show it.
   */
  readonly listEnvelope: ListEnvelope;
  readonly ledgerOrder: 'ascending' | 'descending';
  readonly operationOrder: 'newest-first' | 'oldest-first';
  readonly misbehaviour: Misbehaviour;
  readonly fates: Fates;
  readonly dashboard: DashboardSettings;
  /** How notifications of both APIs are sent, where it differs from the courier's defaults. */
  readonly courier: Partial<CourierSettings>;
}

/** Settings as given. Absent ones have their defaults. */
export type GivenSettings = Partial<
  Omit<Settings, 'misbehaviour'> & { readonly misbehaviour: Partial<Misbehaviour> }
>;

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

/**
 * Returns settings with an object of their own for the misbehaviour, because control calls may
 * change it while the service runs.
 */
export function settingsFrom(given: GivenSettings = {}): Settings {
  return {
    ...DEFAULT_SETTINGS,
    ...given,
    misbehaviour: { ...NO_MISBEHAVIOUR, ...given.misbehaviour },
  };
}

interface NamedTrouble {
  readonly says: string;
  /** Its share where none is stated; `null` when it has no share. */
  readonly share: number | null;
}

const OF_CALLS: Readonly<
  Record<
    string,
    Pick<NamedTrouble, 'share'> & { readonly settings: (share: number) => Partial<Misbehaviour> }
  >
> = {
  FAILING: { share: 0.05, settings: (failureRate) => ({ failureRate }) },
  HASTY: {
    share: null,
    settings: () => ({ rateLimit: { calls: 60, refusals: 3, retryAfterSeconds: 1 } }),
  },
  SLOW: { share: null, settings: () => ({ latency: { from: 100, to: 800 } }) },
  SLOW_CREATIONS: { share: null, settings: () => ({ creationTakes: { from: 1_000, to: 3_000 } }) },
  UNAVAILABLE: {
    share: 0.1,
    settings: (unavailableBeforeRecording) => ({ unavailableBeforeRecording }),
  },
  UNAVAILABLE_RECORDED: {
    share: 0.1,
    settings: (unavailableAfterRecording) => ({ unavailableAfterRecording }),
  },
};

/** What each misbehaviour of calls does, in words. */
const WORDS = JSON.parse(
  readFileSync(new URL('misbehaviours.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** The share of notifications where none is stated. */
const MISDELIVERED = 0.1;

/** Every misbehaviour by its name, with what it does. */
export const MISBEHAVIOURS: ReadonlyMap<string, NamedTrouble> = new Map<string, NamedTrouble>([
  ...Object.entries(OF_CALLS).map(
    ([name, { share }]) => [name, { says: WORDS[name]!, share }] as const,
  ),
  ...Object.entries(MISDELIVERIES).map(
    ([name, says]) => [name, { says: `a notification ${says}`, share: MISDELIVERED }] as const,
  ),
]);

/**
 * Returns the settings of all wishes. A wish is `NAME`, or `NAME=SHARE` with a share from 0 to 1,
 * for example `FAILING=0.2`. Throws RangeError, with a sentence, for an unknown name or a wrong
 * share.
 */
export function settingsOfMisbehaviours(wishes: readonly string[]) {
  let misbehaviour: Partial<Misbehaviour> = {};
  const misdelivery: Partial<Record<MisdeliveryName, number>> = {};
  for (const wish of wishes) {
    const { name, share } = readWish(wish);
    const trouble = OF_CALLS[name];
    if (trouble === undefined) misdelivery[name as MisdeliveryName] = share;
    else misbehaviour = { ...misbehaviour, ...trouble.settings(share) };
  }
  return { misbehaviour, courier: { misdelivery } };
}

function readWish(wish: string): { readonly name: string; readonly share: number } {
  const [, name = wish, given] = /^([^=]*)=(.*)$/.exec(wish) ?? [];
  const named = MISBEHAVIOURS.get(name);
  if (named === undefined) throw new RangeError(`'${name}' is no misbehaviour`);
  if (given === undefined) return { name, share: named.share ?? 1 };
  if (named.share === null) throw new RangeError(`${name} has no share`);
  if (!/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/.test(given)) {
    throw new RangeError(`the share of ${name} must be from 0 to 1, not '${given}'`);
  }
  return { name, share: Number(given) };
}
