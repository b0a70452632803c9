// Part c: the first run from an operator's PostgreSQL: every row pulled, decoded and written to the
// mirror, then replayed and judged. Against the least that any mirror must do: COPY out of the
// operator's tables, piped as it is into ours.

import { join } from 'node:path';
import { booksOf } from './books.ts';
import { runProgram } from './child.ts';
import { NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer, withStore } from './databases.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { operatorOf } from './operator-tables.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

export const pullPostgres: Part = {
  letter: 'c',
  name: 'pull',
  says: 'pull from PostgreSQL into the mirror against COPY piped into COPY (a fifth of the lines)',
  run,
};

/** A database with the tables of the mirror and nothing in them. */
const BLANK = 'blank';
const WORK = 'pull_work';

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  try {
    const books = await booksOf(settings.cache, Math.ceil(settings.lines / 5));
    const operator = server.urlOf(await operatorOf(server, books));
    await makeBlank(server);
    const contender = (what: string, name: string): Contender => ({
      name,
      run: () => pullOnce(server, { operator, what }),
    });
    const least = contender('copy', 'COPY piped into COPY');
    const pull = contender('pull', 'pull and mirror');
    const whole = contender('run', 'first run: pull, mirror, replay, judge');
    // The chain should take a tenth of the pull at most: it must be ten times as fast.
    const chain = contender('chain', 'the hash chain over its lines alone');
    const samples = await runRounds([least, pull, chain, whole], settings.rounds, settings.note);
    const { lines } = books;
    const named = ({ name }: Contender) => ({ part: 'c', name, lines });
    const against = (contender: Contender, other = least) =>
      ratioOf(
        other.name,
        samples.get(contender)!.map((sample, i) => ({
          ours: lines / sample.seconds,
          theirs: lines / samples.get(other)![i]!.seconds,
        })),
      );
    return [
      figureOf({ ...named(pull), ratio: against(pull) }, samples.get(pull)!),
      figureOf({ ...named(chain), ratio: against(chain, pull) }, samples.get(chain)!),
      figureOf({ ...named(whole), ratio: against(whole) }, samples.get(whole)!),
      figureOf(named(least), samples.get(least)!),
    ];
  } finally {
    await server.close();
  }
}

async function makeBlank(server: BenchServer): Promise<void> {
  await server.drop(BLANK);
  await server.create(BLANK);
  await withStore(server.urlOf(BLANK), async (store) => {
    await store.pool.query(`insert into merchants (reference) values ('BENCH')`);
  });
}

async function pullOnce(
  server: BenchServer,
  task: { readonly operator: string; readonly what: string },
): Promise<Sample> {
  await server.drop(WORK);
  await server.create(WORK, BLANK);
  const script = join(import.meta.dirname, 'pull-process.ts');
  const words = [...NODE_FLAGS, script, task.operator, server.urlOf(WORK), task.what];
  const ran = await runProgram({ command: process.execPath, words });
  const { seconds } = JSON.parse(ran.output) as Pick<Sample, 'seconds'>;
  await server.drop(WORK);
  return { ...ran, seconds };
}
