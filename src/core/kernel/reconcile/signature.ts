// The signature of an operation that is over: one number for all that the checks look at.
// Operations of one signature are sound together, vote alike, and add the same multiples of amount
// and fees. A ledger has many operations and few signatures, so the checks judge only the first
// operation of each, and for the others a few sums are added.
//
// Amounts and instants are replaced by their relations: "the credit is the amount", "the end is
// before the expiry". Example: a cash-in of 5,000 with a fee of 50 and one of 300,000 with a fee of
// 3,000, by the same operator, both credited whole, charged the fee and completed in time, have one
// signature if both amounts lie between the same limits of the account. Each adds once its amount
// to `collected`, once its fees to `collectedFees`, and amount − fees to the required balance.
//
// No rule of a check is here. A check that reads something new needs it in the signature, too; else
// test/property/signatures.test.ts fails. What is unusual, such as an unknown form or a fee of an
// eighth of the amount, has no signature (−1), and the checks judge its operation by itself.

import { type Amount, addTo, type ExactSum, totalOf } from '../../domain/amount.ts';
import { type Fits, vote } from '../../domain/assumptions.ts';
import { directionOf, ENTRY_KINDS, type EntryKind } from '../../domain/ledger-entry.ts';
import {
  ANNOUNCING,
  LAWFUL_DELAY,
  lifetimeOf,
  type Operation,
  type OperationType,
} from '../../domain/operation.ts';
import { ASCII, lengthOf, NO_TEXT } from '../../domain/rows/column-batch.ts';
import { OPERATION_TABLE } from '../../domain/rows/operation-fields.ts';
import { LATEST_SUCCESS, SAME_MOMENT } from '../checks/operations/states.ts';
import type { CheckContext, OperationCase } from '../checks/port/check.ts';
import { fitInterpretations } from '../replay/fit-interpretations.ts';
import { requiredBalance } from '../replay/operation-facts.ts';
import { LINE, TALLY, type TallyTable } from '../replay/tally-table.ts';
import type { Books } from './books.ts';
import { emptySums, sumLines } from './sums.ts';

/**
 * The signatures met in one pass. A signature is a state: it is reached from state 0 by a path of
 * codes, one for each thing that is abstracted.
 */
export interface Signatures {
  /**
   * A hash table with open addressing, three numbers a slot: a state, a code, and the state that
   * follows. The last is 0 where the slot is free.
   */
  readonly steps: Int32Array;
  states: number;
  /**
   * What each operation of a signature adds, by signature. `null`: they are unsound; absent: none
   * was judged yet.
   */
  readonly known: (Likeness | null)[];
  readonly context: CheckContext;
  /** All limits of amounts, in all profiles. */
  readonly bounds: readonly Amount[];
}

interface Likeness {
  readonly fits: Fits;
  /** To each sum is added `amounts` × amount + `fees` × fees + `more`. */
  readonly adds: readonly {
    readonly sum: ExactSum;
    readonly amounts: number;
    readonly fees: number;
    readonly more: Amount;
  }[];
}

const PLACES = 16_384;
const MOST_STATES = 4_096;
/**
 * An operation with a signature has at most MOST_LINES lines and an amount of more than APART times
 * its fees. Then any two sums of such lines compare alike, whatever the amount is.
 */
const [MOST_LINES, APART] = [6, 8];
const MOST_AMOUNT = 2 ** 40;
/** The codes of words with a signature are below this, so that each fits six bits. */
const WORD = 64;

const { numbers: NUMBERS, words: WORDS, texts: TEXTS, fields, knownWords } = OPERATION_TABLE;
/**
 * The column of each field of an operation, among the columns of its sort (numbers, words, texts).
 */
export const PLACE = Object.fromEntries(fields.map(({ name, place }) => [name, place])) as Record<
  keyof Operation,
  number
>;

export function beginSignatures(context: CheckContext): Signatures {
  const bounds = context.profiles.flatMap(({ limits }) => Object.values(limits));
  return { steps: new Int32Array(3 * PLACES), states: 1, known: [], context, bounds };
}

/**
 * Returns the signature of a row's operation, which must hold nothing and be old enough to be
 * settled; −1 where it has none.
 */
