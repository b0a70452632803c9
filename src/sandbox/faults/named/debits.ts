// Faults in what an executed transfer takes out of the wallet, and in reversals: missing, unannounced, of the wrong size, sense or
// order.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import { credit, debit, type Post, postsFor, release } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import {
  addOperation,
  alterOperation,
  atLine,
  fabricateOperation,
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
import { type Case, casesOf, LAPSED, lineOf, linesOfSettled, slackOf, spared } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

export const DEBIT_AND_REVERSAL_FAULTS = defineFaults({
  DEBIT_WITHOUT_HOLD: (books, random) => {
    const createdAt = books.asOf - 50 * MINUTE;
    const amount = books.merchant.limits.minCashoutAmount;
    const wish = { type: 'CASHOUT', status: 'CREATED', amount, createdAt, movedAt: createdAt } as const;
    const operation = fabricateOperation(books, random, wish);
    if ((slackOf(books).at(-1) ?? 0) < 3 * amount) return null;
    const posts = [debit('CASHOUT_DEBIT', amount)];
    return postAt(addOperation(books, operation), random, { at: createdAt + 10 * MINUTE, posts, operation });
  },
  DEBIT_MISSING: atOne(debitsOf, unpostOne),
  DEBIT_DUPLICATED: debitAgain(() => 0),
  'DEBIT_DUPLICATED/consumed': debitAgain((amount) => -amount),
  DEBIT_AMOUNT_MISMATCH: atOne(debitsOf, (books, index, random) => {
    const line = books.entries[index]!;
    const amount = line.amount - drawInteger(random, { from: 1, to: Math.min(99, line.amount - 1) });
    const { reserved } = movementsOf(books)[index]!;
    const consumed = reserved === -line.amount ? -amount : reserved;
    return atLine(repost(books, index, { ...debit('CASHOUT_DEBIT', amount), reserved: consumed }), index);
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
      insertBefore(books, random, index, [{ ...debit('CASHOUT_DEBIT', amount), reserved: -amount }]),
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
    const changed = restIsHeld ? repost(stated, fee, release(stated.entries[fee]!.amount)) : unpost(stated, fee);
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
  REVERSAL_EXCESSIVE: misreverse((amount, random) => amount + drawInteger(random, { from: 1, to: 40 })),
  'REVERSAL_EXCESSIVE/twice': atOne(
    (books) => {
      const slack = slackOf(books);
      return reversals(books).filter(([first]) => slack[first!]! >= books.entries[first!]!.amount);
    },
    (books, lines, random) => {
      const posts = lines.map((line) => inverse(books.entries[line]!.kind, books.entries[line]!.amount));
      return insertAfter(books, random, lines.at(-1)!, posts);
    },
  ),
  REVERSAL_WRONG_DIRECTION: atOne(
    (books) =>
      reversals(books)
        .map(([first]) => first!)
        .filter((index) => books.entries[index]!.kind === 'REVERSAL_DEBIT'),
    (books, index) => atLine(repost(books, index, credit('REVERSAL_CREDIT', books.entries[index]!.amount)), index),
  ),
  REVERSAL_BEFORE_ORIGINAL: atOne(
    (books) =>
      reversed(books).flatMap(({ lines }) => {
        const undone = lines.filter((line) => !/HOLD|RELEASE|REVERSAL/.test(books.entries[line]!.kind));
        const undoing = lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL'));
        const meanwhile = books.entries.slice(undone[0]! - 1, undoing[0]);
        const least = Math.min(...meanwhile.map((line) => line.balanceAfter - line.reservedAfter));
        const needed = undoing.reduce((sum, line) => sum + books.entries[line]!.amount, 0);
        return undoing.length > 0 && undone[0]! > 0 && least >= needed ? [{ first: undone[0]!, undoing }] : [];
      }),
    (books, { first, undoing }) => {
      const movements = movementsOf(books);
      const { createdAt } = books.entries[first]!;
      const early = undoing.map((line) => ({ ...movements[line]!, entry: { ...books.entries[line]!, createdAt } }));
      const rest = movements.filter((_, line) => !undoing.includes(line));
      return atLine(withMovements(books, rest.toSpliced(first, 0, ...early)), first);
    },
  ),
});

/** A second debit behind the lines of the settlement; `reserved`: the signed change of the reserved amount, by its amount. */
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

/** Indexes of the debits of transfers that were executed and not reversed. */
function debitsOf(books: Books): readonly number[] {
  return linesOfSettled(books, 'CASHOUT_DEBIT');
}

/** Finds operations that succeeded more than a day before the books' instant and were not reversed. */
function settledBefore(type: OperationType) {
  return (books: Books): readonly Case[] =>
    casesOf(books, type).filter(({ operation }) => Date.parse(operation.updatedAt) < books.asOf - 24 * HOUR);
}

function reversed(books: Books): readonly Case[] {
  return (['CASHIN', 'CASHOUT'] as const).flatMap((type) => casesOf(books, type, ['REVERSED']));
}

/** Indexes of the reversal lines of each reversed operation; the principal comes first. */
function reversals(books: Books): readonly (readonly number[])[] {
  return reversed(books)
    .map(({ lines }) => lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL')))
    .filter((lines) => lines.length > 0);
}

/** Gives the principal of a reversal another amount, where 40 units more or less do not matter to the available balance. */
function misreverse(drawAmount: (amount: Amount, random: Random) => Amount) {
  return atOne(
    (books) => {
      const slack = slackOf(books);
      return reversals(books).filter(([first]) => slack[first!]! >= 40 && books.entries[first!]!.amount > 40);
    },
    (books, [index], random) => {
      const { kind, amount } = books.entries[index!]!;
      return atLine(repost(books, index!, inverse(kind, drawAmount(amount, random))), index!);
    },
  );
}

function inverse(kind: string, amount: number): Post {
  return kind === 'REVERSAL_DEBIT' ? debit('REVERSAL_DEBIT', amount) : credit('REVERSAL_CREDIT', amount);
}
