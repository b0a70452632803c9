// The watchdog. It announces a night that did not begin or does not end. (A night that ends without
// covering every merchant announces that itself.) It also ends nights whose last worker died before
// it could, and sends lost jobs again.

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
  /** Returns the instants, ascending, at which nights were due from `from` up to `to`. */
  readonly dueBetween: (bounds: {
    readonly from: Instant;
    readonly to: Instant;
  }) => readonly Instant[];
  /** Since when nights are planned by the present schedule; `null` when none are planned. */
  readonly plannedSince: Instant | null;
  /** Number of merchants' jobs that are queued or being worked on. */
  readonly queued: number;
}

/** The limits of the watchdog, in milliseconds. */
export interface WatchSettings {
  /** A night must begin at most this long after its planned instant. */
  readonly late: number;
  /** A night must end at most this long after its beginning. */
  readonly longest: number;
  /** How far back the watchdog looks: nights that were due earlier are ignored. */
  readonly lookBack: number;
}

export type SeenProblem = Pick<RunProblem, 'night' | 'runId'> & {
  readonly kind: 'NOT_BEGUN' | 'NOT_ENDED';
};

/**
 * Returns the problems of the nights. A night that began too late is reported as NOT_BEGUN too,
 * because nothing else would report it. Its `runId` is `null` also once it has begun, so that both
 * reports are one and the same problem.
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

/** Returns all problems that exist now, including those announced before. */
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
