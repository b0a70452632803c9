// Faults in how cash-outs set money aside and let it go.

import { DAY, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import type { Books } from '../../books.ts';
import { credit, debit, hold, holdOf, postsFor, release } from '../../postings.ts';
import { drawInteger, type Random } from '../../random.ts';
import type { ServedOperation } from '../../served.ts';
import { HOLD_NOT_RELEASED } from '../demo-faults.ts';
import { insertLines, repost, unpost } from '../edit-books.ts';
import { atLine, atOperation, type Change, defineFault, type Fault } from '../fault.ts';
import { innerLines, LAPSED, lapsedHolds, lapsedWithSlack, pick, slackOf } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';
import { addOperation, fabricateOperation, postAt } from './fabricate.ts';

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
