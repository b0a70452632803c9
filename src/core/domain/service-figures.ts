// What the store knows of how the service is doing, for its metrics: counts and instants, nothing of a single merchant.

import type { Instant } from './instant.ts';

export interface ServiceFigures {
  /** All runs there have been. closed: ended without covering everyone. */
  readonly runs: readonly {
    readonly kind: string;
    readonly outcome: 'running' | 'complete' | 'closed';
    readonly count: number;
  }[];
  /** Null when there has been none. */
  readonly newestNight: NightFigures | null;
  /** When the newest night that is over ended; null when none is. */
  readonly lastNightFinishedAt: Instant | null;
  /** What the newest run that is over said of its merchants: a night where there is one. failed: could not be judged. */
  readonly verdicts: readonly { readonly verdict: string; readonly merchants: number }[];
  /** Merchants whose lag is watched: those of the newest night, or without a night all. */
  readonly watched: number;
  /** The instant up to which the mirror is known to be whole for every watched merchant that was ever read. */
  readonly oldestWatermark: Instant | null;
  readonly neverRead: number;
  /** Findings that are not resolved. */
  readonly findings: readonly { readonly severity: string; readonly state: string; readonly count: number }[];
  /** Lines in the mirror. */
  readonly entries: number;
  /** What has not gone out: without SUCCESS, and without GATHERED, which the mail of the night took along. */
  readonly deliveries: readonly { readonly channel: string; readonly state: string; readonly count: number }[];
}

export interface NightFigures {
  readonly startedAt: Instant;
  readonly finishedAt: Instant | null;
  readonly members: readonly { readonly state: 'waiting' | 'done' | 'failed'; readonly merchants: number }[];
  readonly entriesAdded: number;
}

/** Jobs of one kind. failed: given up. */
export interface QueueDepth {
  readonly kind: string;
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
}
