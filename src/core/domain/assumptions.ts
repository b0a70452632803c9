// What the documents leave open, as a closed list of lawful interpretations per question. Clean
// operations vote; an interpretation that they contradict is struck out. Nothing outside the list
// is ever learned: a uniformly wrong ledger stays wrong.

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
 * A set of interpretations of one question: bit i is set when interpretation i of the list is in
 * it.
 */
export type InterpretationSet = number;

/** The interpretations that stand, one set a question. */
export type Standing = Readonly<Record<Question, InterpretationSet>>;

/**
 * For each question, how many operations fit exactly the interpretations in each set: index =
 * InterpretationSet. Plain data.
 */
export type Votes = Record<Question, number[]>;

/** The set of each single interpretation, by question. */
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

/** True when some interpretation of `wanted` is in `set`. */
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
 * The interpretations that one operation's lines fit, of each question but the rounding of fees,
 * which its figures answer.
 */
export type Fits = Readonly<Record<Exclude<Question, 'feeRounding'>, InterpretationSet>>;

export const NO_FITS: Fits = { holdSettlement: 0, holdAmount: 0, cashinCredit: 0, reversal: 0 };

/**
 * Adds (or, with −1, takes back) one operation's fits. An empty set fits no interpretation at all
 * and does not vote.
 */
export function vote(votes: Votes, fits: Fits, count: 1 | -1): void {
  cast(votes.holdSettlement, fits.holdSettlement, count);
  cast(votes.holdAmount, fits.holdAmount, count);
  cast(votes.cashinCredit, fits.cashinCredit, count);
  cast(votes.reversal, fits.reversal, count);
}

/** As `vote`, of one question. */
export function cast(counts: number[], set: InterpretationSet, count: 1 | -1): void {
  if (set !== 0) counts[set]! += count;
}

/**
 * The interpretations that stand: those with the most support, where an operation supports every
 * interpretation that it fits. On sound books that is every interpretation never contradicted; one
 * faulty operation cannot outvote the rest. `pinned` wins.
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
