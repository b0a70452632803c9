// What one reading served otherwise than the readings before it: the service changed lines that it had posted, removed some, or
// put some in between. A posted line is never modified; a correction is a new inverse entry (direct API, "LedgerEntry").

import type { LedgerEntry } from './ledger-entry.ts';

/**
 * `rewritten`: known lines are served with other content. `inserted`: lines appeared at or below the last known one; where they
 * took the numbers of later lines, those are served under other numbers. `deleted`: known lines are not served any more; later
 * lines may have taken their numbers. `reset`: the ledger ends before its last known line.
 */
export type LineChange = 'rewritten' | 'deleted' | 'inserted' | 'reset';

/** A run of lines without an unchanged one between them. One alteration is one root finding, at its first line. */
export interface Alteration {
  readonly change: LineChange;
  /** The first line that is altered, and the last; of lines inserted or deleted, too. */
  readonly sequence: number;
  readonly lastSequence: number;
  /** Number of lines altered. */
  readonly lines: number;
  /** The first line as it was first read, and as it is served now; null: there was none, or it is not served. */
  readonly before: LedgerEntry | null;
  readonly now: LedgerEntry | null;
  /** By how much the recorded figures after the last line have risen (+) or fallen (−): new less old; whole units. */
  readonly off: { readonly balance: number; readonly reserved: number };
  /** Inserted lines that the figures around them lacked: a lawful late commit, which is judged with the books. */
  readonly fillsGap: boolean;
  /** Number of the page that it was saved with. */
  readonly intake: number;
}
