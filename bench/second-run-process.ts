// A process of its own for part d: runs over two operators' databases in turn, each with its own
// mirror, first with nothing new, then after entering news. The task comes as JSON in; samples as
// JSON out.

import { openPostgresSource } from '../src/io/sources/postgres/open-postgres-source.ts';
import { POSTGRES_DEFAULTS } from '../src/io/sources/postgres/postgres-settings.ts';
import { newsOf } from './books.ts';
import { withClient, withStore } from './databases.ts';
import type { Sample } from './figures.ts';
import { runOnce } from './mirrors.ts';
import { enterNews } from './operator-tables.ts';

export interface HistoryTask {
  readonly operator: string;
  readonly mirror: string;
  readonly cache: string;
  readonly lines: number;
  readonly wanted: number;
}

export interface SecondRunTask {
  readonly small: HistoryTask;
  readonly large: HistoryTask;
  readonly rounds: number;
}

interface Samples {
  readonly nothing: Sample[];
  readonly news: Sample[];
}

export interface SecondRunSamples {
  readonly small: Samples;
  readonly large: Samples;
}

const task = JSON.parse(process.argv[2] ?? '{}') as SecondRunTask;

/** Runs once more. Opening and closing the mirror is part of the time. */
async function runAgain(history: HistoryTask, expected: number): Promise<Sample> {
  globalThis.gc?.();
  const source = openPostgresSource({ connectionString: history.operator, ...POSTGRES_DEFAULTS });
  const cpu = process.cpuUsage();
  const started = performance.now();
  const outcome = await withStore(history.mirror, (store) => runOnce(store, source, Date.now()));
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await source.close();
  if (outcome.entriesAdded !== expected) {
    throw new Error(`${outcome.entriesAdded} lines were new, not ${expected}`);
  }
  return { seconds, cpuSeconds: (user + system) / 1e6, peakMegabytes: null };
}

const samples = {
  small: { nothing: [], news: [] },
  large: { nothing: [], news: [] },
} as SecondRunSamples;
const sizes = ['small', 'large'] as const;
for (const size of sizes) await runAgain(task[size], 0);
for (let round = 0; round < task.rounds; round += 1) {
  for (const size of sizes) samples[size].nothing.push(await runAgain(task[size], 0));
  for (const size of sizes) {
    const { cache, lines, wanted, operator } = task[size];
    const news = (await newsOf(cache, lines, { wanted, count: task.rounds }))[round]!;
    await withClient(operator, (client) => enterNews(client, news));
    samples[size].news.push(await runAgain(task[size], news.entries.length));
  }
}
process.stdout.write(JSON.stringify(samples));
