// Faults in how cash-outs set money aside and let it go, and in which more is committed than there is: holds beyond the available
// balance, figures below zero.

import type { Amount } from '../../../core/domain/amount.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import { atLine, atOperation, type Books, type Change, defineFault, type Fault } from '../../model/plan.ts';
import { credit, debit, feeOf, hold, holdOf, postsFor, release } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import type { ServedOperation } from '../../model/served.ts';
import {
  addOperation,
  alterOperation,
  fabricateOperation,
  insertLines,
  movementsOf,
  postAt,
  repost,
  unpost,
  type Wish,
} from '../port/edit-books.ts';
import {
  casesOf,
  innerLines,
  LAPSED,
  lapsedHolds,
  lapsedWithSlack,
  lineOf,
  pick,
  slackOf,
} from '../port/find-cases.ts';
import { HOLD_NOT_RELEASED } from './demo-faults.ts';

export const HOLD_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'HOLD_MISSING',
    says: 'a cash-out that lapsed never had a hold, nor a release',
    change: (books, random) => {
      const one = pick(random, lapsedHolds(books, ['FAILED', 'EXPIRED']));
      return one === null ? null : atOperation(unpost(books, [one.held, one.released]), one.operation.reference);
    },
  }),
  defineFault({
    name: 'HOLD_MISSING/gap',
    says: 'the hold and the release of a cash-out are left out of the delivered ledger; figures continue over the gap',
    change: (books, random) => {
      const adjacent = lapsedHolds(books, ['FAILED', 'EXPIRED']).filter(({ held, released }) => released === held + 1);
      const one = pick(random, adjacent);
      if (one === null) return null;
      return atOperation({ ...books, entries: books.entries.toSpliced(one.held, 2) }, one.operation.reference);
    },
  }),
  defineFault({
    name: 'HOLD_AMOUNT_MISMATCH',
    says: 'a cash-out that lapsed held less than it should have; as much was released',
    change: (books, random) => {
      const one = pick(random, lapsedHolds(books, LAPSED));
      if (one === null) return null;
      const { amount, fees } = books.operations.find(({ reference }) => reference === one.operation.reference)!;
      const short = drawInteger(random, { from: 1, to: Math.min(99, amount - 1) });
      const less = holdOf(one.operation, books.policy) - (short === fees ? short + 1 : short);
      if (less <= 0) return null;
      return atLine(repost(repost(books, one.held, hold(less)), one.released, release(less)), one.held);
    },
  }),
  defineFault({
    name: 'HOLD_DUPLICATED',
    says: 'a cash-out that lapsed was held twice and released twice',
    change: (books, random) => holdTwice(books, random)?.change ?? null,
  }),
  defineFault({
    name: 'HOLD_DUPLICATED/uncovered',
    says: 'a cash-out that lapsed was held twice; an adjustment took away just before what the second hold needed',
    change: (books, random) => {
      const twice = holdTwice(books, random);
      if (twice === null) return null;
      const { change, index } = twice;
      const [before, again] = [change.books.entries[index - 1]!, change.books.entries[index]!];
      const amount = before.balanceAfter - before.reservedAfter - again.amount + 1;
      const like = { ...again, operationReference: null, description: 'Régularisation provisoire' };
      const back = { index: index + 1, posts: [credit('ADJUSTMENT_CREDIT', amount)], like };
      const taken = { index, posts: [debit('ADJUSTMENT_DEBIT', amount)], like };
      return atLine(insertLines(insertLines(change.books, random, back), random, taken), index + 1);
    },
  }),
  defineFault({
    name: 'HOLD_DUPLICATED/unreserved',
    says: 'a second hold was posted for a cash-out that lapsed, and the reserved amount did not move',
    change: (books, random) => {
      const one = pick(random, lapsedWithSlack(books, LAPSED));
      if (one === null) return null;
      const posts = [{ ...hold(holdOf(one.operation, books.policy)), reserved: 0 }];
      const like = books.entries[one.held]!;
      return atLine(insertLines(books, random, { index: one.held + 1, posts, like }), one.held + 1);
    },
  }),
  defineFault({
    name: 'HOLD_ON_CASHIN',
    says: 'a hold was placed and released on a collection',
    change: (books, random) => {
      const slack = slackOf(books);
      const roomy = innerLines(books, ['CASHIN_CREDIT']).filter((index) => slack[index]! > 200);
      const index = pick(random, roomy);
      if (index === null) return null;
      const amount = drawInteger(random, { from: 1, to: 199 });
      const posts = [hold(amount), release(amount)];
      return atLine(insertLines(books, random, { index: index + 1, posts, like: books.entries[index]! }), index + 1);
    },
  }),
  HOLD_NOT_RELEASED,
  defineFault({
    name: 'HOLD_NOT_RELEASED/partly',
    says: 'a cash-out lapsed and only a part of its hold was lifted',
    change: (books, random) => {
      const one = pick(random, lapsedWithSlack(books, LAPSED));
      if (one === null) return null;
      const amount = drawInteger(random, { from: 1, to: holdOf(one.operation, books.policy) - 1 });
      return atOperation(repost(books, one.released, release(amount)), one.operation.reference);
    },
  }),
  defineFault({
    name: 'HOLD_PAST_EXPIRY',
    says: 'a cash-out that should have expired more than a day ago is still pending and still holds money',
    change: (books, random) => {
      const overdue = lapsedWithSlack(books, ['EXPIRED']).filter(
        ({ operation }) => Date.parse(operation.expiresAt!) < books.asOf - DAY,
      );
      const one = pick(random, overdue);
      if (one === null) return null;
      const { reference, createdAt: updatedAt } = one.operation;
      const pending = alterOperation(books, reference, { status: 'PENDING', updatedAt, completedAt: null });
      return atOperation(unpost(pending, [one.released]), reference);
    },
  }),
  defineFault({
    name: 'RELEASE_WITHOUT_HOLD',
    says: 'a cash-out that was only just recorded, and held nothing, released money; another holds enough to hide it',
    change: (books, random) => {
      const open = openCashout(books, random, 4);
      if (open === null) return null;
      const operation = recentCashout(open.books, random, 'CREATED');
      const posts = [release(holdOf(operation, books.policy))];
      const at = books.asOf - 40 * MINUTE;
      const posted = postAt(addOperation(open.books, operation), random, { at, posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'RELEASE_EXCEEDS_HOLD/twice',
    says: 'a hold is released a second time when nothing else is held',
    change: (books, random) => {
      const one = pick(
        random,
        lapsedHolds(books, LAPSED).filter(({ released }) => books.entries[released]!.reservedAfter === 0),
      );
      if (one === null) return null;
      const like = books.entries[one.released]!;
      const posts = [release(like.amount)];
      return atLine(insertLines(books, random, { index: one.released + 1, posts, like }), one.released + 1);
    },
  }),
  defineFault({
    name: 'RELEASE_EXCEEDS_HOLD/consumed',
    says: 'a hold is released, and then consumed by its debit all the same; another holds enough to hide it',
    change: (books, random) => {
      const open = openCashout(books, random, 4);
      if (open === null) return null;
      const operation = recentCashout(open.books, random, 'SUCCEEDED');
      const success = postsFor('SUCCESS', operation, books.policy);
      if (!success.some(({ kind, reserved }) => kind === 'CASHOUT_DEBIT' && reserved < 0)) return null;
      const held = holdOf(operation, books.policy);
      const added = addOperation(open.books, operation);
      const asked = postAt(added, random, { at: Date.parse(operation.createdAt), posts: [hold(held)], operation });
      const posts = [release(held), ...success];
      const posted = postAt(asked.books, random, { at: Date.parse(operation.updatedAt), posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'RELEASE_EXCEEDS_HOLD',
    says: 'a failed cash-out released more than it held; another holds enough to hide it',
    change: (books, random) => {
      const open = openCashout(books, random, 4);
      if (open === null) return null;
      const operation = recentCashout(open.books, random, 'FAILED');
      const held = holdOf(operation, books.policy);
      const extra = drawInteger(random, { from: 1, to: held });
      const added = addOperation(open.books, operation);
      const asked = postAt(added, random, { at: Date.parse(operation.createdAt), posts: [hold(held)], operation });
      const posts = [release(held + extra)];
      const posted = postAt(asked.books, random, { at: Date.parse(operation.updatedAt), posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
];

/** A second hold right behind the first, and a second release behind the other; `index`: of the second hold. */
function holdTwice(books: Books, random: Random): { readonly change: Change; readonly index: number } | null {
  const roomy = lapsedHolds(books, LAPSED).filter(({ held, released, operation }) => {
    const during = books.entries.slice(held, released).map((line) => line.balanceAfter - line.reservedAfter);
    return Math.min(...during) >= holdOf(operation, books.policy);
  });
  const one = pick(random, roomy);
  if (one === null) return null;
  const amount = holdOf(one.operation, books.policy);
  const index = one.held + 1;
  const last = { index: one.released + 1, posts: [release(amount)], like: books.entries[one.released]! };
  const first = { index, posts: [hold(amount)], like: books.entries[one.held]! };
  return { change: atLine(insertLines(insertLines(books, random, last), random, first), index), index };
}

/** Adds a pending cash-out of `times` the least amount, an hour old; null when the wallet cannot bear it twice. */
function openCashout(books: Books, random: Random, times: number): { readonly books: Books } | null {
  const at = books.asOf - HOUR;
  const amount = books.merchant.limits.minCashoutAmount * times;
  const wish = { type: 'CASHOUT', status: 'PENDING', amount, createdAt: at, movedAt: at + MINUTE } as const;
  const operation = fabricateOperation(books, random, wish);
  const held = holdOf(operation, books.policy);
  const slack = slackOf(books).at(-1) ?? 0;
  if (slack < 2 * operation.netAmount || amount > books.merchant.limits.maxCashoutAmount) return null;
  return postAt(addOperation(books, operation), random, { at, posts: [hold(held)], operation });
}

/** A cash-out of the least amount, fifty minutes old. */
function recentCashout(books: Books, random: Random, status: 'CREATED' | 'FAILED' | 'SUCCEEDED'): ServedOperation {
  const createdAt = books.asOf - 50 * MINUTE;
  const movedAt = status === 'CREATED' ? createdAt : createdAt + 5 * MINUTE;
  const amount = books.merchant.limits.minCashoutAmount;
  return fabricateOperation(books, random, { type: 'CASHOUT', status, amount, createdAt, movedAt });
}

export const NEGATIVE_FIGURE_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'HOLD_EXCEEDS_AVAILABLE',
    says: 'a hold is placed for more than is available; adjustments around it take the money away and bring it back',
    change: (books, random) => {
      const index = pick(random, innerLines(books, ['CASHOUT_HOLD']));
      if (index === null) return null;
      const [before, held] = [books.entries[index - 1]!, books.entries[index]!];
      const lack = drawInteger(random, { from: 1, to: Math.min(500, held.amount - 1) });
      const amount = before.balanceAfter - before.reservedAfter - held.amount + lack;
      const like = { ...held, operationReference: null, description: 'Régularisation provisoire' };
      const back = [credit('ADJUSTMENT_CREDIT', amount)];
      const returned = insertLines(books, random, { index: index + 1, posts: back, like });
      const taken = insertLines(returned, random, { index, posts: [debit('ADJUSTMENT_DEBIT', amount)], like });
      return atLine(taken, index + 1);
    },
  }),
  defineFault({
    name: 'HOLD_EXCEEDS_AVAILABLE/fees',
    says: 'a cash-out is taken on though its fees are not available besides its amount (holds of the amount only)',
    change: holdWithoutFees,
  }),
  defineFault({
    name: 'RESERVED_NEGATIVE',
    says: 'the only hold is released before the debit that consumes it all the same (debits that consume their hold only)',
    change: (books, random) => {
      const movements = movementsOf(books);
      const consuming = casesOf(books, { type: 'CASHOUT', statuses: ['SUCCEEDED'] })
        .map((one) => ({ index: lineOf(one, books, 'CASHOUT_DEBIT'), held: holdOf(one.operation, books.policy) }))
        .filter(({ index, held }) => index > 0 && books.entries[index - 1]!.reservedAfter === held)
        .filter(({ index }) => movements[index]!.reserved < 0);
      const one = pick(random, consuming);
      if (one === null) return null;
      const { index, held } = one;
      const like = books.entries[index]!;
      return atLine(insertLines(books, random, { index, posts: [release(held)], like }), index + 1);
    },
  }),
  defineFault({
    name: 'BALANCE_NEGATIVE',
    says: 'the fees of two cash-outs at once, outside their holds, take the balance below zero (holds of the amount only)',
    change: (books, random) => goBelowZero(books, random, 'BALANCE'),
  }),
  defineFault({
    name: 'AVAILABLE_NEGATIVE',
    says: 'the fees of two cash-outs at once, outside their holds, eat into what a third holds (holds of the amount only)',
    change: (books, random) => goBelowZero(books, random, 'AVAILABLE'),
  }),
];

/**
 * Before all history a collection fills the wallet, and another fills it again after what happens in between. Null where
 * fees are held, or are 0: then nothing can go below zero.
 */
function setScene(books: Books, random: Random) {
  const { policy, merchant, operations } = books;
  const terms = { pricing: merchant.pricing, rounding: policy.feeRounding };
  const least = merchant.limits.minCashoutAmount;
  const feeFor = (amount: Amount): Amount => feeOf({ type: 'CASHOUT', amount }, terms);
  const amount = Math.max(merchant.limits.minCashinAmount, 5 * least + 10_000);
  const first = operations[0];
  if (policy.holdAmount !== 'AMOUNT' || first === undefined || feeFor(least) === 0) return null;
  const funds = amount - feeOf({ type: 'CASHIN', amount }, terms);
  const at = Date.parse(first.createdAt) - 6 * HOUR;
  const fill = (present: Books, createdAt: Instant): Books => {
    const wish = { type: 'CASHIN', status: 'SUCCEEDED', amount, createdAt, movedAt: createdAt + MINUTE } as const;
    return perform({ books: present, random }, wish).books;
  };
  return { books: fill(fill(books, at), at + 4 * HOUR), at, least, funds, feeFor };
}

/** One cash-out takes all there is, and its fees come on top. */
function holdWithoutFees(books: Books, random: Random): Change | null {
  const scene = setScene(books, random);
  if (scene === null) return null;
  const createdAt = scene.at + 2 * HOUR;
  const times = { createdAt, movedAt: createdAt + MINUTE };
  const spent = perform(
    { books: scene.books, random },
    { type: 'CASHOUT', status: 'FAILED', amount: scene.funds, ...times },
  );
  return atLine(spent.books, linesOfOperation(spent)[0]!);
}

/**
 * Two cash-outs are under way at once. Each finds its amount and its fees available, and the fees of the first are taken
 * from what the second was promised.
 */
function goBelowZero(books: Books, random: Random, which: 'BALANCE' | 'AVAILABLE'): Change | null {
  const scene = setScene(books, random);
  if (scene === null) return null;
  const { at, least, feeFor } = scene;
  let present = scene.books;
  const request = (status: OperationStatus, amount: Amount, [from, to]: readonly [Instant, Instant]) => {
    const done = perform({ books: present, random }, { type: 'CASHOUT', status, amount, createdAt: from, movedAt: to });
    present = done.books;
    return done.operation;
  };
  const other = which === 'AVAILABLE' ? least : 0;
  if (other > 0) request('FAILED', other, [at + HOUR, at + 3 * HOUR]);
  request('SUCCEEDED', least, [at + 2 * HOUR, at + 2 * HOUR + 10 * MINUTE]);
  const left = scene.funds - other - least;
  let amount = left;
  while (amount + feeFor(amount) > left) amount -= 1;
  const second = request('SUCCEEDED', amount, [at + 2 * HOUR + 5 * MINUTE, at + 2 * HOUR + 15 * MINUTE]);
  const lines = linesOfOperation({ books: present, operation: second });
  const fee = lines.find((index) => present.entries[index]!.kind === 'CASHOUT_FEE')!;
  return atLine(present, which === 'BALANCE' ? fee : lines.at(-1)!);
}

function linesOfOperation({ books, operation }: ReturnType<typeof perform>): readonly number[] {
  return [...books.entries.keys()].filter((i) => books.entries[i]!.operationReference === operation.reference);
}

function perform(scene: { readonly books: Books; readonly random: Random }, wish: Wish) {
  const { random } = scene;
  const operation = fabricateOperation(scene.books, random, wish);
  const added = addOperation(scene.books, operation);
  const phase = wish.status === 'SUCCEEDED' ? 'SUCCESS' : 'LAPSE';
  const post = (books: Books, at: Instant, what: 'REQUEST' | 'SUCCESS' | 'LAPSE') =>
    postAt(books, random, { at, posts: postsFor(what, operation, books.policy), operation }).books;
  return { operation, books: post(post(added, wish.createdAt, 'REQUEST'), wish.movedAt, phase) };
}
