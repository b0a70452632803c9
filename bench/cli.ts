// The command as a person starts it: by its first line, which says how Node is run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CLI = join(import.meta.dirname, '../src/service/cli/main.js');

/** How the first line of the command has Node run: a process in its place is run alike. */
export const NODE_FLAGS: readonly string[] = readFileSync(CLI, 'utf8')
  .split('\n', 1)[0]!
  .split(' ')
  .slice(3);
