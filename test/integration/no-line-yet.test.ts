// A merchant without a line: every document of its months is made, the PDF has one page, and no
// command fails.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { pointage } from '../support/command.ts';
import { areInstalled } from '../support/installed.ts';
import { pagesOf } from '../support/pdf-tools.ts';
import {
  openReportBooks,
  publishTask,
  READ_AT,
  type ReportBooks,
} from '../support/report-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

let books: ReportBooks;
const folder = mkdtempSync(join(tmpdir(), 'pointage-no-line-'));
const booksOf = (reference: string) =>
  simulateBooks(planMerchant({ reference, country: 'SN', opensAt: Date.UTC(2026, 8, 20) }), {
    seed: reference,
    until: READ_AT,
  });
const withoutLines = (made: ReturnType<typeof booksOf>): ReturnType<typeof booksOf> => {
  const figures = {
    balance: 0,
    reserved: 0,
    available: 0,
    totalCollected: 0,
    totalDisbursed: 0,
    totalFees: 0,
  };
  return {
    ...made,
    entries: [],
    operations: [],
    payments: [],
    notifications: [],
    wallet: { ...made.wallet, ...figures },
  };
};

beforeAll(async () => {
  books = await openReportBooks(['NEUF', 'VIE'], (made, merchant) =>
    merchant === 'NEUF' ? withoutLines(made) : made,
  );
  await writeBundle(join(folder, 'books', 'NEUF'), withoutLines(booksOf('NEUF')));
  await writeBundle(join(folder, 'books', 'VIE'), booksOf('VIE'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await books.close();
});

test('its month is READY in every format, clean and with 0 in each sum', async () => {
  const { report } = await publishStatement(publishTask(books.store), 'NEUF');
  expect(report).toMatchObject({ status: 'READY', error: null });
  expect(report.issued).toMatchObject({
    summary: { verdict: { state: 'clean' }, closingBalance: 0, due: { balance: 0 } },
  });
});

test('a month that was over when an account was opened is missing of no one, unless it is asked for by name', async () => {
  const from = ['--source', `file:${join(folder, 'books')}`, '--out', join(folder, 'before')];
  const clock = { clock: () => READ_AT };
  const all = await pointage(['statement', 'make', '--all', '2026-05', ...from], clock);
  expect([all.status, all.err]).toEqual([
    0,
    expect.stringMatching(/^· NEUF: There is nothing to state of NEUF in 2026-05: the account was/),
  ]);
  const named = await pointage(['statement', 'make', 'NEUF', '2026-05', ...from], clock);
  expect(named.status).toBe(3);
  const task = { ...publishTask(books.store), period: { year: 2026, month: 5 } };
  const outcome = await publishStatement(task, 'NEUF');
  expect(outcome).toMatchObject({ isNothingYet: true, report: { status: 'FAILED' } });
});

test('each night is clean', async () => {
  for (const night of [1, 2]) {
    const { merchants } = await books.run(READ_AT + night * 86_400_000);
    const verdicts = merchants.map(({ report }) => [report.merchant, report.verdict]);
    expect(verdicts).toContainEqual(['NEUF', 'clean']);
  }
});

test('statements of all merchants are made with it, on one page where its issuer is named as well', async (context) => {
  const configuration = join(folder, 'configuration.json');
  writeFileSync(
    configuration,
    JSON.stringify({
      issuers: [{ legalName: 'Service SA', registration: 'RCCM', address: ['Dakar'] }],
    }),
  );
  const out = join(folder, 'out');
  const words = [
    'statement',
    'make',
    '--all',
    '2026-10',
    '--source',
    `file:${join(folder, 'books')}`,
    '--config',
    configuration,
  ];
  for (const lang of ['fr', 'en']) {
    const ended = await pointage(
      [...words, '--out', join(out, lang), '--format', 'pdf', '--lang', lang],
      {
        clock: () => READ_AT,
      },
    );
    expect([ended.status, ended.err]).toEqual([0, '']);
    if (!areInstalled('pdftotext')) return context.skip();
    const pages = pagesOf(join(out, lang, 'RELEVE_NEUF_2026-10_r1.pdf'));
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain(lang === 'fr' ? 'État néant : ' : 'Nil return: ');
    // What was not given is named in words, not by its file.
    expect(pages[0]).toContain(lang === 'fr' ? 'pas été fournis avec' : 'not given with');
    expect(pages[0]).not.toMatch(/\.jsonl?\b|walletId/);
    expect(pagesOf(join(out, lang, 'RELEVE_VIE_2026-10_r1.pdf')).length).toBeGreaterThan(1);
  }
});
