// Plug-in 1: what a check is. A check judges one thing, a line, an operation or the wallet, and
// drafts findings of the kinds that `checks/kinds` declares. It never looks for causes.

import type { Amount } from '../../../domain/amount.ts';
import type { Standing } from '../../../domain/assumptions.ts';
import type { About, Evidence, FindingDraft } from '../../../domain/finding.ts';
import type { FindingFigures, FindingKind } from '../../../domain/finding-kind.ts';
import type { Instant } from '../../../domain/instant.ts';
import type { DeclaredOpening, Merchant, Wallet } from '../../../domain/merchant.ts';
import type { Operation, OperationType } from '../../../domain/operation.ts';
import type { OperationFacts } from '../../replay/operation-facts.ts';
import type { Recorded, ReplayedLine } from '../../replay/replay-state.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import { KINDS } from './kinds.ts';

export interface CheckContext {
  readonly standing: Standing;
  /**
   * The currency that lines and operations must be in; `null` where none is expected. It is the
   * wallet's, unless no line at all is in the wallet's currency.
   */
  readonly currency: string | null;
  /** The currency that the wallet states. Where no line is in it, operations may still be. */
  readonly statedCurrency?: string | null;
  readonly profiles: readonly Merchant[];
  readonly adjustedAt: readonly Instant[] | null;
  /** The instant up to which the books are known: they are judged as they stood then. */
  readonly watermark: Instant;
  /**
   * When the first known line was posted, where an opening is declared: older operations have lines
   * before it. Absent or `null` where nothing was before the first known line.
   */
  readonly knownFrom?: Instant | null;
  /**
   * The instant that deadlines are compared with: the watermark, or the end of a month that is
   * judged at its cut.
   */
  readonly deadlinesAt: Instant;
  /**
   * Milliseconds after a deadline at which something is late; younger evidence is provisional. 0
   * for a stateless audit.
   */
  readonly grace: number;
  /** How far two clocks may disagree, in milliseconds. */
  readonly clockTolerance: number;
  /**
   * No row is rightly dated later than this; infinity where the clock of the reading cannot be
   * trusted.
   */
  readonly latest: Instant;
}

/** Judges one odd line; called only for lines with one of the anomalies in `wokenBy`. */
export interface LineCheck {
  readonly wokenBy: number;
  find(line: ReplayedLine): FindingDraft | null;
}

export interface OperationCase {
  readonly operation: Operation;
  /** The type that the prefix of the operation's reference announces; `null` for another form. */
  readonly announced: OperationType | null;
  /** The type by which the operation is judged (`effectiveType`). */
  readonly type: OperationType;
  readonly facts: OperationFacts;
  readonly lines: readonly TalliedLine[];
  /** Still held for the operation after its last line. */
  readonly held: Amount;
  /** What was available before the operation's first hold; `null` where that is not known. */
  readonly availableBefore: Amount | null;
}

/** Judges one operation and its lines. Returns nothing for a sound one. */
export type OperationCheck = (
  subject: OperationCase,
  context: CheckContext,
) => readonly FindingDraft[];

/** Sums over all judged operations, by type and status, in whole units. */
export interface SettledSums {
  readonly succeeded: TypeSums;
  readonly reversed: TypeSums;
}
export type TypeSums = Readonly<
  Record<'collected' | 'collectedFees' | 'disbursed' | 'disbursedFees', bigint>
>;

export interface WalletCase {
  readonly wallet: Wallet;
  /** Declared figures before the first known line; `null` where none are declared. */
  readonly opening: DeclaredOpening | null;
  /**
   * Recorded figures that the wallet may lawfully equal: after the last line, and after each line
   * that came later.
   */
  readonly heads: readonly Recorded[];
  /** The sum of what operations still hold, recomputed, plus what a declared opening holds. */
  readonly held: bigint;
  readonly operations: SettledSums;
  /**
   * Like `operations`, without the operations that moved after the watermark: the wallet may have
   * been read before they moved.
   */
  readonly older: SettledSums;
  /**
   * Like `operations`, but read off the lines, for books in which lines and operations disagree.
   */
  readonly lines: SettledSums;
}

