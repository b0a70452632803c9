// Merchants on the command line: listed with what is known of them, retired with a reason, and
// taken back. A command over all of the mirror leaves a retired merchant out; by name the merchant
// is still there.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { COMMANDS } from '../../src/service/cli/program.ts';
import { type Stage, stageOf } from '../../src/service/cli/stage/stage.ts';
import { type Ended, pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { pointageAs } from '../support/operator-token.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
const NOON = Date.UTC(2026, 10, 15, 12);

let opened: TestStore;
let books: string;
const said = (...words: string[]): Promise<Ended> =>
  pointageAs('awa', [...words, '--database-url', opened.databaseUrl], { clock: () => NOON });
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
  expect((await merchants('list', '--verdict', 'none', '--text', 'other')).out).toBe(
    'The mirror holds no such merchant.\n',
  );
  expect(
    (await merchants('list', '--verdict', 'broken', '--text', 'epicerie_', '--format', 'csv')).out,
  ).toMatch(/;retiredReason\r\nEPICERIE_EXEMPLE;[^\r]*\r\n$/);
  const wrong = await merchants('list', '--verdict', 'good');
  expect([wrong.status, wrong.err]).toEqual([
    3,
    expect.stringContaining(
      "--verdict must be one of clean, broken, incomplete, none, not 'good'.",
    ),
  ]);
  expect((await merchants('list')).out).toMatch(/│ EPICERIE_EXEMPLE .*│ broken/s);
});

test('a retired one is left out where all are meant, stays by name, and is taken back', async () => {
  expect(await audited()).toEqual(['EPICERIE_EXEMPLE', 'OTHER']);
  expect((await merchants('retire', 'OTHER', '--reason', 'closed, ticket 7')).out).toBe(
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
  expect((await said('statement', 'issue', '--all', '2026-10')).out).not.toContain('OTHER');
  expect((await merchants('restore', 'OTHER')).out).toBe('OTHER is no longer retired.\n');
  expect(await audited()).toEqual(['EPICERIE_EXEMPLE', 'OTHER']);
});

test.each<[string, readonly string[], RegExp]>([
  [
    'one that the mirror does not have',
    ['retire', 'NOBODY', '--reason', 'x'],
    /The mirror has no merchant 'NOBODY'/,
  ],
  ['to retire without a reason', ['retire', 'OTHER', '--reason', ' '], /needs a reason/],
  ['to restore one that is not retired', ['restore', 'OTHER'], /OTHER is not retired/],
])('%s is refused in one sentence', async (_, words, says) => {
  const ended = await merchants(...words);
  expect(ended).toMatchObject({ status: 3, out: '' });
  expect(ended.err).toMatch(says);
});

const OF_MERCHANT: Readonly<Record<string, readonly string[]>> = {
  run: ['run', 'NOPE'],
  audit: ['audit', 'NOPE'],
  'findings corrections': ['findings', 'corrections', '--merchant', 'NOPE'],
  'findings decide': [
    ...['findings', 'decide', 'acknowledge', '--merchant', 'NOPE'],
    ...['--expect', '1', '--seen', 'x', '--reason', 'y'],
  ],
  'findings exposure': ['findings', 'exposure', '--merchant', 'NOPE'],
  'findings list': ['findings', 'list', '--merchant', 'NOPE'],
  show: ['show', 'GUI-CO-1', '--merchant', 'NOPE'],
  'merchants retire': ['merchants', 'retire', 'NOPE', '--reason', 'a mistake'],
  'merchants restore': ['merchants', 'restore', 'NOPE'],
  'statement make': ['statement', 'NOPE', '2026-10'],
  'statement attest': ['statement', 'attest', 'NOPE', '2026-10-31'],
  'statement issue': ['statement', 'issue', 'NOPE', '2026-10'],
  'statement close': ['statement', 'close', 'NOPE', '2026-10'],
  'statement list': ['statement', 'list', '--merchant', 'NOPE'],
  'statement release': ['statement', 'release', 'NOPE', '2026-10'],
  'statement send': ['statement', 'send', 'NOPE', '2026-10', '--to', 'a@example.com'],
  token: ['token', 'NOPE'],
  trail: ['trail', '--merchant', 'NOPE'],
  'operator add': ['operator', 'add', 'awa', '--role', 'accountant', '--merchant', 'NOPE'],
  'deliveries list': ['deliveries', 'list', '--merchant', 'NOPE'],
  'deliveries register': ['deliveries', 'register', '--merchant', 'NOPE'],
  'audit-kit write': ['audit-kit', 'NOPE', '2026-10'],
  'evidence export': ['evidence', 'export', 'NOPE', '--out', '/nowhere'],
};

/** Returns each command that takes a merchant, from the register. */
async function commandsOfMerchants(): Promise<readonly string[]> {
  const stage = stageOf({} as Stage['terminal'], {});
  const takes = ({ registeredArguments, options }: Command) =>
    registeredArguments.some((one) => one.name() === 'merchant') ||
    options.some(({ long }) => long === '--merchant');
  const found = await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const command = new Command(name);
      (await load())(command, stage);
      const below = command.commands.filter(takes).map((sub) => `${name} ${sub.name()}`);
      return takes(command) ? [name, ...below] : below;
    }),
  );
  return found.flat();
}

test('a merchant that does not exist is an error in every command that is given one', async () => {
  expect((await commandsOfMerchants()).toSorted()).toEqual(Object.keys(OF_MERCHANT).toSorted());
  const config = join(books, 'settings.json');
  const settings = {
    databaseUrl: opened.databaseUrl,
    server: { tokens: { secret: 'a-secret-of-at-least-thirty-two-bytes' } },
    mail: { url: 'smtp://127.0.0.1:9', from: 'pointage@example.com' },
  };
  writeFileSync(config, JSON.stringify(settings));
  for (const [name, words] of Object.entries(OF_MERCHANT)) {
    const source = name === 'run' ? ['--source', `file:${books}`] : [];
    const { status, out, err } = await pointageAs(
      'awa',
      [...words, '--config', config, ...source],
      {
        clock: () => NOON,
      },
    );
    expect([status, out], name).toEqual([3, '']);
    expect(err, name).toMatch(/no merchant '?NOPE/);
  }
  const known = await pointage(['token', 'OTHER', '--config', config], { clock: () => NOON });
  expect([known.status, known.err]).toEqual([0, '']);
});
