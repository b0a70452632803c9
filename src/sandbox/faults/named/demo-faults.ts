// The faults of the demonstration's books. The tests plant many more, one for every kind of finding and several for some.

import type { Amount } from '../../../core/domain/amount.ts';
import { DAY } from '../../../core/domain/instant.ts';
import { atLine, atOperation, type Books, type Change, defineFault } from '../../model/plan.ts';
import { credit, debit } from '../../model/postings.ts';
import { drawInteger, type Random } from '../../model/random.ts';
import { alterLine, insertLines, movementsOf, repost, unpost, withMovements } from '../port/edit-books.ts';
import {
  creditsOf,
  feeLinesOf,
  innerLines,
  LAPSED,
  lapsedWithSlack,
  newestSeen,
  pick,
  pickRoomyLine,
} from '../port/find-cases.ts';

export const BALANCE_DRIFTS_ON = defineFault({
  name: 'BALANCE_DRIFT/persistent',
  says: 'from one line on every balance is off, and so is the wallet',
  change: (books, random) => {
    const index = pickRoomyLine(books, random);
    if (index === null) return null;
    const movements = movementsOf(books);
    const balance = movements[index]!.balance + drawOffset(random);
    return atLine(withMovements(books, movements.with(index, { ...movements[index]!, balance })), index);
  },
});

export const RUN_OF_LINES_MISSING = defineFault({
  name: 'LINES_MISSING/run',
  says: 'several lines in a row are left out of the delivered ledger',
  change: (books, random) => {
    const { entries } = books;
    const count = drawInteger(random, { from: 3, to: 8 });
    const starts = [...entries.keys()].slice(1, -count - 1).filter((start) => {
      const [before, last] = [entries[start - 1]!, entries[start + count - 1]!];
      return before.balanceAfter !== last.balanceAfter && before.reservedAfter === last.reservedAfter;
    });
    const start = pick(random, starts);
    if (start === null) return null;
    const shorter = { ...books, entries: entries.toSpliced(start, count) };
    return { ...atLine(shorter, start), operationReference: null };
  },
});

export const CREDIT_DUPLICATED = defineFault({
  name: 'CREDIT_DUPLICATED',
  says: 'a collection was credited twice',
  change: (books, random) => duplicateCredit(books, random, 1),
});

/** Days before the books' instant within which the second credit lies. */
const RECENT = 20;

export const CREDIT_TAKEN_BACK = defineFault({
  name: 'CREDIT_DUPLICATED/corrected',
  says: 'a collection was credited twice, and a correction that names it took the second credit back two days later',
  change: (books, random) => {
    const from = books.asOf - RECENT * DAY;
    const recent = creditsOf(books).filter((index) => {
      const at = Date.parse(books.entries[index]!.createdAt);
      return at >= from && at < books.asOf - 4 * DAY;
    });
    const index = pick(random, recent);
    if (index === null) return null;
    const { amount, operationReference, createdAt, currency } = books.entries[index]!;
    const twice = creditAgain(books, random, { index, times: 1 });
    const until = Date.parse(createdAt) + 2 * DAY;
    const place = twice.books.entries.findIndex((line) => Date.parse(line.createdAt) >= until);
    const corrected = insertLines(twice.books, random, {
      index: place,
      posts: [debit('ADJUSTMENT_DEBIT', amount)],
      like: {
        currency,
        createdAt: twice.books.entries[place]!.createdAt,
        operationReference: null,
        description: `Reprise du second crédit de ${operationReference}`,
      },
    });
    return { ...twice, books: corrected };
  },
});

export const FEE_AMOUNT_MISMATCH = defineFault({
  name: 'FEE_AMOUNT_MISMATCH',
  says: 'less commission was taken than the operation states',
  change: (books, random) => {
    const index = pick(
      random,
      feeLinesOf(books).filter((line) => books.entries[line]!.amount > 2),
    );
    if (index === null) return null;
    const { kind, amount } = books.entries[index]!;
    const charged = drawInteger(random, { from: 1, to: amount - 1 });
    const post = debit(kind === 'CASHIN_FEE' ? 'CASHIN_FEE' : 'CASHOUT_FEE', charged);
    const consumes = kind === 'CASHOUT_FEE' && books.policy.holdSettlement === 'DEBIT_AND_FEE';
    return atLine(repost(books, index, consumes ? { ...post, reserved: -charged } : post), index);
  },
});

export const HOLD_NOT_RELEASED = defineFault({
  name: 'HOLD_NOT_RELEASED',
  says: 'a cash-out lapsed and its hold was never lifted',
  change: (books, random) => {
    const one = pick(random, lapsedWithSlack(books, LAPSED));
    return one === null ? null : atOperation(unpost(books, [one.released]), one.operation.reference);
  },
});

export const LINE_REWRITTEN = defineFault({
  name: 'SEQUENCE_DUPLICATE/rewritten',
  says: 'the description of a posted line is changed',
  change: (books) => {
    const posted = innerLines(books, ['CASHIN_CREDIT', 'CASHOUT_DEBIT']);
    const index = newestSeen(books, posted, (line) => books.entries[line]!.createdAt);
    if (index === null) return null;
    return atLine(alterLine(books, index, { description: 'Libellé corrigé après coup' }), index);
  },
});

/** Posts the credit again, after the lines that were posted with it. */
export function duplicateCredit(books: Books, random: Random, times: number) {
  const index = pick(random, creditsOf(books));
  return index === null ? null : creditAgain(books, random, { index, times });
}

function creditAgain(
  books: Books,
  random: Random,
  { index, times }: { readonly index: number; readonly times: number },
): Change {
  const line = books.entries[index]!;
  const follows = books.entries[index + 1]?.operationReference === line.operationReference;
  const place = index + (follows ? 2 : 1);
  const posts = Array.from({ length: times }, () => credit('CASHIN_CREDIT', line.amount));
  return atLine(insertLines(books, random, { index: place, posts, like: books.entries[place - 1]! }), place);
}

/** Never 0, either sign. */
export function drawOffset(random: Random): Amount {
  const size = drawInteger(random, { from: 1, to: 99 });
  return drawInteger(random, { from: 0, to: 1 }) === 0 ? size : -size;
}