export type WalletCheck = (subject: WalletCase, context: CheckContext) => readonly FindingDraft[];

export const NO_FINDINGS: readonly FindingDraft[] = [];

/** A number or bigint is an amount; a text is none, even one of digits. */
type Quoted = string | number | bigint | null;

export type Parts = Partial<
  Omit<FindingDraft, 'kind' | 'figures' | 'expected' | 'actual' | 'about'>
> & {
  readonly expected?: Quoted;
  readonly actual?: Quoted;
  /**
   * The line or the operation that the finding is about. Where the currency is left out, the
   * merchant's is meant.
   */
  readonly about?: (Pick<About, 'amount' | 'createdAt'> & Partial<Pick<About, 'currency'>>) | null;
};

/**
 * Returns a draft with `null` for every part that is absent. Its severity is that of its kind,
 * unless `parts` has another. `figures` are what its sentence needs. The difference of two amounts
 * is actual − expected: positive when more is recorded than is due.
 */
export function draftOf<Kind extends FindingKind>(
  kind: Kind,
  figures: FindingFigures[Kind],
  parts: Parts,
): FindingDraft {
  const { expected = null, actual = null, about = null } = parts;
  return {
    kind,
    severity: parts.severity ?? KINDS[kind].severity,
    sequence: parts.sequence ?? null,
    operationReference: parts.operationReference ?? null,
    inputPlace: parts.inputPlace ?? null,
    expected: textOf(expected),
    actual: textOf(actual),
    difference: parts.difference === undefined ? differenceOf(expected, actual) : parts.difference,
    figures,
    differences: parts.differences ?? [],
    evidence: parts.evidence ?? [],
    newestEvidence: parts.newestEvidence ?? null,
    againstOlder: parts.againstOlder ?? false,
    namedBy: parts.namedBy ?? null,
    about: about && {
      amount: about.amount,
      createdAt: about.createdAt,
      currency: about.currency ?? null,
    },
  };
}

/**
 * Returns a number in digits, however large, and a text as it is. Throws RangeError for a fraction.
 */
function textOf(value: Quoted): string | null {
  return value === null ? null : String(typeof value === 'number' ? BigInt(value) : value);
}

/** Returns actual − expected; `null` where one of them is absent or a text. */
function differenceOf(expected: Quoted, actual: Quoted): bigint | null {
  const isText = typeof expected === 'string' || typeof actual === 'string';
  return expected === null || actual === null || isText ? null : BigInt(actual) - BigInt(expected);
}

/**
 * Returns a draft about the operation that `figures` name. The operation is its evidence, unless
 * `parts` has other evidence.
 */
export function operationDraft<Kind extends FindingKind>(
  kind: Kind,
  figures: FindingFigures[Kind] & { readonly reference: string },
  parts: Parts = {},
): FindingDraft {
  const operationReference = figures.reference;
  return draftOf(kind, figures, {
    operationReference,
    evidence: [operationEvidence(operationReference)],
    ...parts,
  });
}

export function lineEvidence(sequence: number, note: string | null = null): Evidence {
  return { what: 'line', sequence: String(sequence), reference: null, note };
}

export function operationEvidence(reference: string, note: string | null = null): Evidence {
  return { what: 'operation', sequence: null, reference, note };
}

export function linesEvidence(lines: readonly TalliedLine[]): readonly Evidence[] {
  return lines.map(({ entry }) => lineEvidence(entry.sequence));
}

/**
 * Returns the sequence of the first of `lines` with which their running sum passes `due`. Where the
 * sum never does, returns that of the first line.
 */
export function offendingLine(lines: readonly TalliedLine[], due: Amount): number {
  let sum = 0;
  const over = lines.find((line) => {
    sum += line.entry.amount;
    return sum > due;
  });
  return (over ?? lines[0]!).entry.sequence;
}
