// Keeps the lines that may correct a fault as they pass: adjustments, with what they name. It does
// not keep all of them: of very many adjustments the newest are kept, and an older fault of such
// books stays open until a person settles it.

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
  /** What the line adds to the hold of its operation, signed, whole units. */
  readonly held: Amount;
  /** The operation that the line is posted for; `null` where it names none. */
  readonly reference: string | null;
  /** The names in its description (`namesIn`). */
  readonly names: readonly string[];
  /**
   * The line is no adjustment, but a reversal without an operation. It corrects only what it names,
   * and is never proposed because of its amount.
   */
  readonly isReversal?: true;
}

/**
 * How many of the newest adjustments are kept. Adjustments are posted by hand, so that lawful books
 * have a few a month.
 */
const MOST_KEPT = 5_000;

/**
 * Takes an adjustment, or a reversal without an operation. Adjustments of an operation are taken
 * too, because the operation's tally is let go of where nothing else is wrong. `effect` is signed.
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

/** Returns a line of an operation's tally as a line that may correct something. */
export function correctionLineOf(
  { entry, heldMove: held }: TalliedLine,
  reference: string,
): CorrectionLine {
  const { sequence, createdAt } = entry;
  return { sequence, createdAt, effect: signedAmount(entry), held, reference, names: [] };
}

// Lines that came late: an operation lacked them for longer than is lawful, and then they were
// posted. Such an operation is kept when it is settled. `split-corrections.ts` makes the findings
// of the time before the lines came.

/**
 * If more operations than this have late lines, the service usually posts late, and none of them is
 * a finding.
 */
export const MOST_LATE = 1_000;

/**
 * Takes an operation that was found sound, before its lines are let go of. `keep` must return its
 * tally as an object that may be kept.
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

/** Returns the late lines of the operation, in ledger order. */
export function lateLines({ operation, lines }: Posted): readonly TalliedLine[] {
  return lines.filter((line) => isLate(operation, line));
}

function isLate(operation: Operation | null, { entry: { kind, createdAt } }: TalliedLine): boolean {
  const asked = operation === null ? null : askedAt(operation, kind);
  return asked !== null && createdAt > asked + LAWFUL_DELAY;
}
