// Runs of the engine: begun, finished, and what the newest said of each merchant. Refuses to judge; it stores what it is
// told.

import type { Instant } from '../../domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';
import { inTransaction } from '../server/transaction.ts';
import { expectMembers } from './run-members.ts';
import { keepTotals } from './run-totals.ts';

export interface NewRun {
  readonly startedAt: Instant;
  readonly source: string;
  readonly engine: string;
  /** Whom it is to cover; a reference given twice is covered once. Absent: it keeps no account of that. */
  readonly merchants?: readonly string[];
}

/** Returns the new run's number; later runs have higher ones. */
export async function startRun(store: Store, run: NewRun): Promise<number> {
  const { startedAt, source, engine, merchants = [] } = run;
  return inTransaction(store, async (client) => {
    const expected = new Set(merchants).size;
    const begin = build
      .insertInto('runs')
      .values({ started_at: startedAt, source: storableText(source), engine, expected })
      .returning('run_id');
    const runId = (await ask(client, begin)).rows[0]!.run_id;
    await expectMembers(client, runId, merchants);
    return runId;
  });
}

/** Throws `StoreFailed` (UNKNOWN_RUN). */
export async function finishRun(
  store: Store,
  run: { readonly runId: number; readonly finishedAt: Instant },
): Promise<void> {
  const { runId, finishedAt } = run;
  const finish = build.updateTable('runs').set({ finished_at: finishedAt }).where('run_id', '=', runId);
  await inTransaction(store, async (client) => {
    if ((await ask(client, finish)).count === 0) throw new StoreFailed('UNKNOWN_RUN', `There is no run ${runId}.`);
    await keepTotals(client, runId);
  });
}
