// What `npm run check` looks at: types, lint and unused code. It is a test among the others, so
// that it takes its turn beside them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
/**
 * Options by which the same is found with less work. The compiler keeps what it found in files that
 * have not changed. One checker looks at each type once, where several checkers would each look at
 * the types that they share.
 */
const SPARING: Readonly<Record<string, readonly string[]>> = {
  tsc: [
    '--checkers',
    '1',
    '--incremental',
    '--tsBuildInfoFile',
    join(root, 'node_modules/.cache/check.tsbuildinfo'),
  ],
};
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: { check: string };
};

test.each(scripts.check.split(' && '))('%s', { timeout: 300_000 }, (command) => {
  const [program, ...words] = command.split(' ');
  const all = [...words, ...(SPARING[program!] ?? [])];
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program!), all, {
    cwd: root,
    encoding: 'utf8',
    // Programs written in Go take more memory and less time with this.
    env: { ...process.env, GOGC: '400' },
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
