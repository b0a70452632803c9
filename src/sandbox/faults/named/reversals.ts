// Faults in corrections: reversals that are missing, unannounced, of the wrong size, sense or order.

import { formatInstant, HOUR } from '../../../core/domain/instant.ts';
import type { OperationType } from '../../../core/domain/operation.ts';
import type { Books } from '../../books.ts';
import { credit, debit, type Post, postsFor } from '../../postings.ts';
import { drawInteger } from '../../random.ts';
import { insertLines, movementsOf, repost, withMovements } from '../edit-books.ts';
import { atLine, atOperation, defineFault, type Fault } from '../fault.ts';
import { type Case, casesOf, pick, slackOf } from '../find-cases.ts';
import { alterOperation } from './edit-operations.ts';
import { postAt } from './fabricate.ts';

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
