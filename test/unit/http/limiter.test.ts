// The limiter of calls: so many work, so many wait, all others are refused at once.

import { expect, test } from 'vitest';
import { openLimiter } from '../../../src/service/http/port/limits.ts';

function limiterOf(atOnce: number, mostWaiting: number) {
  return openLimiter({ atOnce, mostWaiting, refusal: () => new Error('full') });
}

test('as many calls work at once as it says, and those that wait begin in the order they came', async () => {
  const limiter = limiterOf(2, 5);
  const begun: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const calls = gates.map(({ promise }, i) =>
    limiter(async () => {
      begun.push(i);
      await promise;
      return i;
    }),
  );
  await expect.poll(() => begun).toEqual([0, 1]);
  gates[1]!.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  for (const { resolve } of gates) resolve();
  expect(await Promise.all(calls)).toEqual([0, 1, 2, 3]);
});

test('a call that finds no place is refused before it begins, and one that comes after an end is taken', async () => {
  const limiter = limiterOf(1, 1);
  const gate = Promise.withResolvers<void>();
  const working = limiter(() => gate.promise);
  const waiting = limiter(async () => 'waited');
  expect(() => limiter(async () => 'refused')).toThrow('full');
  gate.resolve();
  await working;
  expect(await waiting).toBe('waited');
  expect(await limiter(async () => 'taken')).toBe('taken');
});

test('a call that fails gives its place back', async () => {
  const limiter = limiterOf(1, 0);
  await expect(limiter(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await limiter(async () => 'taken')).toBe('taken');
});
