// What the replay saw at one line: the figures it stood on, the effect it took, and its anomalies. Checks
// are woken by anomalies; a line without any costs them nothing.

import type { Amount } from '../domain/amount.ts';
import type { Direction, LedgerEntry } from '../domain/ledger-entry.ts';
import type { Recorded } from './replay-state.ts';

/** One bit for each way in which a line may be odd. */
export const ANOMALY = {
  /** The sequence jumps over at least one number. */
  jump: 1 << 0,
  /** The recorded balance does not follow from the one before. */
  balance: 1 << 1,
  /** The recorded reserved amount does not follow from the one before. */
  reserved: 1 << 2,
  /** First known line, and its figures do not follow from the opening. */
  opening: 1 << 3,
  amount: 1 << 4,
  direction: 1 << 5,
  unknown: 1 << 6,
  currency: 1 << 7,
  holdTooLarge: 1 << 8,
  reservedBelow: 1 << 9,
  balanceBelow: 1 << 10,
  availableBelow: 1 << 11,
  reference: 1 << 13,
  duplicate: 1 << 14,
} as const;

export interface ReplayedLine {
  readonly entry: LedgerEntry;
  /** Null at the first known line. */
  readonly before: Recorded | null;
  /** The direction whose effect the replay took (that of B and R where the recorded one is wrong or unknown). */
  readonly direction: Direction;
  /** Signed effect on the balance that the replay took. */
  readonly effect: Amount;
  /** Recorded balance less the one that follows from `before` and `effect`; exact. */
  readonly balanceDrift: bigint;
  readonly reservedDrift: bigint;
  /** Available before this line, with holds of debited operations counted as spent. */
  readonly availableBefore: bigint;
  /** For `availableBelow`: available after this line, counted likewise. */
  readonly availableAfter: bigint | null;
  readonly anomalies: number;
  /** For `balanceBelow`/`availableBelow`: something lawful explains it. */
  readonly excused: boolean;
  /** For `duplicate`: the other lines of the same sequence, and which of them the replay left out. */
  readonly others: readonly LedgerEntry[];
  readonly leftOut: readonly LedgerEntry[];
}
