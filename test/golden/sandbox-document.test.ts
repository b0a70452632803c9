// docs/SANDBOX.md names every call of the sandbox's control. It ends with lists of what can be
// planted in the simulated dashboard and of what the service has chosen, as the code has them; `npm
// run golden` writes that part anew.

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
const MARK = '<!-- reference: `npm run golden` writes what follows from src/sandbox -->\n';

const SEEN_BY: Readonly<Record<Showing, string>> = {
  AT_ONCE: 'One look shows:',
  AFTER_A_LOOK: 'After an earlier look:',
  BETWEEN_LOOKS: 'With looks before and days after:',
  WHEN_NOTIFIED: 'To a reader that is notified of payments:',
};

const listOf = (choices: readonly Choice[]): string =>
  choices
    .map(({ subject, chosen, source }) => `- **${subject}**: ${chosen} (*${source}*)`)
    .join('\n');

function referenceAsMarkdown(): string {
  const faults = Object.entries(SEEN_BY).map(([showing, reader]) => {
    const rows = DASHBOARD_FAULTS.filter(({ shows }) => shows === showing);
    return `${reader}\n\n${rows.map(({ name, says }) => `- \`${name}\`: ${says}`).join('\n')}\n`;
  });
  return `
## Faults in payments by link and payouts

An audit finds each as one root; \`expected\` has what the evidence names. A fault in the next notification waits for it; until then
nothing is expected.

${faults.join('\n')}
## What it has chosen

Where the documents are silent. All is lawful under the documents; none is claimed to be the service's own. In brackets: the place in the
document.

### Direct API

${listOf(CHOICES)}

### Dashboard API

${listOf(DASHBOARD_CHOICES)}
`;
}

test('docs/SANDBOX.md lists what can be planted in the dashboard, and what was chosen for both APIs', async () => {
  const [written, reference] = (await readFile(FILE, 'utf8')).split(MARK) as [string, string];
  const text = referenceAsMarkdown();
  if (process.env.POINTAGE_UPDATE_GOLDEN === '1') await writeFile(FILE, written + MARK + text);
  else expect(reference, '`npm run golden` writes it anew').toBe(text);
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
