// Faults in what a collection puts into the wallet and an executed transfer takes out of it, in
// commissions and in reversals: the lines, the price, and the figures that an operation states
// about itself.

import type { Amount } from '../../../core/domain/amount.ts';
import { DAY, formatInstant, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import { netAmountOf, type OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import { credit, debit, type Post, postsFor, release } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import {
  addOperation,
  alterOperation,
  atLine,
  atOperation,
  type Change,
  fabricateOperation,
  indexAt,
  insertAfter,
  insertBefore,
  movementsOf,
  postAt,
  repost,
  restate,
  unpost,
  unpostOne,
  withMovements,
} from '../port/edit-books.ts';
import {
  type Case,
  casesOf,
  creditsOf,
  drawFew,
  feeLinesOf,
  LAPSED,
  lineOf,
  linesOfSettled,
  pick,
  slackOf,
  spared,
} from '../port/find-cases.ts';
import { atOne, defineFault, defineFaults } from '../port/planting.ts';

export const CREDIT_AND_FEE_FAULTS = defineFaults({
  CREDIT_MISSING: atOne((books) => spared(books, creditsOf(books)), unpostOne),
  CREDIT_WITHOUT_SUCCESS: creditLapsed((post) => post),
  'CREDIT_WITHOUT_SUCCESS/status': atOne(creditsOf, (books, index) => {
    const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
    const reference = books.entries[index]!.operationReference!;
    return atLine(alterOperation(books, reference, { status: 'FAILED', failure }), index);
  }),
  CREDIT_DUPLICATED: atOne(creditsOf, (books, index, random) => creditAgain(books, random, index)),
  'CREDIT_DUPLICATED/thrice': atOne(creditsOf, (books, index, random) =>
    creditAgain(books, random, index, 2),
  ),
  'CREDIT_DUPLICATED/unbalanced': atOne(creditsOf, (books, index, random) => {
    const { amount } = books.entries[index]!;
    return insertAfter(books, random, index, [{ ...credit('CASHIN_CREDIT', amount), balance: 0 }]);
  }),
  'CREDIT_WITHOUT_SUCCESS/unbalanced': creditLapsed((post) => ({ ...post, balance: 0 })),
  CREDIT_AMOUNT_MISMATCH: atOne(creditsOf, (books, index, random) => {
    const amount = books.entries[index]!.amount + drawFew(random);
    return atLine(repost(books, index, credit('CASHIN_CREDIT', amount)), index);
  }),
  FEE_MISSING: atOne(feeLinesOf, unpostOne),
  FEE_AMOUNT_MISMATCH: atOne(
    (books) => feeLinesOf(books).filter((line) => books.entries[line]!.amount > 2),
    (books, index, random) => {
      const { kind, amount } = books.entries[index]!;
      const charged = drawInteger(random, { from: 1, to: amount - 1 });
      const post = debit(kind === 'CASHIN_FEE' ? 'CASHIN_FEE' : 'CASHOUT_FEE', charged);
      const consumes = kind === 'CASHOUT_FEE' && books.policy.holdSettlement === 'DEBIT_AND_FEE';
      return atLine(repost(books, index, consumes ? { ...post, reserved: -charged } : post), index);
    },
  ),
  FEE_WITHOUT_SUCCESS: atOne(
    (books) => {
      const slack = slackOf(books);
      return casesOf(books, 'CASHIN', LAPSED).filter(({ operation }) => {
        const before = indexAt(books, Date.parse(operation.updatedAt)) - 1;
        return operation.fees > 0 && before >= 0 && slack[before]! >= operation.fees;
      });
    },
    (books, { operation }, random) => {
      const posts = [debit('CASHIN_FEE', operation.fees)];
      return postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
    },
  ),
  FEE_NOT_AS_PRICED: (books, random) => {
    const extra = drawInteger(random, { from: 7, to: 60 });
    const slack = slackOf(books);
    const one = pick(
      random,
      casesOf(books, 'CASHIN').filter(
        ({ operation, lines }) => operation.netAmount > extra && slack[lines[0]!]! > extra,
      ),
    );
    if (one === null) return null;
    const fees = one.operation.fees + extra;
    const netAmount = netAmountOf({ ...one.operation, fees });
    const posts = postsFor('SUCCESS', { ...one.operation, fees, netAmount }, books.policy);
    if (posts.length !== one.lines.length) return null;
    const reposted = one.lines.reduce(
      (changed, line, i) => repost(changed, line, posts[i]!),
      books,
    );
    return restate(reposted, one.operation, { fees, netAmount });
  },
  PRICING_CHANGED: (books) => {
    const { merchant } = books;
    const first = books.operations.find(({ type }) => type === 'CASHIN');
    if (first === undefined) return null;
    const pricing = { ...merchant.pricing, cashinFeeBps: merchant.pricing.cashinFeeBps + 45 };
    return atOperation({ ...books, merchant: { ...merchant, pricing } }, first.reference);
  },
  NET_AMOUNT_INCONSISTENT: atOne(
    (books) => casesOf(books, 'CASHIN'),
    (books, { operation }, random) => {
      const netAmount = operation.netAmount + drawFew(random);
      const changed = restate(books, operation, { netAmount });
      return { ...changed, books: { ...changed.books, wallet: books.wallet } };
    },
  ),
});

function creditLapsed(alter: (post: Post) => Post) {
  return atOne(
    (books) => casesOf(books, 'CASHIN', LAPSED),
    (books, { operation }, random) => {
      const posts = postsFor('SUCCESS', operation, books.policy).slice(0, 1).map(alter);
      return postAt(books, random, { at: Date.parse(operation.updatedAt), posts, operation });
    },
  );
}

/** Posts the credit again, after the lines that were posted with it. */
function creditAgain(books: Books, random: Random, index: number, times = 1): Change {
  const line = books.entries[index]!;
  const isFollowed = books.entries[index + 1]?.operationReference === line.operationReference;
  const posts = Array.from({ length: times }, () => credit('CASHIN_CREDIT', line.amount));
  return insertAfter(books, random, isFollowed ? index + 1 : index, posts);
}

/** Most days between the first credit and the books' instant. */
const RECENT = 20;

/** This is not in the lists of faults: it is put right, so that an audit finds the books clean. */
export const CREDIT_TAKEN_BACK = defineFault('CREDIT_DUPLICATED/corrected', {
  says: 'a collection was credited twice, and a correction that names it took the second credit back two days later',
  change: atOne(
    (books) =>
      creditsOf(books).filter((index) => {
        const age = books.asOf - Date.parse(books.entries[index]!.createdAt);
        return age <= RECENT * DAY && age > 4 * DAY;
      }),
    (books, index, random) => {
      const { amount, operationReference, createdAt } = books.entries[index]!;
      const twice = creditAgain(books, random, index);
      const until = Date.parse(createdAt) + 2 * DAY;
      const place = twice.books.entries.findIndex((line) => Date.parse(line.createdAt) >= until);
      const description = `Reprise du second crédit de ${operationReference}`;
      const changes = { operationReference: null, description };
      const posts = [debit('ADJUSTMENT_DEBIT', amount)];
      return { ...twice, books: insertBefore(twice.books, random, place, posts, changes).books };
    },
  ),
});

export const DEBIT_AND_REVERSAL_FAULTS = defineFaults({
  DEBIT_WITHOUT_HOLD: (books, random) => {
    const createdAt = books.asOf - 50 * MINUTE;
    const amount = books.merchant.limits.minCashoutAmount;
    const wish = {
      type: 'CASHOUT',
      status: 'CREATED',
      amount,
      createdAt,
      movedAt: createdAt,
    } as const;
    const operation = fabricateOperation(books, random, wish);
    if ((slackOf(books).at(-1) ?? 0) < 3 * amount) return null;
    const posts = [debit('CASHOUT_DEBIT', amount)];
    return postAt(addOperation(books, operation), random, {
      at: createdAt + 10 * MINUTE,
      posts,
      operation,
    });
  },
  DEBIT_MISSING: atOne(debitsOf, unpostOne),
  DEBIT_DUPLICATED: debitAgain(() => 0),
  'DEBIT_DUPLICATED/consumed': debitAgain((amount) => -amount),
  DEBIT_AMOUNT_MISMATCH: atOne(debitsOf, (books, index, random) => {
    const line = books.entries[index]!;
    const amount =
      line.amount - drawInteger(random, { from: 1, to: Math.min(99, line.amount - 1) });
    const { reserved } = movementsOf(books)[index]!;
    const consumed = reserved === -line.amount ? -amount : reserved;
    return atLine(
      repost(books, index, { ...debit('CASHOUT_DEBIT', amount), reserved: consumed }),
      index,
    );
  }),
  'DEBIT_WITHOUT_SUCCESS/consumed': atOne(
    (books) => {
      const slack = slackOf(books);
      return casesOf(books, 'CASHOUT', LAPSED).flatMap((one) => {
        const [index, { amount }] = [lineOf(one, books, 'CASHOUT_RELEASE'), one.operation];
        return index >= 0 && slack[index]! >= amount ? [{ index, amount }] : [];
      });
    },
    (books, { index, amount }, random) =>
      insertBefore(books, random, index, [
        { ...debit('CASHOUT_DEBIT', amount), reserved: -amount },
      ]),
  ),
  DEBIT_WITHOUT_SUCCESS: atOne(debitsOf, (books, index) => {
    const reference = books.entries[index]!.operationReference!;
    const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
    const stated = alterOperation(books, reference, { status: 'FAILED', failure });
    const fee = stated.entries.findIndex(
      (line) => line.operationReference === reference && line.kind === 'CASHOUT_FEE',
    );
    if (fee < 0) return atLine(stated, index);
    const restIsHeld = books.policy.holdSettlement === 'DEBIT_AND_FEE';
    const changed = restIsHeld
      ? repost(stated, fee, release(stated.entries[fee]!.amount))
      : unpost(stated, fee);
    return atLine(changed, index);
  }),
  REVERSAL_MISSING: atOne(settledBefore('CASHIN'), (books, { operation }) => {
    const updatedAt = formatInstant(Date.parse(operation.updatedAt) + HOUR);
    return restate(books, operation, { status: 'REVERSED', updatedAt });
  }),
  REVERSAL_UNANNOUNCED: atOne(settledBefore('CASHOUT'), (books, { operation }, random) => {
    const posts = postsFor('REVERSAL', operation, books.policy);
    return postAt(books, random, { at: Date.parse(operation.updatedAt) + HOUR, posts, operation });
  }),
  REVERSAL_INCOMPLETE: misreverse(
    (amount, random) => amount - drawInteger(random, { from: 1, to: Math.min(40, amount - 1) }),
  ),
  REVERSAL_EXCESSIVE: misreverse(
    (amount, random) => amount + drawInteger(random, { from: 1, to: 40 }),
  ),
  'REVERSAL_EXCESSIVE/twice': atOne(
    (books) => {
      const slack = slackOf(books);
      return reversals(books).filter(([first]) => slack[first!]! >= books.entries[first!]!.amount);
    },
    (books, lines, random) => {
      const posts = lines.map((line) =>
        inverse(books.entries[line]!.kind, books.entries[line]!.amount),
      );
      return insertAfter(books, random, lines.at(-1)!, posts);
    },
  ),
  REVERSAL_WRONG_DIRECTION: atOne(
    (books) =>
      reversals(books)
        .map(([first]) => first!)
        .filter((index) => books.entries[index]!.kind === 'REVERSAL_DEBIT'),
    (books, index) =>
      atLine(repost(books, index, credit('REVERSAL_CREDIT', books.entries[index]!.amount)), index),
  ),
  REVERSAL_BEFORE_ORIGINAL: atOne(
    (books) =>
      reversed(books).flatMap(({ lines }) => {
        const undone = lines.filter(
          (line) => !/HOLD|RELEASE|REVERSAL/.test(books.entries[line]!.kind),
        );
        const undoing = lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL'));
        const meanwhile = books.entries.slice(undone[0]! - 1, undoing[0]);
        const least = Math.min(...meanwhile.map((line) => line.balanceAfter - line.reservedAfter));
        const needed = undoing.reduce((sum, line) => sum + books.entries[line]!.amount, 0);
        return undoing.length > 0 && undone[0]! > 0 && least >= needed
          ? [{ first: undone[0]!, undoing }]
          : [];
      }),
    (books, { first, undoing }) => {
      const movements = movementsOf(books);
      const { createdAt } = books.entries[first]!;
      const early = undoing.map((line) => ({
        ...movements[line]!,
        entry: { ...books.entries[line]!, createdAt },
      }));
      const rest = movements.filter((_, line) => !undoing.includes(line));
      return atLine(withMovements(books, rest.toSpliced(first, 0, ...early)), first);
    },
  ),
});

/**
 * Posts a second debit after the lines of the settlement. `reserved` returns the signed change of
 * the reserved amount for a debit of that amount.
 */
function debitAgain(reserved: (amount: Amount) => Amount) {
  return atOne(
    (books) => spared(books, debitsOf(books)),
    (books, index, random) => {
      const { amount, operationReference } = books.entries[index]!;
      const rest = books.entries
        .slice(index, index + 3)
        .findLastIndex((line) => line.operationReference === operationReference);
      const posts = [{ ...debit('CASHOUT_DEBIT', amount), reserved: reserved(amount) }];
      return insertAfter(books, random, index + rest, posts);
    },
  );
}

/** Returns the indexes of the debits of transfers that were executed and not reversed. */
function debitsOf(books: Books): readonly number[] {
  return linesOfSettled(books, 'CASHOUT_DEBIT');
}

/**
 * Finds operations that succeeded more than a day before the books' instant and were not reversed.
 */
function settledBefore(type: OperationType) {
  return (books: Books): readonly Case[] =>
    casesOf(books, type).filter(
      ({ operation }) => Date.parse(operation.updatedAt) < books.asOf - 24 * HOUR,
    );
}

function reversed(books: Books): readonly Case[] {
  return (['CASHIN', 'CASHOUT'] as const).flatMap((type) => casesOf(books, type, ['REVERSED']));
}

/**
 * Returns the indexes of the reversal lines of each reversed operation; the principal comes first.
 */
function reversals(books: Books): readonly (readonly number[])[] {
  return reversed(books)
    .map(({ lines }) => lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL')))
    .filter((lines) => lines.length > 0);
}

/**
 * Gives the principal of a reversal another amount, where 40 units more or less cannot push the
 * available balance below zero.
 */
function misreverse(drawAmount: (amount: Amount, random: Random) => Amount) {
  return atOne(
    (books) => {
      const slack = slackOf(books);
      return reversals(books).filter(
        ([first]) => slack[first!]! >= 40 && books.entries[first!]!.amount > 40,
      );
    },
    (books, [index], random) => {
      const { kind, amount } = books.entries[index!]!;
      return atLine(repost(books, index!, inverse(kind, drawAmount(amount, random))), index!);
    },
  );
}

function inverse(kind: string, amount: number): Post {
  return kind === 'REVERSAL_DEBIT'
    ? debit('REVERSAL_DEBIT', amount)
    : credit('REVERSAL_CREDIT', amount);
}
