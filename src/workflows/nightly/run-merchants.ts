// One pass over merchants in one process, as `pointage run` makes it: one after the other, each by itself. A merchant that
// fails or is being worked on elsewhere does not hold up the others.

import type { Instant } from '../../domain/instant.ts';
import { NO_TRACING } from '../../domain/tracing.ts';
import { beginMember } from '../../storage/conclusions/run-members.ts';
import { finishRun, startRun } from '../../storage/conclusions/runs.ts';
import { type MerchantOutcome, type MerchantTask, runMerchant, settleUnread } from './run-merchant.ts';

export type { MerchantOutcome };

export interface RunTask extends MerchantTask {
  /** References to run; empty: every merchant of the source. */
  readonly merchants: readonly string[];
  readonly onMerchant: (merchant: string) => (entries: number) => void;
}

export interface RunOutcome {
  readonly runId: number;
  readonly startedAt: Instant;
  /** As the source names itself: without a password that its address may hold. */
  readonly source: string;
  readonly merchants: readonly MerchantOutcome[];
}

const ELSEWHERE = 'another process is working on this merchant; it reports for itself';

export async function runMerchants(task: RunTask): Promise<RunOutcome> {
  const { store, source, engine } = task;
  const startedAt = task.clock();
  const references = task.merchants.length > 0 ? task.merchants : await source.merchants();
  const runId = await startRun(store, { startedAt, source: source.name, engine, merchants: references });
  const { tracing = NO_TRACING } = task;
  const merchants: MerchantOutcome[] = [];
  await tracing.span('run', { runId, merchants: references.length }, async () => {
    for (const merchant of references) {
      const member = { runId, merchant, onProgress: task.onMerchant(merchant) };
      await beginMember(store, { ...member, at: task.clock() });
      merchants.push((await runMerchant(task, member)) ?? (await settleUnread(task, member, ELSEWHERE)));
    }
  });
  await finishRun(store, { runId, finishedAt: task.clock() });
  return { runId, startedAt, source: source.name, merchants };
}
