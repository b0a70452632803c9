// What `npm run check` looks at: types, lint and unused code. A test among the others, so that it takes its turn beside them.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { check: string } };

test.each(scripts.check.split(' && '))('%s', { timeout: 300_000 }, (command) => {
  const [program, ...words] = command.split(' ');
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', program!), words, {
    cwd: root,
    encoding: 'utf8',
  });
  expect(status, `${stdout}${stderr}`).toBe(0);
});
