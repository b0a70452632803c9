// Posts lines that put a fault of books right, or nearly: with another amount, naming something
// else, or naming nothing.

import { insertLines } from '../../src/sandbox/faults/port/edit-books.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { credit, debit } from '../../src/sandbox/model/postings.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { reportOnBooks } from './sandbox-books.ts';

export interface CorrectionWish {
  /** Which of the roots with money in them is corrected, as a share from 0 to 1. */
  readonly root: number;
  readonly kind: 'ADJUSTMENT' | 'REVERSAL';
  readonly names: 'operation' | 'operation in words' | 'line' | 'nothing';
  /** By how much the correction is larger than what the root is off by. */
  readonly more: number;
  readonly parts: 1 | 2;
}

/**
 * Posts the correction after the last line. Books without such a root are left as they are, and so
 * are books whose root does not have the name that is wished.
 */
export function postCorrection(books: Books, wish: CorrectionWish, seed: string): Books {
  const roots = reportOnBooks(books).findings.filter(
    ({ item, settledBy }) =>
      item !== null && settledBy === null && item.balance !== '0' && item.reserved === '0',
  );
  const root = roots[Math.floor(wish.root * roots.length)];
  if (root === undefined) return books;
  const { sequence, operationReference, item } = root;
  const isOfOperation = wish.names === 'operation' || wish.kind === 'REVERSAL';
  if (
    (wish.names !== 'nothing' || isOfOperation) &&
    wish.names !== 'line' &&
    operationReference === null
  )
    return books;
  if (wish.names === 'line' && sequence === null) return books;
  const amount = -Number(item!.balance) + (Number(item!.balance) > 0 ? -wish.more : wish.more);
  const size = Math.abs(amount);
  const sizes =
    wish.parts === 2 && size > 1
      ? [Math.floor(size / 3) || 1, size - (Math.floor(size / 3) || 1)]
      : [size];
  const make = amount > 0 ? credit : debit;
  const posts = sizes.map((part) => make(`${wish.kind}_${amount > 0 ? 'CREDIT' : 'DEBIT'}`, part));
  const words = {
    operation: '',
    'operation in words': ` ${operationReference}`,
    line: ` ligne ${sequence}`,
    nothing: '',
  };
  const { currency, createdAt } = books.entries.at(-1)!;
  const like = {
    currency,
    createdAt,
    operationReference: isOfOperation ? operationReference : null,
    description: `Régularisation${words[wish.names]}`,
  };
  return insertLines(books, seedRandom(`${seed}/correction`), {
    index: books.entries.length,
    posts,
    like,
  });
}
