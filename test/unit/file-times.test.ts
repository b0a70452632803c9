// Which test files `npm test` runs, and which files a run names because they have outgrown their
// place.

import { expect, test } from 'vitest';
import { type FileTimes, LONGEST, outgrownFiles, QUICK, slowFiles } from '../support/file-times.ts';

const TIMES: FileTimes = {
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`test/${i}.test.ts`, { wall: 1, processor: 1 }]),
  ),
  'test/slow.test.ts': { wall: QUICK + 1, processor: 1 },
};

/**
 * Returns the time of every known file at `pace` times its recorded seconds; the files in `others`
 * have their own times.
 */
function tookAt(
  pace: number,
  others: Readonly<Record<string, number>> = {},
): ReadonlyMap<string, number> {
  const usual = Object.entries(TIMES).map(([file, { wall }]) => [file, wall * pace] as const);
  return new Map([...usual, ...Object.entries(others)]);
}

test('files that take longer than quick ones may are left to the longer suite', () => {
  expect(slowFiles(TIMES)).toEqual(['test/slow.test.ts']);
});

test('a file within its place is not named, on a slow host either', () => {
  expect(outgrownFiles(tookAt(1), TIMES)).toEqual([]);
  expect(outgrownFiles(tookAt(5), TIMES)).toEqual([]);
  expect(outgrownFiles(tookAt(1, { 'test/3.test.ts': 1.4 * QUICK }), TIMES)).toEqual([]);
});

test('a file beyond its place is named, and fails the run at three times of what it is allowed', () => {
  expect(outgrownFiles(tookAt(1, { 'test/3.test.ts': 2 * QUICK }), TIMES)).toEqual([
    { file: 'test/3.test.ts', seconds: 2 * QUICK, allowed: QUICK, isFarBeyond: false },
  ]);
  expect(outgrownFiles(tookAt(1, { 'test/new.test.ts': 4 * QUICK }), TIMES)).toMatchObject([
    { isFarBeyond: true },
  ]);
  const slow = outgrownFiles(tookAt(2, { 'test/slow.test.ts': 4 * LONGEST }), TIMES);
  expect(slow).toEqual([
    { file: 'test/slow.test.ts', seconds: 4 * LONGEST, allowed: 2 * LONGEST, isFarBeyond: false },
  ]);
});

test('a run of a few files names none, as it does not know the pace of its host', () => {
  expect(outgrownFiles(new Map([['test/3.test.ts', 1_000]]), TIMES)).toEqual([]);
});
