// Faults in what an executed transfer takes out of the wallet, and in reversals: missing, unannounced, of the wrong size, sense or
// order.

import type { Amount } from '../../../core/domain/amount.ts';
import { formatInstant, HOUR, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationType } from '../../../core/domain/operation.ts';
import { atLine, atOperation, type Books, type Change, defineFault, type Fault } from '../../model/plan.ts';
import { credit, debit, type Post, postsFor, release } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import {
  addOperation,
  alterOperation,
  fabricateOperation,
  insertLines,
  movementsOf,
  postAt,
  repost,
  unpost,
  withMovements,
} from '../port/edit-books.ts';
import { type Case, casesOf, LAPSED, lineOf, pick, slackOf } from '../port/find-cases.ts';

export const DEBIT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'DEBIT_WITHOUT_HOLD',
    says: 'a cash-out that was only just recorded, and held nothing, was debited',
    change: (books, random) => {
      const createdAt = books.asOf - 50 * MINUTE;
      const amount = books.merchant.limits.minCashoutAmount;
      const wish = { type: 'CASHOUT', status: 'CREATED', amount, createdAt, movedAt: createdAt } as const;
      const operation = fabricateOperation(books, random, wish);
      if ((slackOf(books).at(-1) ?? 0) < 3 * amount) return null;
      const posts = [debit('CASHOUT_DEBIT', amount)];
      const at = createdAt + 10 * MINUTE;
      const posted = postAt(addOperation(books, operation), random, { at, posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'DEBIT_MISSING',
    says: 'an executed transfer was never debited; a hold that only the debit consumes stays open',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      return index === null ? null : atOperation(unpost(books, [index]), books.entries[index]!.operationReference!);
    },
  }),
  defineFault({
    name: 'DEBIT_DUPLICATED',
    says: 'an executed transfer was debited twice; the hold was consumed once',
    change: (books, random) => debitAgain(books, random, () => 0),
  }),
  defineFault({
    name: 'DEBIT_DUPLICATED/consumed',
    says: 'an executed transfer was debited twice, and the second debit lowered the reserved amount as well',
    change: (books, random) => debitAgain(books, random, (amount) => -amount),
  }),
  defineFault({
    name: 'DEBIT_AMOUNT_MISMATCH',
    says: 'an executed transfer was debited with a little less than its amount',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      if (index === null) return null;
      const line = books.entries[index]!;
      const amount = line.amount - drawInteger(random, { from: 1, to: Math.min(99, line.amount - 1) });
      const { reserved } = movementsOf(books)[index]!;
      const consumed = reserved === -line.amount ? -amount : reserved;
      return atLine(repost(books, index, { ...debit('CASHOUT_DEBIT', amount), reserved: consumed }), index);
    },
  }),
  defineFault({
    name: 'DEBIT_WITHOUT_SUCCESS/consumed',
    says: 'a cash-out that lapsed was debited before its hold was released, and the debit lowered the reserved amount',
    change: (books, random) => {
      const slack = slackOf(books);
      const releases = casesOf(books, { type: 'CASHOUT', statuses: LAPSED }).flatMap((one) => {
        const [index, { amount }] = [lineOf(one, books, 'CASHOUT_RELEASE'), one.operation];
        return index >= 0 && slack[index]! >= amount ? [{ index, amount }] : [];
      });
      const one = pick(random, releases);
      if (one === null) return null;
      const posts = [{ ...debit('CASHOUT_DEBIT', one.amount), reserved: -one.amount }];
      const like = books.entries[one.index]!;
      return atLine(insertLines(books, random, { index: one.index, posts, like }), one.index);
    },
  }),
  defineFault({
    name: 'DEBIT_WITHOUT_SUCCESS',
    says: 'a transfer that was debited is stated as failed; its fee was not taken and the rest of its hold was lifted',
    change: (books, random) => {
      const index = pick(random, debitsOf(books));
      if (index === null) return null;
      const reference = books.entries[index]!.operationReference!;
      const failure = { code: 'OPERATOR_TIMEOUT', message: 'Opération refusée : operator timeout' };
      const stated = alterOperation(books, reference, { status: 'FAILED', failure });
      const fee = stated.entries.findIndex(
        (line) => line.operationReference === reference && line.kind === 'CASHOUT_FEE',
      );
      if (fee < 0) return atLine(stated, index);
      const restIsHeld = books.policy.holdSettlement === 'DEBIT_AND_FEE';
      return atLine(
        restIsHeld ? repost(stated, fee, release(stated.entries[fee]!.amount)) : unpost(stated, [fee]),
        index,
      );
    },
  }),
];

