// The package: the archive that `npm pack` makes, unpacked into an empty folder beside its
// dependencies, does what the clone does.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withEmptyDatabase } from '../support/database-store.ts';

const root = resolve(import.meta.dirname, '../..');
let scratch: string;
let unpacked: string;

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-package-'));
  const npm = ['pack', '--silent', '--offline', '--pack-destination', scratch];
  execFileSync('npm', npm, { cwd: root, env: { ...process.env, HOME: scratch }, stdio: 'pipe' });
  unpacked = join(scratch, 'package');
  execFileSync('tar', ['-xzf', readdirSync(scratch).find((name) => name.endsWith('.tgz'))!], {
    cwd: scratch,
  });
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function pointage(...words: string[]): string {
  const folder = join(scratch, 'elsewhere');
  mkdirSync(folder, { recursive: true });
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const main = join(unpacked, 'src/service/cli/main.js');
  return execFileSync(main, words, {
    cwd: folder,
    env: { PATH, HOME: folder },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

test('holds what runs, with the versions that the lock file pins, and no tests', () => {
  const names = readdirSync(unpacked);
  for (const name of [
    'src',
    'sql',
    'reports-templates',
    'docs',
    'LICENSE',
    'README.md',
    'npm-shrinkwrap.json',
  ])
    expect(names).toContain(name);
  for (const name of ['test', 'bench', '.ci', 'package-lock.json'])
    expect(names).not.toContain(name);
  const lock = (name: string) => JSON.parse(readFileSync(name, 'utf8')) as { packages: object };
  expect(lock(join(unpacked, 'npm-shrinkwrap.json')).packages).toEqual(
    lock(join(root, 'package-lock.json')).packages,
  );
  expect(readdirSync(root), 'nothing of it is left behind').not.toContain('npm-shrinkwrap.json');
});

test('helps, explains, and states a month in every format from anywhere', () => {
  expect(pointage('--help')).toMatch(/^Usage: pointage/);
  expect(pointage('explain', 'BALANCE_DRIFT')).toContain('BALANCE_DRIFT');
  const books = `file:${join(unpacked, 'docs/example-books')}`;
  expect(pointage('statement', 'EPICERIE_EXEMPLE', '2026-10', '--source', books)).toMatch(
    /RELEVE_.*\.pdf/s,
  );
});

test('makes the schema of a store', async () => {
  await withEmptyDatabase(async (databaseUrl) => {
    expect(pointage('migrate', '--database-url', databaseUrl)).toMatch(/up to date|schema/i);
  });
});

test('an older Node.js of this machine, where there is one, prints what to do', () => {
  const nodes = spawnSync('which', ['-a', 'node'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter(Boolean);
  const older = nodes.find((node) =>
    /^v(?:1\d|2[0-3])\./.test(execFileSync(node, ['--version'], { encoding: 'utf8' })),
  );
  if (older === undefined) return;
  const { status, stdout, stderr } = spawnSync(
    older,
    [join(unpacked, 'src/service/cli/main.js'), '--help'],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stdout, stderr.trim().split('\n')]).toEqual([
    3,
    '',
    [expect.stringMatching(/^pointage: it needs Node 24 or later/)],
  ]);
});
