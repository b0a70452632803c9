// What an auditor can check of a kit: every file's hash, and its months, stated anew with the kit
// alone. Kits of books with faults, decisions, closed months, and bounds and payments by link of
// the payment service; then a byte is changed in each kind of file.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pointage, pointageProcess } from '../support/command.ts';
import { paymentAt, rawReport } from '../support/dashboard-rows.ts';
import { type DashboardService, startDashboardService } from '../support/dashboard-service.ts';
import { manifestIn, unpackInto } from '../support/kit-forgery.ts';
import { pointageAs } from '../support/operator-token.ts';
import { plantNamed } from '../support/plant-named.ts';
import { issueOctober, publishOctober } from '../support/publish-month.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import { testFolder } from '../support/test-folder.ts';
import { readZip } from '../support/zip-reader.ts';

const FAULTS: Readonly<Record<string, readonly string[]>> = {
  M002: ['BALANCE_DRIFT', 'CREDIT_DUPLICATED'],
  MÉ03: ['CREDIT_MISSING'],
};
/** A kit has the files of each format, so that some formats are enough. */
const FORMATS = ['json', 'csv', 'pdf'] as const;
const LATER = READ_AT + 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-kits-'));
let books: ReportBooks;
let service: DashboardService;

beforeAll(async () => {
  books = await openReportBooks(['M001', 'M002', 'MÉ03'], (sound, merchant) => {
    return plantNamed(sound, { names: FAULTS[merchant] ?? [], seed: merchant }).books;
  });
  service = await startDashboardService();
  // A month that ends at noon of its last day, and payments by link in it.
  service.reports = [
    rawReport({ periodStart: '2026-10-01T00:00:00Z', periodEnd: '2026-10-31T12:00:00Z' }),
  ];
  service.payments = [
    paymentAt(1, Date.UTC(2026, 9, 5), { amount: 1_000, senderOperateur: 'Orange' }),
  ];
  const file = Buffer.from('%PDF-1.4\nthe service said so\n%%EOF\n');
  service.before = ({ path }) =>
    path.endsWith('/download') ? { do: 'answer', status: 200, body: file } : null;
  await publishOctober(books, service, 'M001', FORMATS);
  const roots = 'select fingerprint from findings where is_root and kind = $1';
  const { rows } = await books.store.pool.query(roots, ['CREDIT_DUPLICATED']);
  const config = join(scratch, 'settings.json');
  writeFileSync(config, JSON.stringify({ databaseUrl: books.databaseUrl }));
  const task = { store: books.store, merchants: ['M002', 'MÉ03'], formats: FORMATS, now: LATER };
  for (const outcome of await issueOctober(config, task))
    expect(outcome).toMatchObject({ report: { status: 'READY' } });
  await done(
    'findings',
    'accept',
    rows[0].fingerprint,
    '--reason',
    'known',
    '--until',
    '2027-01-01T00:00:00Z',
  );
  await done('statement', 'close', 'MÉ03', '2026-10', '--yes');
  // Lines that were known only after the months were issued: one month is open, the other closed.
  for (const merchant of ['M002', 'MÉ03']) books.addLateLine(merchant, 12_345);
  await books.run(LATER);
  for (const merchant of ['M001', 'M002', 'MÉ03'])
    await done('audit-kit', merchant, '2026-10', '--out', scratch);
}, 120_000);
afterAll(async () => {
  await service.close();
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});

const command = (...words: readonly string[]) =>
  pointageAs('awa', [...words, '--database-url', books.databaseUrl], { clock: () => LATER });

async function done(...words: readonly string[]): Promise<string> {
  const { status, out, err } = await command(...words);
  expect([status, err], words.join(' ')).toEqual([0, '']);
  return out;
}

const kitOf = (merchant: string) => join(scratch, `KIT_${merchant}_2026-10.zip`);
const replay = (path: string) => pointage(['audit-kit', 'replay', path]);

function unpacked(merchant: string): string {
  const folder = testFolder('pointage-kit-');
  unpackInto(folder, kitOf(merchant));
  return folder;
}