/** A second debit behind the lines of the settlement; `reserved`: the signed change of the reserved amount, by its amount. */
function debitAgain(books: Books, random: Random, reserved: (amount: Amount) => Amount): Change | null {
  const slack = slackOf(books);
  const roomy = debitsOf(books).filter((line) => slack[line]! >= books.entries[line]!.amount);
  const index = pick(random, roomy);
  if (index === null) return null;
  const { amount, operationReference } = books.entries[index]!;
  const rest = books.entries
    .slice(index, index + 3)
    .findLastIndex((line) => line.operationReference === operationReference);
  const place = index + rest + 1;
  const posts = [{ ...debit('CASHOUT_DEBIT', amount), reserved: reserved(amount) }];
  return atLine(insertLines(books, random, { index: place, posts, like: books.entries[place - 1]! }), place);
}

/** Indexes of the debits of transfers that were executed and not reversed. */
function debitsOf(books: Books): readonly number[] {
  return casesOf(books, { type: 'CASHOUT', statuses: ['SUCCEEDED'] })
    .map((one) => lineOf(one, books, 'CASHOUT_DEBIT'))
    .filter((index) => index >= 0);
}

export const REVERSAL_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'REVERSAL_MISSING',
    says: 'an operation is stated as reversed and nothing was posted',
    change: (books, random) => {
      const one = pick(random, settledBefore(books, 'CASHIN'));
      if (one === null) return null;
      const { reference, updatedAt } = one.operation;
      const later = formatInstant(Date.parse(updatedAt) + HOUR);
      return atOperation(alterOperation(books, reference, { status: 'REVERSED', updatedAt: later }), reference);
    },
  }),
  defineFault({
    name: 'REVERSAL_UNANNOUNCED',
    says: 'a transfer was reversed in the ledger and is still stated as succeeded',
    change: (books, random) => {
      const one = pick(random, settledBefore(books, 'CASHOUT'));
      if (one === null) return null;
      const { operation } = one;
      const posts = postsFor('REVERSAL', operation, books.policy);
      const posted = postAt(books, random, { at: Date.parse(operation.updatedAt) + HOUR, posts, operation });
      return atLine(posted.books, posted.index);
    },
  }),
  defineFault({
    name: 'REVERSAL_INCOMPLETE',
    says: 'a reversal undoes a little less than it should',
    change: (books, random) => {
      const [index] = pick(random, reversalsWithSlack(books)) ?? [];
      if (index === undefined) return null;
      const { kind, amount } = books.entries[index]!;
      const less = amount - drawInteger(random, { from: 1, to: Math.min(40, amount - 1) });
      return atLine(repost(books, index, inverse(kind, less)), index);
    },
  }),
  defineFault({
    name: 'REVERSAL_EXCESSIVE',
    says: 'a reversal undoes a little more than it should',
    change: (books, random) => {
      const [index] = pick(random, reversalsWithSlack(books)) ?? [];
      if (index === undefined) return null;
      const { kind, amount } = books.entries[index]!;
      return atLine(repost(books, index, inverse(kind, amount + drawInteger(random, { from: 1, to: 40 }))), index);
    },
  }),
  defineFault({
    name: 'REVERSAL_EXCESSIVE/twice',
    says: 'a reversal was posted twice',
    change: (books, random) => {
      const slack = slackOf(books);
      const roomy = reversals(books).filter((lines) => slack[lines[0]!]! >= books.entries[lines[0]!]!.amount);
      const lines = pick(random, roomy);
      if (lines === null) return null;
      const posts = lines.map((line) => inverse(books.entries[line]!.kind, books.entries[line]!.amount));
      const place = lines.at(-1)! + 1;
      return atLine(insertLines(books, random, { index: place, posts, like: books.entries[place - 1]! }), place);
    },
  }),
  defineFault({
    name: 'REVERSAL_WRONG_DIRECTION',
    says: 'a collection was reversed by a credit of its principal',
    change: (books, random) => {
      const principals = reversals(books)
        .map((lines) => lines[0]!)
        .filter((index) => books.entries[index]!.kind === 'REVERSAL_DEBIT');
      const index = pick(random, principals);
      if (index === null) return null;
      return atLine(repost(books, index, credit('REVERSAL_CREDIT', books.entries[index]!.amount)), index);
    },
  }),
  defineFault({
    name: 'REVERSAL_BEFORE_ORIGINAL',
    says: 'the lines of a reversal stand before the lines that they undo',
    change: (books, random) => {
      const cases = (['CASHIN', 'CASHOUT'] as const).flatMap((type) =>
        casesOf(books, { type, statuses: ['REVERSED'] }),
      );
      const moves = cases.flatMap(({ lines }) => {
        const undone = lines.filter((line) => !/HOLD|RELEASE|REVERSAL/.test(books.entries[line]!.kind));
        const undoing = lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL'));
        const meanwhile = books.entries.slice(undone[0]! - 1, undoing[0]);
        const least = Math.min(...meanwhile.map((line) => line.balanceAfter - line.reservedAfter));
        const affordable = undone[0]! > 0 && least >= amountOf(books, undoing);
        return undoing.length > 0 && affordable ? [{ undone, undoing }] : [];
      });
      const move = pick(random, moves);
      if (move === null) return null;
      const movements = movementsOf(books);
      const { createdAt } = books.entries[move.undone[0]!]!;
      const early = move.undoing.map((line) => ({
        ...movements[line]!,
        entry: { ...books.entries[line]!, createdAt },
      }));
      const rest = movements.filter((_, line) => !move.undoing.includes(line));
      return atLine(withMovements(books, rest.toSpliced(move.undone[0]!, 0, ...early)), move.undone[0]!);
    },
  }),
];

