// One pass over merchants in one process, as `pointage run` makes it: one merchant after the other.
// A merchant that fails, or that another process is working on, does not hold up the others.

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
  /** References of the merchants to run; empty for every merchant of the source. */
  readonly merchants: readonly string[];
  /**
   * True when `merchants` covers everybody, so that the outcome is announced like that of a night.
   */
  readonly isWhole?: boolean;
  /**
   * Called when a merchant begins. The function it returns is called with the number of lines read
   * so far.
   */
  readonly onMerchant: (merchant: string) => (entries: number) => void;
  /** Called after the run has ended. */
  readonly afterRun?: (runId: number) => Promise<unknown>;
  /** Resolves when the run must stop at once. */
  readonly stopped?: Promise<unknown>;
}

/**
 * Thrown when the run was asked to stop: it is closed before all merchants were done. Every page
 * that was read stays saved.
 */
export class RunLeft extends Error {
  override readonly name = 'RunLeft';
}

export interface RunOutcome {
  readonly runId: number;
  readonly startedAt: Instant;
  /** The source's own name, which leaves out any password in its address. */
  readonly source: string;
  readonly merchants: readonly MerchantOutcome[];
}

/**
 * Milliseconds that closing a stopped run in the store may take; if it takes longer, the next run
 * closes it.
 */
const CLOSE_WITHIN = 5_000;
/** Number of merchants whose books are digested at the same time. */
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
