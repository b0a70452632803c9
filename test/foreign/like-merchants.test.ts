// Files of merchants, and of one merchant's customers, whose names become equal once something
// folds them. Programs that are not ours read each as another. A reader that is not installed is
// skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatNamed } from '../../src/io/formats/register.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, MEETING } from '../support/meeting-names.ts';
import { bytesOf } from '../support/written-document.ts';

const SCHEMA = join(import.meta.dirname, '../support/camt.053.001.08.xsd');
const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-like-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a file for each merchant. */
async function written(format: 'camt' | 'ofx'): Promise<readonly string[]> {
  const files = MEETING.map(async (merchant, i) => {
    const file = join(folder, `${i}.${format}`);
    await writeFile(file, await bytesOf(formatNamed(format)!, documentOf(merchant, ['A', 'B'])));
    return file;
  });
  return Promise.all(files);
}

test.skipIf(!areInstalled('ofxdump'))('libofx has an account for each merchant', async () => {
  const accounts: (string | undefined)[] = [];
  for (const file of await written('ofx')) {
    const { stdout } = await run('ofxdump', [file], IN_UTF8);
    accounts.push(/Account #: (.+)/.exec(stdout)?.[1]);
  }
  expect(accounts).not.toContain(undefined);
  expect(new Set(accounts).size).toBe(MEETING.length);
});

test.skipIf(!areInstalled('xmllint'))(
  'the schema of camt takes every account and every key',
  async () => {
    const { stderr } = await run(
      'xmllint',
      ['--noout', '--schema', SCHEMA, ...(await written('camt'))],
      IN_UTF8,
    );
    expect(stderr.match(/ validates$/gm)).toHaveLength(MEETING.length);
  },
);

test.skipIf(!areInstalled('hledger'))(
  'hledger has an auxiliary account for each customer',
  async () => {
    const file = join(folder, 'customers.journal');
    await writeFile(
      file,
      await bytesOf(formatNamed('journal')!, documentOf('M001', MEETING, 6 * MEETING.length)),
    );
    const { stdout } = await run(
      'hledger',
      ['-I', '-f', file, 'tags', 'auxiliary', '--values'],
      IN_UTF8,
    );
    expect(stdout.trim().split('\n')).toHaveLength(MEETING.length);
  },
);
