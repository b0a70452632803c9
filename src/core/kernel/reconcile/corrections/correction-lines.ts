// The lines that may put a fault right, kept as they pass: adjustments, with what they name.
// Refuses to keep them all: books with very many keep the newest, and an older fault of theirs
// stays open until a person settles it.

import type { Amount } from '../../../domain/amount.ts';
import type { Instant } from '../../../domain/instant.ts';
import { isReversal, type LedgerEntry, signedAmount } from '../../../domain/ledger-entry.ts';
import { askedAt, LAWFUL_DELAY, type Operation } from '../../../domain/operation.ts';
import { namesIn } from '../../checks/across/identities.ts';
import type { TalliedLine, Tally } from '../../replay/tally.ts';

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
  /**
   * It is no adjustment, but the reversal of no operation: it corrects what it names, and fits
   * nothing by its amount.
   */
  readonly isReversal?: true;
}

/** Adjustments are posted by hand: lawful books have a few a month. */
const MOST_KEPT = 5_000;

/**
 * Takes an adjustment, also of an operation: where nothing else is wrong with that, its tally goes.
 * So a reversal of none.
 */
export function noteAdjustment(
  books: { adjustments: CorrectionLine[] },
  { kind, sequence, createdAt, operationReference: reference, description }: LedgerEntry,
  effect: Amount,
): void {
  const line = { sequence, createdAt, effect, held: 0, reference, names: namesIn(description) };
  books.adjustments.push(isReversal(kind) ? { ...line, isReversal: true } : line);
  if (books.adjustments.length >= 2 * MOST_KEPT)
    books.adjustments = books.adjustments.slice(-MOST_KEPT);
}

/** A line of an operation's tally, as one that may put something right. */
export function correctionLineOf(
  { entry, heldMove: held }: TalliedLine,
  reference: string,
): CorrectionLine {
  const { sequence, createdAt } = entry;
  return { sequence, createdAt, effect: signedAmount(entry), held, reference, names: [] };
}

// Lines that came late: an operation lacked them for longer than is lawful, and then they were
// posted. Keeps such an operation when it is settled; `split-corrections.ts` makes the findings of
// the time before.

/** Where more operations than this have late lines, the service posts so, and none is a finding. */
export const MOST_LATE = 1_000;

/**
 * Takes an operation that was found sound, before its lines are let go; `keep` gives it as one that
 * may be kept.
 */
export function noteLate(
  { late }: { readonly late: Map<string, Tally> },
  { operation, lines }: Posted,
  keep: () => Tally,
): void {
  if (late.size > MOST_LATE || !lines.some((line) => isLate(operation, line))) return;
  const tally = keep();
  late.set(tally.reference, tally);
}

type Posted = Pick<Tally, 'operation'> & { readonly lines: readonly TalliedLine[] };

/** In ledger order. */
export function lateLines({ operation, lines }: Posted): readonly TalliedLine[] {
  return lines.filter((line) => isLate(operation, line));
}

function isLate(operation: Operation | null, { entry: { kind, createdAt } }: TalliedLine): boolean {
  const asked = operation === null ? null : askedAt(operation, kind);
  return asked !== null && createdAt > asked + LAWFUL_DELAY;
}
