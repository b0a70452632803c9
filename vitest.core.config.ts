import { defineConfig } from 'vitest/config';

/** Sweeps over simulated books, which `npm test` runs too. */
const SWEEPS = ['proposals', 'broken-books', 'planted-faults', 'many-findings', 'json-lines', 'clean-policies', 'near-equals-far', 'payout-policies'];

// The core alone, for every save: no database, no process, no document.
// biome-ignore lint/style/noDefaultExport: the test runner reads the default export
export default defineConfig({
  test: {
    include: ['test/unit/{domain,rows,replay,checks,reconcile,statements,words,workflows}/**/*.test.ts', 'test/coverage.test.ts'],
    exclude: SWEEPS.map((name) => `**/${name}.test.ts`),
    maxWorkers: 2,
    pool: 'threads',
    isolate: false,
  },
});
