// For the image: loads every module once, so that what Node.js compiled of them is kept beside the packages, where the
// command looks for it. Containers have a file system that they cannot write to, and would compile at every start.

import { readdirSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** The command itself, which begins to work when it is loaded, and threads, which ask for their owner. */
const STARTED_BY_LOADING = ['cli/main.js', 'sources/file/scan-worker.ts', 'storage/mirror/read/copy-worker.ts'];

enableCompileCache(join(root, 'node_modules/.cache/pointage'));
for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (!/\.[jt]s$/.test(name) || STARTED_BY_LOADING.includes(name)) continue;
  await import(join(root, 'src', name));
}
flushCompileCache();
