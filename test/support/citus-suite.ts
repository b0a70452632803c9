// The suite over a Citus cluster, `npm run test:citus`: runs the test files that make a store, and
// says at its end what was left out and why.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Reporter } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');
const TESTS = join(ROOT, 'test');
const STORES = join(import.meta.dirname, 'database-store.ts');
/** The words with which the note of a test begins that was left out. */
export const NOT_ON_CITUS = 'not on Citus: ';

/**
 * Returns the test files that import `database-store.ts`, themselves or through other files of
 * `test`.
 */
export function filesWithStores(): readonly string[] {
  const known = new Map<string, boolean>();
  const makesStores = (file: string): boolean => {
    if (file === STORES) return true;
    const found = known.get(file);
    if (found !== undefined) return found;
    known.set(file, false);
    const imports = [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g)].map(
      ([, path]) => path!,
    );
    const ours = imports
      .map((path) => join(dirname(file), path))
      .filter((path) => path.startsWith(TESTS));
    const makes = ours.some(makesStores);
    known.set(file, makes);
    return makes;
  };
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  return files
    .map((file) => join(TESTS, file))
    .filter(makesStores)
    .map((file) => relative(ROOT, file))
    .sort();
}

/** Returns a reporter that counts the tests that were left out, by reason. */
export function leftOutReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const reasons = modules.flatMap((module) =>
        [...module.children.allTests('skipped')].flatMap((test) => {
          const result = test.result();
          const note = result.state === 'skipped' ? result.note : undefined;
          return note?.startsWith(NOT_ON_CITUS) ? [note.slice(NOT_ON_CITUS.length)] : [];
        }),
      );
      const byReason = [...Map.groupBy(reasons, (reason) => reason)].map(
        ([why, { length }]) => `  ${length} ${why}\n`,
      );
      process.stdout.write(
        `${reasons.length} tests cannot hold on a cluster, and were left out:\n${byReason.join('')}`,
      );
    },
  };
}
