// docs/SANDBOX.md lists what the simulated service has chosen and what can be planted in its dashboard, as the code has it, and every
// call of its control. `npm run golden` writes the lists anew.

import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Showing } from '../../src/sandbox/faults/port/planting.ts';
import { DASHBOARD_FAULTS } from '../../src/sandbox/faults/register.ts';
import { DASHBOARD_CHOICES } from '../../src/sandbox/service/dashboard/choices.ts';
import { CHOICES, type Choice } from '../../src/sandbox/service/direct/choices.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'docs/SANDBOX.md');
const MARK = '<!-- choices -->\n';
const FAULTS_MARK = '<!-- faults -->\n';

const SEEN_BY: Readonly<Record<Showing, string>> = {
  AT_ONCE: 'any',
  AFTER_A_LOOK: 'with an earlier look',
  BETWEEN_LOOKS: 'with looks before and days after',
  WHEN_NOTIFIED: 'notified of payments',
};

function tableOf(choices: readonly Choice[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const rows = choices.map(({ subject, chosen }) => `| ${cell(subject)} | ${cell(chosen)} |`);
  return ['| subject | chosen |', '|---|---|', ...rows, ''].join('\n');
}

test('docs/SANDBOX.md lists what can be planted in the dashboard, and what was chosen for both APIs', async () => {
  const [before, rest] = (await readFile(FILE, 'utf8')).split(FAULTS_MARK) as [string, string];
  const [, heading] = /\n(## What it has chosen\n.*?)<!-- choices -->/s.exec(rest)!;
  const faults = DASHBOARD_FAULTS.map(({ name, says, shows }) => `| ${name} | ${says} | ${SEEN_BY[shows]} |`);
  const planted = ['| fault | change | reader |', '|---|---|---|', ...faults, ''].join('\n');
  const text = `${before}${FAULTS_MARK}\n${planted}\n${heading}${MARK}\n${tableOf(CHOICES)}\n${tableOf(DASHBOARD_CHOICES)}`;
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1') await writeFile(FILE, text);
  expect(await readFile(FILE, 'utf8'), '`npm run golden` writes it anew').toBe(text);
});

test('docs/SANDBOX.md names every call of control', async () => {
  const folder = join(ROOT, 'src/sandbox/service/control');
  const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const calls = sources.flatMap((text) =>
    [...text.matchAll(/control\.(get|post)(?:<\w+>)?\('([^']+)'/g)].map(([, method, path]) => ({
      method: method!.toUpperCase(),
      path: path!.replace(/:(\w+)/g, '{$1}'),
    })),
  );
  expect(calls.length).toBeGreaterThan(12);
  const rows = (await readFile(FILE, 'utf8')).split('\n').filter((line) => /^\| (GET|POST)/.test(line));
  const missing = calls.filter(
    ({ method, path }) => !rows.some((row) => row.split('|')[1]!.includes(method) && row.includes(`\`${path}\``)),
  );
  expect(missing).toEqual([]);
});
