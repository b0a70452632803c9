// The command as a person or a program runs it: in this process with what it printed, or as a
// process of its own, whose standard error also has the logs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../../src/service/cli/program.ts';
import { type Stage, stageOf } from '../../src/service/cli/stage/stage.ts';

export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export interface CommandOptions {
  readonly environment?: Stage['environment'];
  readonly clock?: () => number;
  /** Width of the terminal, in characters; absent: there is no terminal. */
  readonly width?: number;
}

export interface ProcessOptions extends CommandOptions {
  /** File that standard output goes to; absent: it is captured. */
  readonly into?: string;
  /** File that standard error goes to; absent: it is captured. */
  readonly notesInto?: string;
  /** The signal that is sent to the process when this resolves. */
  readonly signal?: Promise<NodeJS.Signals>;
}

const MAIN = join(import.meta.dirname, '../../src/service/cli/main.js');

/** Runs a command in this process. Nothing of this process's environment reaches the command. */
export function pointage(words: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return runHere(runCommand, words, options);
}

/** Runs words in this process. `run` is the function that runs them and returns the exit status. */
export async function runHere(
  run: typeof runCommand,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<Ended> {
  const out: string[] = [];
  const err: string[] = [];
  const silent = { update: () => {}, stop: () => {} };
  const terminal = {
    out: (text: string) => void out.push(text),
    note: (text: string) => void err.push(text),
    colour: false,
    width: options.width ?? null,
    progress: () => silent,
  };
  const stage = stageOf(terminal, options.environment ?? {});
  const status = await run(
    words,
    options.clock === undefined ? stage : { ...stage, clock: options.clock },
  );
  return { status, out: out.join(''), err: err.join('') };
}

export async function pointageProcess(
  words: readonly string[],
  options: ProcessOptions = {},
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const outputs = [options.into, options.notesInto].map((file) =>
    file === undefined ? 'pipe' : openSync(file, 'w'),
  );
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH, HOME, ...options.environment },
    stdio: ['pipe', ...outputs],
  });
  void options.signal?.then((signal) => child.kill(signal));
  let [out, err] = ['', ''];
  child.stdout?.on('data', (part) => {
    out += part;
  });
  child.stderr?.on('data', (part) => {
    err += part;
  });
  const [status] = (await once(child, 'close')) as [number];
  for (const output of outputs) if (typeof output === 'number') closeSync(output);
  return { status, out, err };
}
