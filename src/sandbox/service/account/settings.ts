// How the simulated service behaves where the documents are silent, and how badly on demand:
// trouble by name, and the settings that bring it about. The courier names the trouble of
// notifications.

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
 * Trouble of calls and, in `misdelivery`, of notifications. Shares are 0 … 1; all of it follows
 * from the seed and the number of calls.
 */
export const misbehaviourForm = z.strictObject({
  /** Chance that a call is answered with 500 INTERNAL_ERROR. */
  failureRate: share,
  /**
   * After every `calls` calls of an account, the next `refusals` are answered with 429 and
   * Retry-After; null: never.
   */
  rateLimit: z
    .strictObject({
      calls: z.int().min(1),
      refusals: z.int().min(1),
      retryAfterSeconds: z.int().min(0),
    })
    .nullable(),
  /** Each call waits; null: none waits. */
  latency: pause,
  /**
   * How long a creation is being processed: meanwhile its Idempotency-Key is in flight; null: no
   * time.
   */
  creationTakes: pause,
  /** Share of creations answered with 503 before anything was recorded. */
  unavailableBeforeRecording: share,
  /** Share of creations that are recorded and answered with 503 all the same. */
  unavailableAfterRecording: share,
  misdelivery: z.partialRecord(z.enum(Object.keys(MISDELIVERIES) as MisdeliveryName[]), share),
});
export type Misbehaviour = Readonly<Omit<z.output<typeof misbehaviourForm>, 'misdelivery'>>;

/** The dashboard API, where its document is silent. */
export interface DashboardSettings {
  /** Milliseconds that a token opens the API. */
  readonly tokenLifetime: number;
  /** A search answers so many of the newest payments and says nothing of the others; null: all. */
  readonly paymentCap: number | null;
}

/**
 * The end of operations that calls create: drawn, or PENDING until control decides or they expire.
 */
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

/** Absent settings are as usual. */
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

/** A value of its own: control may change the misbehaviour and the fates as the service runs. */
export function settingsFrom(given: GivenSettings = {}): Settings {
  return {
    ...DEFAULT_SETTINGS,
    ...given,
    misbehaviour: { ...NO_MISBEHAVIOUR, ...given.misbehaviour },
  };
}

interface NamedTrouble {
  readonly says: string;
  /** Its share unless the wish states another; null: it has none. */
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

/** What each of these does, in words. */
const WORDS = JSON.parse(
  readFileSync(new URL('misbehaviours.json', import.meta.url), 'utf8'),
) as Record<string, string>;

/** Share of notifications that meet with it, unless the wish states another. */
const MISDELIVERED = 0.1;

/** Every name, with what it does. */
export const MISBEHAVIOURS: ReadonlyMap<string, NamedTrouble> = new Map<string, NamedTrouble>([
  ...Object.entries(OF_CALLS).map(
    ([name, { share }]) => [name, { says: WORDS[name]!, share }] as const,
  ),
  ...Object.entries(MISDELIVERIES).map(
    ([name, says]) => [name, { says: `a notification ${says}`, share: MISDELIVERED }] as const,
  ),
]);

/**
 * The settings of all wishes: `NAME`, or `NAME=SHARE` with a share from 0 to 1. Throws RangeError,
 * in a sentence, for an unknown name and for a share that is none.
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
