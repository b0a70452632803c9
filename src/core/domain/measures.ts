// The port by which a process counts its own work, for its metrics. Figures that can be read from
// the store are not counted here, because each process would report only its own part of them.

import type { Instant } from './instant.ts';

export interface Measures {
  /** Counts lines that were new to the mirror. */
  entriesRead(count: number): void;
  jobEnded(job: {
    readonly kind: string;
    readonly outcome: 'done' | 'failed';
    readonly milliseconds: number;
  }): void;
  /** Counts an attempt; `count` is the number of deliveries in it. */
  deliveryTried(attempt: {
    readonly channel: string;
    readonly outcome: string;
    readonly count: number;
  }): void;
  /**
   * Reports the verdict on the canary, the known faulty books that a night judges first. `isFound`:
   * exactly their known faults were found.
   */
  canaryJudged(isFound: boolean): void;
  callAnswered(call: {
    readonly method: string;
    /**
     * The route as it is declared, with the names of its parameters; never a requested URL, which
     * may hold references.
     */
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

// The port of tracing: follows work through several parts, where a collector of traces is
// configured. Attributes hold references and figures; never a secret, a phone number or a text of
// the service.

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type Note = (more: SpanAttributes) => void;

export interface Tracing {
  /**
   * Does `work`, and makes its spans children of this one; rejects as `work` rejects. `note` adds
   * attributes that are known only at the end. Tracing itself never fails.
   */
  span<T>(name: string, attributes: SpanAttributes, work: (note: Note) => Promise<T>): Promise<T>;
}

export const NO_TRACING: Tracing = { span: (_name, _attributes, work) => work(() => {}) };

// What the store knows of the health of the service, for its metrics: counts and instants, nothing
// about a single merchant.

export interface ServiceFigures {
  /** All runs ever, by kind and outcome. `closed`: ended without covering every merchant. */
  readonly runs: readonly {
    readonly kind: string;
    readonly outcome: 'running' | 'complete' | 'closed';
    readonly count: number;
  }[];
  readonly newestNight: NightFigures | null;
  /** When the newest finished night ended; `null` when no night has. */
  readonly lastNightFinishedAt: Instant | null;
  /**
   * Merchants that are not retired, by their standing verdict. `failed`: the merchant could not be
   * judged, and its verdict before was not `broken`.
   */
  readonly verdicts: readonly { readonly verdict: string; readonly merchants: number }[];
  /**
   * How many merchants' lag is watched: those of the newest night, or all when there was no night
   * yet.
   */
  readonly watched: number;
  /**
   * The instant up to which the mirror is known to be complete for every watched merchant that was
   * ever read; `null` when none was.
   */
  readonly oldestWatermark: Instant | null;
  readonly neverRead: number;
  /** Findings that are not resolved, by severity and state. */
  readonly findings: readonly {
    readonly severity: string;
    readonly state: string;
    readonly count: number;
  }[];
  /** Confirmed roots that are not resolved, aged as of the moment of this reading. */
  readonly exposure: readonly Exposure[];
  /** Lines in the mirror. */
  readonly entries: number;
  readonly log: LogState;
  /**
   * Deliveries that have not gone out: all but SUCCESS, and but GATHERED, because the mail of the
   * night has carried those.
   */
  readonly deliveries: readonly {
    readonly channel: string;
    readonly state: string;
    readonly count: number;
  }[];
}

/**
 * How the stored log of evidence contradicts its signed checkpoint of `signed` leaves: it has fewer
 * leaves, or other ones.
 */
export interface LogFault {
  readonly fault: 'shorter' | 'altered';
  readonly leaves: number;
  readonly signed: number;
}
/** `continued`: the log still begins with what was signed. `null` when nothing was signed. */
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
  /**
   * Jobs in the queue that no worker has claimed, including those that are to be tried again and
   * those that are not due yet.
   */
  readonly waiting: number;
  readonly active: number;
  /** Jobs given up whose record is still kept. */
  readonly failed: number;
}

// The money at stake: confirmed roots by currency, state and age. Amounts of two currencies are
// never added, and amounts of an unknown currency are not added at all.

/**
 * Age groups in whole days since the line or the operation was made, or, where that is not known,
 * since a run first saw the finding.
 */
export const AGES = ['0-1', '2-7', '8-30', '31-90', '>90'] as const;
/** The first day of each age group but the first. */
export const AGE_BEGINS: readonly number[] = [2, 8, 31, 91];

export const EXPOSED_STATES = ['open', 'acknowledged', 'settled', 'accepted'] as const;

export type Age = (typeof AGES)[number];

export interface Exposure {
  readonly currency: string | null;
  readonly state: (typeof EXPOSED_STATES)[number];
  readonly age: Age;
  readonly findings: number;
  /**
   * Sum of the amounts by which recorded figures are too high or too low, without sign; whole
   * units. `null` when the currency is.
   */
  readonly off: string | null;
  /**
   * Sum of the amounts at stake in findings that put no recorded figure off; whole units. `null`
   * when the currency is.
   */
  readonly concerned: string | null;
}

/** Returns the sum of both amounts; `null` when the currency is not known. */
export function stakeOf({ off, concerned }: Pick<Exposure, 'off' | 'concerned'>): bigint | null {
  return off === null || concerned === null ? null : BigInt(off) + BigInt(concerned);
}

export interface StateExposure extends Pick<Exposure, 'currency' | 'state' | 'findings'> {
  readonly stake: string | null;
  /** Only age groups that have findings. */
  readonly ages: Readonly<Partial<Record<Age, Pick<StateExposure, 'findings' | 'stake'>>>>;
}

/**
 * Sums the exposure over all ages, one row for each currency and state, in the order of `exposure`.
 */
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
