// The README's example of a program that judges its own rows, run as another person's program: in a
// folder of its own, where the package is installed.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

test('ten lines of a program outside judge its rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-embed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [, code] = /```js\n([\s\S]*?import \{ judge \} from 'pointage';[\s\S]*?)```/.exec(
    readFileSync(join(ROOT, 'README.md'), 'utf8'),
  )!;
  expect(code!.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/pointage'));
  cpSync(join(ROOT, 'docs/example-books'), join(folder, 'docs/example-books'), { recursive: true });
  writeFileSync(join(folder, 'program.mjs'), code!);
  const { stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], {
    ...{ cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
  });
  expect(stderr).toBe('');
  expect(stdout).toBe(
    'broken [\n' +
      "  'After line 6 (CASHIN_CREDIT 5 000) the balance must be 11 755, but 11 802 is recorded: off by 47.'\n" +
      ']\n',
  );
});
