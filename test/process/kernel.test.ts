// The example of the kernel's README, as a stranger runs it: in a folder of its own, which has a
// copy of the domain and the kernel, and nothing else of the project.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'src/core/kernel/README.md'), 'utf8');
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(readme)![1]!;

test('a program that has the kernel and the domain alone judges its rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-kernel-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const room of ['domain', 'kernel'])
    cpSync(join(ROOT, 'src/core', room), join(folder, 'core', room), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), blockOf('ts'));
  const { stdout, stderr } = spawnSync(process.execPath, ['program.ts'], {
    ...{ cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
  });
  expect(stderr).toBe('');
  expect(stdout).toBe(blockOf('text'));
});
