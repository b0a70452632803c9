// Part f: a night over many small merchants: the first one, one with nothing new, and one in which a hundredth of them
// have new lines. Processor time counts every process, PostgreSQL's included: on a busy machine time alone says little.

import { join } from 'node:path';
import { runProgram } from './child.ts';
import { openBenchServer, withClient, withStore } from './databases.ts';
import { type Figure, figureOf } from './figures.ts';
import type { NightSample, NightTask } from './night-process.ts';
import { familyTime, parentOf } from './processor-time.ts';
import type { Part, Settings } from './settings.ts';
import { enterSmallNews, smallOperatorOf } from './small-books.ts';

export const night: Part = {
  letter: 'f',
  name: 'night',
  says: 'a night over many small merchants: the first, one with nothing new, one with news of a hundredth of them',
  run,
};

const MERCHANTS_AT_ONCE = 4;

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  const count = settings.merchants;
  const [operator, mirror] = ['night_operator', 'night_mirror'];
  try {
    for (const name of [operator, mirror]) await server.drop(name);
    settings.note(`  tables of ${count} merchants\n`);
    await server.create(operator, await smallOperatorOf(server, count));
    await server.create(mirror);
    await withStore(server.urlOf(mirror), async () => {});
    const task: NightTask = {
      mirror: server.urlOf(mirror),
      source: server.urlOf(operator),
      concurrency: MERCHANTS_AT_ONCE,
      merchants: null,
    };
    const figures = [await measure(settings, { task, name: 'first night', expected: null })];
    await withClient(task.mirror, (client) => client.query('vacuum (analyze)'));
    for (let round = 0; round < Math.min(settings.rounds, 2); round += 1) {
      figures.push(await measure(settings, { task, name: 'nothing new', expected: 0 }));
    }
    const hundredth = Math.max(1, Math.round(count / 100));
    const numbers = Array.from({ length: hundredth }, (_, i) => 1 + i * 100);
    const expected = await withClient(task.source, (client) => enterSmallNews(client, numbers));
    figures.push(await measure(settings, { task, name: 'news of a hundredth', expected }));
    return figures;
  } finally {
    await server.drop(operator);
    await server.drop(mirror);
    await server.close();
  }
}

async function measure(
  settings: Settings,
  asked: { readonly task: NightTask; readonly name: string; readonly expected: number | null },
): Promise<Figure> {
  const { task, name, expected } = asked;
  const script = join(import.meta.dirname, 'night-process.ts');
  const before = await statusOf(task.mirror);
  const ran = await runProgram({
    command: process.execPath,
    words: ['--expose-gc', '--max-semi-space-size=16', script, JSON.stringify(task)],
  });
  const after = await statusOf(task.mirror);
  const sample = JSON.parse(ran.output) as NightSample;
  if (sample.clean !== sample.merchants) throw new Error(`not all were found clean: ${sample.notClean.join('\n')}`);
  if (expected !== null && sample.entriesAdded !== expected) {
    throw new Error(`${sample.entriesAdded} lines were new, not ${expected}`);
  }
  const { merchants, seconds, cpuSeconds, connections, statements, megabytes } = sample;
  const serverSeconds = before.cpu === null || after.cpu === null ? null : after.cpu - before.cpu;
  const each = (value: number, unit: string, digits = 1): string => `${(value / merchants).toFixed(digits)} ${unit}`;
  const parts = [
    each(seconds * 1_000, 'ms'),
    each(cpuSeconds * 1_000, 'ms own processor'),
    ...(serverSeconds === null ? [] : [each(serverSeconds * 1_000, "ms PostgreSQL's")]),
    each(statements, 'statements'),
    each(connections, 'connections', 2),
    each(after.commits - before.commits, 'transactions'),
    each((after.written - before.written) / 1_024, 'KB written ahead'),
  ];
  const memory = `${megabytes.map(Math.round).join(' → ')} MB`;
  settings.note(`  ${name}: ${seconds.toFixed(1)} s; each ${parts.join(', ')}; ${memory}\n`);
  return figureOf(
    { part: 'f', name: `${name}, ${merchants} merchants`, lines: null, note: `each ${parts.join(', ')}; ${memory}` },
    [
      {
        seconds,
        cpuSeconds: serverSeconds === null ? null : cpuSeconds + serverSeconds,
        peakMegabytes: ran.peakMegabytes,
      },
    ],
  );
}

interface Status {
  readonly cpu: number | null;
  readonly commits: number;
  readonly written: number;
}

/** What the server has used and done so far, in all its databases. */
function statusOf(url: string): Promise<Status> {
  return withClient(url, async (client) => {
    const answer = await client.query<{ pid: number; commits: string; written: string }>(
      `select pg_backend_pid() as pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as written,
        (select sum(xact_commit)::text from pg_stat_database) as commits`,
    );
    const { pid, commits, written } = answer.rows[0]!;
    const postmaster = parentOf(pid);
    return {
      cpu: postmaster === null ? null : familyTime(postmaster),
      commits: Number(commits),
      written: Number(written),
    };
  });
}
