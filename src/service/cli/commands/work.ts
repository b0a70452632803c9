// The work of `pointage worker`: until a signal stops it, or for one night. All its parts are made
// from the configuration.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatInstant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { money } from '../../../core/words/finding.ts';
import { openConfiguredTracing } from '../../compose/open-configured.ts';
import { nextInstants, plansOf } from '../../compose/plans.ts';
import { type Service, withService } from '../../compose/service.ts';
import {
  isIdle,
  nightTaskOf,
  OF_NIGHTS,
  startServiceWorker,
} from '../../compose/service-worker.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { deliverDue } from '../../workflows/deliveries/deliver-due.ts';
import type { Purpose } from '../../workflows/jobs.ts';
import { endNights, runNight, sendExpected } from '../../workflows/nightly/run-night.ts';
import {
  listRunChanges,
  listRunMembers,
  loadOpenNights,
  loadRun,
  loadRunReports,
  type RunRecord,
} from '../../workflows/operators/runs-and-merchants.ts';
import { printReports } from '../print/report.ts';
import { type Stage, stopRequested } from '../stage/stage.ts';
import { paint, type Terminal } from '../stage/terminal.ts';
import { type Turn, workReloading } from './reloading.ts';

/** Seconds that a worker which must stop gives its merchants to come to their next page. */
const GRACE_SECONDS = 25;
/** Milliseconds between two questions how far a night has come. */
const POLL_EVERY = 200;
/**
 * A night's merchants are not counted again for so many times as long as the last count took,
 * because a count takes longer the more merchants there are.
 */
const COUNTED_FOR = 20;
/**
 * Milliseconds for which queries of a store that does not answer are repeated: a node of a cluster
 * restarts in less.
 */
const LONGEST_ABSENCE = 60_000;

/** Works until a signal stops the process. `purpose` is `null` for every kind of job. */
export async function workOn(stage: Stage, flags: Flags, purpose: Purpose | null): Promise<void> {
  await workReloading(stage, flags, (turn) =>
    withTraces(stage, turn.configuration, (service) =>
      workUntilLeft(stage, service, { ...turn, purpose }),
    ),
  );
}

/** Begins a night now and works until it has ended. Its outcome becomes the exit status. */
export async function workOnce(stage: Stage, configuration: Configuration): Promise<void> {
  await withTraces(stage, configuration, (service) => workOneNight(stage, service));
}

async function withTraces(
  stage: Stage,
  configuration: Configuration,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  await using tracing = await openConfiguredTracing(configuration, { ...stage, role: 'worker' });
  await withService(configuration, { ...stage, tracing }, use);
}

