// One pass over merchants in one process, as `pointage run` makes it: one after the other, each by
// itself. A merchant that fails or is being worked on elsewhere does not hold up the others.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant } from '../../../core/domain/instant.ts';
import { NO_TRACING } from '../../../core/domain/measures.ts';
import {
  beginMember,
  loadUnlisted,
  UNLISTED,
} from '../../../io/storage/conclusions/run-members.ts';
import {
  closeLeftRuns,
  closeRun,
  finishRun,
  lockRun,
  startRun,
} from '../../../io/storage/nights/nights.ts';
import { inPieces } from '../../../io/storage/server/ask.ts';
import type { MerchantOutcome, MerchantTask } from './merchant-task.ts';
import { runMerchant, settleUnread } from './run-merchant.ts';
import { settleQuiet } from './settle-quiet.ts';

export interface RunTask extends MerchantTask {
  /** References to run; empty: every merchant of the source. */
  readonly merchants: readonly string[];
  /** They are all there are: what the run came to is announced as of a night. */
  readonly isWhole?: boolean;
  readonly onMerchant: (merchant: string) => (entries: number) => void;
  /** Done after the run has ended. */
  readonly afterRun?: (runId: number) => Promise<unknown>;
  /** Resolves when the run is to be left at once. */
  readonly stopped?: Promise<unknown>;
}

/** The run was left when it was asked to stop, and closed. Every page that was read is kept. */
export class RunLeft extends Error {
  override readonly name = 'RunLeft';
}

export interface RunOutcome {
  readonly runId: number;
  readonly startedAt: Instant;
  /** As the source names itself: without a password that its address may hold. */
  readonly source: string;
  readonly merchants: readonly MerchantOutcome[];
}

/** Milliseconds that the store has for it when a run is left; else the next run closes it. */
const CLOSE_WITHIN = 5_000;
/** Merchants whose books are digested at once. */
const MOST_DIGESTED = 100;
const ELSEWHERE = 'another process is working on this merchant; it reports for itself';

export async function runMerchants(task: RunTask): Promise<RunOutcome> {
  const { store, source, engine } = task;
  const announce = task.isWhole === true ? task.announcements : undefined;
  const startedAt = task.clock();
  const isChosen = task.merchants.length > 0;
  const references = isChosen ? task.merchants : await source.merchants();
  const unlisted = isChosen
    ? []
    : await loadUnlisted(store, { source: source.name, listed: references });
  const all = [...references, ...unlisted];
  const runId = await startRun(store, { startedAt, source: source.name, engine, merchants: all });
  const lock = await lockRun(store, runId);
  const merchants: MerchantOutcome[] = [];
  const runEach = async () => {
    for (const some of inPieces(references, MOST_DIGESTED)) {
      for (const { merchant, isDone, outcome, books } of await settleQuiet(
        task,
        some,
        async () => runId,
      )) {
        const member = { runId, merchant, onProgress: task.onMerchant(merchant) };
        if (!isDone) await beginMember(store, { ...member, at: task.clock() });
        const settled = outcome ?? (await runMerchant({ ...task, books }, member));
        merchants.push(settled ?? (await settleUnread(task, member, ELSEWHERE)));
      }
    }
    for (const merchant of unlisted)
      merchants.push(await settleUnread(task, { runId, merchant }, UNLISTED));
  };
  const leave = async (): Promise<never> => {
    const left = `left after ${merchants.length} of ${all.length} merchants; the next run goes on`;
    await Promise.race([
      closeRun(store, { runId, at: task.clock(), announce }),
      sleep(CLOSE_WITHIN),
    ]).catch(() => {});
    throw new RunLeft(left);
  };
  const { tracing = NO_TRACING, stopped = new Promise(() => {}) } = task;
  try {
    await closeLeftRuns(store, startedAt);
    const whole = tracing.span('run', { runId, merchants: references.length }, runEach);
    await Promise.race([whole, stopped.then(leave)]);
    await finishRun(store, { runId, finishedAt: task.clock(), announce });
    await task.afterRun?.(runId);
  } finally {
    await lock?.release();
  }
  return { runId, startedAt, source: source.name, merchants };
}
