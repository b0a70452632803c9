// docs/SANDBOX_REFERENCE.md lists what can be planted in the simulated dashboard and what the
// service has chosen, as the code has it; `npm run golden` writes it anew. docs/SANDBOX.md names
// every call of control.

import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Showing } from '../../src/sandbox/faults/port/planting.ts';
import { DASHBOARD_FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  CHOICES,
  type Choice,
  DASHBOARD_CHOICES,
} from '../../src/sandbox/service/control/choices.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = join(ROOT, 'docs/SANDBOX.md');
const REFERENCE = join(ROOT, 'docs/SANDBOX_REFERENCE.md');

const SEEN_BY: Readonly<Record<Showing, string>> = {
  AT_ONCE: 'any',
  AFTER_A_LOOK: 'with an earlier look',
  BETWEEN_LOOKS: 'with looks before and days after',
  WHEN_NOTIFIED: 'notified of payments',
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

function tableOf(choices: readonly Choice[]): string {
  const rows = choices.map(
    ({ subject, chosen, source }) => `| ${[subject, chosen, source].map(cell).join(' | ')} |`,
  );
  return ['| subject | chosen | place in the document |', '|---|---|---|', ...rows].join('\n');
}

function referenceAsMarkdown(): string {
  const faults = DASHBOARD_FAULTS.map(
    ({ name, says, shows }) => `| ${name} | ${says} | ${SEEN_BY[shows]} |`,
  );
  return `# The simulated service: faults and choices

\`npm run golden\` writes this page from \`src/sandbox\`; do not edit it. [SANDBOX](SANDBOX.md) shows how to use the service.

## Faults in payments by link and payouts

An audit finds each as one root, if its reader is as the table says; \`expected\` has what the evidence names. A fault in the next
notification waits for it; until then nothing is expected.

| fault | change | reader |
|---|---|---|
${faults.join('\n')}

## What it has chosen

Where the documents are silent. All is lawful under the documents; none is claimed to be the service's own.

### Direct API

${tableOf(CHOICES)}

### Dashboard API

${tableOf(DASHBOARD_CHOICES)}
`;
}

test('docs/SANDBOX_REFERENCE.md lists what can be planted in the dashboard, and what was chosen for both APIs', async () => {
  const text = referenceAsMarkdown();
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1') await writeFile(REFERENCE, text);
  expect(await readFile(REFERENCE, 'utf8'), '`npm run golden` writes it anew').toBe(text);
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
  const rows = (await readFile(FILE, 'utf8'))
    .split('\n')
    .filter((line) => /^\| (GET|POST)/.test(line));
  const missing = calls.filter(
    ({ method, path }) =>
      !rows.some((row) => row.split('|')[1]!.includes(method) && row.includes(`\`${path}\``)),
  );
  expect(missing).toEqual([]);
});
