// Runs of the engine: begun, finished, and what the newest said of each merchant. Refuses to judge; it stores what it is
// told.

import type { Instant } from '../../../core/domain/instant.ts';
import { type MerchantLock, tryLock } from '../merchants/lock-session.ts';
import { ask, build } from '../server/ask.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';
import { inTransaction } from '../server/transaction.ts';
import { expectMembers, failExpected } from './run-members.ts';
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
  const finish = build.updateTable('runs').set({ finished_at: finishedAt, closed: null }).where('run_id', '=', runId);
  await inTransaction(store, async (client) => {
    if ((await ask(client, finish)).count === 0) throw new StoreFailed('UNKNOWN_RUN', `There is no run ${runId}.`);
    await keepTotals(client, runId);
  });
}

/** The lock of a run by hand, which its process holds to the end: an open run that is not locked was left. */
export function lockRun(store: Store, runId: number): Promise<MerchantLock | null> {
  return tryLock(store, -runId);
}

/** Closes the runs by hand whose process is gone. */
export async function closeLeftRuns(store: Store, at: Instant): Promise<void> {
  const open = build.selectFrom('runs').select('run_id').where('kind', '=', 'manual').where('finished_at', 'is', null);
  for (const { run_id: runId } of (await ask(store.pool, open)).rows) {
    const lock = await lockRun(store, runId);
    if (lock === null) continue;
    await closeRun(store, { runId, at }).finally(() => lock.release());
  }
}

/** Ends a run by hand that did not come to its end; one that has ended is left as it is. */
export async function closeRun(store: Store, run: { readonly runId: number; readonly at: Instant }): Promise<void> {
  const { runId, at } = run;
  const close = build
    .updateTable('runs')
    .set({ finished_at: at, closed: 'it was interrupted' })
    .where('run_id', '=', runId)
    .where('finished_at', 'is', null);
  await inTransaction(store, async (client) => {
    if ((await ask(client, close)).count === 0) return;
    await failExpected(client, { runId, at, kind: 'manual' });
    await keepTotals(client, runId);
  });
}
