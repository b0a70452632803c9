import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: the test runner reads the default export
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/database-server.ts'],
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
