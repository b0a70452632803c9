// Part h: a month's statement in every format, stated from the mirror as a person does, behind a
// long history and alone: the same number of lines at the same pace. If a month costs only what is
// in it, both take the same time.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STATEMENT_FORMATS } from '../src/core/statements/statement.ts';
import { MERCHANT, monthBehind } from './books.ts';
import { type Ran, runProgram } from './child.ts';
import { CLI, NODE_FLAGS } from './cli.ts';
import { type BenchServer, openBenchServer, withStore } from './databases.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { mirrorOf } from './mirrors.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

const LINES = 5_000;
const OLDER = 200_000;

export const month: Part = {
  letter: 'h',
  name: 'month',
  says: `a month of ${LINES} lines in every format from the mirror, behind ${OLDER} older lines and alone`,
  run,
};

async function run(settings: Settings): Promise<readonly Figure[]> {
  const server = await openBenchServer(settings.cache);
  try {
    const alone = await contenderOf(server, settings, { older: 0, name: 'alone', isFirst: true });
    const named = { older: OLDER, name: `behind ${OLDER}` };
    const first = await contenderOf(server, settings, {
      ...named,
      name: `${named.name}, stated first`,
      isFirst: true,
    });
    const again = await contenderOf(server, settings, {
      ...named,
      name: `${named.name}, from its opening`,
      isFirst: false,
    });
    const samples = await runRounds([alone, first, again], settings.rounds, settings.note);
    const base = samples.get(alone)!;
    return [alone, first, again].map((one) => {
      const mine = samples.get(one)!;
      const pairs = mine.map((sample, i) => ({ ours: costOf(sample), theirs: costOf(base[i]!) }));
      const ratio = one === alone ? null : ratioOf('the processor time alone', pairs);
      return figureOf(
        { part: 'h', name: `month of ${LINES} lines ${one.name}`, lines: null, ratio },
        mine,
      );
    });
  } finally {
    await server.close();
  }
}

function costOf({ cpuSeconds, seconds }: Sample): number {
  return cpuSeconds ?? seconds;
}

/**
 * Returns a contender that states the month from a copy of the mirror. `isFirst`: no month of the
 * books was ever stated before.
 */
async function contenderOf(
  server: BenchServer,
  settings: Settings,
  {
    older,
    name,
    isFirst,
  }: { readonly older: number; readonly name: string; readonly isFirst: boolean },
): Promise<Contender> {
  settings.note(`  mirror of a month ${name}\n`);
  const books = await monthBehind(settings.cache, { older, lines: LINES });
  const mirror = await mirrorOf(server, books);
  // A mirror that is kept from an earlier run has its schema brought up to date outside the
  // measurement.
  await withStore(server.urlOf(mirror), async () => {});
  const copy = 'month_copy';
  return {
    name,
    async run() {
      await server.drop(copy);
      await server.create(copy, mirror);
      if (!isFirst) await state(server.urlOf(copy), books.period);
      const ran = await state(server.urlOf(copy), books.period);
      await server.drop(copy);
      return ran;
    },
  };
}

/** Runs the whole command, into an empty folder. */
async function state(url: string, period: string): Promise<Ran> {
  const folder = await mkdtemp(join(tmpdir(), 'pointage-bench-month-'));
  const formats = ['--format', STATEMENT_FORMATS.join(','), '--out', folder];
  const words = [
    ...NODE_FLAGS,
    CLI,
    'statement',
    MERCHANT,
    period,
    ...formats,
    '--database-url',
    url,
  ];
  try {
    return await runProgram({ command: process.execPath, words });
  } finally {
    await rm(folder, { recursive: true });
  }
}