export function signatureAt(signatures: Signatures, table: TallyTable, row: number): number {
  const { figures, names, operations } = table;
  const at = row * TALLY.width;
  const operation = figures[at + TALLY.operation]!;
  const start = figures[at + TALLY.nameStart]!;
  if (figures[at + TALLY.lines]! > MOST_LINES || figures[at + TALLY.nameLength]! < ANNOUNCING)
    return -1;
  let state = step(
    signatures,
    step(signatures, 0, names.getInt32(start)),
    names.getInt32(start + ANNOUNCING - 4),
  );
  const word = operation * WORDS;
  const { words } = operations;
  const type = words[word + PLACE.type]!;
  const status = words[word + PLACE.status]!;
  const currency = words[word + PLACE.currency]!;
  const country = words[word + PLACE.country]!;
  const operator = words[word + PLACE.operator]!;
  const failure = words[word + PLACE.failureCode]!;
  if ((currency | country | operator | failure) >= WORD) return -1;
  // Packed: 2 bits of type, 4 of status, 6 each of currency, country, operator and failure. The
  // codes of types and statuses are the first of all words.
  const stated =
    type | (status << 2) | (currency << 6) | (country << 12) | (operator << 18) | (failure << 24);
  state = step(signatures, state, stated);
  const hasUrl = hasPlainText(operations, 2 * (operation * TEXTS + PLACE.payerActionUrl));
  if (hasUrl < 0) return -1;
  const relations = relationsAt(signatures, table, row);
  if (relations < 0) return -1;
  state = step(
    signatures,
    state,
    relations * 4 + words[word + PLACE.requiresPayerAction]! * 2 + hasUrl,
  );
  return stepLines(signatures, table, row, state);
}

/**
 * Returns 0 where there is no text, 1 where there is one that is not blank, −1 where only the check
 * can tell.
 */
function hasPlainText({ texts, bytes }: TallyTable['operations'], at: number): number {
  const mark = texts[at + 1]!;
  if (mark === NO_TEXT) return 0;
  return lengthOf(mark) > 0 && (mark & 3) === ASCII && bytes[texts[at]!]! > 0x20 ? 1 : -1;
}

/**
 * Returns one number for the relations of the operation's figures and instants to each other; −1
 * where they are unusual. Packed, from the high end: how many limits the amount has passed, what
 * was available (4 cases), the dates (16), the form of netAmount (8), whether there are fees (2).
 */
function relationsAt(
  { context, bounds }: Signatures,
  { figures, operations }: TallyTable,
  row: number,
): number {
  const { numbers, words } = operations;
  const operation = figures[row * TALLY.width + TALLY.operation]!;
  const at = operation * NUMBERS;
  const amount = numbers[at + PLACE.amount]!;
  const fees = numbers[at + PLACE.fees]!;
  const created = numbers[at + PLACE.createdAt]!;
  const completed = numbers[at + PLACE.completedAt]!;
  const expires = numbers[at + PLACE.expiresAt]!;
  const { clockTolerance } = context;
  if (!(amount > APART * fees && amount < MOST_AMOUNT && fees >= 0)) return -1;
  const lifetime = lifetimeOf(knownWords[words[operation * WORDS + PLACE.type]!] as OperationType);
  if (completed < created - clockTolerance || Math.abs(expires - created - lifetime) > SAME_MOMENT)
    return -1;
  const late = completed - expires;
  const ended = late < -clockTolerance ? 0 : late > LATEST_SUCCESS + clockTolerance ? 1 : 2;
  const dates = (Number.isNaN(completed) ? 1 : 0) + (Number.isNaN(expires) ? 2 : 0) + 4 * ended;
  const available = figures[row * TALLY.width + TALLY.availableBefore]!;
  const room = Number.isNaN(available)
    ? 0
    : available < amount
      ? 1
      : available < amount + fees
        ? 2
        : 3;
  const net = formOf(numbers[at + PLACE.netAmount]!, amount, fees);
  let passed = 0;
  for (const bound of bounds) passed += (amount >= bound ? 1 : 0) + (amount > bound ? 1 : 0);
  return net < 0 ? -1 : (((passed * 4 + room) * 16 + dates) * 8 + net) * 2 + (fees === 0 ? 0 : 1);
}

/**
 * Returns which figure made of amount and fees this is: 0 zero, 1 amount, 2 amount + fees, 3 amount
 * − fees, 4 fees; −1 for any other. They are all different unless the fees are 0.
 */
function formOf(figure: Amount, amount: Amount, fees: Amount): number {
  if (figure === 0) return 0;
  if (figure === amount) return 1;
  if (figure === amount + fees) return 2;
  if (figure === amount - fees) return 3;
  return figure === fees ? 4 : -1;
}

