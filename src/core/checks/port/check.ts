// Plug-in 1: what a check is. A check names the kinds it may say, explains each with a sample that fires and one that
// stays quiet, and looks at one thing: a line, an operation, or the wallet. It never looks for causes.

import type { Amount } from '../../domain/amount.ts';
import type { Standing } from '../../domain/assumptions.ts';
import type { Evidence, FindingDraft, Severity } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Operation, OperationType } from '../../domain/operation.ts';
import type { Wallet } from '../../domain/wallet.ts';
import type { OperationFacts } from '../../replay/operation-facts.ts';
import type { Recorded, ReplayedLine } from '../../replay/replay-state.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import type { FindingFigures } from './finding-figures.ts';
import { KINDS } from './kinds.ts';

/** One kind of finding: its page in the catalogue. The samples are ledgers in the short notation of `samples/read-sample.ts`. */
export interface KindPage<Kind extends FindingKind = FindingKind> {
  readonly kind: Kind;
  /** What it means and what to do, for a person who has to act on it. */
  readonly explanation: string;
  readonly fires: string;
  readonly quiet: string;
}

/** What checks may know besides the thing they look at. */
export interface CheckContext {
  readonly standing: Standing;
  /** The one that lines are held to. */
  readonly currency: string | null;
  /** The one that the wallet states: no line may be in it. */
  readonly statedCurrency?: string | null;
  readonly profiles: readonly Merchant[];
  readonly adjustedAt: readonly Instant[] | null;
  /** The books are judged as they stood at this instant. */
  readonly watermark: Instant;
  /** How long after a deadline something is late, in milliseconds. */
  readonly grace: number;
  /** How far two clocks may disagree, in milliseconds. */
  readonly clockTolerance: number;
  /** No row is rightly dated later than this; infinity where the clock of the reading is not to be trusted. */
  readonly latest: Instant;
}

/** Looks at one odd line; called only when the line has one of the anomalies it is woken by. */
export interface LineCheck {
  readonly says: readonly KindPage[];
  readonly wokenBy: number;
  find(line: ReplayedLine, context: CheckContext): readonly FindingDraft[];
}

export interface OperationCase {
  readonly operation: Operation;
  /** The type that its reference announces. */
  readonly announced: OperationType | null;
  /** The type that the books treat it as. */
  readonly type: OperationType;
  readonly facts: OperationFacts;
  readonly lines: readonly TalliedLine[];
  /** Still held for it after its last line. */
  readonly held: Amount;
  /** What was available before its first hold; null where that is not known. */
  readonly availableBefore: Amount | null;
}

/** Looks at one operation and its lines. Returns nothing for a sound one. */
export interface OperationCheck {
  readonly says: readonly KindPage[];
  find(subject: OperationCase, context: CheckContext): readonly FindingDraft[];
}

/** Sums over all judged operations, by type and status, in whole units. */
export interface SettledSums {
  readonly succeeded: TypeSums;
  readonly reversed: TypeSums;
}
export interface TypeSums {
  readonly collected: bigint;
  readonly collectedFees: bigint;
  readonly disbursed: bigint;
  readonly disbursedFees: bigint;
}

export interface WalletCase {
  readonly wallet: Wallet;
  /** Recorded figures that the wallet may lawfully equal: after the last line, and after each line that came later. */
  readonly heads: readonly Recorded[];
  /** Σ of what operations still hold, recomputed. */
  readonly held: bigint;
  readonly operations: SettledSums;
  /** The same without operations that moved after the watermark: a wallet read in between may lack them. */
  readonly older: SettledSums;
  /** The same sums read off the lines, for books in which lines and operations disagree. */
  readonly lines: SettledSums;
}

export interface WalletCheck {
  readonly says: readonly KindPage[];
  find(subject: WalletCase, context: CheckContext): readonly FindingDraft[];
}

export const NO_FINDINGS: readonly FindingDraft[] = [];

type Partly = Partial<Omit<FindingDraft, 'kind' | 'severity' | 'figures'>>;

/**
 * A draft with everything unsaid set to null. Its severity is that of its kind, unless `parts` says another; `figures` are
 * what its sentence needs.
 */
export function draftOf<Kind extends FindingKind>(
  page: KindPage<Kind>,
  figures: FindingFigures[Kind],
  parts: Partly & { readonly severity?: Severity },
): FindingDraft {
  return {
    kind: page.kind,
    severity: parts.severity ?? KINDS[page.kind].severity,
    sequence: parts.sequence ?? null,
    operationReference: parts.operationReference ?? null,
    inputPlace: parts.inputPlace ?? null,
    expected: parts.expected ?? null,
    actual: parts.actual ?? null,
    difference: parts.difference ?? null,
    figures,
    differences: parts.differences ?? [],
    evidence: parts.evidence ?? [],
    newestEvidence: parts.newestEvidence ?? null,
    againstOlder: parts.againstOlder ?? false,
    namedBy: parts.namedBy ?? null,
  };
}

/** `expected`, `actual` and their difference, which keeps its sign: positive when more is recorded than is due. */
export function compared(amounts: { readonly expected: Amount | bigint; readonly actual: Amount | bigint }): {
  readonly expected: string;
  readonly actual: string;
  readonly difference: bigint;
} {
  const expected = BigInt(amounts.expected);
  const actual = BigInt(amounts.actual);
  return { expected: expected.toString(), actual: actual.toString(), difference: actual - expected };
}

export function lineEvidence(sequence: number, note: string | null = null): Evidence {
  return { what: 'line', sequence: String(sequence), reference: null, note };
}

export function operationEvidence(reference: string, note: string | null = null): Evidence {
  return { what: 'operation', sequence: null, reference, note };
}

/** The first of `lines` with which their running sum passes `due`; the first line when it never does. */
export function offendingLine(lines: readonly TalliedLine[], due: Amount): number {
  let sum = 0;
  const over = lines.find((line) => {
    sum += line.entry.amount;
    return sum > due;
  });
  return (over ?? lines[0]!).entry.sequence;
}
