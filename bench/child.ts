// Runs a program in a process of its own and tells its time, processor time and peak memory, as the
// system counted them. Peak memory and processor time come from GNU time, which is not everywhere:
// without it they are null.

import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Sample } from './figures.ts';

const GNU_TIME = '/usr/bin/time';

export interface Program {
  readonly command: string;
  readonly words: readonly string[];
  /** Exit statuses that mean that the work was done. */
  readonly lawful?: readonly number[];
}

export interface Ran extends Sample {
  readonly output: string;
}

/**
 * Runs a program. Throws when it ends with a status that is not lawful (by default 0), with what it
 * complained of.
 */
export async function runProgram({ command, words, lawful = [0] }: Program): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-bench-run-'));
  const report = join(folder, 'usage');
  const isTimed = process.platform === 'linux' && existsSync(GNU_TIME);
  const timed = isTimed
    ? [GNU_TIME, '--quiet', '-f', '%U %S %M', '-o', report, command, ...words]
    : [command, ...words];
  const options: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  };
  try {
    const started = performance.now();
    const child = spawn(timed[0]!, timed.slice(1), options);
    let output = '';
    let complaint = '';
    child.stdout!.on('data', (piece) => {
      output += piece;
    });
    child.stderr!.on('data', (piece) => {
      complaint += piece;
    });
    const [status] = (await once(child, 'close')) as [number | null];
    const seconds = (performance.now() - started) / 1_000;
    if (status === null || !lawful.includes(status)) {
      throw new Error(
        `${command} ${words.join(' ')} ended with ${status}: ${complaint.slice(0, 2_000)}`,
      );
    }
    return {
      seconds,
      output,
      ...(isTimed ? usageOf(report) : { cpuSeconds: null, peakMegabytes: null }),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the report of GNU time, which counts memory in kilobytes. */
function usageOf(report: string): Pick<Sample, 'cpuSeconds' | 'peakMegabytes'> {
  const [user, system, kilobytes] = readFileSync(report, 'utf8').trim().split(' ').map(Number);
  return { cpuSeconds: user! + system!, peakMegabytes: kilobytes! / 1_024 };
}

/** Returns the place of a program on PATH, or `null`. */
export function findProgram(name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The program is not in this folder.
    }
  }
  return null;
}
