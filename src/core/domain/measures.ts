// The port of what a process counts of its own work, for its metrics. Whatever can be read from the
// store is not counted here: every process would give its own part of it.

import type { Instant } from './instant.ts';

export interface Measures {
  /** Lines that were new to the mirror. */
  entriesRead(count: number): void;
  jobEnded(job: {
    readonly kind: string;
    readonly outcome: 'done' | 'failed';
    readonly milliseconds: number;
  }): void;
  /** `count`: number of deliveries in the attempt. */
  deliveryTried(attempt: {
    readonly channel: string;
    readonly outcome: string;
    readonly count: number;
  }): void;
  /** The books of our own that a night judges first: just what is wrong with them was found. */
  canaryJudged(isFound: boolean): void;
  callAnswered(call: {
    readonly method: string;
    /** As declared, with its parameters' names; never a called address. */
    readonly route: string;
    readonly status: number;
    readonly milliseconds: number;
  }): void;
}

export const NO_MEASURES: Measures = {
  entriesRead: () => {},
  jobEnded: () => {},
  deliveryTried: () => {},
  canaryJudged: () => {},
  callAnswered: () => {},
};

// The port of tracing: how work that spans several parts is followed, where there is a place to see
// it. Attributes hold references and figures; never a secret, a phone number or a text of the
// service.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type Note = (more: SpanAttributes) => void;

export interface Tracing {
  /**
   * Does `work`, whose own spans lie within this one; what it throws goes on to the caller. `note`
   * adds what is known only at the end. Never fails by itself.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (note: Note) => Promise<T>): Promise<T>;
}

export const NO_TRACING: Tracing = { span: (_name, _attributes, work) => work(() => {}) };

// What the store knows of how the service is doing, for its metrics: counts and instants, nothing
// of a single merchant.

export interface ServiceFigures {
  /** All runs there have been. closed: ended without covering everyone. */
  readonly runs: readonly {
    readonly kind: string;
    readonly outcome: 'running' | 'complete' | 'closed';
    readonly count: number;
  }[];
  readonly newestNight: NightFigures | null;
  /** When the newest night that is over ended; null when none is. */
  readonly lastNightFinishedAt: Instant | null;
  /**
   * Merchants that are not retired, by their standing verdict. failed: could not be judged, and was
   * not broken before.
   */
  readonly verdicts: readonly { readonly verdict: string; readonly merchants: number }[];
  /** Merchants whose lag is watched: those of the newest night, or without a night all. */
  readonly watched: number;
  /**
   * The instant up to which the mirror is known to be whole for every watched merchant that was
   * ever read.
   */
  readonly oldestWatermark: Instant | null;
  readonly neverRead: number;
  /** Findings that are not resolved. */
  readonly findings: readonly {
    readonly severity: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** Of confirmed roots that are not resolved, as of the reading. */
  readonly exposure: readonly Exposure[];
  /** Lines in the mirror. */
  readonly entries: number;
  readonly log: LogState;
  /**
   * What has not gone out: without SUCCESS, and without GATHERED, which the mail of the night took
   * along.
   */
  readonly deliveries: readonly {
    readonly channel: string;
    readonly state: string;
    readonly count: number;
  }[];
}

/**
 * How the stored log of evidence departs from the checkpoint of `signed` leaves: it is shorter, or
 * another.
 */
export interface LogFault {
  readonly fault: 'shorter' | 'altered';
  readonly leaves: number;
  readonly signed: number;
}
/** Null: nothing was signed. */
export type LogState = LogFault | 'continued' | null;

export function sayFault({ fault, leaves, signed }: LogFault): string {
  return fault === 'shorter'
    ? `it has ${leaves} ${leaves === 1 ? 'leaf' : 'leaves'}, and a checkpoint of ${signed} leaves was signed`
    : `its first ${signed} leaves are not those that were signed`;
}

export interface NightFigures {
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  readonly members: readonly {
    readonly state: 'waiting' | 'done' | 'failed';
    readonly merchants: number;
  }[];
  readonly entriesAdded: number;
}

/** How many jobs of one kind there are. */
export interface QueueDepth<Kind extends string = string> {
  readonly kind: Kind;
  /** Queued, those that are to be tried again and those that are not due yet included. */
  readonly waiting: number;
  readonly active: number;
  /** Given up and still remembered. */
  readonly failed: number;
}

// What is at stake: confirmed roots by currency, state and age. Amounts of two currencies are never
// added, and those of an unknown one not at all.

/**
 * In whole days since the instant of the line or the operation, else since a run saw the finding
 * first.
 */
export const AGES = ['0-1', '2-7', '8-30', '31-90', '>90'] as const;
/** The day with which each age but the first begins. */
export const AGE_BEGINS: readonly number[] = [2, 8, 31, 91];

export const EXPOSED_STATES = ['open', 'acknowledged', 'settled', 'accepted'] as const;

export type Age = (typeof AGES)[number];

export interface Exposure {
  readonly currency: string | null;
  readonly state: (typeof EXPOSED_STATES)[number];
  readonly age: Age;
  readonly findings: number;
  /**
   * By how much recorded figures are off, too high or too low; whole units. Null where the currency
   * is.
   */
  readonly off: string | null;
  /** What the findings are about that put no figure off; whole units. */
  readonly concerned: string | null;
}

/** What both amounts come to; null where the currency is not known. */
export function stakeOf({ off, concerned }: Pick<Exposure, 'off' | 'concerned'>): bigint | null {
  return off === null || concerned === null ? null : BigInt(off) + BigInt(concerned);
}

export interface StateExposure extends Pick<Exposure, 'currency' | 'state' | 'findings'> {
  readonly stake: string | null;
  /** Only ages that there are. */
  readonly ages: Readonly<Partial<Record<Age, Pick<StateExposure, 'findings' | 'stake'>>>>;
}

/** In the order of `exposure`, over all ages. */
export function exposureByState(exposure: readonly Exposure[]): readonly StateExposure[] {
  const groups = Map.groupBy(exposure, ({ currency, state }) => `${currency ?? ''}/${state}`);
  return [...groups.values()].map((some) => {
    const { currency, state } = some[0]!;
    const sums = some.map(stakeOf);
    const stake = sums.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0n);
    const ages = some.map(
      ({ age, findings }, i) => [age, { findings, stake: sums[i]?.toString() ?? null }] as const,
    );
    const findings = some.reduce((sum, one) => sum + one.findings, 0);
    return {
      currency,
      state,
      findings,
      stake: stake?.toString() ?? null,
      ages: Object.fromEntries(ages),
    };
  });
}
