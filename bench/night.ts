// Part f: a night over many small merchants, first without the queue (what a merchant costs by
// itself), then as the service makes it, with two workers. Processor time counts every process,
// PostgreSQL's included: on a busy machine seconds alone say little.

import { join } from 'node:path';
import { runProgram } from './child.ts';
import { NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer, withClient, withStore } from './databases.ts';
import { type Figure, figureOf, type Sample } from './figures.ts';
import type { NightSample, NightTask } from './night-process.ts';
import { issueMonths, type WorkedTask, workNight } from './night-workers.ts';
import { familyTime, parentOf } from './processor-time.ts';
import type { Part, Settings } from './settings.ts';
import { enterSmallNews, smallFoldersOf, smallOperatorOf } from './small-books.ts';

export const night: Part = {
  letter: 'f',
  name: 'night',
  says: 'nights over many small merchants with nothing new and with news of a hundredth, and the queue by itself',
  run,
};

const MERCHANTS_AT_ONCE = 4;
const [OPERATOR, MIRROR, FILES_MIRROR] = [
  'night_operator',
  'night_mirror',
  'night_files_mirror',
] as const;

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  const drop = async (): Promise<void> => {
    for (const name of [OPERATOR, MIRROR, FILES_MIRROR]) await server.drop(name);
  };
  try {
    await drop();
    settings.note(`  books of ${settings.merchants} merchants\n`);
    await server.create(OPERATOR, await smallOperatorOf(server, settings.merchants));
    for (const name of [MIRROR, FILES_MIRROR]) {
      await server.create(name);
      await withStore(server.urlOf(name), async () => {});
    }
    return [
      ...(await fromFiles(server, settings)),
      ...(await fromTables(server, settings)),
      await queueAlone(server, settings),
      ...(await withWorkers(server, settings)),
    ];
  } finally {
    await drop();
    await server.close();
  }
}

async function fromFiles(server: BenchServer, settings: Settings): Promise<readonly Figure[]> {
  const source = await smallFoldersOf(settings.cache, settings.merchants);
  const task = { mirror: server.urlOf(FILES_MIRROR), source, concurrency: MERCHANTS_AT_ONCE };
  const first = await measure(settings, { task, name: 'first night, files', expected: null });
  return [first, await measure(settings, { task, name: 'nothing new, files', expected: 0 })];
}

async function fromTables(server: BenchServer, settings: Settings): Promise<readonly Figure[]> {
  const task = {
    mirror: server.urlOf(MIRROR),
    source: server.urlOf(OPERATOR),
    concurrency: MERCHANTS_AT_ONCE,
  };
  const figures = [await measure(settings, { task, name: 'first night, tables', expected: null })];
  await withClient(task.mirror, (client) => client.query('vacuum (analyze)'));
  // The first quiet night stores what the first night could not. The second one is like all that
  // follow.
  for (const which of ['', ' again']) {
    figures.push(
      await measure(settings, { task, name: `nothing new, tables${which}`, expected: 0 }),
    );
  }
  const expected = await enterNews(server, settings, 1);
  figures.push(await measure(settings, { task, name: 'news of a hundredth, tables', expected }));
  return figures;
}

/**
 * Enters news for every hundredth merchant, beginning with number `first`. Returns the number of
 * lines.
 */
function enterNews(server: BenchServer, settings: Settings, first: number): Promise<number> {
  const count = Math.max(1, Math.round(settings.merchants / 100));
  const numbers = Array.from({ length: count }, (_, i) => first + i * 100);
  return withClient(server.urlOf(OPERATOR), (client) => enterSmallNews(client, numbers));
}

async function queueAlone(server: BenchServer, settings: Settings): Promise<Figure> {
  const script = join(import.meta.dirname, 'queue-process.ts');
  const words = [...NODE_FLAGS, script, server.urlOf(FILES_MIRROR), String(settings.merchants)];
  const { value: ran, ...spent } = await spending(server.urlOf(FILES_MIRROR), () =>
    runProgram({ command: process.execPath, words }),
  );
  const sample = JSON.parse(ran.output) as Sample;
  return tell(settings, {
    name: 'the queue alone, jobs that do nothing',
    sample,
    spent,
    count: settings.merchants,
    more: [`${Math.round(settings.merchants / sample.seconds)} jobs/s`],
  });
}

async function withWorkers(server: BenchServer, settings: Settings): Promise<readonly Figure[]> {
  const task = { mirror: server.urlOf(MIRROR), source: server.urlOf(OPERATOR) };
  await withClient(task.mirror, issueMonths);
  // The first night of the workers reads the merchants together. What it keeps lets the next night
  // settle them as sets.
  const read = await measureWorkers(settings, {
    task,
    name: 'nothing new, read together',
    expected: 0,
  });
  await withClient(task.mirror, (client) => client.query('vacuum (analyze)'));
  const quiet = await measureWorkers(settings, { task, name: 'nothing new, by sets', expected: 0 });
  const expected = await enterNews(server, settings, 2);
  return [
    read,
    quiet,
    await measureWorkers(settings, { task, name: 'news of a hundredth', expected }),
  ];
}

