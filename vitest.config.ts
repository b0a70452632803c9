import { defineConfig } from 'vitest/config';
import { LONG_FOLDERS } from './test/support/long-folders.ts';

/** Without a database. */
const PURE = ['test/{unit,property}/**/*.test.ts'];
const LONG = LONG_FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`);

// Long enough for a host that is three times as slow as usual: what hangs fails all the same.
const waits = { testTimeout: 120_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };
// A worker takes file after file, and loads the code once: no test file changes its process without putting it back.
const shared = { ...waits, isolate: false };
const database = { globalSetup: ['test/support/database-server.ts'] };

// biome-ignore lint/style/noDefaultExport: the test runner reads the default export
export default defineConfig({
  test: {
    // One more than the processors of a small host: many tests wait, for a clock, a lock or a service that is slow.
    maxWorkers: 3,
    projects: [
      { test: { ...shared, name: 'pure', include: PURE } },
      { test: { ...shared, ...database, name: 'store', include: ['test/**/*.test.ts'], exclude: [...PURE, ...LONG] } },
      { test: { ...shared, ...database, name: 'long', include: LONG } },
    ],
  },
});
