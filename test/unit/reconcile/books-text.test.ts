// A checkpoint's text gives back what was written, exactly.

import { expect, test } from 'vitest';
import type { Books } from '../../../src/reconcile/books.ts';
import { readBooks, readOpenReferences, writeBooks } from '../../../src/reconcile/books-text.ts';

test('maps, sets and bigints come back within each other, and everything else as it was', () => {
  const odd = {
    map: new Map<unknown, unknown>([
      ['a', new Map([[1, new Set(['x', 'y'])]])],
      ['b', { amount: 9_007_199_254_740_993n, list: [1n, null, { deep: new Set([2n]) }] }],
      ['__proto__', [new Map()]],
    ]),
    empty: [new Map(), new Set()],
    plain: { text: 'kind', zero: 0, nothing: null, flag: false },
  };
  expect(readBooks(writeBooks(odd as unknown as Books))).toEqual(odd);
});

test('the open operations are those of the books, in order', () => {
  const tallies = new Map(['GUI-2', 'GUI-1', 'GUI-10'].map((reference) => [reference, { reference, held: 1n }]));
  const text = writeBooks({ replay: { tallies } } as unknown as Books);
  expect(readOpenReferences(text)).toEqual([...readBooks(text).replay.tallies.keys()].sort());
});
