// Tells, at the end of a run, which test files have outgrown their place, and fails the run for one
// that is far beyond it. With TEST_TIMES=write it prints how long every file took, the slowest
// first, and keeps these times in test/times.json.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import {
  type FileTime,
  type FileTimes,
  knownTimes,
  outgrownFiles,
  TIMES_FILE,
} from './file-times.ts';

const ROOT = join(import.meta.dirname, '../..');

export function timesReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const took = new Map(modules.flatMap(timeOf));
      if (process.env.TEST_TIMES === 'write') return writeTimes(took);
      const seconds = new Map([...took].map(([file, { wall }]) => [file, wall]));
      for (const { file, seconds: own, allowed, isFarBeyond } of outgrownFiles(
        seconds,
        knownTimes(),
      )) {
        const what = `${file} took ${own.toFixed(1)} s, and its place allows ${allowed.toFixed(1)} s on this host`;
        process.stderr.write(
          `${what}: make it do less, split it, or run \`npm run test:times\` to give it another place.\n`,
        );
        if (isFarBeyond) process.exitCode = 1;
      }
    },
  };
}

function timeOf(module: TestModule): [string, FileTime][] {
  const took = module.meta().took;
  if (took === undefined) return [];
  return [
    [module.relativeModuleId, { wall: rounded(took.wall), processor: rounded(took.processor) }],
  ];
}

/** Returns seconds, rounded to the hundredth. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds / 10) / 100;
}

function writeTimes(took: ReadonlyMap<string, FileTime>): void {
  const all: FileTimes = { ...knownTimes(), ...Object.fromEntries(took) };
  const there = Object.keys(all)
    .filter((file) => existsSync(join(ROOT, file)))
    .sort();
  const rowOf = ({ wall, processor }: FileTime) => `{ "wall": ${wall}, "processor": ${processor} }`;
  const rows = there.map((file) => `  ${JSON.stringify(file)}: ${rowOf(all[file]!)}`);
  writeFileSync(TIMES_FILE, `{\n${rows.join(',\n')}\n}\n`);
  const slowest = [...took].sort(([, one], [, other]) => other.processor - one.processor);
  const table = slowest.map(
    ([file, { wall, processor }]) => `${cell(wall)}${cell(processor)}  ${file}`,
  );
  const sum = (of: keyof FileTime) => slowest.reduce((total, [, time]) => total + time[of], 0);
  const head = '  wall s  processor s  file';
  process.stdout.write(
    `\n${[head, ...table, `${cell(sum('wall'))}${cell(sum('processor'))}  in all`].join('\n')}\n`,
  );
}

function cell(seconds: number): string {
  return seconds.toFixed(2).padStart(10);
}
