// Where the command line stands.

import { join } from 'node:path';

export const CLI = join(import.meta.dirname, '../src/cli/main.ts');
