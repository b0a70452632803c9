// The ladder of attempts: the documents' waits in their order, an end, and what ends it at once.

import { expect, test } from 'vitest';
import { LADDER, stepAfter } from '../../../src/core/domain/delivery/delivery-ladder.ts';

const AT = Date.UTC(2026, 10, 15);

test('waits 2 s, 4 s, 8 s, then 5 min, 15 min, 1 h, 6 h, 24 h, and gives up after the ninth attempt', () => {
  const steps = Array.from({ length: 9 }, (_, i) =>
    stepAfter('RETRY', { attempts: i + 1, at: AT }),
  );
  const waits = steps.map(({ nextAttemptAt }) =>
    nextAttemptAt === null ? null : (nextAttemptAt - AT) / 1_000,
  );
  expect(waits).toEqual([2, 4, 8, 300, 900, 3_600, 21_600, 86_400, null]);
  expect(steps.map(({ state }) => state)).toEqual([
    ...Array.from({ length: 8 }, () => 'FAILED'),
    'ABANDONED',
  ]);
});

test('takes about 31 hours', () => {
  const hours = LADDER.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(31);
  expect(hours).toBeLessThan(31.5);
});

test.each([
  ['SUCCESS', 'SUCCESS'],
  ['REFUSED', 'ABANDONED'],
  ['IN_DOUBT', 'IN_DOUBT'],
] as const)('%s plans nothing more, at whatever attempt', (outcome, state) => {
  for (const attempts of [1, 5, 9])
    expect(stepAfter(outcome, { attempts, at: AT })).toEqual({ state, nextAttemptAt: null });
});
