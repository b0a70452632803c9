// Part g: what it costs to start. Commands that do next to nothing, in processor time, against
// Node.js doing nothing at all.

import { join } from 'node:path';
import { runProgram } from './child.ts';
import { CLI } from './cli.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

export const start: Part = {
  letter: 'g',
  name: 'start',
  says: 'commands that do next to nothing against bare Node.js, processor time of ten starts',
  run,
};

/**
 * Starts that are measured together, because the system counts in hundredths of a second, of which
 * one start takes a few.
 */
const STARTS = 10;
const EXAMPLE = join(import.meta.dirname, '../docs/example-books');

async function run(settings: Settings): Promise<readonly Figure[]> {
  const bare = starting('node -e 0', { command: process.execPath, words: ['-e', '0'], status: 0 });
  const ours = [
    starting('pointage --help', { command: CLI, words: ['--help'], status: 0 }),
    starting('pointage audit of the example books', {
      command: CLI,
      words: ['audit', '--source', `file:${EXAMPLE}`],
      status: 1,
    }),
  ];
  // A first start is not counted, because what it compiles is kept for the others.
  for (const one of ours) await one.run();
  const samples = await runRounds([bare, ...ours], settings.rounds, settings.note);
  const least = samples.get(bare)!;
  return ours.map((one) => {
    const mine = samples.get(one)!;
    const pairs = mine.map((sample, i) => ({ ours: timeOf(sample), theirs: timeOf(least[i]!) }));
    return figureOf(
      { part: 'g', name: one.name, lines: null, ratio: ratioOf('bare Node.js', pairs) },
      mine,
    );
  });
}

function starting(
  name: string,
  {
    command,
    words,
    status,
  }: { readonly command: string; readonly words: readonly string[]; readonly status: number },
): Contender {
  const once = `"$0" "$@" > /dev/null; [ $? -eq ${status} ] || exit 9`;
  const script = Array.from({ length: STARTS }, () => once).join('\n');
  return {
    name,
    run: () => runProgram({ command: '/bin/sh', words: ['-c', script, command, ...words] }),
  };
}

/** Returns the processor time in seconds, or seconds on the clock where the system tells none. */
function timeOf({ cpuSeconds, seconds }: Sample): number {
  return cpuSeconds ?? seconds;
}
