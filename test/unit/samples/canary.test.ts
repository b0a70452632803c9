// Broken books of our own: what is wrong in them is found whole under every lawful answer and every
// setting, and a night that does not find it judges nobody.

import { expect, test } from 'vitest';
import {
  INTERPRETATIONS,
  QUESTIONS,
  type Standing,
  setOf,
} from '../../../src/core/domain/assumptions.ts';
import { DAY, MINUTE } from '../../../src/core/domain/instant.ts';
import { NO_MEASURES } from '../../../src/core/domain/measures.ts';
import { judgeCanary } from '../../../src/core/samples/canary.ts';
import { CanaryMissed, requireCanary } from '../../../src/service/compose/canary.ts';
import { DEFAULTS } from '../../../src/service/config/defaults.ts';

const PINS: readonly Partial<Standing>[] = QUESTIONS.flatMap((question) =>
  INTERPRETATIONS[question].map((one) => ({ [question]: setOf(question, one as never) })),
);

test.each([{}, ...PINS])('the canary is found under the pinned answers %j', (pinned) => {
  for (const [grace, clockTolerance] of [
    [0, 0],
    [10 * MINUTE, 5 * MINUTE],
    [DAY, DAY],
  ] as const)
    expect(judgeCanary({ grace, clockTolerance, pinned })).toBeNull();
});

test('what is not found just so is told, counted, and a fault of ours', () => {
  const judged: boolean[] = [];
  const measures = {
    ...NO_MEASURES,
    canaryJudged: (isFound: boolean) => void judged.push(isFound),
  };
  requireCanary(DEFAULTS as never, measures);
  // Nothing is certain within a grace that is longer than the books are old.
  const blind = { ...DEFAULTS, graceMinutes: 100 * 1_440 };
  expect(() => requireCanary(blind as never, measures)).toThrow(CanaryMissed);
  expect(() => requireCanary(blind as never)).toThrow(/finds ; due .* no merchant was judged/);
  expect(judged).toEqual([true, false]);
});
