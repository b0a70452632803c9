// Part d: what a second run costs, with nothing new and with a thousandth new, on a ledger and on
// one ten times smaller. Both get the same number of new lines: if a run costs only what is new, it
// takes the same time on both.

import { join } from 'node:path';
import { booksOf, newsOf } from './books.ts';
import { runProgram } from './child.ts';
import { NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer } from './databases.ts';
import { type Figure, figureOf, ratioOf } from './figures.ts';
import { mirrorOf } from './mirrors.ts';
import { operatorOf } from './operator-tables.ts';
import type { SecondRunSamples, SecondRunTask } from './second-run-process.ts';
import type { Part, Settings } from './settings.ts';

export const secondRun: Part = {
  letter: 'd',
  name: 'again',
  says: 'a second run with nothing new and with 0.1 % new, against the same on a tenth of the history',
  run,
};

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  const wanted = Math.ceil(settings.lines / 1_000);
  try {
    const small = await prepare(server, settings, {
      lines: Math.ceil(settings.lines / 10),
      wanted,
    });
    const large = await prepare(server, settings, { lines: settings.lines, wanted });
    const script = join(import.meta.dirname, 'second-run-process.ts');
    const task: SecondRunTask = { small: small.task, large: large.task, rounds: settings.rounds };
    const words = [...NODE_FLAGS, '--expose-gc', script, JSON.stringify(task)];
    const ran = await runProgram({ command: process.execPath, words });
    const samples = JSON.parse(ran.output) as SecondRunSamples;
    await small.drop();
    await large.drop();
    const figures = (['nothing', 'news'] as const).flatMap((what) => {
      const [few, many] = [samples.small[what], samples.large[what]];
      const pairs = many.map((sample, i) => ({ ours: sample.seconds, theirs: few[i]!.seconds }));
      const name = what === 'nothing' ? 'nothing new' : `${wanted} new lines`;
      return [
        figureOf({ part: 'd', name: `${name}, after ${small.lines} lines`, lines: null }, few),
        figureOf(
          {
            part: 'd',
            name: `${name}, after ${large.lines} lines`,
            lines: null,
            ratio: ratioOf('the time after a tenth of them', pairs),
          },
          many,
        ),
      ];
    });
    return figures;
  } finally {
    await server.close();
  }
}

/** Makes copies of the operator's tables and of the mirror, which the runs may change. */
async function prepare(
  server: BenchServer,
  settings: Settings,
  asked: { readonly lines: number; readonly wanted: number },
) {
  const books = await booksOf(settings.cache, asked.lines);
  const count = settings.rounds;
  await newsOf(settings.cache, asked.lines, { wanted: asked.wanted, count });
  const operator = `again_operator_${asked.lines}`;
  const mirror = `again_mirror_${asked.lines}`;
  const drop = async (): Promise<void> => {
    await server.drop(operator);
    await server.drop(mirror);
  };
  await drop();
  await server.create(operator, await operatorOf(server, books));
  await server.create(mirror, await mirrorOf(server, books));
  const task = {
    operator: server.urlOf(operator),
    mirror: server.urlOf(mirror),
    cache: settings.cache,
    lines: asked.lines,
    wanted: asked.wanted,
  };
  return { lines: books.lines, task, drop };
}
