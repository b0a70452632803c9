// `pointage worker`: the service of the nights. Works until it is told to stop; with --once it begins a night now, and ends
// with it.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { nextInstants, plansOf } from '../compose/plans.ts';
import { isIdle, nightTaskOf, type Service, startServiceWorker, withService } from '../compose/service.ts';
import type { Flags } from '../config.ts';
import { formatInstant } from '../domain/instant.ts';
import { openLog } from '../log.ts';
import { deliverDue } from '../workflows/deliver-due.ts';
import { type RunRecord, type RunShelf, runShelfOf } from '../workflows/read-runs.ts';
import { runNight } from '../workflows/run-night.ts';
import { configurationOf, type Stage, withCommonOptions } from './command.ts';
import { printNight } from './print-night.ts';
import { toldToStop } from './told-to-stop.ts';

const EXAMPLES = `
Examples:
  pointage worker                                   (until SIGTERM; when and what: worker in pointage.config.json)
  pointage worker --once --source file:./books      (a night now, and end with it)

Any number of workers may share one database, on any number of machines: each takes what no other has.
SIGTERM or SIGINT: each merchant is left at its next page, and goes on with another worker.
Logs: JSON lines on standard error; POINTAGE_LOG sets their level (with --once: silent).

Exit status with --once: 0 all clean · 1 some broken · 2 none broken but some not judged · 3 the command failed`;

/** Seconds that merchants have to come to their next page. */
const GRACE_SECONDS = 25;
/** Milliseconds between two looks at how far a night has come. */
const LOOK_EVERY = 200;

interface WorkerFlags extends Flags {
  readonly once?: true;
}

export function addWorkerCommand(program: Command, stage: Stage): void {
  withCommonOptions(program.command('worker'))
    .description('run every merchant each night, as a service: plan, queue, statements of ended months, watchdog')
    .option('--once', 'begin a night now, work until it has ended, and say how it went')
    .option('--source <uri>', 'where the books are: https://…/v1, postgres://… or file:DIR')
    .addHelpText('after', EXAMPLES)
    .action(async (flags: WorkerFlags) => {
      const configuration = configurationOf(stage, flags);
      const isOnce = flags.once === true;
      await withService(configuration, { ...stage, log: isOnce ? stage.log : serviceLog(stage) }, (service) =>
        isOnce ? workOnce(stage, service) : work(stage, service),
      );
    });
}

/** A service logs, unless it is told otherwise. */
function serviceLog(stage: Stage): Stage['log'] {
  if (stage.environment.POINTAGE_LOG !== undefined) return stage.log;
  const log = openLog('info');
  return (event) => ('failure' in event ? log.error(event) : log.info(event));
}

async function work(stage: Stage, service: Service): Promise<void> {
  const { configuration, queue, surroundings } = service;
  const told = toldToStop();
  await queue.plan(plansOf(configuration));
  const worker = await startServiceWorker(service);
  stage.terminal.out(`${announcement(stage, service)}\n`);
  await told;
  surroundings.log({ event: 'worker stopping' });
  await worker.stop(GRACE_SECONDS);
}

function announcement(stage: Stage, { configuration, source }: Service): string {
  const { night, months } = nextInstants(configuration, stage.clock());
  const stated = months.map(({ at, zones }) => {
    const named = zones.length > 3 ? `${zones.length} zones` : zones.join(', ');
    return `${formatInstant(at)} (${named})`;
  });
  return `Working on ${source.name}. Next night: ${formatInstant(night)}. Months are stated: ${stated.join(', ')}.`;
}

async function workOnce(stage: Stage, service: Service): Promise<void> {
  const shelf = runShelfOf(service.store);
  // Told to stop, it leaves as a service does: what is left is for another worker, or for the next night.
  const told = toldToStop().then(() => 'told' as const);
  const worker = await startServiceWorker(service);
  try {
    const runId = await runNight(nightTaskOf(service), { jobId: randomUUID(), plannedFor: null });
    const ended = await Promise.race([follow(stage, { shelf, service, runId }), told]);
    if (ended === 'told') {
      stage.terminal.note(`Night ${runId} was left before its end.\n`);
      stage.status = 2;
      return;
    }
    // What the night had to tell last is sent before its worker leaves.
    await deliverDue(service.outbox);
    await printNight(stage.terminal, shelf, ended);
    stage.status = statusOf(ended);
  } finally {
    await worker.stop(GRACE_SECONDS);
  }
}

interface Followed {
  readonly shelf: RunShelf;
  readonly service: Service;
  readonly runId: number;
}

/** Until the night has ended, and what it asked for is done. */
async function follow(stage: Stage, { shelf, service, runId }: Followed): Promise<RunRecord> {
  let run = (await shelf.find(runId))!;
  const progress = stage.terminal.progress(`night ${runId}`, run.coverage.expected);
  try {
    while (run.finishedAt === null || !(await isIdle(service))) {
      progress.update(run.coverage.expected - run.coverage.waiting);
      await sleep(LOOK_EVERY);
      run = (await shelf.find(runId))!;
    }
    return run;
  } finally {
    progress.stop();
  }
}

function statusOf({ coverage, verdicts }: RunRecord): number {
  if (verdicts.broken > 0) return 1;
  return coverage.judged < coverage.expected || verdicts.incomplete > 0 || coverage.expected === 0 ? 2 : 0;
}