export async function measureWorkers(
  settings: Settings,
  asked: {
    readonly task: WorkedTask;
    readonly name: string;
    readonly expected: number;
    readonly part?: string;
  },
): Promise<Figure> {
  const { task, name, expected, part = 'f' } = asked;
  const { value: sample, ...spent } = await spending(task.mirror, () => workNight(task));
  requireNight({ ...sample, expected });
  return tell(settings, {
    part,
    name: `${name}, two workers`,
    sample,
    spent,
    count: sample.merchants,
    more: [],
  });
}

async function measure(
  settings: Settings,
  asked: { readonly task: NightTask; readonly name: string; readonly expected: number | null },
): Promise<Figure> {
  const { task, name, expected } = asked;
  const script = join(import.meta.dirname, 'night-process.ts');
  const words = [...NODE_FLAGS, '--expose-gc', script, JSON.stringify(task)];
  const { value: ran, ...spent } = await spending(task.mirror, () =>
    runProgram({ command: process.execPath, words }),
  );
  const found = JSON.parse(ran.output) as NightSample;
  requireNight({ ...found, expected });
  const { merchants, statements, connections, megabytes } = found;
  return tell(settings, {
    name,
    sample: { ...found, peakMegabytes: ran.peakMegabytes },
    spent,
    count: merchants,
    more: [
      `${(statements / merchants).toFixed(1)} statements`,
      `${connections} connections in all`,
      `${megabytes.map(Math.round).join(' → ')} MB from a tenth of them to the last`,
    ],
  });
}

function requireNight(
  night: Pick<NightSample, 'merchants' | 'clean' | 'entriesAdded'> & {
    readonly expected: number | null;
  },
): void {
  const { merchants, clean, entriesAdded, expected } = night;
  if (clean !== merchants) throw new Error(`of ${merchants} merchants ${clean} were found clean`);
  if (expected !== null && entriesAdded !== expected)
    throw new Error(`${entriesAdded} lines new, not ${expected}`);
}

/** What PostgreSQL spent on a night. */
interface Spent {
  readonly cpuSeconds: number | null;
  readonly commits: number;
  readonly written: number;
}

async function spending<T>(
  url: string,
  work: () => Promise<T>,
): Promise<Spent & { readonly value: T }> {
  const before = await statusOf(url);
  const value = await work();
  const after = await statusOf(url);
  return {
    value,
    cpuSeconds:
      before.cpuSeconds === null || after.cpuSeconds === null
        ? null
        : after.cpuSeconds - before.cpuSeconds,
    commits: after.commits - before.commits,
    written: after.written - before.written,
  };
}

/** Returns what the server has used and done so far, in all its databases. */
function statusOf(url: string): Promise<Spent> {
  return withClient(url, async (client) => {
    const answer = await client.query<{ pid: number; commits: string; written: string }>(
      `select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as written,
        (select sum(xact_commit)::text from pg_stat_database) as commits`,
    );
    const { pid, commits, written } = answer.rows[0]!;
    const postmaster = parentOf(pid);
    const cpuSeconds = postmaster === null ? null : familyTime(postmaster);
    return { cpuSeconds, commits: Number(commits), written: Number(written) };
  });
}

function tell(
  settings: Settings,
  told: {
    readonly part?: string;
    readonly name: string;
    readonly sample: Sample;
    readonly spent: Spent;
    readonly count: number;
    readonly more: readonly string[];
  },
): Figure {
  const { sample, spent, count } = told;
  const each = (value: number, unit: string): string => `${(value / count).toFixed(1)} ${unit}`;
  const parts = [
    each(sample.seconds * 1_000, 'ms'),
    ...(sample.cpuSeconds === null ? [] : [each(sample.cpuSeconds * 1_000, 'ms own processor')]),
    ...(spent.cpuSeconds === null ? [] : [each(spent.cpuSeconds * 1_000, "ms PostgreSQL's")]),
    each(spent.commits, 'transactions'),
    each(spent.written / 1_024, 'KB written ahead'),
    ...told.more,
  ];
  const note = `each: ${parts.join(', ')}`;
  settings.note(`  ${told.name}, ${count}: ${sample.seconds.toFixed(1)} s; ${note}\n`);
  const isCounted = sample.cpuSeconds !== null && spent.cpuSeconds !== null;
  const cpuSeconds = isCounted ? sample.cpuSeconds! + spent.cpuSeconds! : null;
  return figureOf({ part: told.part ?? 'f', name: `${told.name}, ${count}`, lines: null, note }, [
    { seconds: sample.seconds, cpuSeconds, peakMegabytes: sample.peakMegabytes },
  ]);
}
