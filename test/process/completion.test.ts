// Completion in shells. Each shell can read its script, and bash proposes the words that may
// follow.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pointage } from '../support/command.ts';

/** Returns what bash proposes for the last of these words. */
async function proposed(...words: string[]): Promise<readonly string[]> {
  const { out } = await pointage(['completion', 'bash']);
  const line = words.map((word) => `'${word}'`).join(' ');
  const asked = `${out}\nCOMP_WORDS=(pointage ${line}); COMP_CWORD=${words.length}; _pointage; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test('bash proposes commands, the commands below them, and options', async () => {
  expect(await proposed('fin')).toEqual(['findings']);
  expect(await proposed('findings', 'ac')).toEqual(['acknowledge', 'accept']);
  expect(await proposed('findings', 'list', '--fo')).toEqual(['--format', '--followers']);
  expect(await proposed('findings', 'list', '--state', 'open', '--lim')).toEqual(['--limit']);
  expect(await proposed('run', 'M001', '--sou')).toEqual(['--source']);
  expect(await proposed('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
});

test.each(['bash', 'zsh', 'fish'])('the script of %s is one that it can read', async (shell) => {
  const { out, status } = await pointage(['completion', shell]);
  expect([status, out.includes('--followers') || out.includes('-l followers')]).toEqual([0, true]);
  if (spawnSync('which', [shell]).status !== 0) return;
  const file = join(mkdtempSync(join(tmpdir(), 'pointage-completion-')), shell);
  writeFileSync(file, out);
  execFileSync(shell, ['-n', file]);
  rmSync(dirname(file), { recursive: true });
});

test('another shell is refused with those that there are', async () => {
  const { status, err } = await pointage(['completion', 'csh']);
  expect([status, err]).toEqual([3, expect.stringMatching(/Allowed choices are bash, zsh, fish/)]);
});
