// How long each test file takes, measured by `npm run test:times` on an idle machine and kept in
// test/times.json. The suites and the order of files derive from it: `npm test` runs the files that
// are quick, `npm run test:all` all of them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Times of a test file, in seconds. */
export interface FileTime {
  readonly wall: number;
  /** Processor time of the file and of its child processes, without that of the database server. */
  readonly processor: number;
}

/** Times by the file's path below the repository, such as `test/unit/log.test.ts`. */
export type FileTimes = Readonly<Record<string, FileTime>>;

export const TIMES_FILE = join(import.meta.dirname, '../times.json');
/** Seconds of the clock above which a file is left to `npm run test:all`. */
export const QUICK = 6;
/** Seconds of the clock above which a file is to be split, because it would end a run alone. */
export const LONGEST = 100;
/**
 * A file is reported when it takes this many times what its place allows, because the first file of
 * a worker also loads the code for those after it.
 */
const BEYOND = 1.5;
/** A file fails the run when it takes this many times what its place allows. */
const FAR_BEYOND = 3;
/** With fewer known files, a run says nothing about the host's pace. */
const ENOUGH = 20;

export function knownTimes(): FileTimes {
  return JSON.parse(readFileSync(TIMES_FILE, 'utf8')) as FileTimes;
}

/**
 * Returns the files that `npm test` leaves out. A file that was not measured yet is not among them.
 */
export function slowFiles(times: FileTimes): readonly string[] {
  return Object.keys(times).filter((file) => times[file]!.wall > QUICK);
}

export interface Outgrown {
  readonly file: string;
  readonly seconds: number;
  /** Seconds that the file's place allows, at the pace of this host. */
  readonly allowed: number;
  readonly isFarBeyond: boolean;
}

/**
 * Returns the files that took much longer than their place allows: `QUICK` for a file of `npm
 * test`, else `LONGEST`. A host that is slower than the one that was measured, by the median over
 * the run's files, allows as many times more. `took` holds seconds of the clock by file.
 */
export function outgrownFiles(
  took: ReadonlyMap<string, number>,
  times: FileTimes,
): readonly Outgrown[] {
  const ratios = [...took].flatMap(([file, seconds]) =>
    times[file] === undefined ? [] : [seconds / times[file].wall],
  );
  if (ratios.length < ENOUGH) return [];
  const pace = Math.max(
    1,
    ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)]!,
  );
  return [...took].flatMap(([file, seconds]) => {
    const allowed = pace * ((times[file]?.wall ?? 0) > QUICK ? LONGEST : QUICK);
    return seconds <= BEYOND * allowed
      ? []
      : [{ file, seconds, allowed, isFarBeyond: seconds > FAR_BEYOND * allowed }];
  });
}
