// A checkpoint's text gives back what was written, exactly.

import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/domain/assumptions.ts';
import { type Books, beginBooks } from '../../../src/reconcile/books.ts';
import { readBooks, readOpenReferences, writeBooks } from '../../../src/reconcile/books-text.ts';
import { referencesIn, tableOf } from '../../../src/replay/tallies-seen.ts';
import { beginTally } from '../../../src/replay/tally.ts';
import { hashOf } from '../../../src/threads/hash-key.ts';

const booksWith = (odd: object): Books => ({ ...beginBooks(EVERY_INTERPRETATION), ...odd });

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
  expect(readBooks(writeBooks(booksWith(odd)), hashOf)).toMatchObject(odd);
});

test('the open operations are those of the books, in order', () => {
  const { replay } = booksWith({});
  const tallies = tableOf(['GUI-2', 'GUI-1', 'GUI-10'].map(beginTally), hashOf);
  const text = writeBooks(booksWith({ replay: { ...replay, tallies } }));
  expect(readOpenReferences(text)).toEqual(['GUI-1', 'GUI-10', 'GUI-2']);
  expect(referencesIn(readBooks(text, hashOf).replay.tallies)).toEqual(['GUI-2', 'GUI-1', 'GUI-10']);
});
