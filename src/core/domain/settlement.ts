// What became of a root: the lines or the person that put it right, who lives with it, and the
// entries that would put it right. Texts as in the JSON form: sequences and amounts in decimal,
// instants in ISO 8601.

import type { Direction, EntryKind } from './ledger-entry.ts';

/** A settled root weighs nothing in verdict or due. */
export interface SettledBy {
  /** correction: lines that name the fault themselves · person: a person has decided. */
  readonly by: 'correction' | 'person';
  /** By sequence, ascending; none where a person settled the root for a reason alone. */
  readonly lines: readonly string[];
  /** When the last of the lines was made; without lines, when the person decided. */
  readonly at: string;
  /** Null for a correction, which needs neither. */
  readonly person: string | null;
  readonly reason: string | null;
}

/** `line 9`, `lines 9, 12`. */
export function namedLines(lines: readonly (string | number)[]): string {
  return `line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}`;
}

/**
 * Lines that undo the balance of a root's item by amount and sign alone, together unless
 * `ambiguous`: a person has to confirm them.
 */
export interface ProposedSettlement {
  readonly lines: readonly string[];
  readonly at: string;
  /**
   * Each of the lines would do it alone, or would undo another root as well: which one did is not
   * known.
   */
  readonly ambiguous?: true;
}

/** A person accepts the root: it has no weight in the verdict, and stays in what is due. */
export interface Accepted extends Pick<StandingDecision, 'person' | 'reason' | 'at'> {
  /** The most that the item may be, without sign; null: whatever it was when it was accepted. */
  readonly limit: string | null;
  /** From this instant on it is accepted no more; null: no end. */
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
  /** Names the root, so that the entry settles it. */
  readonly description: string;
}

/** A line that a decision is about, as it was then. */
export type DecidedLine = Readonly<
  Record<'sequence' | 'kind' | 'direction' | 'amount' | 'at', string>
>;

/** What a person's decision about a root rests on: it holds only as long as that is so. */
export interface DecisionTerms {
  readonly balance: string;
  readonly reserved: string;
  readonly difference: string | null;
  /** What the finding names, sorted. */
  readonly evidence: readonly string[];
  /**
   * settle: the lines that put it right · reopen: the lines that are not believed to have done so.
   */
  readonly lines: readonly DecidedLine[];
  /** accept: as in `Accepted`. */
  readonly limit: string | null;
  readonly until: string | null;
}

/** How far a decision goes, for who reads of it; amounts and instants as in `DecisionTerms`. */
export interface ShownTerms {
  readonly limit: string | null;
  readonly until: string | null;
  /** By sequence. */
  readonly lines: readonly string[];
}

/** Null: nothing but what the finding is. */
export function shownTerms(terms: DecisionTerms | null | undefined): ShownTerms | null {
  if (terms == null) return null;
  const { limit, until, lines } = terms;
  if (limit === null && until === null && lines.length === 0) return null;
  return { limit, until, lines: lines.map(({ sequence }) => sequence) };
}

/** A word of a person about a root. */
export interface StandingDecision {
  readonly fingerprint: string;
  readonly action: 'settle' | 'accept' | 'reopen';
  readonly person: string;
  readonly reason: string;
  readonly at: string;
  readonly terms: DecisionTerms;
  /** When a later word took its place; null: it is the last. */
  readonly over: string | null;
  /** Its lines are in the ledger as they were. */
  readonly linesStand: boolean;
}
