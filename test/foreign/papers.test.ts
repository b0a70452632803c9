// An auditor's working papers in LibreOffice: recomputed, no cell changes; what the auditor writes into the sample's result is
// projected as ISA 530 asks. Without LibreOffice (`soffice`) these tests are skipped.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../src/core/statements/statement.ts';
import { writeConfirmation } from '../../src/io/formats/attestation/confirmation.ts';
import { writePapers } from '../../src/io/formats/papers/papers-workbook.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { simulateBooks } from '../../src/sandbox/simulation/simulate.ts';
import { areInstalled } from '../support/installed.ts';
import { hasLibreOffice, recompute } from '../support/libre-office.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { papersOf } from '../support/papers-of-months.ts';
import { pagesOf, qpdfCheck, squeezed } from '../support/pdf-tools.ts';
import { sampleLinks } from '../support/sample-links.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { type ReadWorkbook, readCells, type Sheets } from '../support/sheet-cells.ts';
import { testFolder } from '../support/test-folder.ts';
import { TEMPLATE } from '../support/written-document.ts';

const PLAN = planMerchant({
  reference: 'DOSSIER',
  opensAt: Date.UTC(2026, 7, 20),
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.08 },
});
const SOUND = simulateBooks(PLAN, { seed: 'papers', until: Date.UTC(2026, 11, 20) });
const BOOKS = decodeBooks(faultNamed('CREDIT_MISSING').plant(SOUND, seedRandom('papers'))!.books);
const REPORT = auditBooks(BOOKS);
const months = await Promise.all(
  ['2026-09', '2026-10', '2026-11'].map((period) => stateBooks(BOOKS, { period, report: REPORT })),
);
const PAPERS = papersOf(months, { limit: 100_000 });
const OPTIONS = { verifyAt: null, template: TEMPLATE } as const;

async function bytesIn(language: 'fr' | 'en'): Promise<Buffer> {
  const out = new PassThrough();
  const [bytes] = await Promise.all([buffer(out), writePapers(PAPERS, { ...OPTIONS, language }, out)]);
  return bytes;
}

const RESULT = 'Résultat du sondage';

/** The first item of the monetary sample was worth half, and one of the random sample nothing. */
async function audited(bytes: Buffer): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  const sheet = workbook.getWorksheet(RESULT)!;
  const [first, ofRandom] = [PAPERS.items[0]!, PAPERS.items.find(({ method }) => method === 'random')!];
  sheet.eachRow((row) => {
    const item = row.getCell(1).value;
    if (item === 1) row.getCell(4).value = first.amount - 1_000;
    if (item === PAPERS.items.indexOf(ofRandom) + 1) row.getCell(4).value = 0;
  });
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

describe.skipIf(!hasLibreOffice)('working papers that LibreOffice recomputes (needs soffice)', () => {
  const before = {} as Record<'fr' | 'en', ReadWorkbook>;
  let after: Record<'fr' | 'en' | 'audited', Sheets>;

  beforeAll(async () => {
    const [fr, en] = [await bytesIn('fr'), await bytesIn('en')];
    for (const [name, bytes] of Object.entries({ fr, en })) before[name as 'fr' | 'en'] = await readCells(bytes);
    after = await recompute({ fr, en, audited: await audited(fr) });
  }, 180_000);

  test.each(['fr', 'en'] as const)('keep every cell: %s', (language) => {
    const { cells, formulas } = before[language];
    expect([...after[language].keys()]).toEqual([...cells.keys()]);
    expect([...formulas.values()].reduce((many, own) => many + own.size, 0)).toBeGreaterThan(250);
    for (const [sheet, own] of cells) expect(rounded(after[language].get(sheet)!), sheet).toEqual(rounded(own));
  });

  test('project what the auditor writes, each item for what it represents', () => {
    const [first, ofRandom] = [PAPERS.items[0]!, PAPERS.items.find(({ method }) => method === 'random')!];
    // The total rows of both tables.
    const totals = [...after.audited.get(RESULT)!].filter(
      ([address, value]) => address.startsWith('A') && value === 'Total',
    );
    const projected = totals.map(([address]) => after.audited.get(RESULT)!.get(address.replace('A', 'G')));
    expect(projected).toEqual([Math.round((1_000 / first.amount) * first.represents), ofRandom.represents]);
    const untouched = totals.map(([address]) => after.fr.get(RESULT)!.get(address.replace('A', 'G')));
    expect(untouched).toEqual([0, 0]);
  });

  test('have no difference between an item and its lines, but for the credit that is missing', () => {
    const sheet = after.fr.get('Sondage')!;
    const column = [...sheet].find(([address, value]) => value === 'Écart' && !address.startsWith('A'))![0];
    const letters = column.replace(/\d+/, '');
    const rows = [...sheet].filter(([address]) => address.replace(/\d+/, '') === letters).map(([, value]) => value);
    expect(rows.slice(1)).toHaveLength(PAPERS.items.length);
    expect(rows.slice(1).filter((value) => value !== 0).length).toBeLessThanOrEqual(2);
  });
});

