// Marks tests that cannot hold on a cluster by its nature, each with the reason, which a run over a cluster counts. Refuses to skip
// anything on one database.

import { inject, TestRunner } from 'vitest';

export const NOT_ON_CITUS = 'not on Citus: ';

/** Call it first in a test. `why` ends the sentence "this test cannot hold on a cluster, because …". */
export function notOnCitus(why: string): void {
  if (inject('testCluster') !== null) TestRunner.getCurrentTest()!.context.skip(`${NOT_ON_CITUS}${why}`);
}
