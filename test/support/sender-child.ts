// Starts a process that sends what is due, and kills it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export function startSender(given: { readonly databaseUrl: string; readonly mailUrl: string }): {
  kill(): Promise<void>;
} {
  const script = join(import.meta.dirname, 'sender-process.ts');
  const child = spawn(process.execPath, [script, given.databaseUrl, given.mailUrl], {
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  return {
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
