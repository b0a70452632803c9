// Every merchant's evidence of the demonstration, of its newest night and of its issued statement: verify.py and the transparency log
// library of the Go project accept each bundle, and refuse each of twelve tamperings of it.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSigningKey, signerOf, verifierKeyOf } from '../../src/io/evidence/signed-note.ts';
import { pointage } from '../support/command.ts';
import { areInstalled } from '../support/installed.ts';
import { buildProofChecker, hasGoLibrary } from '../support/proof-checker.ts';

const MERCHANTS = 12;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-demo-bundles-'));
const data = ['--data-directory', join(scratch, 'data')];
const bundles: Record<'night' | 'statement', string[]> = { night: [], statement: [] };
let program = '';

beforeAll(async () => {
  if (hasGoLibrary) program = buildProofChecker(scratch);
  const demo = await pointage(['lab', 'demo', ...data, '--out', join(scratch, 'out')]);
  expect(demo.status, demo.err).toBe(0);
  const issued = readdirSync(join(scratch, 'out')).filter((name) => name.endsWith('.json'));
  expect(issued).toHaveLength(MERCHANTS);
  const month = /_(\d{4}-\d{2})_r1\.json$/.exec(issued[0]!)![1]!;
  expect(await pointage(['statement', 'issue', '--all', month, ...data])).toMatchObject({ status: 0 });
  for (const name of issued) {
    const merchant = /^RELEVE_(.*)_\d{4}-\d{2}_r1\.json$/.exec(name)![1]!;
    for (const [kind, words] of [['night', []] as const, ['statement', [month]] as const]) {
      const folder = join(scratch, `${kind}-${merchant}`);
      const out = await pointage(['evidence', 'export', merchant, ...words, ...data, '--out', folder]);
      expect(out.status, out.err).toBe(0);
      bundles[kind].push(folder);
    }
  }
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const python = (folder: string) => spawnSync('python3', [join(folder, 'verify.py'), folder], { encoding: 'utf8' });
const go = (folder: string) =>
  spawnSync(
    program,
    ['leaf.txt', 'leaf.tlog-proof', 'log.vkey'].map((name) => join(folder, name)),
    { encoding: 'utf8' },
  );

type Tamper = (folder: string, other: string) => void;

const edit =
  (name: string, change: (text: string) => string): Tamper =>
  (folder) => {
    const before = readFileSync(join(folder, name), 'utf8');
    const after = change(before);
    expect(after, name).not.toBe(before);
    writeFileSync(join(folder, name), after);
  };
const flip = (text: string): string => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;
const proof = (change: (text: string) => string) => edit('leaf.tlog-proof', change);
const lines = (change: (all: string[]) => readonly string[]) =>
  edit('lines.le1', (text) => `${change(text.split('\n').slice(0, -1)).join('\n')}\n`);
const pdfIn = (folder: string): string => readdirSync(folder).find((name) => name.endsWith('.pdf'))!;

/** What touches leaf, proof or key is for both programs; lines, texts and files are for verify.py alone. */
const OF_PROOF: Readonly<Record<string, Tamper>> = {
  'another merchant in the leaf': edit('leaf.txt', (text) => text.replace('merchant\t', 'merchant\tX')),
  'the leaf of another merchant': (folder, other) => cpSync(join(other, 'leaf.txt'), join(folder, 'leaf.txt')),
  'another index': proof((text) => text.replace(/^index (\d+)/m, (_, index) => `index ${Number(index) + 1}`)),
  'a hash of the proof': proof((text) => text.replace(/(index \d+\n)(.+)/, (_, a, b) => a + flip(b))),
  'another size of the tree': proof((text) =>
    text.replace(/\n(\d+)\n(?=\S{44}\n\n)/, (_, n) => `\n${Number(n) + 1}\n`),
  ),
  'another root': proof((text) => text.replace(/(\n\d+\n)(\S{44}\n\n)/, (_, a, b) => a + flip(b))),
  'another signature': proof((text) => text.replace(/(— \S+ .{20})(.)/, (_, a, b) => a + flip(b))),
  'the key of another log': edit('log.vkey', (text) => verifierKeyOf(signerOf(newSigningKey(), text.split('+')[0]!)!)),
};

const OF_NIGHT: Readonly<Record<string, Tamper>> = {
  'another amount': edit('lines.le1', (text) =>
    text.replace(/\t(\d+)\t(XOF|XAF|GNF)/, (_, n, unit) => `\t${Number(n) + 1}\t${unit}`),
  ),
  'a line left out': lines((all) => all.toSpliced(5, 1)),
  'two lines that changed places': lines((all) => [...all.slice(0, 3), all[4]!, all[3]!, ...all.slice(5)]),
  'another finding': edit('findings.txt', (text) => `${text}f00d\tBALANCE_DRIFT\n`),
};

const OF_STATEMENT: Readonly<Record<string, Tamper>> = {
  'a longer file': (folder) => {
    const file = join(folder, pdfIn(folder));
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from(' ')]));
  },
  'the file of another merchant': (folder, other) => cpSync(join(other, pdfIn(other)), join(folder, pdfIn(folder))),
  'another hash of a file in the leaf': edit('leaf.txt', (text) =>
    text.replace(/^(file\t.*\t)(.)/m, (_, a, b) => `${a}${b === '0' ? '1' : '0'}`),
  ),
  'no file at all': (folder) => {
    const logged = /^file\t([^\t]+)\t/gm;
    for (const [, name] of readFileSync(join(folder, 'leaf.txt'), 'utf8').matchAll(logged)) rmSync(join(folder, name!));
  },
};

const kinds = [
  { kind: 'night', own: OF_NIGHT },
  { kind: 'statement', own: OF_STATEMENT },
] as const;

describe.skipIf(!areInstalled('python3'))('every merchant of the demonstration', () => {
  test.each(kinds)(
    'has a bundle of a $kind that others accept',
    ({ kind }) => {
      expect(bundles[kind]).toHaveLength(MERCHANTS);
      for (const folder of bundles[kind]) {
        expect(python(folder), folder).toMatchObject({ status: 0, stdout: expect.stringContaining(`OK kind ${kind}`) });
        if (hasGoLibrary) expect(go(folder), folder).toMatchObject({ status: 0 });
      }
    },
    120_000,
  );

  test.each(
    kinds.flatMap(({ kind, own }) =>
      Object.entries({ ...OF_PROOF, ...own }).map(([what, tamper]) => ({ kind, what, tamper })),
    ),
  )(
    'has a bundle of a $kind that others refuse with $what',
    ({ kind, what, tamper }) => {
      for (const [i, folder] of bundles[kind].entries()) {
        const changed = join(scratch, 'tampered');
        cpSync(folder, changed, { recursive: true });
        tamper(changed, bundles[kind][(i + 1) % MERCHANTS]!);
        expect(python(changed), folder).toMatchObject({ status: 1, stderr: expect.stringMatching(/^REFUSED /) });
        if (hasGoLibrary && what in OF_PROOF) expect(go(changed), folder).toMatchObject({ status: 1 });
        rmSync(changed, { recursive: true });
      }
    },
    120_000,
  );

  test('twelve tamperings of each kind were tried', () => {
    for (const { own } of kinds) expect(Object.keys({ ...OF_PROOF, ...own })).toHaveLength(12);
  });
});
