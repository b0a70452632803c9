import { join, relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { filesWithStores, leftOutReporter } from './test/support/citus-suite.ts';
import { knownTimes, slowFiles } from './test/support/file-times.ts';
import { timesReporter } from './test/support/times-reporter.ts';

/** Without a database. */
const PURE = ['test/{unit,property}/**/*.test.ts'];
const times = knownTimes();
const suite = process.env.TEST_SUITE;
const left = suite === 'quick' ? slowFiles(times) : [];
const isOnCitus = suite === 'citus';
if (isOnCitus && process.env.CITUS_DATABASE_URL === undefined) {
  process.stderr.write('No test was run: CITUS_DATABASE_URL names no coordinator of a Citus cluster (docs/CONTRIBUTING.md).\n');
  process.exit(2);
}

/**
 * The longest file first, so that none of them ends the run alone; before it, files that were not
 * measured yet.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) => times[relative(import.meta.dirname, moduleId)]?.wall ?? Infinity;
    const place = ({ project }: TestSpecification) => (project.name === 'pure' ? 1 : 0);
    return files.toSorted((a, b) => place(a) - place(b) || seconds(b) - seconds(a));
  }
}

// Long enough for a host that is three times as slow as usual: what hangs fails all the same.
const waits = { testTimeout: 120_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };
// A worker takes file after file, and loads the code once: no test file changes its process without
// putting it back. Node loads TypeScript by itself, as it does in production.
const shared = {
  ...waits,
  isolate: false,
  // What Node has compiled is kept, as the command keeps it.
  env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/pointage') },
  setupFiles: ['test/support/measure-file.ts'],
  experimental: { viteModuleRunner: false, nodeLoader: false },
};
const database = { globalSetup: ['test/support/database-server.ts'] };
const results = process.env.TEST_RESULTS;

// biome-ignore lint/style/noDefaultExport: the test runner reads the default export
export default defineConfig({
  test: {
    // One more than the processors of a small host: many tests wait, for a clock, a lock or a
    // service that is slow.
    maxWorkers: 3,
    reporters: ['default', isOnCitus ? leftOutReporter() : timesReporter(), ...(results === undefined ? [] : [['json', { outputFile: results }] as const])],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...shared, name: 'pure', include: isOnCitus ? [] : PURE, exclude: [...configDefaults.exclude, ...left] } },
      {
        test: {
          ...{ ...shared, ...database, name: 'store', include: isOnCitus ? [...filesWithStores()] : ['test/**/*.test.ts'] },
          exclude: [...configDefaults.exclude, ...(isOnCitus ? [] : PURE), ...left],
        },
      },
    ],
  },
});
