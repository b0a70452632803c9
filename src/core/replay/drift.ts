// A break of the chain: a line whose recorded figures do not follow from the line before it. Plain data that a checkpoint
// can carry; what caused it is sought elsewhere.

import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { PostedFigures } from './choose-lines.ts';

/** Where the recorded figures leave the chain: recorded less due, whole units, as decimal text (a checkpoint keeps it). */
export interface Drift {
  /** Last sequence before it; null at the first known line. */
  readonly after: number | null;
  readonly sequence: number;
  /** createdAt of the line before and of this one. */
  readonly from: Instant | null;
  readonly to: Instant;
  readonly balance: string;
  readonly reserved: string;
  /** Recorded figures before the line (the opening, where there is none), and the line: it may belong elsewhere. */
  readonly before: { readonly balance: number; readonly reserved: number };
  readonly line: PostedFigures & Pick<LedgerEntry, 'operationReference'>;
}
