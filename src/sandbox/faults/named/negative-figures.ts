// Faults in which more is committed than there is: holds beyond the available balance, figures below zero.

import type { Amount } from '../../../core/domain/amount.ts';
import { HOUR, type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import type { Books } from '../../books.ts';
import { feeOf } from '../../fee.ts';
import { credit, debit, holdOf, postsFor, release } from '../../postings.ts';
import { drawInteger, type Random } from '../../random.ts';
import { insertLines, movementsOf } from '../edit-books.ts';
import { atLine, type Change, defineFault, type Fault } from '../fault.ts';
import { casesOf, innerLines, lineOf, pick } from '../find-cases.ts';
import { addOperation, fabricateOperation, postAt, type Wish } from './fabricate.ts';

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
  return atLine(spent.books, linesOf(spent)[0]!);
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
  const lines = linesOf({ books: present, operation: second });
  const fee = lines.find((index) => present.entries[index]!.kind === 'CASHOUT_FEE')!;
  return atLine(present, which === 'BALANCE' ? fee : lines.at(-1)!);
}

function linesOf({ books, operation }: ReturnType<typeof perform>): readonly number[] {
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
