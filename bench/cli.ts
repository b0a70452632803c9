// The command as a person starts it: by its first line, which says how Node is run.

import { join } from 'node:path';

export const CLI = join(import.meta.dirname, '../src/cli/main.js');
