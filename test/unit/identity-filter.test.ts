import { expect, test } from 'vitest';
import { beginFilter, meetAgain } from '../../src/reconcile/identity-filter.ts';

const idOf = (n: number): string =>
  `${Math.imul(n, 0x9e3779b1).toString(16).slice(-8).padStart(8, '0')}-${(n % 65_536).toString(16).padStart(4, '0')}-4000-8000-${n.toString(16).padStart(12, '0')}`;

test('a text that was added is always met again, over the growth of the filter', () => {
  const filter = beginFilter();
  for (let n = 0; n < 100_000; n++) meetAgain(filter, idOf(n));
  for (let n = 0; n < 100_000; n += 97) expect(meetAgain(filter, idOf(n))).toBe(true);
});

test('a text that was never added is met in vain less than once in two hundred', () => {
  const filter = beginFilter();
  let vain = 0;
  for (let n = 0; n < 300_000; n++) if (meetAgain(filter, idOf(n))) vain += 1;
  expect(vain).toBeLessThan(1_500);
});

test('short and empty texts are told apart', () => {
  const filter = beginFilter();
  expect(['', 'a', 'b', 'ab', 'ba'].map((text) => meetAgain(filter, text))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(meetAgain(filter, 'ab')).toBe(true);
});
