// A command loads what it needs, and does not make people wait for what other commands need.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { pointageProcess } from '../support/command.ts';
import { withTestStore } from '../support/database-store.ts';

const EXAMPLE = join(import.meta.dirname, '../../docs/example-books');
const BOOKS = `file:${EXAMPLE}`;
const RECORDER = pathToFileURL(join(import.meta.dirname, '../support/record-modules.ts')).href;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-loads-'));
let record: string;
beforeEach(() => {
  record = join(mkdtempSync(join(scratch, 'one-')), 'modules');
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function loadedBy(...words: readonly string[]): Promise<readonly string[]> {
  const environment = { NODE_OPTIONS: `--import ${RECORDER}`, LOADED_MODULES: record };
  await pointageProcess(words, { environment });
  return readFileSync(record, 'utf8').split('\n');
}

function packagesOf(modules: readonly string[]): readonly string[] {
  const names = modules.flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

function commandsOf(modules: readonly string[]): readonly string[] {
  return modules.flatMap(
    (url) => /src\/service\/cli\/commands\/([\w-]+)-command\.ts$/.exec(url)?.[1] ?? [],
  );
}

test('the help needs no command, and no package but the one that reads words', async () => {
  const modules = await loadedBy('--help');
  expect(packagesOf(modules)).toEqual(['commander']);
  expect(commandsOf(modules)).toEqual([]);
  expect(modules.length).toBeLessThan(50);
});

test.each([
  ['audit', '--help'],
  ['help', 'audit'],
])('the help of a command needs no other: pointage %s %s', async (...words) => {
  expect(commandsOf(await loadedBy(...words))).toEqual(['audit']);
});

test('the help of the lab simulates nothing', async () => {
  const modules = await loadedBy('lab', '--help');
  // Plans have a zone, and bring the few files of local clocks.
  expect(packagesOf(modules)).toEqual(['commander', 'date-fns-tz']);
  expect(modules.length).toBeLessThan(80);
});

test.each([
  ['lab', 'sandbox', 'demo-command'],
  ['statement', 'attest', 'statements-command'],
])(
  'of a group only the part that is named is loaded: pointage %s %s',
  async (group, part, other) => {
    const modules = await loadedBy(group, part, '--help');
    expect(
      modules.some(
        (url) => url.endsWith(`/${group}-command.ts`) || url.endsWith(`/${part}-command.ts`),
      ),
    ).toBe(true);
    expect(modules.filter((url) => url.endsWith(`/${other}.ts`))).toEqual([]);
  },
);

test.each([
  ['findings', 'list'],
  ['deliveries', 'list'],
  ['operator', 'list'],
])(
  'a list needs its own subject, and not all that operators may ask: pointage %s %s',
  async (...words) => {
    const modules = await loadedBy(...words, '--help');
    expect(packagesOf(modules)).toContain('kysely');
    expect(modules.filter((url) => url.endsWith('/operator-backend.ts'))).toEqual([]);
  },
);

/** Returns the example books with their one fault put right. */
function soundBooks(): string {
  const folder = mkdtempSync(join(scratch, 'books-'));
  cpSync(EXAMPLE, folder, { recursive: true });
  for (const name of ['ledger.jsonl', 'wallet.json']) {
    const text = readFileSync(join(folder, name), 'utf8')
      .replaceAll('11802', '11755')
      .replaceAll('11702', '11655');
    writeFileSync(join(folder, name), text);
  }
  return `file:${folder}`;
}

test('an audit loads the library of messages when there is something to say, and not before', async () => {
  const loaded = packagesOf(await loadedBy('audit', '--source', BOOKS, '--format', 'json'));
  expect(loaded.filter((name) => !name.startsWith('@formatjs/'))).toEqual([
    'commander',
    'date-fns-tz',
    'decimal.js',
    'intl-messageformat',
  ]);
});

test('an audit of files reaches no database, no page, no sheet and no other source', async () => {
  const words = ['audit', '--source', soundBooks()];
  const modules = await loadedBy(...words, '--format', 'json');
  expect(packagesOf(modules)).toEqual(['commander', 'date-fns-tz', 'decimal.js']);
  expect(
    modules
      .filter((url) =>
        /src\/(?:io|service)\/(storage|formats|http|queue|sources\/(http|postgres|dashboard))\//.test(
          url,
        ),
      )
      .filter((url) => !url.endsWith('-settings.ts')),
  ).toEqual([]);
  expect(modules.some((url) => url.includes('/src/io/sources/file/'))).toBe(true);
  expect(commandsOf(modules)).toEqual(['audit']);
});

test('an audit in text needs what draws its table, and nothing more', async () => {
  const packages = packagesOf(await loadedBy('audit', '--source', BOOKS));
  expect(packages).toContain('cli-table3');
  const heavy = [
    'kysely',
    'pg',
    'pg-boss',
    'exceljs',
    'pdfkit',
    'qrcode',
    'pino',
    'cli-progress',
    'zod',
  ];
  expect(packages.filter((name) => heavy.includes(name))).toEqual([]);
});

test('what a command does need is seen: a store is opened with kysely and pg', async () => {
  const packages = packagesOf(
    await loadedBy('migrate', '--database-url', 'postgres://me@127.0.0.1:1/nowhere'),
  );
  expect(packages).toEqual(expect.arrayContaining(['kysely', 'pg']));
});

test('a statement without pages needs nothing that draws them', async () => {
  const words = [
    'statement',
    'make',
    'EPICERIE_EXEMPLE',
    '2026-10',
    '--source',
    soundBooks(),
    '--format',
    'json',
  ];
  const packages = packagesOf(
    await loadedBy(...words, '--out', mkdtempSync(join(scratch, 'out-'))),
  );
  expect(packages).toContain('kysely');
  const drawing = ['qrcode', 'pdfkit', 'exceljs', 'n2words', 'fontkit'];
  expect(packages.filter((name) => drawing.includes(name))).toEqual([]);
});

test('a worker loads a server, metrics and mail where they are configured, and not before', async () => {
  await withTestStore(async (_, databaseUrl) => {
    const config = join(scratch, 'worker.config.json');
    const wanted = async (more: object) => {
      writeFileSync(config, JSON.stringify({ databaseUrl, source: soundBooks(), ...more }));
      const packages = packagesOf(await loadedBy('worker', '--once', '--config', config));
      expect(packages).toContain('pg-boss');
      return packages.filter((name) => ['fastify', 'nodemailer', 'prom-client'].includes(name));
    };
    expect(await wanted({})).toEqual([]);
    const mail = { url: 'smtp://127.0.0.1:1', from: 'essai@example.test' };
    expect(await wanted({ mail, telemetry: { port: 0 } })).toEqual([
      'fastify',
      'nodemailer',
      'prom-client',
    ]);
  });
});

test.each([
  ['src/io/storage/mirror/read/copy-worker.ts', 100],
  ['src/io/sources/file/scan-worker.ts', 60],
])('a thread that reads rows loads no queries and no documents: %s', (worker, most) => {
  // Outside of a thread, the worker ends once everything is loaded.
  spawnSync(process.execPath, ['--import', RECORDER, join(import.meta.dirname, '../..', worker)], {
    env: { ...process.env, LOADED_MODULES: record },
  });
  const modules = readFileSync(record, 'utf8').split('\n');
  expect(modules.some((url) => url.endsWith(worker))).toBe(true);
  expect(packagesOf(modules)).not.toContain('kysely');
  expect(modules.length).toBeLessThan(most);
});