async function workUntilLeft(
  stage: Stage,
  service: Service,
  { left, isUp, purpose }: Turn & { readonly purpose: Purpose | null },
): Promise<void> {
  const { configuration, queue, runtime } = service;
  await queue.plan(plansOf(configuration));
  const worker = await startServiceWorker(service, purpose);
  stage.terminal.out(`${announcement(stage, service)}\n`);
  isUp();
  await left;
  runtime.log({ event: 'worker stopping' });
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

async function workOneNight(stage: Stage, service: Service): Promise<void> {
  // When asked to stop, it leaves as a service does: merchants that are left are for another
  // worker, or for the next night.
  const stopped = stopRequested().then(() => 'stopped' as const);
  const worker = await startServiceWorker(service);
  try {
    const night = { jobId: randomUUID(), plannedFor: null };
    const runId = await withPatience(() => runNight(nightTaskOf(service), night));
    const ended = await Promise.race([followNight(stage, service, runId), stopped]);
    if (ended === 'stopped') {
      stage.terminal.note(`Night ${runId} was left before its end.\n`);
      stage.status = 2;
      return;
    }
    // What the night announced last is sent before its worker leaves.
    await withPatience(() => deliverDue(service.outbox));
    await printNight(stage.terminal, service.store, ended);
    stage.status = await statusOf(service.store, ended);
  } finally {
    await worker.stop(GRACE_SECONDS);
  }
}

/**
 * Waits until the night has ended and the jobs that it asked for are done. No watchdog is at work,
 * so that jobs that got lost are sent again here.
 */
async function followNight(stage: Stage, service: Service, runId: number): Promise<RunRecord> {
  const { store } = service;
  const task = nightTaskOf(service);
  const counted = async (): Promise<RunRecord> => (await loadRun(store, runId))!;
  const progress = stage.terminal.progress(
    `night ${runId}`,
    (await withPatience(counted)).coverage.expected,
  );
  let countsAt = 0;
  const look = async (): Promise<RunRecord | null> => {
    const idle = await isIdle(service, OF_NIGHTS);
    const isOpen = (await loadOpenNights(store)).includes(runId);
    if (idle && !isOpen) return counted();
    if (idle) {
      await sendExpected(task, runId);
      await endNights(task);
    }
    const begunAt = performance.now();
    if (begunAt < countsAt) return null;
    const { coverage } = await counted();
    progress.update(coverage.expected - coverage.waiting);
    countsAt = performance.now() + COUNTED_FOR * (performance.now() - begunAt);
    return null;
  };
  try {
    for (;;) {
      const ended = await withPatience(look);
      if (ended !== null) return ended;
      await sleep(POLL_EVERY);
    }
  } finally {
    progress.stop();
  }
}

/** Failures that another attempt would meet again. */
const REFUSALS: readonly string[] = ['SourceFailed', 'ConfigurationInvalid', 'StoreFailed'];

/** Repeats `work` while the store does not answer. The work must be safe to do twice. */
async function withPatience<T>(work: () => Promise<T>): Promise<T> {
  for (const begunAt = performance.now(); ; await sleep(POLL_EVERY)) {
    try {
      return await work();
    } catch (failure) {
      const isRefused = failure instanceof Error && REFUSALS.includes(failure.name);
      if (isRefused || performance.now() - begunAt > LONGEST_ABSENCE) throw failure;
    }
  }
}

/**
 * Returns the exit status of a night. Books that were broken before and could not be judged this
 * time do not make it 1.
 */
async function statusOf(store: Store, { runId, coverage, verdicts }: RunRecord): Promise<number> {
  const broken = { verdict: 'broken', notJudged: false, limit: 1 } as const;
  if (verdicts.broken > 0 && (await listRunMembers(store, runId, broken)).total > 0) return 1;
  return coverage.judged < coverage.expected || verdicts.incomplete > 0 || coverage.expected === 0
    ? 2
    : 0;
}

/**
 * At most so many merchants are in the table, those that are not clean first; a night over
 * thousands is read by other commands.
 */
const MOST_MERCHANTS = 40;
const MOST_CHANGES = 50;
const SHOWN = 8;

type Store = Service['store'];

/** Prints coverage, verdicts, new and resolved findings, and which merchants were not judged. */
async function printNight(terminal: Terminal, store: Store, run: RunRecord): Promise<void> {
  const { runId, coverage, verdicts } = run;
  const reports = await loadRunReports(store, runId, { limit: MOST_MERCHANTS });
  if (reports.length > 0) printReports(terminal, reports, { most: 20 });
  if (coverage.judged > reports.length)
    terminal.out(`… and ${money(coverage.judged - reports.length)} more merchants.\n`);
  const seconds = ((run.finishedAt ?? run.startedAt) - run.startedAt) / 1_000;
  const title = paint(terminal, 'bold', `Night ${runId}`);
  const judged = `${money(coverage.judged)} of ${money(coverage.expected)} merchants were judged in ${seconds.toFixed(1)} s`;
  terminal.out(
    `\n${title}: ${judged}: ${verdicts.clean} clean, ${verdicts.broken} broken, ${verdicts.incomplete} incomplete.\n`,
  );
  terminal.out(
    `  ${money(run.entriesAdded)} new lines and ${money(run.operationsChanged)} new or changed operations were read.\n`,
  );
  if (run.closed !== null) terminal.out(`  It was closed before its end: ${run.closed}.\n`);
  await printMissing(terminal, store, run);
  await printChanged(terminal, store, run);
}

async function printMissing(terminal: Terminal, store: Store, { runId }: RunRecord): Promise<void> {
  const { items: missing } = await listRunMembers(store, runId, {
    limit: Number.MAX_SAFE_INTEGER,
    notJudged: true,
  });
  const listed = [...Map.groupBy(missing, ({ reason }) => reason)].slice(0, MOST_CHANGES);
  for (const [reason, [first, ...others]] of listed) {
    const who = others.length === 0 ? first!.merchant : `${money(others.length + 1)} merchants`;
    terminal.out(
      `  ${paint(terminal, 'yellow', '? not judged')} ${printable(who)}: ${printable(reason ?? '')}\n`,
    );
  }
}

async function printChanged(
  terminal: Terminal,
  store: Store,
  { runId, findings }: RunRecord,
): Promise<void> {
  const { added, resolved, reopened } = findings;
  if (added + resolved + reopened === 0) {
    terminal.out('  Nothing changed since the last run.\n');
    return;
  }
  const marks = {
    added: '+ new     ',
    resolved: '− resolved',
    settled: '= settled ',
    reopened: '! back    ',
  } as const;
  const changes = await listRunChanges(store, runId, { limit: MOST_CHANGES });
  for (const { change, merchant, kind, fingerprint, message, causedBy, severity } of changes) {
    if (causedBy !== null || severity === 'info') continue;
    const about = `${printable(merchant)} ${kind} ${fingerprint.slice(0, SHOWN)}`;
    terminal.out(`  ${marks[change]}  ${about}: ${printable(message)}\n`);
  }
}
