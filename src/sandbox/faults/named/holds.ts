// Faults in how cash-outs set money aside and release it, and faults in which more is committed
// than there is: holds beyond the available balance, figures below zero.

import type { Amount } from '../../../core/domain/amount.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import {
  feeOf,
  hold,
  holdOf,
  type Post,
  postsFor,
  release,
  termsOf,
} from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import type { ServedOperation } from '../../model/served.ts';
import {
  addOperation,
  alterOperation,
  atLine,
  atOperation,
  type Change,
  fabricateOperation,
  insertAfter,
  insertBefore,
  movementsOf,
  postAt,
  repost,
  unpost,
  type Wish,
  withoutMeanwhile,
} from '../port/edit-books.ts';
import {
  casesOf,
  inner,
  type LapsedHold,
  lapsedHolds,
  lapsedWithSlack,
  lineOf,
  roomy,
  slackOf,
} from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

const NOT_CANCELLED = ['FAILED', 'EXPIRED'] as const;

export const HOLD_FAULTS = defineFaults({
  HOLD_MISSING: atOne(
    (books) => lapsedHolds(books, NOT_CANCELLED),
    (books, { held, released, operation }) =>
      atOperation(unpost(books, held, released), operation.reference),
  ),
  'HOLD_MISSING/gap': atOne(
    (books) =>
      lapsedHolds(books, NOT_CANCELLED).filter(({ held, released }) => released === held + 1),
    (books, { held, operation }) =>
      atOperation({ ...books, entries: books.entries.toSpliced(held, 2) }, operation.reference),
  ),
  HOLD_AMOUNT_MISMATCH: atOne(lapsedHolds, (books, { operation, held, released }, random) => {
    const { amount, fees } = operation;
    const short = drawInteger(random, { from: 1, to: Math.min(99, amount - 1) });
    const less = holdOf(operation, books.policy) - (short === fees ? short + 1 : short);
    return less <= 0
      ? null
      : atLine(repost(repost(books, held, hold(less)), released, release(less)), held);
  }),
  HOLD_DUPLICATED: atOne(lapsedHeldTwice, (books, one, random) => holdTwice(books, one, random)),
  'HOLD_DUPLICATED/uncovered': atOne(lapsedHeldTwice, (books, one, random) => {
    const twice = holdTwice(books, one, random);
    const [before, again] = [twice.books.entries[one.held]!, twice.books.entries[one.held + 1]!];
    const amount = before.balanceAfter - before.reservedAfter - again.amount + 1;
    return withoutMeanwhile(twice.books, random, one.held + 1, amount);
  }),
  'HOLD_DUPLICATED/unreserved': atOne(lapsedWithSlack, (books, { held, operation }, random) =>
    insertAfter(books, random, held, [{ ...hold(holdOf(operation, books.policy)), reserved: 0 }]),
  ),
  HOLD_ON_CASHIN: atOne(roomy('CASHIN_CREDIT'), (books, index, random) => {
    const amount = drawInteger(random, { from: 1, to: 199 });
    return insertAfter(books, random, index, [hold(amount), release(amount)]);
  }),
  HOLD_NOT_RELEASED: atOne(lapsedWithSlack, (books, { released, operation }) =>
    atOperation(unpost(books, released), operation.reference),
  ),
  'HOLD_NOT_RELEASED/partly': atOne(lapsedWithSlack, (books, { released, operation }, random) => {
    const amount = drawInteger(random, { from: 1, to: holdOf(operation, books.policy) - 1 });
    return atOperation(repost(books, released, release(amount)), operation.reference);
  }),
  HOLD_PAST_EXPIRY: atOne(
    (books) =>
      lapsedWithSlack(books, ['EXPIRED']).filter(
        ({ operation }) => Date.parse(operation.expiresAt!) < books.asOf - DAY,
      ),
    (books, { released, operation: { reference, createdAt: updatedAt } }) => {
      const pending = alterOperation(books, reference, {
        status: 'PENDING',
        updatedAt,
        completedAt: null,
      });
      return atOperation(unpost(pending, released), reference);
    },
  ),
  RELEASE_WITHOUT_HOLD: besideAnOpenOne('CREATED', (books, operation, random) => {
    const posts = [release(holdOf(operation, books.policy))];
    return postAt(books, random, { at: books.asOf - 40 * MINUTE, posts, operation });
  }),
  'RELEASE_EXCEEDS_HOLD/twice': atOne(
    (books) =>
      lapsedHolds(books).filter(({ released }) => books.entries[released]!.reservedAfter === 0),
    (books, { released }, random) =>
      insertAfter(books, random, released, [release(books.entries[released]!.amount)]),
  ),
  'RELEASE_EXCEEDS_HOLD/consumed': besideAnOpenOne('SUCCEEDED', (books, operation, random) => {
    const success = postsFor('SUCCESS', operation, books.policy);
    if (!success.some(({ kind, reserved }) => kind === 'CASHOUT_DEBIT' && reserved < 0))
      return null;
    return holdAndEnd(books, operation, random, [
      release(holdOf(operation, books.policy)),
      ...success,
    ]);
  }),
  RELEASE_EXCEEDS_HOLD: besideAnOpenOne('FAILED', (books, operation, random) => {
    const held = holdOf(operation, books.policy);
    const extra = drawInteger(random, { from: 1, to: held });
    return holdAndEnd(books, operation, random, [release(held + extra)]);
  }),
});

