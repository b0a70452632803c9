// The lines that may put a fault right, kept as they pass: adjustments, with what they name. Refuses to keep them all: books
// with very many keep the newest, and an older fault of theirs stays open until a person settles it.

import { namesIn } from '../../checks/across/named-in.ts';
import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { PostedLine, TalliedLine } from '../../replay/tally.ts';

export interface CorrectionLine {
  readonly sequence: number;
  readonly createdAt: Instant;
  /** Signed effect on the balance, whole units. */
  readonly effect: Amount;
  /** What it adds to what is held for its operation, whole units. */
  readonly held: Amount;
  /** The operation that it is posted for; null: none. */
  readonly reference: string | null;
  /** What its description may name (`namesIn`). */
  readonly names: readonly string[];
}

/** Adjustments are posted by hand: lawful books have a few a month. */
const MOST_KEPT = 5_000;

/** Takes an adjustment, also of an operation: where nothing else is wrong with that, its tally goes. */
export function noteAdjustment(
  books: { adjustments: CorrectionLine[] },
  { sequence, createdAt, operationReference: reference, description }: LedgerEntry,
  effect: Amount,
): void {
  books.adjustments.push({ sequence, createdAt, effect, held: 0, reference, names: namesIn(description) });
  if (books.adjustments.length >= 2 * MOST_KEPT) books.adjustments = books.adjustments.slice(-MOST_KEPT);
}

/** A line of an operation's tally, as one that may put something right. */
export function correctionLineOf({ entry, heldMove: held }: TalliedLine, reference: string): CorrectionLine {
  const { sequence, createdAt } = entry;
  return { sequence, createdAt, effect: effectOf(entry), held, reference, names: [] };
}

/** By its direction; whole units. */
export function effectOf({ direction, amount }: Pick<PostedLine, 'direction' | 'amount'>): Amount {
  return direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
}