test('a fresh process with an empty home and no configuration gives the same hashes', async () => {
  const home = testFolder('pointage-home-');
  const { status, out, err } = await pointageProcess(['audit-kit', 'replay', kitOf('M001')], {
    environment: { HOME: home },
  });
  expect([status, err]).toEqual([0, '']);
  expect(out).toMatch(/2026-10 r1 .* as issued/);
  expect(out).toContain(`M001 2026-10: the same; `);
  expect(readdirSync(home)).toEqual([]);
});

test.each([
  ['M001', /as issued/],
  ['M002', /as known at the export: .*closingBalance/],
  ['MÉ03', /as issued/],
])(
  '%s: the bounds, decisions, closed months and lines of the kit give what the export gave',
  async (merchant, said) => {
    const { status, out } = await replay(kitOf(merchant));
    expect(status).toBe(0);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(said);
  },
);

test('the kit has what is asked for, and sha256sum alone finds every file as listed', () => {
  const folder = unpacked('M001');
  const { status, stdout } = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  const checked = stdout.trimEnd().split('\n');
  const files = readZip(readFileSync(kitOf('M001'))).map(({ path }) => path);
  expect(checked).toHaveLength(files.length - 1);
  const json = readFileSync(join(folder, 'statements/2026-10/RELEVE_M001_2026-10_r1.json'), 'utf8');
  expect(json).toContain('"boundsFrom":"report"');
  expect(
    readFileSync(join(folder, 'service/RELEVE_M001_2026-10_r1.service.pdf'), 'utf8'),
  ).toContain('said so');
  const readMe = readFileSync(join(folder, 'README.txt'), 'utf8');
  expect(readMe).toContain('sha256sum -c SHA256SUMS');
  // No run was recorded in the log: there is no night, and nothing to check one with.
  expect(readMe).not.toContain('verify.py');
  expect(readMe).toContain('La preuve de la dernière nuit : ');
  expect(readFileSync(join(folder, 'findings/closed-months.jsonl'), 'utf8')).toBe('');
  expect(readFileSync(join(unpacked('MÉ03'), 'findings/closed-months.jsonl'), 'utf8')).toContain(
    '"closed_by":"awa"',
  );
  expect(readFileSync(join(unpacked('M002'), 'findings/decisions.jsonl'), 'utf8')).toContain(
    '"action":"accept"',
  );
});

test('the same store gives the same bytes, and the trail has who took it and its root', async () => {
  const folder = testFolder('pointage-again-');
  const out = await done('audit-kit', 'M002', '2026-10', '--out', folder);
  expect(
    readFileSync(join(folder, 'KIT_M002_2026-10.zip')).equals(readFileSync(kitOf('M002'))),
  ).toBe(true);
  const { root } = manifestIn(unpacked('M002'));
  expect(out).toContain(root);
  const trail = await done('trail', '--merchant', 'M002', '--format', 'json');
  expect(trail).toMatch(new RegExp(`"operator": *"awa"[^}]*"action": *"audit-kit"[^}]*${root}`));
});

