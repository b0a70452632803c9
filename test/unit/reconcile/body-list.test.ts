// Ids under which two bodies came are found among many, whatever the order in which they came.

import { expect, test } from 'vitest';
import {
  addHash,
  createHashList,
  repeatedHashes,
} from '../../../src/core/domain/rows/hash-table.ts';
import { countBodies } from '../../../src/core/kernel/reconcile/notifications/judge-notifications.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';

const MANY = 300_000;

test('an id of two bodies is found, and one whose body came often is not', () => {
  for (const isReversed of [false, true]) {
    const deliveries = Array.from(
      { length: MANY },
      (_, i) => [i % (MANY / 2), i % (MANY / 2)] as [number, number],
    );
    deliveries[7]![1] = -1;
    deliveries[MANY - 1]![1] = -2;
    deliveries.push([12, 13]);
    const list = createHashList(true);
    for (const [id, body] of isReversed ? deliveries.toReversed() : deliveries) {
      addHash(list, hashOf(`evt_${id}`), hashOf(`body ${body}`));
    }
    const found = repeatedHashes(list);
    const due = [7, MANY / 2 - 1, 12].map((id) => hashOf(`evt_${id}`));
    expect([...found].sort()).toEqual(due.sort());
  }
});

test('what came more than once is counted once, and two bodies of one id are two', () => {
  const list = createHashList(true);
  for (const i of [1, 2, 2, 3, 1]) addHash(list, hashOf(`evt_${i}`), hashOf(`body ${i}`));
  addHash(list, hashOf('evt_3'), hashOf('another body'));
  expect(countBodies(list)).toBe(4);
  expect(countBodies(createHashList(true))).toBe(0);
});

test('nothing is found among none', () => {
  expect(repeatedHashes(createHashList(true)).size).toBe(0);
});
