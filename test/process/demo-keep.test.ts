// `pointage lab demo --keep`: the console over the demonstration's books, days by Enter, and a
// correction that a person can settle by. Only three of its dozen merchants are here, because
// docs.test demonstrates all: a sound one, the one whose books are corrected, and one that stays
// broken.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const MAIN = join(resolve(import.meta.dirname, '../..'), 'src/service/cli/main.js');
const FEWER = pathToFileURL(join(import.meta.dirname, '../support/fewer-demo-merchants.ts')).href;
const DEMO_MERCHANTS = 'LIBRAIRIE_KORAFICTIVE,PHARMACIE_SAHEL_DEMO,ECOLE_FICTIVE_DU_LAC';
const scratch = mkdtempSync(join(tmpdir(), 'pointage-kept-'));
const child = spawn(
  process.execPath,
  [
    '--import',
    FEWER,
    MAIN,
    'lab',
    'demo',
    '--keep',
    '--port',
    '0',
    '--data-directory',
    join(scratch, 'data'),
    '--out',
    join(scratch, 'out'),
  ],
  { env: { PATH: process.env.PATH, DEMO_MERCHANTS } },
);
let [out, err] = ['', ''];
child.stdout.on('data', (part) => (out += part));
child.stderr.on('data', (part) => (err += part));
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const said = (pattern: RegExp) =>
  expect.poll(() => pattern.exec(out)?.[1], { timeout: 200_000, message: `${pattern}\n${err}` });

interface Found {
  readonly fingerprint: string;
  readonly kind: string;
  readonly state: string;
  readonly proposedSettlement: { readonly lines: readonly string[] } | null;
}

test('is served until Ctrl-C, lives on by Enter, and has a line that settles the payment credited twice', async () => {
  await said(/^ {2}second: (\S+)\n.*Enter/m).toBeDefined();
  const origin = /^The console: (http:\S+?)\/$/m.exec(out)![1]!;
  const token = /^ {2}first: (\S+)$/m.exec(out)![1]!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const root = async (): Promise<Found> => {
    const answer = await fetch(`${origin}/findings?merchant=PHARMACIE_SAHEL_DEMO`, { headers });
    return ((await answer.json()) as { readonly items: readonly Found[] }).items[0]!;
  };
  const { fingerprint, ...found } = await root();
  expect(found).toMatchObject({
    kind: 'CREDIT_DUPLICATED',
    state: 'open',
    proposedSettlement: { lines: [expect.any(String)] },
  });
  const body = JSON.stringify({ action: 'settle', lines: found.proposedSettlement!.lines });
  const decided = await fetch(`${origin}/findings/${fingerprint}/decisions`, {
    method: 'POST',
    body,
    headers,
  });
  expect(decided.status).toBe(201);

  child.stdin.write('\n');
  await said(/^(Night 4), 2026-11-03T12:00:00.000Z: 2 clean, 1 broken\.$/m).toBe('Night 4');
  expect(await root()).toMatchObject({ fingerprint, state: 'settled' });
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(err).toBe('');
}, 300_000);