test('the same papers are the same bytes', async () => {
  expect((await bytesIn('fr')).equals(await bytesIn('fr'))).toBe(true);
});

test('texts from outside are texts, also where they begin as formulas', async () => {
  const [month] = months as [(typeof months)[0]];
  const lines = month.lines.map((line) => ({ ...line, label: '=1+1' }));
  const operations = month.operations.map((operation) => ({ ...operation, description: '=HYPERLINK("x")' }));
  const out = new PassThrough();
  const papers = papersOf([{ ...month, lines, operations }]);
  const [bytes] = await Promise.all([buffer(out), writePapers(papers, { ...OPTIONS, language: 'fr' }, out)]);
  const { cells, formulas } = await readCells(bytes);
  const texts = [...cells.values()].flatMap((own) => [...own.values()]);
  expect(texts.filter((text) => text === '=1+1').length).toBe(papers.entries.length);
  expect(texts.filter((text) => text === '=HYPERLINK("x")').length).toBe(papers.items.length);
  expect(
    [...formulas.values()].flatMap((own) => [...own.values()].filter((text) => /1\+1|HYPER/.test(String(text)))),
  ).toEqual([]);
});

describe.skipIf(!areInstalled('pdftotext', 'qpdf'))('a request to confirm balances (needs pdftotext, qpdf)', () => {
  const statements = months.map(({ statement }) => statement);
  const pdfOf = async (some: readonly Statement[], auditor: string | null, language: 'fr' | 'en' = 'fr') => {
    const out = new PassThrough();
    const wish = { ...OPTIONS, language, auditor };
    const [bytes] = await Promise.all([buffer(out), writeConfirmation(some, wish, out)]);
    const file = join(testFolder('pointage-confirmation-'), 'confirmation.pdf');
    writeFileSync(file, bytes);
    return file;
  };

  test('has the balances of the last statement, to whom the answer goes, and a place for both to sign', async () => {
    const file = await pdfOf(statements, 'Cabinet Kora, 12 rue Inventée, Abidjan');
    const [page, ...more] = pagesOf(file).map(squeezed);
    const { recorded, due } = statements.at(-1)!.due;
    expect(more).toEqual([]);
    for (const figure of [recorded.balance, due!.balance])
      expect(page).toContain(squeezed(String(figure).replace(/(?=(\d{3})+$)(?<=\d)/g, ' ')));
    for (const text of [
      'Cabinet Kora, 12 rue Inventée, Abidjan',
      'D’accord',
      'En désaccord',
      'Motif',
      'Pour l’émetteur',
    ])
      expect(page).toContain(squeezed(text));
    expect(page).toContain(squeezed('Aucun compte des paiements par lien'));
    expect(qpdfCheck(file)).toContain('No syntax or stream encoding errors');
  });

  test('states payments by link of the whole period: what was owed, collected, paid out, and is owed', async () => {
    const account = sampleLinks(false).account!;
    const linked = statements.map((statement) => ({
      ...statement,
      paymentsByLink: { ...sampleLinks(false), account },
    }));
    const page = squeezed(pagesOf(await pdfOf(linked, null, 'en'))[0]!);
    expect(page).toContain(squeezed('Answer to: ____'));
    for (const [name, figure] of [
      ['Owed at the start', '9,080,706'],
      ['Collected', '22,962,963'],
      ['Paid out to the holder', '16,296,327'],
      ['Owed at the end', '11,199,885'],
    ])
      expect(page).toContain(squeezed(`${name} ${figure}`));
    expect(page).not.toContain(squeezed('No account of payments by link'));
  });
});

/** Dates pass through text: to the millisecond. */
function rounded(cells: ReadonlyMap<string, string | number>): ReadonlyMap<string, string | number> {
  const inOrder = [...cells].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    inOrder.map(([address, value]) => [address, typeof value === 'number' ? Math.round(value * 1e8) / 1e8 : value]),
  );
}
