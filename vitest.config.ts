import { defineConfig } from 'vitest/config';

/** Tests that start no process and change nothing of their own: one worker takes file after file, and loads the code once. */
const PURE = ['test/{unit,property,naive}/**/*.test.ts'];
const waits = { testTimeout: 30_000, hookTimeout: 60_000 };

// biome-ignore lint/style/noDefaultExport: the test runner reads the default export
export default defineConfig({
  test: {
    globalSetup: ['test/support/database-server.ts'],
    maxWorkers: 2,
    projects: [
      { test: { ...waits, name: 'pure', include: PURE, isolate: false } },
      { test: { ...waits, name: 'whole', include: ['test/**/*.test.ts'], exclude: PURE } },
    ],
  },
});
