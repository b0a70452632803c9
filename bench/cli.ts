// The command as a person starts it. Its first line says how Node is run.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CLI = join(import.meta.dirname, '../src/service/cli/main.js');

/**
 * The flags that the command's first line gives to Node. A process that stands for the command must
 * be run with them.
 */
export const NODE_FLAGS: readonly string[] = readFileSync(CLI, 'utf8')
  .split('\n', 1)[0]!
  .split(' ')
  .slice(3);
