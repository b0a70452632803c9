// What the documents leave open: for each question a closed list of lawful interpretations. Sound
// operations vote for the interpretations that fit them, and the best supported ones apply. Nothing
// outside the list is ever learned: a ledger that is wrong everywhere in the same way stays wrong.

export const INTERPRETATIONS = {
  /** How a hold ends when a cash-out succeeds. */
  holdSettlement: ['DEBIT_AND_FEE', 'RELEASE_FIRST', 'RELEASE_LAST', 'DEBIT_ALL', 'FEE_OUTSIDE'],
  /** What is held: amount + fees, or the amount. */
  holdAmount: ['NET', 'AMOUNT'],
  /** What a cash-in posts: amount and a fee line, or one credit of netAmount. */
  cashinCredit: ['GROSS_AND_FEE', 'NET'],
  /**
   * What a reversal undoes: every line, netAmount in one line, or the amount only (the fee is
   * kept).
   */
  reversal: ['LINES', 'NET', 'PRINCIPAL'],
  /** How a basis-point commission becomes whole units. */
  feeRounding: ['FLOOR', 'CEILING', 'HALF_UP', 'HALF_EVEN'],
} as const satisfies Record<string, readonly string[]>;

export type Question = keyof typeof INTERPRETATIONS;
export const QUESTIONS = Object.keys(INTERPRETATIONS) as readonly Question[];
export type InterpretationOf<Q extends Question> = (typeof INTERPRETATIONS)[Q][number];

/**
 * A set of interpretations of one question as bits: bit i is set when the set has interpretation i
 * of the list.
 */
export type InterpretationSet = number;

/** For each question, the set of interpretations that apply. */
export type Standing = Readonly<Record<Question, InterpretationSet>>;

/**
 * For each question, how many operations fit exactly the interpretations of each set; the index is
 * the set. Plain data.
 */
export type Votes = Record<Question, number[]>;

/** For each question and interpretation, the set of that interpretation alone. */
export const BITS = Object.fromEntries(
  QUESTIONS.map((question) => [
    question,
    Object.fromEntries(
      INTERPRETATIONS[question].map((interpretation, i) => [interpretation, 1 << i]),
    ),
  ]),
) as { readonly [Q in Question]: Readonly<Record<InterpretationOf<Q>, InterpretationSet>> };

export function setOf<Q extends Question>(
  question: Q,
  ...interpretations: InterpretationOf<Q>[]
): InterpretationSet {
  return interpretations.reduce((set, interpretation) => set | BITS[question][interpretation], 0);
}

/** True when `set` has at least one interpretation of `wanted`. */
export function includes(set: InterpretationSet, wanted: InterpretationSet): boolean {
  return (set & wanted) !== 0;
}

export function interpretationsIn(question: Question, set: InterpretationSet): readonly string[] {
  return INTERPRETATIONS[question].filter((_, i) => (set & (1 << i)) !== 0);
}

export const EVERY_INTERPRETATION: Standing = Object.fromEntries(
  QUESTIONS.map((question) => [question, (1 << INTERPRETATIONS[question].length) - 1]),
) as Record<Question, InterpretationSet>;

export function emptyVotes(): Votes {
  return Object.fromEntries(
    QUESTIONS.map((question) => [
      question,
      new Array(1 << INTERPRETATIONS[question].length).fill(0),
    ]),
  ) as unknown as Votes;
}

/**
 * The interpretations that one operation's lines fit, for every question but the rounding of fees,
 * which the operation's own figures answer.
 */
export type Fits = Readonly<Record<Exclude<Question, 'feeRounding'>, InterpretationSet>>;

export const NO_FITS: Fits = { holdSettlement: 0, holdAmount: 0, cashinCredit: 0, reversal: 0 };

/**
 * Adds one operation's vote, or takes it back when `count` is −1. An empty set, which fits no
 * interpretation, does not vote.
 */
export function vote(votes: Votes, fits: Fits, count: 1 | -1): void {
  cast(votes.holdSettlement, fits.holdSettlement, count);
  cast(votes.holdAmount, fits.holdAmount, count);
  cast(votes.cashinCredit, fits.cashinCredit, count);
  cast(votes.reversal, fits.reversal, count);
}

/** Like `vote`, for one question. */
export function cast(counts: number[], set: InterpretationSet, count: 1 | -1): void {
  if (set !== 0) counts[set]! += count;
}

/**
 * Returns the interpretations that apply: those with the most support, where an operation supports
 * every interpretation that it fits. On sound books these are all that no operation contradicts;
 * one faulty operation cannot outvote the others. The sets in `pinned` apply without a vote.
 */
export function standingOf(votes: Votes, pinned: Partial<Standing>): Standing {
  const standing = { ...EVERY_INTERPRETATION };
  for (const question of QUESTIONS) {
    const pin = pinned[question];
    if (pin) {
      standing[question] = pin;
      continue;
    }
    const support = INTERPRETATIONS[question].map((_, i) =>
      votes[question].reduce((sum, count, set) => (set & (1 << i) ? sum + count : sum), 0),
    );
    const most = Math.max(...support);
    standing[question] = support.reduce(
      (set, count, i) => (count === most ? set | (1 << i) : set),
      0,
    );
  }
  return standing;
}

export function sameStanding(a: Standing, b: Standing): boolean {
  return QUESTIONS.every((question) => a[question] === b[question]);
}
