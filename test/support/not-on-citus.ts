// Skips tests that by their nature cannot hold on a cluster, each with the reason, which a run over
// a cluster counts. Skips nothing on one database.

import { inject, TestRunner } from 'vitest';
import { NOT_ON_CITUS } from './citus-suite.ts';

/** Must be called first in a test. `why` begins as in "1 moves a row to another merchant". */
export function notOnCitus(why: string): void {
  if (inject('testCluster') !== null)
    TestRunner.getCurrentTest()!.context.skip(`${NOT_ON_CITUS}${why}`);
}
