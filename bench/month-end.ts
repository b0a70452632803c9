// Part i: the statements of a month that has ended, of many small merchants, made by two workers
// that do nothing else. Against the time that one audit of all of them takes, because seconds alone
// say little on a machine that is shared.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '../src/io/storage/server/store.ts';
import { openQueue } from '../src/service/queue/open-queue.ts';
import { runProgram } from './child.ts';
import { CLI, NODE_FLAGS } from './cli.ts';
import { openBenchServer, withClient, withStore } from './databases.ts';
import { type Figure, figureOf, type Sample } from './figures.ts';
import type { NightTask } from './night-process.ts';
import { peakMegabytes } from './night-workers.ts';
import { familyTime } from './processor-time.ts';
import type { Part, Settings } from './settings.ts';
import { smallOperatorOf } from './small-books.ts';

export const monthEnd: Part = {
  letter: 'i',
  name: 'month-end',
  says: 'the statements of an ended month of many small merchants, by two workers for the months',
  run,
};

const MIRROR = 'month_end_mirror';
const PERIOD = '2025-02';
const WORKERS = 2;

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  try {
    await server.drop(MIRROR);
    settings.note(`  books of ${settings.merchants} merchants\n`);
    const source = server.urlOf(await smallOperatorOf(server, settings.merchants));
    await server.create(MIRROR);
    const mirror = server.urlOf(MIRROR);
    await withStore(mirror, async () => {});
    const first: NightTask = { mirror, source, concurrency: 4 };
    const script = join(import.meta.dirname, 'night-process.ts');
    await runProgram({
      command: process.execPath,
      words: [...NODE_FLAGS, '--expose-gc', script, JSON.stringify(first)],
    });
    const audits = join(settings.cache, 'month-end.json');
    writeFileSync(audits, JSON.stringify({ databaseUrl: mirror }));
    const audited = await runProgram({
      command: CLI,
      words: ['audit', '--config', audits],
      lawful: [0, 2],
    });
    const made = await withStore(mirror, (store) => makeStatements(store, mirror));
    const { bytes, count, ...sample } = made;
    if (count !== settings.merchants)
      throw new Error(`${count} of ${settings.merchants} statements were issued`);
    const each = (value: number): string => (value / count).toFixed(0);
    const note = `each: ${each(sample.seconds * 1_000)} ms, ${each((sample.cpuSeconds ?? 0) * 1_000)} ms of the workers' processor time, ${each(bytes / 1_024)} KB stored; ${(sample.seconds / audited.seconds).toFixed(1)} × an audit of all from the mirror`;
    settings.note(`  ${count} statements: ${sample.seconds.toFixed(1)} s; ${note}\n`);
    const name = `statements of ${count} merchants, two workers`;
    return [figureOf({ part: 'i', name, lines: null, note }, [sample])];
  } finally {
    await server.drop(MIRROR);
    await server.close();
  }
}

interface Made extends Sample {
  readonly count: number;
  /** Bytes by which the database has grown. */
  readonly bytes: number;
}

async function makeStatements(store: Store, mirror: string): Promise<Made> {
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-bench-months-'));
  const config = join(scratch, 'config.json');
  writeFileSync(config, JSON.stringify({ databaseUrl: mirror, source: `file:${scratch}` }));
  const workers = Array.from({ length: WORKERS }, () => startWorker(config));
  const settings = { attempts: 5, takeOverSeconds: 60, longestMinutes: 30 };
  const queue = await openQueue({ store, settings, works: false, log: () => {} });
  try {
    await Promise.all(workers.map(({ stdout }) => once(stdout!, 'data')));
    const merchants = (
      await store.pool.query<{ reference: string }>('select reference from merchants')
    ).rows;
    const bytesBefore = await sizeOf(mirror);
    const before = cpuOf(workers);
    const started = performance.now();
    await queue.send(
      merchants.map(
        ({ reference }) =>
          ({ kind: 'statement', data: { merchant: reference, period: PERIOD } }) as const,
      ),
    );
    while (
      (await queue.depths()).some(
        ({ kind, waiting, active }) => kind === 'statement' && waiting + active > 0,
      )
    ) {
      await sleep(200);
    }
    const seconds = (performance.now() - started) / 1_000;
    const after = cpuOf(workers);
    const issued = await store.pool.query<{ count: number }>(
      `select count(*) from reports where status = 'READY'`,
    );
    return {
      count: issued.rows[0]!.count,
      seconds,
      cpuSeconds: before === null || after === null ? null : after - before,
      peakMegabytes: Math.max(...workers.map(({ pid }) => peakMegabytes(pid!) ?? 0)) || null,
      bytes: (await sizeOf(mirror)) - bytesBefore,
    };
  } finally {
    await queue.stop(0);
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(
      workers.map((worker) => (worker.exitCode === null ? once(worker, 'exit') : null)),
    );
    rmSync(scratch, { recursive: true, force: true });
  }
}

function startWorker(config: string): ChildProcess {
  return spawn(CLI, ['worker', '--for', 'months', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, POINTAGE_LOG: 'error' },
  });
}

function cpuOf(workers: readonly ChildProcess[]): number | null {
  const times = workers.map(({ pid }) => familyTime(pid!));
  return times.includes(null) ? null : times.reduce<number>((sum, time) => sum + time!, 0);
}

async function sizeOf(url: string): Promise<number> {
  return withClient(url, async (client) => {
    const answer = await client.query<{ size: string }>(
      'select pg_database_size(current_database()) as size',
    );
    return Number(answer.rows[0]!.size);
  });
}
