// A checkpoint's text gives back what was written, exactly.

import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/core/domain/assumptions.ts';
import { openOf } from '../../../src/core/domain/operation.ts';
import { type Books, beginBooks } from '../../../src/core/kernel/reconcile/books.ts';
import {
  areCarried,
  readBooks,
  readOpen,
  writeBooks,
  writeOpen,
} from '../../../src/core/kernel/reconcile/books-text.ts';
import { tableOf, talliesIn } from '../../../src/core/kernel/replay/tallies-seen.ts';
import { beginTally } from '../../../src/core/kernel/replay/tally.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';

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

test('what is open, and how many were reversed, is read off the text', () => {
  const open = ['GUI-1', 'GUI-2'].map((reference) => openOf(reference, null));
  const books = booksWith({ open });
  books.operationSums.reversedCount = 3;
  expect(readOpen(writeBooks(books))).toEqual({ open, reversedCount: 3 });
});

test('operations come back in the order in which they were met', () => {
  const { replay } = booksWith({});
  const tallies = tableOf(['GUI-2', 'GUI-1', 'GUI-10'].map(beginTally), hashOf);
  const text = writeBooks(booksWith({ replay: { ...replay, tallies } }));
  expect([...talliesIn(readBooks(text, hashOf)!.replay.tallies).keys()]).toEqual([
    'GUI-2',
    'GUI-1',
    'GUI-10',
  ]);
});

test('books with too much to carry are written as what is open alone, which is nothing to go on from', () => {
  const open = ['GUI-1', 'GUI-2'].map((reference) => openOf(reference, null));
  const books = booksWith({ open, drifts: Array(50_001).fill({}) });
  books.operationSums.reversedCount = 3;
  expect([areCarried(books), areCarried(booksWith({ drifts: Array(50_000).fill({}) }))]).toEqual([
    false,
    true,
  ]);
  expect(readOpen(writeOpen(books))).toEqual({ open, reversedCount: 3 });
  expect(readBooks(writeOpen(books), hashOf)).toBeNull();
});
