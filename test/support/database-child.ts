// Starts a second process on a store and talks with it line by line.

import {
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /**
   * The first line that the process said: `open`, `locked`, `not held`; or its complaint, when it
   * failed.
   */
  readonly said: string;
  /** Ends the input of the process and waits until it has left. */
  leave(): Promise<void>;
  /** Kills the process (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>;
}

export interface ChildTask {
  readonly address: string;
  readonly task: 'open' | 'lock';
  readonly merchant?: string;
  /** The folder that the script is taken from; absent: this repository. */
  readonly root?: string;
}

export async function startChild(
  task: ChildTask,
  options: SpawnOptionsWithoutStdio = {},
): Promise<Child> {
  const script = join(
    task.root ?? join(import.meta.dirname, '../..'),
    'test/support/database-process.ts',
  );
  const child = spawn(
    process.execPath,
    [script, task.address, task.task, task.merchant ?? ''],
    options,
  );
  let complaint = '';
  child.stderr.on('data', (part) => {
    complaint += part;
  });
  const exited = once(child, 'exit');
  const [said] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => [complaint]),
  ])) as [string];
  return {
    process: child,
    said,
    leave: async () => {
      child.stdin.end();
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