/**
 * Steps on from the state `from`, by one code for each line in ledger order; −1 where a line is
 * unusual.
 */
function stepLines(signatures: Signatures, table: TallyTable, row: number, from: number): number {
  const { figures, words } = table.lines;
  const amount = statedAt(table, row, PLACE.amount);
  const fees = statedAt(table, row, PLACE.fees);
  const earliest = statedAt(table, row, PLACE.createdAt) - signatures.context.clockTolerance;
  const asked = Math.min(
    statedAt(table, row, PLACE.completedAt),
    statedAt(table, row, PLACE.updatedAt),
  );
  let state = from;
  let before = 0;
  for (let line = table.figures[row * TALLY.width + TALLY.firstLine]!; line >= 0; ) {
    const at = line * LINE.width;
    const kind = words[2 * line + 1] as EntryKind;
    const code = ENTRY_KINDS.indexOf(kind);
    const createdAt = figures[at + LINE.createdAt]!;
    const move = figures[at + LINE.heldMove]!;
    const posted = formOf(figures[at + LINE.amount]!, amount, fees);
    const moved = formOf(Math.abs(move), amount, fees);
    if (code < 0 || directionOf(kind) !== words[2 * line] || posted <= 0 || moved < 0) return -1;
    if (figures[at]! <= before || createdAt < earliest || createdAt > asked + LAWFUL_DELAY)
      return -1;
    if (move !== figures[at + LINE.reservedMove] || figures[at + LINE.reservedAfter]! < 0)
      return -1;
    state = step(signatures, state, ((code * 8 + posted) * 8 + moved) * 2 + (move < 0 ? 1 : 0));
    before = figures[at]!;
    line = figures[at + LINE.next]!;
  }
  return state;
}

/**
 * Returns the state that follows `state` by `code`, a new one where the code was never met there;
 * −1 when there are too many states.
 */
function step(signatures: Signatures, state: number, code: number): number {
  const { steps } = signatures;
  if (state < 0) return -1;
  let at = Math.imul(code ^ Math.imul(state, 0x9e3779b1), 0x85ebca6b) >>> 18;
  while (steps[3 * at + 2] !== 0) {
    if (steps[3 * at] === state && steps[3 * at + 1] === code) return steps[3 * at + 2]!;
    at = (at + 1) % PLACES;
  }
  if (signatures.states === MOST_STATES) return -1;
  steps.set([state, code, signatures.states], 3 * at);
  return signatures.states++;
}

/**
 * Returns what the operation adds, which every other operation of its signature adds alike. `isOdd`
 * says that it has no signature: then the result holds for this operation only.
 */
export function likenessOf(
  books: Books,
  { operation, facts, type }: OperationCase,
  isOdd: boolean,
): Likeness {
  const { amount, fees } = operation;
  const adds: Likeness['adds'][number][] = [];
  const note = (sum: ExactSum, figure: Amount): void => {
    const amounts = isOdd ? 0 : Math.round(figure / amount);
    const rest = figure - amounts * amount;
    if (figure !== 0)
      adds.push({
        sum,
        amounts,
        fees: isOdd || rest === 0 ? 0 : rest / fees,
        more: isOdd ? rest : 0,
      });
  };
  const sums = emptySums();
  sumLines(sums, { operation, facts }, 1);
  for (const part of ['succeeded', 'reversed'] as const) {
    const figures = Object.keys(sums[part]) as (keyof typeof sums.succeeded)[];
    for (const figure of figures)
      note(books.lineSums[part][figure], Number(totalOf(sums[part][figure])));
  }
  note(books.requiredBalance, requiredBalance(operation, facts, books.standing, type));
  return { fits: fitInterpretations(operation, facts, type), adds };
}

/** Adds (1) or takes back (−1) an operation with that likeness. `charged` is its fees. */
export function addLike(
  { votes }: Books,
  like: Likeness,
  amount: Amount,
  charged: Amount,
  sign: 1 | -1,
): void {
  vote(votes, like.fits, sign);
  for (const { sum, amounts, fees, more } of like.adds)
    addTo(sum, sign * (amounts * amount + fees * charged + more));
}

/** Returns a number that the row's operation states; NaN means `null`. */
export function statedAt(
  { figures, operations: { numbers } }: TallyTable,
  row: number,
  place: number,
): number {
  return numbers[figures[row * TALLY.width + TALLY.operation]! * NUMBERS + place]!;
}
