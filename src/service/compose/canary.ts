// Before a night judges merchants, it judges broken books of our own by the same rules: if it does
// not find just what is wrong with them, no merchant is judged.

import type { Measures } from '../../core/domain/measures.ts';
import { judgeCanary } from '../../core/samples/canary.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { pinnedFor, toleranceOf } from '../config/for-merchant.ts';

/**
 * Thrown when the engine judges its own broken books wrongly, because its verdicts on merchants
 * cannot be relied on then.
 */
export class CanaryMissed extends Error {
  override readonly name = 'CanaryMissed';
  /** The command line prints an error that has a `code` as one sentence, without a stack. */
  readonly code = 'CANARY_MISSED';
}

export function requireCanary(configuration: Configuration, measures?: Measures): void {
  const missed = judgeCanary({
    ...toleranceOf(configuration),
    pinned: pinnedFor(configuration, 'canary'),
  });
  measures?.canaryJudged(missed === null);
  if (missed === null) return;
  throw new CanaryMissed(
    `in broken books of its own, pointage finds ${missed}. That is not what is wrong with them: no merchant was judged. Install the version that ran before.`,
  );
}