/** Operations that succeeded more than a day before the books' instant and were not reversed. */
function settledBefore(books: Books, type: OperationType): readonly Case[] {
  const latest = books.asOf - 24 * HOUR;
  return casesOf(books, { type, statuses: ['SUCCEEDED'] }).filter(
    ({ operation }) => Date.parse(operation.updatedAt) < latest,
  );
}

/** Indexes of the reversal lines of each reversed operation; the principal comes first. */
function reversals(books: Books): readonly (readonly number[])[] {
  return (['CASHIN', 'CASHOUT'] as const)
    .flatMap((type) => casesOf(books, { type, statuses: ['REVERSED'] }))
    .map(({ lines }) => lines.filter((line) => books.entries[line]!.kind.startsWith('REVERSAL')))
    .filter((lines) => lines.length > 0);
}

/** Those after which 40 units more or less do not matter to the available balance. */
function reversalsWithSlack(books: Books): readonly (readonly number[])[] {
  const slack = slackOf(books);
  return reversals(books).filter((lines) => slack[lines[0]!]! >= 40 && books.entries[lines[0]!]!.amount > 40);
}

function amountOf(books: Books, lines: readonly number[]): number {
  return lines.reduce((sum, line) => sum + books.entries[line]!.amount, 0);
}

function inverse(kind: string, amount: number): Post {
  return kind === 'REVERSAL_DEBIT' ? debit('REVERSAL_DEBIT', amount) : credit('REVERSAL_CREDIT', amount);
}
