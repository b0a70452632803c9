// The watchdog: a night that did not begin, or does not end, is itself an alert; a night that ends
// without covering everyone announces so when it ends. Also ends nights whose last worker died
// before it could, and sends again work that got lost.

import type { RunProblem } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import {
  addProblem,
  loadCoverage,
  loadNights,
  type NightRecord,
} from '../../../io/storage/nights/nights.ts';
import { NOTHING_ANNOUNCED } from '../announcements.ts';
import { endIfSettled, type NightTask, sendExpected } from './run-night.ts';

export interface WatchTask extends NightTask {
  readonly settings: WatchSettings;
  /** When nights were due since `from`, up to `to`, ascending. */
  readonly dueBetween: (bounds: {
    readonly from: Instant;
    readonly to: Instant;
  }) => readonly Instant[];
  /** Since when the nights are planned as they are; null: they are not planned. */
  readonly plannedSince: Instant | null;
  /** Jobs of merchants that are queued or at work. */
  readonly queued: number;
}

/** Milliseconds. */
export interface WatchSettings {
  readonly late: number;
  readonly longest: number;
  /** Nights that were due earlier than this before now are not asked about. */
  readonly lookBack: number;
}

export type SeenProblem = Pick<RunProblem, 'night' | 'runId'> & {
  readonly kind: 'NOT_BEGUN' | 'NOT_ENDED';
};

/**
 * A night that began, but late, is announced as not begun too: nothing else would say so. It is
 * announced without its run, as it is while it has none: it is one and the same problem.
 */
export function judgeNights(seen: {
  readonly now: Instant;
  readonly due: readonly Instant[];
  readonly nights: readonly NightRecord[];
  readonly settings: WatchSettings;
}): readonly SeenProblem[] {
  const { now, due, nights, settings } = seen;
  const begunFor = new Map(nights.map((night) => [night.plannedFor, night]));
  const late = due.flatMap((night): SeenProblem[] => {
    const begun = begunFor.get(night);
    const inTime = (begun?.startedAt ?? now) - night <= settings.late;
    return inTime ? [] : [{ kind: 'NOT_BEGUN', night, runId: null }];
  });
  const unended = nights
    .filter(
      ({ startedAt, finishedAt }) => finishedAt === null && now - startedAt > settings.longest,
    )
    .map(
      ({ runId, plannedFor, startedAt }): SeenProblem => ({
        kind: 'NOT_ENDED',
        night: plannedFor ?? startedAt,
        runId,
      }),
    );
  return [...late, ...unended];
}

/** Returns the problems that stand now, announced before or not. */
export async function watchNights(task: WatchTask): Promise<readonly RunProblem[]> {
  const now = task.clock();
  await tendOpenNights(task, now);
  const from = Math.max(now - task.settings.lookBack, task.plannedSince ?? now);
  const due = task.dueBetween({ from, to: now });
  const nights = await loadNights(task.store, { since: from, open: true });
  const problems: RunProblem[] = [];
  for (const seen of judgeNights({ now, due, nights, settings: task.settings })) {
    const coverage =
      seen.runId === null
        ? { expected: 0, done: 0, missing: [] }
        : await loadCoverage(task.store.pool, seen.runId);
    const problem: RunProblem = { ...coverage, ...seen };
    await addProblem(task.store, {
      problem,
      at: now,
      announce: task.announcements ?? NOTHING_ANNOUNCED,
    });
    problems.push(problem);
  }
  return problems;
}

async function tendOpenNights(task: WatchTask, now: Instant): Promise<void> {
  for (const { runId, expected } of await loadNights(task.store, { since: now, open: true })) {
    if (!(await endIfSettled(task, runId)) && expected > task.queued) {
      const sent = await sendExpected(task, runId);
      task.log({ event: 'night resumed', runId, merchants: sent });
    }
  }
}
