// What the documents leave open, as a closed list of lawful readings per question. Clean operations vote; a reading
// that they contradict is struck out. Nothing outside the list is ever learned: a uniformly wrong ledger stays wrong.

export const READINGS = {
  /** How a hold ends when a cash-out succeeds. */
  holdSettlement: ['DEBIT_AND_FEE', 'RELEASE_FIRST', 'RELEASE_LAST', 'DEBIT_ALL', 'FEE_OUTSIDE'],
  /** What is held: amount + fees, or the amount. */
  holdAmount: ['NET', 'AMOUNT'],
  /** What a cash-in posts: amount and a fee line, or one credit of netAmount. */
  cashinCredit: ['GROSS_AND_FEE', 'NET'],
  /** What a reversal undoes: every line, netAmount in one line, or the amount only (the fee is kept). */
  reversal: ['LINES', 'NET', 'PRINCIPAL'],
  /** How a basis-point commission becomes whole units. */
  feeRounding: ['FLOOR', 'CEILING', 'HALF_UP', 'HALF_EVEN'],
} as const satisfies Record<string, readonly string[]>;

export type Question = keyof typeof READINGS;
export const QUESTIONS = Object.keys(READINGS) as readonly Question[];
export type ReadingOf<Q extends Question> = (typeof READINGS)[Q][number];

/** A set of readings of one question: bit i is set when reading i of the list is in it. */
export type ReadingSet = number;

/** The readings that stand, one set a question. */
export type Standing = Readonly<Record<Question, ReadingSet>>;

/** For each question, how many operations fit exactly the readings in each set: index = ReadingSet. Plain data. */
export type Votes = Record<Question, number[]>;

/** The set of each single reading, by question. */
export const BITS = Object.fromEntries(
  QUESTIONS.map((question) => [
    question,
    Object.fromEntries(READINGS[question].map((reading, i) => [reading, 1 << i])),
  ]),
) as { readonly [Q in Question]: Readonly<Record<ReadingOf<Q>, ReadingSet>> };

export function setOf<Q extends Question>(question: Q, ...readings: ReadingOf<Q>[]): ReadingSet {
  return readings.reduce((set, reading) => set | BITS[question][reading], 0);
}

/** True when some reading of `wanted` is in `set`. */
export function includes(set: ReadingSet, wanted: ReadingSet): boolean {
  return (set & wanted) !== 0;
}

export function readingsIn(question: Question, set: ReadingSet): readonly string[] {
  return READINGS[question].filter((_, i) => (set & (1 << i)) !== 0);
}

export const EVERY_READING: Standing = Object.fromEntries(
  QUESTIONS.map((question) => [question, (1 << READINGS[question].length) - 1]),
) as Record<Question, ReadingSet>;

export function emptyVotes(): Votes {
  return Object.fromEntries(
    QUESTIONS.map((question) => [question, new Array(1 << READINGS[question].length).fill(0)]),
  ) as unknown as Votes;
}

/** The readings that one operation's lines fit, of each question but the rounding of fees, which its figures answer. */
export type Fits = Readonly<Record<Exclude<Question, 'feeRounding'>, ReadingSet>>;

export const NO_FITS: Fits = { holdSettlement: 0, holdAmount: 0, cashinCredit: 0, reversal: 0 };

/** Adds (or, with −1, takes back) one operation's fits. An empty set fits no reading at all and does not vote. */
export function vote(votes: Votes, fits: Fits, count: 1 | -1): void {
  cast(votes.holdSettlement, fits.holdSettlement, count);
  cast(votes.holdAmount, fits.holdAmount, count);
  cast(votes.cashinCredit, fits.cashinCredit, count);
  cast(votes.reversal, fits.reversal, count);
}

/** As `vote`, of one question. */
export function cast(counts: number[], set: ReadingSet, count: 1 | -1): void {
  if (set !== 0) counts[set]! += count;
}

/**
 * The readings that stand: those with the most support, where an operation supports every reading that it fits. On
 * sound books that is every reading never contradicted; one faulty operation cannot outvote the rest. `pinned` wins.
 */
export function standingOf(votes: Votes, pinned: Partial<Standing>): Standing {
  const standing = { ...EVERY_READING };
  for (const question of QUESTIONS) {
    const pin = pinned[question];
    if (pin) {
      standing[question] = pin;
      continue;
    }
    const support = READINGS[question].map((_, i) =>
      votes[question].reduce((sum, count, set) => (set & (1 << i) ? sum + count : sum), 0),
    );
    const most = Math.max(...support);
    standing[question] = support.reduce((set, count, i) => (count === most ? set | (1 << i) : set), 0);
  }
  return standing;
}

export function sameStanding(a: Standing, b: Standing): boolean {
  return QUESTIONS.every((question) => a[question] === b[question]);
}