/** Returns lapsed holds where a second hold of the same size fits until the release. */
function lapsedHeldTwice(books: Books): readonly LapsedHold[] {
  return lapsedHolds(books).filter(({ held, released, operation }) => {
    const during = books.entries
      .slice(held, released)
      .map((line) => line.balanceAfter - line.reservedAfter);
    return Math.min(...during) >= holdOf(operation, books.policy);
  });
}

/**
 * Posts a second hold right after the first, and a second release right after the first release.
 * The place is the second hold.
 */
function holdTwice(
  books: Books,
  { held, released, operation }: LapsedHold,
  random: Random,
): Change {
  const amount = holdOf(operation, books.policy);
  const { books: releasedTwice } = insertAfter(books, random, released, [release(amount)]);
  return insertAfter(releasedTwice, random, held, [hold(amount)]);
}

/**
 * Adds two cash-outs. The first is pending, an hour old, and four times the least amount. The
 * second has the least amount, is fifty minutes old, has no line yet, and is passed to `change`.
 * Returns `null` when the wallet cannot bear the first one twice.
 */
function besideAnOpenOne(
  status: 'CREATED' | 'FAILED' | 'SUCCEEDED',
  change: (books: Books, operation: ServedOperation, random: Random) => Change | null,
) {
  return (books: Books, random: Random): Change | null => {
    const { minCashoutAmount: least, maxCashoutAmount: most } = books.merchant.limits;
    const at = books.asOf - HOUR;
    const asked = { type: 'CASHOUT', status: 'PENDING', amount: 4 * least } as const;
    const pending = fabricateOperation(books, random, {
      ...asked,
      createdAt: at,
      movedAt: at + MINUTE,
    });
    const before = books.entries.findLastIndex(({ createdAt }) => Date.parse(createdAt) <= at);
    if ((slackOf(books)[before] ?? 0) < 2 * pending.netAmount || 4 * least > most) return null;
    const posts = [hold(holdOf(pending, books.policy))];
    const open = postAt(addOperation(books, pending), random, {
      at,
      posts,
      operation: pending,
    }).books;
    const createdAt = books.asOf - 50 * MINUTE;
    const movedAt = status === 'CREATED' ? createdAt : createdAt + 5 * MINUTE;
    const recent = fabricateOperation(open, random, {
      type: 'CASHOUT',
      status,
      amount: least,
      createdAt,
      movedAt,
    });
    return change(addOperation(open, recent), recent, random);
  };
}

/**
 * Posts the hold when the operation was created, and `posts` when it ended. The place is the first
 * of `posts`.
 */
function holdAndEnd(
  books: Books,
  operation: ServedOperation,
  random: Random,
  posts: readonly Post[],
): Change {
  const held = [hold(holdOf(operation, books.policy))];
  const asked = postAt(books, random, {
    at: Date.parse(operation.createdAt),
    posts: held,
    operation,
  });
  return postAt(asked.books, random, { at: Date.parse(operation.updatedAt), posts, operation });
}

export const NEGATIVE_FIGURE_FAULTS = defineFaults({
  HOLD_EXCEEDS_AVAILABLE: atOne(inner('CASHOUT_HOLD'), (books, index, random) => {
    const [before, held] = [books.entries[index - 1]!, books.entries[index]!];
    const lack = drawInteger(random, { from: 1, to: Math.min(500, held.amount - 1) });
    const amount = before.balanceAfter - before.reservedAfter - held.amount + lack;
    return withoutMeanwhile(books, random, index, amount);
  }),
  'HOLD_EXCEEDS_AVAILABLE/fees': holdWithoutFees,
  RESERVED_NEGATIVE: atOne(
    (books) => {
      const movements = movementsOf(books);
      return casesOf(books, 'CASHOUT')
        .map((one) => ({
          index: lineOf(one, books, 'CASHOUT_DEBIT'),
          held: holdOf(one.operation, books.policy),
        }))
        .filter(({ index, held }) => index > 0 && books.entries[index - 1]!.reservedAfter === held)
        .filter(({ index }) => movements[index]!.reserved < 0);
    },
    (books, { index, held }, random) =>
      atLine(insertBefore(books, random, index, [release(held)]).books, index + 1),
  ),
  BALANCE_NEGATIVE: (books, random) => goBelowZero(books, random, 'BALANCE'),
  AVAILABLE_NEGATIVE: (books, random) => goBelowZero(books, random, 'AVAILABLE'),
});

