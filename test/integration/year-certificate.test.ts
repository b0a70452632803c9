// The certificate of a closed year: what it says, that it is the same for the same facts, and what
// it says once lines came too late.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { YearCertificate } from '../../src/core/statements/certificate.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { areInstalled } from '../support/installed.ts';
import { pointageAs } from '../support/operator-token.ts';
import { pagesOf, squeezed } from '../support/pdf-tools.ts';
import { openReportBooks, publishTask, type ReportBooks } from '../support/report-books.ts';

const NOW = Date.UTC(2027, 0, 5, 12);
const MERCHANT = 'KIOSQUE';
let books: ReportBooks;
let folder: string;

beforeAll(async () => {
  books = await openReportBooks([MERCHANT]);
  await books.run(NOW);
  const formats = [formatNamed('json')!];
  for (const month of [10, 11, 12])
    await publishStatement(
      publishTask(books.store, { formats, period: { year: 2026, month }, now: NOW }),
      MERCHANT,
    );
  folder = mkdtempSync(join(tmpdir(), 'pointage-certificate-'));
}, 120_000);
afterAll(async () => {
  await books.close();
  rmSync(folder, { recursive: true, force: true });
});

const close = (...words: string[]) =>
  pointageAs('awa', ['statement', 'close', ...words, '--database-url', books.databaseUrl], {
    clock: () => NOW,
  });
const certify = (...words: string[]) => close(MERCHANT, '2026', '--certificate', folder, ...words);
const read = () => {
  const text = readFileSync(join(folder, `CLOTURE_${MERCHANT}_2026.json`), 'utf8');
  return {
    text,
    ...(JSON.parse(text) as { readonly hash: string; readonly certificate: YearCertificate }),
  };
};

test('is of a year, and of one that is closed', async () => {
  const month = await close(MERCHANT, '2026-10', '--certificate', folder);
  expect([month.status, month.err]).toEqual([
    3,
    'pointage: --certificate is of a year, not of a month.\n',
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('names every month as it was closed, and what the months moved on each account', async () => {
  const { status, out } = await certify('--yes', '--reason', 'comptes approuvés le 5 janvier');
  expect([status, out.includes(join(folder, `CLOTURE_${MERCHANT}_2026.pdf`))]).toEqual([0, true]);
  const { text, hash, certificate } = read();
  expect(hash).toBe(createHash('sha256').update(JSON.stringify(certificate)).digest('hex'));
  const reports = await books.store.pool.query(
    `select period, revision, issued -> 'integrity' ->> 'contentHash' as hash, (issued -> 'summary' -> 'recorded' ->> 'balance')::bigint as recorded
    from reports where status = 'READY' order by period`,
  );
  expect(
    certificate.months.map(({ period, revision, contentHash, recorded, closed, lateLines }) => {
      return {
        period,
        revision,
        hash: contentHash,
        recorded: String(recorded),
        ...closed,
        lateLines,
      };
    }),
  ).toEqual(
    reports.rows.map((row) => ({
      ...row,
      recorded: String(row.recorded),
      ...{ by: 'awa', at: NOW, reason: 'comptes approuvés le 5 janvier', lateLines: 0 },
    })),
  );
  const wallet = certificate.accounts.find(({ role }) => role === 'wallet')!;
  expect(wallet.balance).toBe(certificate.months.at(-1)!.recorded);
  expect(wallet.debit - wallet.credit + wallet.opening!).toBe(wallet.balance);
  expect(certificate.accounts.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
  // The books begin in the year: every account has an opening, and together they are 0.
  expect(certificate.accounts.reduce((sum, { opening }) => sum + opening!, 0)).toBe(0);
  const pdf = readFileSync(join(folder, `CLOTURE_${MERCHANT}_2026.pdf`));
  expect((await certify()).status).toBe(0);
  expect(read().text).toBe(text);
  expect(readFileSync(join(folder, `CLOTURE_${MERCHANT}_2026.pdf`)).equals(pdf)).toBe(true);
});

test.runIf(areInstalled('pdftotext'))(
  'prints all of it on one page, in either language',
  async () => {
    const { hash, certificate } = read();
    for (const [language, title, none] of [
      [
        'en',
        'Certificate of closing — 2026',
        'No line dated in a closed month came after it was closed.',
      ],
      [
        'fr',
        'Certificat de clôture — 2026',
        'Aucune ligne datée d’un mois clos n’est arrivée après sa clôture.',
      ],
    ] as const) {
      await certify('--lang', language);
      const pages = pagesOf(join(folder, `CLOTURE_${MERCHANT}_2026.pdf`));
      expect(pages.length).toBe(1);
      const page = squeezed(pages[0]!).replaceAll(',', '');
      for (const text of [title, none, hash, MERCHANT, 'awa · comptes'])
        expect(page).toContain(squeezed(text));
      for (const { contentHash, recorded } of certificate.months) {
        expect(page).toContain(contentHash.slice(0, 12));
        expect(page).toContain(String(recorded));
      }
    }
  },
);

test('names the lines that came after, once it is made again', async () => {
  books.addLateLine(MERCHANT, 500);
  await books.run(NOW);
  const before = read();
  expect((await certify()).status).toBe(0);
  const { hash, certificate } = read();
  expect(hash).not.toBe(before.hash);
  expect(certificate.months).toEqual(
    before.certificate.months.map((month) => ({ ...month, lateLines: 1 })),
  );
  const { rows } = await books.store.pool.query('select max(sequence)::int as last from entries');
  expect(certificate.late).toEqual([rows[0].last]);
});
