// Faults in which more is committed than there is: holds beyond the available balance, figures below zero.

import { HOUR, type Instant, MINUTE } from '../../domain/instant.ts';
import type { Books } from '../books.ts';
import { feeOf } from '../fee.ts';
import { credit, debit, postsFor } from '../postings.ts';
import { drawInteger, type Random } from '../random.ts';
import { insertLines } from './edit-books.ts';
import { addOperation, fabricateOperation, postAt, type Wish } from './fabricate.ts';
import { atLine, type Change, defineFault, type Fault } from './fault.ts';
import { casesOf, innerLines, LAPSED, lineOf, pick } from './find-cases.ts';

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
    name: 'RESERVED_NEGATIVE',
    says: 'a hold is released a second time when nothing else is held',
    change: (books, random) => {
      const releases = casesOf(books, { type: 'CASHOUT', statuses: LAPSED })
        .map((one) => lineOf(one, books, 'CASHOUT_RELEASE'))
        .filter((index) => index >= 0 && books.entries[index]!.reservedAfter === 0);
      const index = pick(random, releases);
      if (index === null) return null;
      const line = books.entries[index]!;
      const again = { kind: 'CASHOUT_RELEASE', amount: line.amount, balance: 0, reserved: -line.amount } as const;
      return atLine(insertLines(books, random, { index: index + 1, posts: [again], like: line }), index + 1);
    },
  }),
  defineFault({
    name: 'BALANCE_NEGATIVE',
    says: 'a cash-out takes the whole balance and its fee, outside the hold, goes below zero (holds of the amount only)',
    change: (books, random) => goBelowZero(books, random, 'BALANCE'),
  }),
  defineFault({
    name: 'AVAILABLE_NEGATIVE',
    says: 'the fee of a cash-out, outside its hold, eats into what another holds (holds of the amount only)',
    change: (books, random) => goBelowZero(books, random, 'AVAILABLE'),
  }),
];

/** Before all history: a collection fills the wallet, cash-outs empty it to the unit, a collection fills it again. */
function goBelowZero(books: Books, random: Random, which: 'BALANCE' | 'AVAILABLE'): Change | null {
  const { policy, merchant, operations } = books;
  const terms = { pricing: merchant.pricing, rounding: policy.feeRounding };
  const least = merchant.limits.minCashoutAmount;
  const amount = Math.max(merchant.limits.minCashinAmount, 5 * least + 10_000);
  const first = operations[0];
  if (policy.holdAmount !== 'AMOUNT' || first === undefined || feeOf({ type: 'CASHOUT', amount: least }, terms) === 0) {
    return null;
  }
  const funds = amount - feeOf({ type: 'CASHIN', amount }, terms);
  const other = which === 'AVAILABLE' ? least : 0;
  const at = Date.parse(first.createdAt) - 6 * HOUR;
  const scene = { books, random };
  const filled = perform(scene, { type: 'CASHIN', status: 'SUCCEEDED', amount, createdAt: at, movedAt: at + MINUTE });
  const again = {
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount,
    createdAt: at + 4 * HOUR,
    movedAt: at + 5 * HOUR,
  } as const;
  let { books: present } = perform({ books: filled.books, random }, { ...again, movedAt: again.createdAt + MINUTE });
  if (other > 0) {
    const waiting = { createdAt: at + HOUR, movedAt: at + 3 * HOUR };
    present = perform(
      { books: present, random },
      { type: 'CASHOUT', status: 'FAILED', amount: other, ...waiting },
    ).books;
  }
  const times = { createdAt: at + 2 * HOUR, movedAt: at + 2 * HOUR + MINUTE };
  const spent = perform(
    { books: present, random },
    { type: 'CASHOUT', status: 'SUCCEEDED', amount: funds - other, ...times },
  );
  const { reference } = spent.operation;
  const lines = [...spent.books.entries.keys()].filter((i) => spent.books.entries[i]!.operationReference === reference);
  const fee = lines.find((index) => spent.books.entries[index]!.kind === 'CASHOUT_FEE')!;
  return atLine(spent.books, which === 'BALANCE' ? fee : lines.at(-1)!);
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