/**
 * Adds a collection before all history, which fills the wallet, and another four hours later, which
 * fills it again after whatever is put in between. Returns `null` where fees are held or are 0,
 * because then no figure can go below zero.
 */
function setScene(books: Books, random: Random) {
  const { limits } = books.merchant;
  const least = limits.minCashoutAmount;
  const feeFor = (amount: Amount): Amount =>
    feeOf({ type: 'CASHOUT', amount }, termsOf(books.merchant, books.policy));
  const amount = Math.max(limits.minCashinAmount, 5 * least + 10_000);
  const first = books.operations[0];
  if (books.policy.holdAmount !== 'AMOUNT' || first === undefined || feeFor(least) === 0)
    return null;
  const funds = amount - feeOf({ type: 'CASHIN', amount }, termsOf(books.merchant, books.policy));
  const at = Date.parse(first.createdAt) - 6 * HOUR;
  const fill = (present: Books, createdAt: Instant): Books => {
    const wish = {
      type: 'CASHIN',
      status: 'SUCCEEDED',
      amount,
      createdAt,
      movedAt: createdAt + MINUTE,
    } as const;
    return perform(present, random, wish).books;
  };
  return { books: fill(fill(books, at), at + 4 * HOUR), at, least, funds, feeFor };
}

/** Adds a cash-out whose amount is the whole balance, so that its fees are not covered. */
function holdWithoutFees(books: Books, random: Random): Change | null {
  const scene = setScene(books, random);
  if (scene === null) return null;
  const createdAt = scene.at + 2 * HOUR;
  const movedAt = createdAt + MINUTE;
  const wish = {
    type: 'CASHOUT',
    status: 'FAILED',
    amount: scene.funds,
    createdAt,
    movedAt,
  } as const;
  const spent = perform(scene.books, random, wish);
  return atLine(spent.books, linesOfOperation(spent)[0]!);
}

/**
 * Adds two cash-outs that are under way at the same time. Each finds its amount and fees available,
 * but the fees of the first are then taken from the money of the second.
 */
function goBelowZero(books: Books, random: Random, which: 'BALANCE' | 'AVAILABLE'): Change | null {
  const scene = setScene(books, random);
  if (scene === null) return null;
  const { at, least, feeFor } = scene;
  let present = scene.books;
  const request = (
    status: OperationStatus,
    amount: Amount,
    [from, to]: readonly [Instant, Instant],
  ) => {
    const done = perform(present, random, {
      type: 'CASHOUT',
      status,
      amount,
      createdAt: from,
      movedAt: to,
    });
    present = done.books;
    return done.operation;
  };
  const other = which === 'AVAILABLE' ? least : 0;
  if (other > 0) request('FAILED', other, [at + HOUR, at + 3 * HOUR]);
  request('SUCCEEDED', least, [at + 2 * HOUR, at + 2 * HOUR + 10 * MINUTE]);
  const left = scene.funds - other - least;
  let amount = left;
  while (amount + feeFor(amount) > left) amount -= 1;
  const second = request('SUCCEEDED', amount, [
    at + 2 * HOUR + 5 * MINUTE,
    at + 2 * HOUR + 15 * MINUTE,
  ]);
  const lines = linesOfOperation({ books: present, operation: second });
  const fee = lines.find((index) => present.entries[index]!.kind === 'CASHOUT_FEE')!;
  return atLine(present, which === 'BALANCE' ? fee : lines.at(-1)!);
}

function linesOfOperation({ books, operation }: ReturnType<typeof perform>): readonly number[] {
  return [...books.entries.keys()].filter(
    (i) => books.entries[i]!.operationReference === operation.reference,
  );
}

/** Adds an operation with all its lines. */
function perform(books: Books, random: Random, wish: Wish) {
  const operation = fabricateOperation(books, random, wish);
  const post = (present: Books, at: Instant, what: 'REQUEST' | 'SUCCESS' | 'LAPSE') => {
    const posts = postsFor(what, operation, books.policy);
    return posts.length === 0 ? present : postAt(present, random, { at, posts, operation }).books;
  };
  const asked = post(addOperation(books, operation), wish.createdAt, 'REQUEST');
  return {
    operation,
    books: post(asked, wish.movedAt, wish.status === 'SUCCEEDED' ? 'SUCCESS' : 'LAPSE'),
  };
}
