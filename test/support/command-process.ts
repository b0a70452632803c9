// A process that runs one command after another. Each has outputs, an environment and a folder of
// its own, as a process of its own would; but starting and loading are done once. A test of these,
// or of a signal, starts a process instead (`pointageProcess`).

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ended } from './command.ts';

export interface AskedCommand {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

export interface CommandProcess {
  /**
   * Runs the commands one after another. The result has what the command wrote to standard error,
   * logs too.
   */
  run(words: readonly string[], options?: Partial<Omit<AskedCommand, 'words'>>): Promise<Ended>;
  close(): Promise<void>;
}

/** Stands before and after the status, at the end of what a command wrote. */
export const ENDED = '\u0000ended\u0000';

const CHILD = join(import.meta.dirname, 'command-process-child.ts');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/pointage');

export function openCommandProcess(): CommandProcess {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE: CACHE };
  const child = fork(CHILD, { env, execArgv: [], stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const gone = once(child, 'exit');
  let said = { out: '', err: '' };
  let turn: Promise<unknown> = Promise.resolve();
  let lookAgain = (): void => {};
  const hear = (name: 'out' | 'err') => (part: string) => {
    said = { ...said, [name]: said[name] + part };
    lookAgain();
  };
  child.stdout!.setEncoding('utf8').on('data', hear('out'));
  child.stderr!.setEncoding('utf8').on('data', hear('err'));
  child.on('exit', () => lookAgain());

  async function runOne(asked: AskedCommand): Promise<Ended> {
    said = { out: '', err: '' };
    const ended = new Promise<void>((resolve, reject) => {
      lookAgain = () => {
        if (said.out.endsWith(ENDED) && said.err.endsWith(ENDED)) resolve();
        else if (child.exitCode !== null || child.signalCode !== null)
          reject(new Error(`the process ended with ${asked.words.join(' ')}:\n${said.err}`));
      };
    });
    child.send(asked);
    await ended;
    const [out, status] = said.out.split(ENDED);
    return { status: Number(status), out: out!, err: said.err.split(ENDED)[0]! };
  }

  return {
    run: (words, { folder = tmpdir(), environment = {} } = {}) => {
      const result = turn.then(() =>
        runOne({ words, folder, environment: { PATH: PATH!, HOME: HOME!, ...environment } }),
      );
      turn = result.catch(() => {});
      return result;
    },
    close: async () => {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