describe('a changed byte', () => {
  const paths = () => readZip(readFileSync(kitOf('M002'))).map(({ path }) => path);

  test('is named in every file of the kit, and nothing else is', async () => {
    const folder = unpacked('M002');
    const full = paths().filter((path) => readFileSync(join(folder, path)).length > 0);
    expect(new Set(full.map((path) => path.split('/')[0])).size).toBeGreaterThan(5);
    for (const path of full) {
      const bytes = readFileSync(join(folder, path));
      const changed = Buffer.from(bytes);
      changed[Math.floor(bytes.length / 2)]! ^= 1;
      writeFileSync(join(folder, path), changed);
      const { status, out } = await replay(folder);
      // JSON may no longer be read when a byte of the manifest is changed.
      const named = out.match(/^✗.*$/gm)?.map((line) => line.replace(/: it is no JSON$/, ''));
      expect([status, named], path).toEqual([1, [`✗ changed: ${path}`]]);
      writeFileSync(join(folder, path), bytes);
    }
    expect((await replay(folder)).status).toBe(0);
  }, 240_000);

  test('a file that is missing or was added is named', async () => {
    const folder = unpacked('MÉ03');
    rmSync(join(folder, 'rows/wallet.json'));
    writeFileSync(join(folder, 'rows/more.jsonl'), '');
    const { status, out } = await replay(folder);
    expect([status, out.match(/^✗.*$/gm)]).toEqual([
      1,
      ['✗ extra: rows/more.jsonl', '✗ missing: rows/wallet.json'],
    ]);
  });

  test('in the container it is named, or a sentence says that there is no such ZIP', async () => {
    const folder = testFolder('pointage-zip-');
    const whole = readFileSync(kitOf('MÉ03'));
    const at = whole.indexOf('rows/ledger.jsonl') + 2_000;
    const file = join(folder, 'kit.zip');
    writeFileSync(
      file,
      Buffer.concat([
        whole.subarray(0, at),
        Buffer.from([whole[at]! ^ 255]),
        whole.subarray(at + 1),
      ]),
    );
    const damaged = await replay(file);
    // What comes after the byte may still be inflated, to something else, or not at all.
    const named = expect.stringMatching(
      /^✗ changed: rows\/ledger\.jsonl(: it cannot be read|: it is longer than it may be)?$/,
    );
    expect([damaged.status, damaged.out.match(/^✗.*$/gm)]).toEqual([1, [named]]);
    for (const bytes of [
      whole.subarray(0, whole.length / 2),
      Buffer.alloc(0),
      Buffer.from('no zip'),
    ]) {
      writeFileSync(file, bytes);
      const { status, err } = await replay(file);
      expect([status, err]).toEqual([
        3,
        `pointage: ${file} is damaged, or no ZIP file: get the kit once more from its sender.\n`,
      ]);
    }
    expect(await replay(join(folder, 'none.zip'))).toMatchObject({
      status: 3,
      err: expect.stringMatching(/does not exist/),
    });
    mkdirSync(join(folder, 'empty'));
    expect((await replay(join(folder, 'empty'))).err).toMatch(
      /holds no audit kit: it has no manifest\.json/,
    );
  });
});

test('a period that is not over, was not issued, or of an unknown merchant is refused in one sentence, and leaves no file', async () => {
  const folder = testFolder('pointage-none-');
  for (const [merchant, period, why] of [
    ['M001', '2026', /^pointage: The year 2026 has not ended/],
    ['M001', '2026-11', /^pointage: The month 2026-11 has not ended/],
    [
      'M001',
      '2026-09',
      /^pointage: No statement of M001 was issued of 2026-09\. Issue it first: 'pointage statement issue M001 2026-09'\./,
    ],
    ['NOPE', '2026-10', /no merchant 'NOPE'/],
  ] as const) {
    const { status, err } = await command('audit-kit', merchant, period, '--out', folder);
    expect([status, err.split('\n').length], err).toEqual([3, 2]);
    expect(err).toMatch(why);
  }
  const unsigned = [
    'audit-kit',
    'M001',
    '2026-10',
    '--out',
    folder,
    '--database-url',
    books.databaseUrl,
  ];
  expect(await pointage(unsigned)).toMatchObject({
    status: 3,
    err: expect.stringMatching(/POINTAGE_TOKEN/),
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('the path of a file cannot lead out of the folder that a kit is unpacked into', async () => {
  const folder = testFolder('pointage-slip-');
  const file = join(folder, 'kit.zip');
  cpSync(kitOf('MÉ03'), file);
  const bytes = readFileSync(file);
  const name = Buffer.from('rows/wallet.json');
  const evil = Buffer.from('../../allet.json');
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1))
    evil.copy(bytes, at);
  writeFileSync(file, bytes);
  const { status, out } = await replay(file);
  expect([status, out.match(/^✗.*$/gm)]).toEqual([
    1,
    ['✗ extra: ../../allet.json', '✗ missing: rows/wallet.json'],
  ]);
  expect(readdirSync(folder)).toEqual(['kit.zip']);
});
