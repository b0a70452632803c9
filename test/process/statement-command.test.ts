// `pointage statement` from end to end: from files, from the mirror, with revisions, and with the
// same bytes on any machine.

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openZone } from '../../src/core/domain/zone.ts';
import { DEFAULT_JOURNAL } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { readStatement } from '../../src/io/formats/text/json.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { nothingPublished } from '../../src/service/workflows/month/service-month.ts';
import {
  type BookRepository,
  repositoryOfMirror,
  repositoryOfSource,
  writeStatements,
} from '../../src/service/workflows/month/write-statements.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { pointage, pointageProcess } from '../support/command.ts';
import { rawReport } from '../support/dashboard-rows.ts';
import type { Json } from '../support/dashboard-service.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { optionsAt } from '../support/nightly.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEMPLATE } from '../support/written-document.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-statement-'));
const books = join(scratch, 'books');
const until = Date.UTC(2026, 10, 6);

beforeAll(async () => {
  for (const reference of ['KORA', 'LAGUNE']) {
    const plan = planMerchant({
      reference,
      country: reference === 'KORA' ? 'SN' : 'CM',
      opensAt: Date.UTC(2026, 8, 28),
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 3, reversalRate: 0.1 },
    });
    await writeBundle(join(books, reference), simulateBooks(plan, { seed: reference, until }));
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const AS_OF = ['--as-of', '2026-11-06T00:00:00Z'];
const statement = (words: readonly string[]) => pointage(['statement', ...words, ...AS_OF]);

const contentsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

describe('pointage statement', () => {
  test('writes the same bytes whatever the machine’s zone and language', {
    timeout: 60_000,
  }, async () => {
    const settings = [
      { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
      { TZ: 'Pacific/Apia', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
      { TZ: 'America/St_Johns', LANG: 'fr_FR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
    ];
    const written = await Promise.all(
      settings.map(async (environment, i) => {
        const out = join(scratch, `same-${i}`);
        const words = [
          'statement',
          '--all',
          '2026-10',
          '--source',
          `file:${books}`,
          '--out',
          out,
          ...AS_OF,
        ];
        const { status } = await pointageProcess(words, { environment });
        expect(status).toBe(0);
        return contentsOf(out);
      }),
    );
    expect(Object.keys(written[0]!)).toContain('RELEVE_KORA_2026-10_r1.json');
    expect(Object.keys(written[0]!)).toContain('RELEVE_LAGUNE_2026-10_r1.csv');
    expect(written[1]).toEqual(written[0]);
    expect(written[2]).toEqual(written[0]);
  });

  test('leaves an unchanged month alone, and writes a second revision of one that changed', {
    timeout: 60_000,
  }, async () => {
    const out = join(scratch, 'revised');
    const changing = join(scratch, 'changing');
    cpSync(books, changing, { recursive: true });
    const words = [
      'KORA',
      '2026-10',
      '--source',
      `file:${changing}`,
      '--out',
      out,
      '--format',
      'csv',
    ];
    expect((await statement(words)).out).toContain('revision 1, written: clean');
    const first = contentsOf(out);
    expect((await statement(words)).out).toContain('revision 1, unchanged');
    expect(contentsOf(out)).toEqual(first);
    const ledger = join(changing, 'KORA/ledger.jsonl');
    const lines = readFileSync(ledger, 'utf8').trimEnd().split('\n');
    const last = lines.findLastIndex((line) => line.includes('"createdAt":"2026-10-'));
    const { id: _, ...changed } = JSON.parse(lines[last]!) as Record<string, unknown>;
    lines[last] = JSON.stringify({ id: '00000000-0000-4000-8000-000000000001', ...changed });
    writeFileSync(ledger, `${lines.join('\n')}\n`);
    expect((await statement(words)).out).toContain('revision 2, written');
    expect(Object.keys(contentsOf(out))).toEqual([
      'RELEVE_KORA_2026-10_r1.csv',
      'RELEVE_KORA_2026-10_r1.json',
      'RELEVE_KORA_2026-10_r2.csv',
      'RELEVE_KORA_2026-10_r2.json',
    ]);
    expect(contentsOf(out)).toMatchObject(first);
  });

  test('puts a FEC under the name of the rule into a folder of the statement', {
    timeout: 60_000,
  }, async () => {
    const out = join(scratch, 'fec');
    const words = [
      '--all',
      '2026-10',
      '--source',
      `file:${books}`,
      '--out',
      out,
      '--format',
      'fec',
    ];
    expect((await statement(words)).status).toBe(0);
    expect(readdirSync(join(out, 'RELEVE_KORA_2026-10_r1'))).toEqual(['KORAFEC20261031.txt']);
    expect(readdirSync(join(out, 'RELEVE_LAGUNE_2026-10_r1'))).toEqual(['LAGUNEFEC20261031.txt']);
    expect((await statement(words)).out).toContain('(kept) ');
  });

  test('keeps the files of a revision in one language, and says so', {
    timeout: 60_000,
  }, async () => {
    const out = join(scratch, 'english');
    const words = [
      'KORA',
      '2026-10',
      '--source',
      `file:${books}`,
      '--out',
      out,
      '--format',
      'journal',
    ];
    expect((await statement([...words, '--lang', 'en'])).status).toBe(0);
    const before = contentsOf(out);
    const { status, err } = await statement([...words, '--format', 'journal,csv', '--lang', 'fr']);
    expect(status).toBe(3);
    expect(err).toContain("r1.json and the files beside it are in the language 'en'");
    expect(err).toContain('take --lang en, or another folder by --out');
    expect(contentsOf(out)).toEqual(before);
    expect((await statement([...words, '--lang', 'en'])).out).toContain('(kept)');
  });

  test('says that the FEC of a month without movement has no row', {
    timeout: 60_000,
  }, async () => {
    const quiet = join(scratch, 'quiet');
    const plan = planMerchant({
      reference: 'CALME',
      opensAt: Date.UTC(2026, 8, 1),
      traffic: ORDINARY_TRAFFIC,
    });
    await writeBundle(
      join(quiet, 'CALME'),
      simulateBooks(plan, { seed: 'quiet', until: Date.UTC(2026, 8, 10) }),
    );
    const words = [
      'CALME',
      '--source',
      `file:${quiet}`,
      '--out',
      join(scratch, 'heading'),
      '--format',
      'fec',
    ];
    const said = 'the month has no entry: its FEC is a heading without rows';
    expect((await statement(['CALME', '2026-10', ...words.slice(1)])).out).toContain(said);
    expect((await statement(['CALME', '2026-09', ...words.slice(1)])).out).not.toContain(said);
  });

  test('refuses in one sentence what it cannot state', { timeout: 60_000 }, async () => {
    const out = join(scratch, 'refused');
    const from = ['--source', `file:${books}`, '--out', out];
    const cases = [
      [['KORA', '2026-11', ...from], 'The month 2026-11 has not ended'],
      [['KORA', '2027-03', ...from], 'The month 2027-03 has not ended'],
      [['KORA', '2026', ...from], 'The year 2026 has not ended'],
      [['KORA', '2025', '--format', 'pdf,camt', ...from], 'A bank statement (camt) is of a month'],
      [['KORA', 'octobre', ...from], "'octobre' is not a month"],
      [['KORA', ...from], 'Say which month or year of whom'],
      [['NOBODY', '2026-10', ...from], "There is no merchant 'NOBODY'"],
      [['KORA', '2026-10', '--format', 'doc', ...from], '--format must be among json, csv'],
    ] as const;
    for (const [words, sentence] of cases) {
      const { status, err, out: printed } = await statement(words);
      expect([status, printed], sentence).toEqual([3, '']);
      expect(err).toContain(sentence);
      expect(err).not.toContain('\n    at ');
    }
    const all = await statement(['--all', '2026-11', ...from]);
    expect([all.status, all.err.match(/has not ended/g)?.length]).toEqual([2, 2]);
    expect(() => readdirSync(out)).toThrow();
  });
});

test('a full folder ends the command with the file, the month and the missing merchants', {
  timeout: 60_000,
}, async () => {
  const out = join(scratch, 'full');
  const words = `statement --all 2026-10 --source file:${books} --out ${out} --format json,csv`;
  // The process has its own limit, like a full disk: the kernel refuses to write past so many
  // blocks.
  const limited = `ulimit -f 1; exec ${process.execPath} ${join(root, 'src/service/cli/main.js')} ${words}`;
  const ended = await run('sh', ['-c', limited]).catch(
    (failure: { code: number; stderr: string }) => failure,
  );
  expect(ended).toMatchObject({ code: 3 });
  expect(ended.stderr).toBe(
    `pointage: ${join(out, 'RELEVE_KORA_2026-10_r1.json')} cannot be written (EFBIG: file too large, write). 2026-10 is missing of 2 of 2 merchants (KORA, LAGUNE): make room in ${out}, or give another folder with --out, and run the command again.\n`,
  );
  expect(readdirSync(out)).toEqual([]);
  writeFileSync(join(scratch, 'a-file'), '');
  const refused = await statement([
    'KORA',
    '2026-10',
    '--source',
    `file:${books}`,
    '--out',
    join(scratch, 'a-file'),
  ]);
  expect([refused.status, refused.err]).toEqual([
    3,
    expect.stringContaining('or give another folder with --out'),
  ]);
  // The path exists and takes no folder. Node's own way of making folders tries for ever.
  const nowhere = await statement([
    'KORA',
    '2026-10',
    '--source',
    `file:${books}`,
    '--out',
    '/proc/x/y',
  ]);
  expect([nowhere.status, nowhere.err]).toEqual([3, expect.stringContaining('ENOENT')]);
});

test('reports.json beside the books gives the bounds, and its figures are compared with the statement', {
  timeout: 60_000,
}, async () => {
  const [out, published] = [join(scratch, 'published'), join(scratch, 'published-books')];
  cpSync(books, published, { recursive: true });
  const words = [
    'KORA',
    '2026-10',
    '--source',
    `file:${published}`,
    '--out',
    out,
    '--format',
    'json',
  ];
  const revisionOf = (revision: number): Statement =>
    readStatement(contentsOf(out)[`RELEVE_KORA_2026-10_r${revision}.json`]!.split('\n'))!;
  rmSync(join(published, 'KORA/reports.json'), { force: true });
  expect((await statement(words)).out).not.toContain('service');
  const { summary, period, circumstances } = revisionOf(1);
  expect([period.boundsFrom, circumstances.serviceReport]).toEqual(['configuration', null]);
  const publish = (change: Json): void =>
    writeFileSync(join(published, 'KORA/reports.json'), JSON.stringify([rawReport(change)]));

  publish({ summary: { ...summary, revision: 4 } });
  expect((await statement(words)).out).toMatch(
    /unchanged.*\n.*: \d+ figures compared, all agree\n/,
  );
  publish({ summary: { totalAmount: 5, paymentCount: 1 } });
  expect((await statement(words)).out).toMatch(
    /unchanged.*\n.* was not compared: it counts payments by link/,
  );

  const periodEnd = '2026-10-31T05:59:59.999Z';
  publish({
    periodEnd,
    summary: { population: 'WALLET_OPERATIONS', closingReserved: '12345.00', openingBalance: 0 },
  });
  // A month that is written keeps its bounds; a folder without the month takes those of the report.
  expect((await statement(words)).out).toMatch(
    /unchanged.*\n.* was not compared: its month has other bounds/,
  );
  expect(revisionOf(1).period).toEqual(period);
  rmSync(out, { recursive: true });
  const moved = await statement(words);
  const other = revisionOf(1);
  expect(other.period).toMatchObject({ boundsFrom: 'report', end: Date.parse(periodEnd) + 1 });
  const { serviceReport } = other.circumstances;
  expect([serviceReport?.notCompared, serviceReport?.compared]).toEqual([null, 2]);
  const told = {
    key: 'closingReserved',
    service: '12345',
    ours: String(other.summary.closingReserved),
  };
  expect(serviceReport?.differences).toContainEqual(told);
  expect(moved.out).toContain(`says closingReserved is 12345, the statement ${told.ours}\n`);

  // A report that cannot be read, or that is withdrawn, does not move the bounds.
  writeFileSync(join(published, 'KORA/reports.json'), '[{');
  expect((await statement(words)).out).toMatch(
    /revision 1, unchanged[\s\S]* was not compared: a report could not be/,
  );
  rmSync(join(published, 'KORA/reports.json'));
  expect((await statement(words)).out).toContain('revision 1, unchanged');
});

describe('a statement of the mirror', () => {
  test('is the way to state books that move while they are read', async () => {
    const source = await openFileSource(books);
    const still = repositoryOfSource(source);
    const moving: BookRepository = {
      ...still,
      async open(merchant) {
        const opened = await still.open(merchant);
        return { ...opened, snapshot: { ...opened.snapshot, moving: true } };
      },
    };
    expect(await stateOctober(moving, 'moving')).toMatchObject({
      refused: expect.stringContaining('pointage run'),
    });
  });

  let opened: TestStore;
  beforeAll(async () => {
    opened = await openTestStore();
  });
  afterAll(() => opened.close());

  async function stateOctober(repository: BookRepository, folder: string, now = until) {
    const outcomes = await writeStatements({
      repository,
      merchants: ['KORA'],
      period: { year: 2026, month: 10 },
      folder: join(scratch, folder),
      formats: [formatNamed('json')!],
      options: { language: 'fr', verifyAt: null, template: TEMPLATE },
      phoneNumbers: 'masked',
      zoneFor: () => openZone('UTC')!,
      journalFor: () => DEFAULT_JOURNAL,
      partiesFor: () => ({ issuer: null, holder: null }),
      auditFor: () => optionsAt(now),
      serviceMonthOf: nothingPublished,
      engine: 'pointage test',
      now,
      onMerchant: () => () => {},
    });
    return outcomes[0]!;
  }

  test('is that of the files it was read from, to the last line', { timeout: 60_000 }, async () => {
    const source = await openFileSource(books);
    const mirror = repositoryOfMirror(opened.store);
    const runAt = (now: number) =>
      runMerchants({
        store: opened.store,
        source,
        engine: 'pointage test',
        clock: () => now,
        merchants: ['KORA'],
        optionsFor: (_, asOf) => optionsAt(asOf),
        onMerchant: () => () => {},
      });
    await runAt(Date.UTC(2026, 9, 31, 12));
    // The mirror has been read, but not since the month ended.
    expect(await stateOctober(mirror, 'too early')).toMatchObject({
      refused: expect.stringContaining('has not ended'),
    });
    await runAt(until);
    const ofMirror = await stateOctober(mirror, 'mirror');
    const ofFiles = await stateOctober(repositoryOfSource(source), 'files');
    if ('refused' in ofMirror || 'refused' in ofFiles)
      throw new Error(JSON.stringify([ofMirror, ofFiles]));
    // The hash of the document covers the circumstances, which depend on the source.
    const contentOf = ({
      circumstances,
      integrity: { documentHash, ...integrity },
      ...content
    }: Statement) => {
      expect(documentHash).toMatch(/^[0-9a-f]{64}$/);
      expect(circumstances).not.toBeNull();
      return { ...content, integrity };
    };
    const [stored, direct] = [contentOf(ofMirror.statement), contentOf(ofFiles.statement)];
    expect(stored).toEqual(direct);
    const linesOf = (folder: string): string =>
      contentsOf(join(scratch, folder))['RELEVE_KORA_2026-10_r1.json']!.split('\n"lines":')[1]!;
    expect(linesOf('mirror')).toBe(linesOf('files'));
    expect(linesOf('mirror')).toContain('Commission d');
  });
});
