// The kind of an operation that is over, as one number: all that the checks look at, abstracted.
// Operations of one signature are sound together, vote alike, and add the same multiples of amount
// and fees, so the checks judge the first of them. No rule is here. A form that is unknown, and
// figures too near each other, have no signature: odd by default.

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

/** Those of one pass, each the end of a path of codes from 0. */
export interface Signatures {
  /** By hash: state, code and the state that follows, 0 where there is none. */
  readonly steps: Int32Array;
  states: number;
  /** What operations of the signature add; null: they are unsound, absent: none was judged yet. */
  readonly known: (Likeness | null)[];
  readonly context: CheckContext;
  /** Of amounts, by all profiles. */
  readonly bounds: readonly Amount[];
}

interface Likeness {
  readonly fits: Fits;
  /** To each sum so many times the amount, so many times the fees, and more. */
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
 * Any two sums of so few figures compare alike for all amounts that are more than so many times the
 * fees.
 */
const [MOST_LINES, APART] = [6, 8];
const MOST_AMOUNT = 2 ** 40;
/** Codes of the known words are below. */
const WORD = 64;

const { numbers: NUMBERS, words: WORDS, texts: TEXTS, fields, knownWords } = OPERATION_TABLE;
/** Of each field, among those that are kept alike. */
export const PLACE = Object.fromEntries(fields.map(({ name, place }) => [name, place])) as Record<
  keyof Operation,
  number
>;

export function beginSignatures(context: CheckContext): Signatures {
  const bounds = context.profiles.flatMap(({ limits }) => Object.values(limits));
  return { steps: new Int32Array(3 * PLACES), states: 1, known: [], context, bounds };
}

/** Of an operation that holds nothing and is old enough; −1: it has none. */
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
  // The codes of types and statuses are the first.
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

/** 0: there is no text; 1: there is one, and it is not blank; −1: only the check can tell. */
function hasPlainText({ texts, bytes }: TallyTable['operations'], at: number): number {
  const mark = texts[at + 1]!;
  if (mark === NO_TEXT) return 0;
  return lengthOf(mark) > 0 && (mark & 3) === ASCII && bytes[texts[at]!]! > 0x20 ? 1 : -1;
}

/** Which relations the operation's figures and instants have to each other; −1: unusual ones. */
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
 * Which of the figures that follow from amount and fees it is, which are all different unless there
 * are no fees; −1: none.
 */
function formOf(figure: Amount, amount: Amount, fees: Amount): number {
  if (figure === 0) return 0;
  if (figure === amount) return 1;
  if (figure === amount + fees) return 2;
  if (figure === amount - fees) return 3;
  return figure === fees ? 4 : -1;
}

/** Goes on from the state with the operation's lines, in ledger order. */
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
 * The state after the code, a new one where the code was never met in this state; −1: there are too
 * many.
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

/** What the operation adds, and every other of its signature; `isOdd`: it has none. */
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

/** Adds (1) or takes back (−1) an operation. */
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

/** A number that the row's operation states; NaN: null. */
export function statedAt(
  { figures, operations: { numbers } }: TallyTable,
  row: number,
  place: number,
): number {
  return numbers[figures[row * TALLY.width + TALLY.operation]! * NUMBERS + place]!;
}
