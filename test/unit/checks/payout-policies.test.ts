// Sound payouts show nothing, whatever the documents leave open.

import { expect, test } from 'vitest';
import { runsOf } from '../../support/assert-property.ts';
import { nights } from '../../support/payout-nights.ts';
import { everyPolicy } from '../../support/payout-world.ts';
import { numericSeed } from '../../support/test-seed.ts';

/**
 * One in so many policies is judged; another seed judges others. The number shares no factor with
 * the numbers of choices.
 */
const SHARE = runsOf(1) > 1 ? 97 : 193;

test('sound payouts show nothing, night by night, under every lawful policy', {
  timeout: 120_000,
}, () => {
  const policies = everyPolicy();
  expect(policies.length).toBe(1_536);
  let judged = 0;
  for (const [i, policy] of policies.entries()) {
    if (i % SHARE !== Math.abs(numericSeed()) % SHARE) continue;
    for (const { night, drafts, sought } of nights(policy, i)) {
      expect(
        drafts.map(({ kind, figures }) => ({ kind, figures })),
        `${JSON.stringify(policy)} night ${night}`,
      ).toEqual([]);
      judged += sought.length;
    }
  }
  expect(judged).toBeGreaterThan(10_000);
});
