// What became of a root: the lines or the person that put it right, the person who accepts it, and
// the entries that would put it right. Texts as in the JSON form: sequences and amounts in decimal,
// instants in ISO 8601.

import type { Direction, EntryKind } from './ledger-entry.ts';

/** How a root was put right. A settled root weighs nothing in the verdict or in the figures due. */
export interface SettledBy {
  /** `correction`: lines that name the fault themselves. `person`: a person has decided. */
  readonly by: 'correction' | 'person';
  /**
   * Sequences of the correcting lines, ascending; empty when a person settled the root for a reason
   * alone.
   */
  readonly lines: readonly string[];
  /** When the last of the lines was made; without lines, when the person decided. In ISO 8601. */
  readonly at: string;
  /** `null` for a correction, which needs neither a person nor a reason. */
  readonly person: string | null;
  readonly reason: string | null;
}

/** Formats sequences: `line 9`, `lines 9, 12`. */
export function namedLines(lines: readonly (string | number)[]): string {
  return `line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}`;
}

/**
 * Lines that undo the balance of a root's item by amount and sign alone, so that a person has to
 * confirm them. Together they undo it, unless `ambiguous`.
 */
export interface ProposedSettlement {
  readonly lines: readonly string[];
  readonly at: string;
  /**
   * Present when each of the lines would undo the item alone, or when they would undo another root
   * as well: which of them did so is not known.
   */
  readonly ambiguous?: true;
}

/**
 * A person accepts the root: it no longer weighs in the verdict, and still counts in the figures
 * due.
 */
export interface Accepted extends Pick<StandingDecision, 'person' | 'reason' | 'at'> {
  /**
   * The most that the item may be, without sign, in whole units. `null`: the acceptance ends when
   * the item is no longer what it was.
   */
  readonly limit: string | null;
  /** The acceptance ends at this instant; `null` when it has no end. */
  readonly until: string | null;
}

/**
 * An entry that would put a root right, alone or with others, if it were posted after the last
 * line.
 */
export interface ProposedEntry {
  readonly kind: EntryKind;
  readonly direction: Direction;
  readonly amount: string;
  readonly operationReference: string | null;
  /** Names the root, so that the posted entry settles the root by itself. */
  readonly description: string;
}

/** A line that a decision is about, as it was at the time of the decision. */
export type DecidedLine = Readonly<
  Record<'sequence' | 'kind' | 'direction' | 'amount' | 'at', string>
>;

/**
 * What a person's decision about a root rests on. The decision is void once this is no longer so.
 */
export interface DecisionTerms {
  readonly balance: string;
  readonly reserved: string;
  readonly difference: string | null;
  /** The lines, operations and other evidence that the finding names, sorted. */
  readonly evidence: readonly string[];
  /**
   * For `settle`, the lines that put the root right; for `reopen`, the lines that the person does
   * not believe to have put it right.
   */
  readonly lines: readonly DecidedLine[];
  /** The limit and the end of an acceptance, as in `Accepted`. */
  readonly limit: string | null;
  readonly until: string | null;
}

/** How far a decision goes, as people are shown it; amounts and instants as in `DecisionTerms`. */
export interface ShownTerms {
  readonly limit: string | null;
  readonly until: string | null;
  /** Sequences of the lines. */
  readonly lines: readonly string[];
}

/** Returns the terms to show; `null` when the decision has no limit, no end and no lines. */
export function shownTerms(terms: DecisionTerms | null | undefined): ShownTerms | null {
  if (terms == null) return null;
  const { limit, until, lines } = terms;
  if (limit === null && until === null && lines.length === 0) return null;
  return { limit, until, lines: lines.map(({ sequence }) => sequence) };
}

/** A person's decision about a root. */
export interface StandingDecision {
  readonly fingerprint: string;
  readonly action: 'settle' | 'accept' | 'reopen';
  readonly person: string;
  readonly reason: string;
  readonly at: string;
  readonly terms: DecisionTerms;
  /**
   * When a later decision replaced this one, in ISO 8601; `null` for the last decision about the
   * root.
   */
  readonly over: string | null;
  /** True when all lines of `terms` are in the ledger unchanged. */
  readonly linesStand: boolean;
}
