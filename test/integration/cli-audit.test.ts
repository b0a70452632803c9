// What `audit` and `run` return to their caller: the exit status, the JSON form, the report in a
// file.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatInstant } from '../../src/core/domain/instant.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { pointage, pointageProcess } from '../support/command.ts';
import { withTestStore } from '../support/database-store.ts';
import { plantNamed } from '../support/plant-named.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-audit-'));
const plan = planMerchant({ reference: 'M' });
const until = plan.opensAt + 12 * 86_400_000;
const AS_OF = formatInstant(until);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(async () => {
  const booksOf = (reference: string) =>
    simulateBooks({ ...plan, reference }, { seed: 'cli', until });
  await writeBundle(join(scratch, 'clean', 'SOUND'), booksOf('SOUND'));
  await writeBundle(join(scratch, 'part', 'SOUND'), booksOf('SOUND'));
  await writeBundle(join(scratch, 'part', 'NO_WALLET'), booksOf('NO_WALLET'));
  rmSync(join(scratch, 'part', 'NO_WALLET', 'wallet.json'));
  for (const merchant of ['SOUND', 'NO_WALLET', 'DRIFTED']) {
    const faults = merchant === 'DRIFTED' ? ['BALANCE_DRIFT', 'CREDIT_MISSING'] : [];
    const { books } = plantNamed(booksOf(merchant), { names: faults, seed: 'cli' });
    await writeBundle(join(scratch, 'all', merchant), books);
  }
  rmSync(join(scratch, 'all', 'NO_WALLET', 'wallet.json'));
});

const audit = (folder: string, ...words: string[]) =>
  pointage(['audit', ...words, '--source', `file:${join(scratch, folder)}`, '--as-of', AS_OF]);

describe('the exit status', () => {
  test.each<[number, string, readonly string[]]>([
    [0, 'clean', []],
    [2, 'part', []],
    [1, 'all', []],
    [0, 'all', ['SOUND']],
    [2, 'all', ['SOUND', 'NO_WALLET']],
    [1, 'all', ['DRIFTED', 'NO_WALLET']],
    [3, 'all', ['SOUND', 'NOBODY']],
  ])('is %i for the books in %s, merchants %j', async (status, folder, merchants) => {
    expect((await audit(folder, ...merchants)).status).toBe(status);
  });

  test('is that of the process too, with the report on standard output and nothing on standard error', async () => {
    const source = `file:${join(scratch, 'all')}`;
    const ended = await pointageProcess(['audit', '--source', source, '--as-of', AS_OF]);
    expect(ended).toMatchObject({ status: 1, err: '' });
    expect(ended.out).toContain('✗ broken');
  });

  test('of a run, and of an audit of the mirror that it filled, is the same', async () => {
    await withTestStore(async (_, databaseUrl) => {
      const store = ['--database-url', databaseUrl];
      for (const [folder, status] of [
        ['clean', 0],
        ['part', 2],
        ['all', 1],
      ] as const) {
        const ran = await pointage(['run', '--source', `file:${join(scratch, folder)}`, ...store], {
          clock: () => until,
        });
        expect(ran.status, `run over ${folder}`).toBe(status);
      }
      expect((await pointage(['audit', 'DRIFTED', '--as-of', AS_OF, ...store])).status).toBe(1);
      expect((await pointage(['audit', 'SOUND', '--as-of', AS_OF, ...store])).status).toBe(0);
      const unknown = await pointage(['audit', 'NOBODY', ...store]);
      expect(unknown).toMatchObject({ status: 3, out: '' });
      expect(unknown.err).toMatch(
        /no merchant 'NOBODY'; run 'pointage run NOBODY' first, or give --source\.$/m,
      );
    });
  });

  test('of an empty mirror is 2: nothing was checked', async () => {
    await withTestStore(async (_, databaseUrl) => {
      expect((await pointage(['audit', '--database-url', databaseUrl])).status).toBe(2);
    });
  });
});

test('of files that are older than now, open operations are marked as of that moment', async () => {
  const advice =
    '2 findings tell of something still open at this moment: if the files are older, say with --as-of';
  const now = await pointage(['audit', '--source', `file:${join(scratch, 'clean')}`]);
  expect([now.out, now.err]).toEqual([
    expect.stringContaining('PAYMENT_OVERDUE'),
    expect.stringContaining(advice),
  ]);
  expect(await audit('clean')).toMatchObject({
    err: '',
    out: expect.not.stringContaining('PAYMENT_OVERDUE'),
  });
});

describe('the PDF', () => {
  test('is written to a file only, with the verdict as exit status', async () => {
    const nowhere = await audit('all', '--format', 'pdf');
    expect([nowhere.status, nowhere.out]).toEqual([3, '']);
    expect(nowhere.err).toContain('A PDF is not for a terminal');
    const file = join(scratch, 'report.pdf');
    const written = await audit('all', 'DRIFTED', '--format', 'pdf', '--out', file);
    expect([written.status, written.out, written.err]).toEqual([
      1,
      '',
      `The report is in ${file}.\n`,
    ]);
    expect(readFileSync(file).subarray(0, 5).toString()).toBe('%PDF-');
    const refused = await audit(
      'all',
      '--format',
      'pdf',
      '--out',
      join(scratch, 'nowhere', 'report.pdf'),
    );
    expect([refused.status, refused.err]).toMatchObject([
      3,
      expect.stringContaining('cannot be written to'),
    ]);
  });
});

