// `pointage worker`: the service of the nights. Works until it is told to stop; with --once it begins a night now, and ends
// with it.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { nightTaskOf, plansOf, type Service, startServiceWorker, withService } from '../compose/service.ts';
import type { Flags } from '../config.ts';
import { formatInstant } from '../domain/instant.ts';
import { runNight } from '../workflows/run-night.ts';
import { configurationOf, type Stage, withCommonOptions } from './command.ts';
import { toldToStop } from './told-to-stop.ts';

const EXAMPLES = `
Examples:
  pointage worker                                   (until SIGTERM; settings: worker in pointage.config.json)
  pointage worker --once --source file:./books      (a night now, then end)

Any number of workers may share one database, on any number of machines: each takes what no other has.
SIGTERM or SIGINT: every merchant is left at its next page, and goes on with another worker.

Exit status with --once: 0 all clean · 1 some broken · 2 none broken but some not judged · 3 the command failed`;

/** Seconds for merchants to come to their next page. */
const GRACE_SECONDS = 25;

interface WorkerFlags extends Flags {
  readonly once?: true;
}

export function addWorkerCommand(program: Command, stage: Stage): void {
  withCommonOptions(program.command('worker'))
    .description('run every merchant each night, as a service: schedule, queue, statements of months')
    .option('--once', 'begin a night now, work until it has ended, and say how it went')
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      const configuration = configurationOf(stage, flags);
      if (flags.once !== true) stage.logFrom('info');
      await withService(configuration, stage, (service) =>
        flags.once === true ? workOnce(stage, service) : work(stage, service),
      );
    });
}

async function work(stage: Stage, service: Service): Promise<void> {
  const told = toldToStop();
  const plans = plansOf(service.configuration);
  await service.queue.plan(plans);
  const worker = await startServiceWorker(service);
  service.surroundings.log({ event: 'worker started', pid: process.pid, plans });
  await told;
  stage.terminal.note('Stopping: each merchant is left at its next page.\n');
  await worker.stop(GRACE_SECONDS);
}

async function workOnce(stage: Stage, service: Service): Promise<void> {
  const night = { jobId: randomUUID(), plannedFor: null };
  const worker = await startServiceWorker(service);
  try {
    const runId = await runNight(nightTaskOf(service), night);
    stage.terminal.note(`Night ${runId} began at ${formatInstant(stage.clock())}.\n`);
    for (;;) {
      const row = await service.store.pool.query('select finished_at from runs where run_id=$1', [runId]);
      if (row.rows[0]?.finished_at !== null) break;
      await sleep(100);
    }
  } finally {
    await worker.stop(GRACE_SECONDS);
  }
}
