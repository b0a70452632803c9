// The order of a rehearsal, whose history has its faults already: a night, the load and its aftermath, faults in what was
// notified meanwhile, and the night that is judged.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { AuditReport } from '../../../core/domain/finding.ts';
import { HOUR } from '../../../core/domain/instant.ts';
import type { Partner } from '../../../sandbox/partners/open-partner.ts';
import type { PlantingTime, RehearsalPlan } from '../../../sandbox/rehearsal-plans.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import { type Service, withService } from '../../compose/service.ts';
import { isIdle, nightTaskOf, startServiceWorker } from '../../compose/service-worker.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { runNight } from '../../workflows/nightly/run-night.ts';
import { type RunRecord, runRepositoryOf } from '../../workflows/operators/read-runs.ts';
import type { Stage } from '../command.ts';

export interface Scene {
  readonly plans: readonly RehearsalPlan[];
  readonly sandbox: Sandbox;
  readonly partners: readonly Partner[];
  readonly configuration: Configuration;
  /** Merchant → why its fault found no place in its history. */
  readonly unplanted: Map<string, string>;
  /** Simulated hours in which partners call, and calls of each of them in an hour. */
  readonly hours: number;
  readonly calls: number;
}

export interface Worked {
  readonly night: RunRecord;
  /** By merchant. */
  readonly reports: ReadonlyMap<string, AuditReport>;
}

/** From the last call on: until nothing is on its way any more, and what happened is old enough to be judged. */
const AFTERMATH = 80 * HOUR;
/** A notification is held back for a day at most. */
const LATEST = 25 * HOUR;
/** Partners that call at the same time. */
const AT_ONCE = 16;
/** Milliseconds of machine time between two questions whether all is done. */
const POLL_EVERY = 100;
const GRACE_SECONDS = 10;
const REFRESHES = new Set(['refresh'] as const);

/** The clock of `stage` is the simulated time. */
export async function workThrough(stage: Stage, scene: Scene): Promise<Worked> {
  const { configuration, sandbox, plans, unplanted } = scene;
  return withService(configuration, stage, async (service) => {
    const worker = await startServiceWorker(service, 'nights');
    try {
      await workNight(service);
      await plantAll(sandbox, plans, 'AFTER_A_NIGHT', unplanted);
      await work(stage, scene);
      await sandbox.advanceTo(sandbox.now() + AFTERMATH);
      await plantAll(sandbox, plans, 'IN_WHAT_HAPPENED', unplanted);
      await sandbox.advanceTo(sandbox.now() + LATEST);
      // What was notified is refreshed before it is judged.
      while (!(await isIdle(service, REFRESHES))) await sleep(POLL_EVERY);
      const night = await workNight(service);
      const reports = await runRepositoryOf(service.store).reports(night.runId, { limit: plans.length });
      return { night, reports: new Map(reports.map((report) => [report.merchant, report])) };
    } finally {
      await worker.stop(GRACE_SECONDS);
    }
  });
}

/** Hour by hour: every partner calls, then the hour passes, and what it brings is notified. */
async function work({ terminal }: Stage, { sandbox, partners, hours, calls }: Scene): Promise<void> {
  const limit = pLimit(AT_ONCE);
  const progress = terminal.progress('partners', hours);
  try {
    for (let hour = 0; hour < hours; hour += 1) {
      await Promise.all(partners.map((partner) => limit(() => partner.work(calls))));
      await sandbox.advanceTo(sandbox.now() + HOUR);
      progress.update(hour + 1);
    }
  } finally {
    progress.stop();
  }
}

async function workNight(service: Service): Promise<RunRecord> {
  const repository = runRepositoryOf(service.store);
  const runId = await runNight(nightTaskOf(service), { jobId: randomUUID(), plannedFor: null });
  for (;;) {
    const run = await repository.find(runId);
    if (run !== null && run.finishedAt !== null) return run;
    await sleep(POLL_EVERY);
  }
}

/** Plants those of that time, by a call to control, as somebody would who tries the service out; notes what found no place. */
export async function plantAll(
  { origin }: Sandbox,
  plans: readonly RehearsalPlan[],
  when: PlantingTime,
  refused: Map<string, string>,
): Promise<void> {
  for (const { reference, planted } of plans) {
    if (planted?.when !== when) continue;
    const answer = await fetch(`${origin}/sandbox/merchants/${reference}/faults`, {
      method: 'POST',
      body: JSON.stringify({ name: planted.fault.name }),
    });
    if (answer.ok) continue;
    const { error } = (await answer.json()) as { readonly error: { readonly message: string } };
    refused.set(reference, error.message);
  }
}