describe('the JSON form', () => {
  test('has exactly the documented keys, and amounts as decimal text', async () => {
    const document = JSON.parse((await audit('all', '--format', 'json')).out) as AuditDocument;
    const figures = [
      'balance',
      'reserved',
      'available',
      'totalCollected',
      'totalDisbursed',
      'totalFees',
    ];
    expect(Object.keys(document)).toEqual(['engine', 'asOf', 'source', 'merchants', 'totals']);
    expect(Object.keys(document.totals)).toEqual([
      ...[
        'merchants',
        'clean',
        'broken',
        'incomplete',
        'entries',
        'findings',
        'roots',
        'settled',
        'accepted',
      ],
    ]);
    expect(document.totals).toMatchObject({
      merchants: 3,
      clean: 1,
      broken: 1,
      incomplete: 1,
      roots: 2,
    });
    expect(document.merchants.map(({ merchant }) => merchant)).toEqual([
      'DRIFTED',
      'NO_WALLET',
      'SOUND',
    ]);
    for (const report of document.merchants) {
      expect(Object.keys(report)).toEqual([
        ...[
          'merchant',
          'currency',
          'verdict',
          'entries',
          'operations',
          'firstSequence',
          'lastSequence',
        ],
        ...[
          'recomputed',
          'recorded',
          'unexplained',
          'due',
          'assumptions',
          'notChecked',
          'findings',
        ],
      ]);
      expect(Object.keys(report.recomputed)).toEqual(figures);
      expect(Object.keys(report.recorded)).toEqual(figures);
      expect(Object.keys(report.unexplained)).toEqual(['balance', 'reserved']);
      for (const note of report.notChecked) {
        expect(Object.keys(note)).toEqual(['what', 'why', 'incomplete', 'code', 'figures']);
      }
      const amounts = [...Object.values(report.recomputed), ...Object.values(report.unexplained)];
      expect(
        amounts.filter((amount) => amount !== null && !/^-?\d+$/.test(String(amount))),
      ).toEqual([]);
    }
    const findings = document.merchants.flatMap((report) => report.findings);
    expect(findings.length).toBeGreaterThanOrEqual(2);
    for (const finding of findings) {
      expect(Object.keys(finding)).toEqual([
        ...[
          'fingerprint',
          'kind',
          'severity',
          'status',
          'sequence',
          'operationReference',
          'expected',
          'actual',
        ],
        ...[
          'difference',
          'message',
          'figures',
          'evidence',
          'causedBy',
          'item',
          'itemParts',
          'concerned',
        ],
        ...['currency', 'itemAt', 'settledBy', 'proposedSettlement', 'accepted', 'proposal'],
      ]);
      for (const one of finding.evidence)
        expect(Object.keys(one)).toEqual(['what', 'sequence', 'reference', 'note']);
    }
  });

  test('of a run is the same document, but for the notifications that lie in the files', async () => {
    await withTestStore(async (_, databaseUrl) => {
      const words = [
        'run',
        '--source',
        `file:${join(scratch, 'all')}`,
        '--database-url',
        databaseUrl,
      ];
      const ran = JSON.parse(
        (await pointage([...words, '--format', 'json'], { clock: () => until })).out,
      ) as AuditDocument;
      const audited = JSON.parse((await audit('all', '--format', 'json')).out) as AuditDocument;
      const notes = ran.merchants.map(({ notChecked }) =>
        notChecked.filter(({ what }) => what === 'events'),
      );
      expect(notes.flat().map(({ why }) => why.split(';')[0])).toContain(
        'a run judges what it was notified itself',
      );
      const merchants = ran.merchants.map((one) => {
        return { ...one, notChecked: one.notChecked.filter(({ what }) => what !== 'events') };
      });
      expect({ ...ran, merchants, asOf: null }).toEqual({ ...audited, asOf: null });
    });
  });
});

describe('--out', () => {
  test.each(['json', 'text'])(
    'writes the %s report to the file, and only says so on standard error',
    async (format) => {
      const file = join(scratch, `report.${format}`);
      const plain = await audit('all', '--format', format);
      const ended = await audit('all', '--format', format, '--out', file);
      expect(ended).toEqual({ status: 1, out: '', err: `The report is in ${file}.\n` });
      expect(readFileSync(file, 'utf8')).toBe(plain.out);
    },
  );

  test('leaves no file behind when the command fails', async () => {
    const file = join(scratch, 'never.json');
    const { status } = await audit('all', 'NOBODY', '--out', file);
    expect([status, existsSync(file)]).toEqual([3, false]);
  });
});
