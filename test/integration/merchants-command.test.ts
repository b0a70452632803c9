// Merchants on the command line: listed with what is known of them, retired with a reason, and taken back; what goes over all of
// the mirror leaves a retired one out, and by name it is still there.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditDocument } from '../../src/reconcile/audit-document.ts';
import { type Ended, pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
const NOON = Date.UTC(2026, 10, 15, 12);

let opened: TestStore;
let books: string;
const said = (...words: string[]): Promise<Ended> =>
  pointage([...words, '--database-url', opened.databaseUrl], { clock: () => NOON });
const merchants = (...words: string[]): Promise<Ended> => said('merchants', ...words);

beforeAll(async () => {
  opened = await openTestStore();
  books = mkdtempSync(join(tmpdir(), 'pointage-merchants-'));
  for (const name of ['EPICERIE_EXEMPLE', 'OTHER']) {
    mkdirSync(join(books, name));
    cpSync(EXAMPLE, join(books, name), { recursive: true });
  }
  for (const file of ['merchant.json', 'wallet.json'])
    writeFileSync(
      join(books, 'OTHER', file),
      readFileSync(join(EXAMPLE, file), 'utf8').replaceAll('EPICERIE_EXEMPLE', 'OTHER'),
    );
  await said('run', '--source', `file:${books}`);
});
afterAll(async () => {
  rmSync(books, { recursive: true, force: true });
  await opened.close();
});

async function listed(): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await merchants('list', '--format', 'json')).out) as Record<string, unknown>[];
}
async function audited(...names: string[]): Promise<readonly string[]> {
  const { out } = await said('audit', ...names, '--format', 'json');
  return (JSON.parse(out) as AuditDocument).merchants.map(({ merchant }) => merchant);
}

test('they are listed with verdict, open findings and how far they are known', async () => {
  expect(await listed()).toMatchObject([
    {
      merchant: 'EPICERIE_EXEMPLE',
      verdict: 'broken',
      openFindings: 1,
      watermark: '2026-11-15T12:00:00.000Z',
      retiredAt: null,
    },
    { merchant: 'OTHER' },
  ]);
  const { out, err } = await merchants('list', '--limit', '1', '--format', 'csv');
  expect([out.split('\r\n').length, err]).toEqual([3, '1 more: --limit 2 lists them all.\n']);
  expect((await merchants('list')).out).toMatch(/│ EPICERIE_EXEMPLE .*│ broken/s);
});

test('a retired one is left out where all are meant, stays by name, and is taken back', async () => {
  expect(await audited()).toEqual(['EPICERIE_EXEMPLE', 'OTHER']);
  expect((await merchants('retire', 'OTHER', '--reason', 'closed, ticket 7', '--by', 'awa')).out).toBe(
    'OTHER is retired.\n',
  );
  expect((await listed())[1]).toMatchObject({
    retiredAt: '2026-11-15T12:00:00.000Z',
    retiredBy: 'awa',
    retiredReason: 'closed, ticket 7',
  });
  expect((await merchants('list')).out).toContain('2026-11-15 by awa: closed, ticket 7');
  expect(await audited()).toEqual(['EPICERIE_EXEMPLE']);
  expect(await audited('OTHER')).toEqual(['OTHER']);
  expect((await said('publish', '--all', '2026-10')).out).not.toContain('OTHER');
  expect((await merchants('restore', 'OTHER')).out).toBe('OTHER is no longer retired.\n');
  expect(await audited()).toEqual(['EPICERIE_EXEMPLE', 'OTHER']);
});

test.each<[string, readonly string[], RegExp]>([
  ['one that the mirror does not have', ['retire', 'NOBODY', '--reason', 'x'], /The mirror has no merchant 'NOBODY'/],
  ['to retire without a reason', ['retire', 'OTHER', '--reason', ' '], /needs a reason/],
  ['to retire without a name', ['retire', 'OTHER', '--reason', 'x', '--by', ''], /needs the name/],
  ['to restore one that is not retired', ['restore', 'OTHER'], /OTHER is not retired/],
])('%s is refused in one sentence', async (_, words, says) => {
  const ended = await merchants(...words);
  expect(ended).toMatchObject({ status: 3, out: '' });
  expect(ended.err).toMatch(says);
});
