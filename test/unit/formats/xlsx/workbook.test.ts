// The workbook as its parts and its cells say: formulas only where they are ours, the same cells in
// both ways of writing, sheets that go on in the next sheet, and a warning first where the books
// are broken.

import ExcelJS from 'exceljs';
import { describe, expect, test } from 'vitest';
import type { StatementDocument } from '../../../../src/io/formats/port/format.ts';
import { typeset } from '../../../../src/io/formats/port/one-line.ts';
import { cellText } from '../../../../src/io/formats/xlsx/sheet/cell.ts';
import { handBooks } from '../../../support/hand-books.ts';
import { documentOf, stateBooks } from '../../../support/month-of-books.ts';
import { SAMPLE_OPENING } from '../../../support/sample-lines.ts';
import { sampleDocument } from '../../../support/sample-statement.ts';
import { cellBeside, readCells, xlsxBytes } from '../../../support/sheet-cells.ts';
import { partOf, readZip } from '../../../support/zip-reader.ts';

const FRENCH_SHEETS = [
  'Lisez-moi',
  'Synthèse',
  'Par jour',
  'Par opérateur',
  'Grand livre',
  'Opérations',
  'Suspens',
  'Commissions',
  'Exceptions',
  'Écritures',
  'Balance',
  'Contrôles',
  'Métadonnées',
];

async function labelsOf({ lines }: StatementDocument): Promise<readonly (string | null)[]> {
  const labels: (string | null)[] = [];
  for await (const batch of lines()) labels.push(...batch.map(({ label }) => label));
  return labels;
}

describe('a workbook', () => {
  test('has its sheets in order, in both languages, and no apostrophe in their names', async () => {
    const french = await readCells(await xlsxBytes(sampleDocument()));
    const english = await readCells(await xlsxBytes(sampleDocument(), { language: 'en' }));
    expect([...french.cells.keys()]).toEqual(FRENCH_SHEETS);
    expect([...english.cells.keys()]).toHaveLength(FRENCH_SHEETS.length);
    expect(
      [...french.cells.keys(), ...english.cells.keys()].filter((name) => name.includes("'")),
    ).toEqual([]);
    expect(
      cellBeside(english.cells, {
        sheet: 'Summary',
        label: 'Closing (sum of the lines)',
        column: 'D',
      }),
    ).toBe(sampleDocument().statement.summary.closingBalance);
  });

  test.each([
    [0, []],
    [7, ['dont 7 sans ligne à l’appui (somme des lignes : 1 000)']],
  ])('says by how much the recorded opening is off its lines: by %s', async (off, said) => {
    const { entries, ...books } = handBooks(`
      09-12T08:00 CASHIN_CREDIT 600 GUI-CI-1
      09-14T08:00 CASHIN_CREDIT 400 GUI-CI-2
      10-03T08:00 CASHIN_CREDIT 500 GUI-CI-3`);
    const drifted = entries.map((line, i) =>
      i === 0 ? line : { ...line, balanceAfter: line.balanceAfter + off },
    );
    const stated = await stateBooks({ ...books, entries: drifted }, { period: '2026-10' });
    const { cells } = await readCells(await xlsxBytes(documentOf(stated)));
    const texts = [...cells.get('Synthèse')!.values()].filter((text) =>
      /somme des lignes :/.test(String(text)),
    );
    expect(texts.map((text) => String(text).replaceAll(/\s/g, ' '))).toEqual(said);
    const at = (label: string, column: string) =>
      cellBeside(cells, { sheet: 'Synthèse', label, column });
    expect(at('Solde à l’ouverture, comptabilisé par le service', 'C')).toBe(1_000 + off);
    expect(at('À l’ouverture (somme des lignes)', 'D')).toBe(1_000);
  });

  test('aligns the numbers of lines among figures as figures, and centres them in the ledger', async () => {
    const workbook = new ExcelJS.Workbook();
    await workbook.xlsx.load((await xlsxBytes(sampleDocument())) as unknown as ArrayBuffer);
    const sideOf = (sheet: string, label: string): string | undefined => {
      const rows = workbook.getWorksheet(sheet)!.getRows(1, 80)!;
      return rows.find((row) => row.getCell(1).text === label)!.getCell(2).alignment.horizontal;
    };
    expect(sideOf('Synthèse', 'Lignes')).toBeUndefined();
    expect(sideOf('Synthèse', 'Premier numéro')).toBeUndefined();
    expect(workbook.getWorksheet('Grand livre')!.getCell('A6').alignment.horizontal).toBe('center');
  });

  test('keeps each text of a long month in its cell, and those of a short one once: the same cells', async () => {
    const [short, long] = [
      sampleDocument({ lines: 2_000, texts: 'hostile' }),
      sampleDocument({ lines: 2_001, texts: 'hostile' }),
    ];
    const [once, each] = [await xlsxBytes(short), await xlsxBytes(long)];
    expect(partOf(once, 'xl/worksheets/sheet5.xml')).not.toContain('<is>');
    expect(partOf(each, 'xl/worksheets/sheet5.xml')).toContain('<is>');
    const [left, right] = [await readCells(once), await readCells(each)].map(
      ({ cells }) => cells.get('Grand livre')!,
    );
    // The times are left out, because they are spread over the month.
    const lines = [...left!].filter(
      ([address]) => !address.startsWith('B') && Number(/\d+$/.exec(address)![0]) > 5,
    );
    expect(lines.length).toBeGreaterThan(20_000);
    expect(lines.filter(([address, value]) => right!.get(address) !== value)).toEqual([]);
  });

  test('has its charts on the Synthèse, with a text for those who cannot see them', async () => {
    const document = sampleDocument({ lines: 300 });
    const bytes = await xlsxBytes(document);
    expect(partOf(bytes, 'xl/worksheets/sheet2.xml')).toMatch(
      /<drawing r:id="rId1"\/><\/worksheet>$/,
    );
    expect(partOf(bytes, 'xl/worksheets/_rels/sheet2.xml.rels')).toContain(
      '../drawings/drawing1.xml',
    );
    const drawing = partOf(bytes, 'xl/drawings/drawing1.xml');
    expect(drawing.match(/descr="[^"]{20,}"/g)).toHaveLength(2);
    const types = partOf(bytes, '[Content_Types].xml');
    for (const part of ['drawings/drawing1', 'charts/chart1', 'charts/chart2']) {
      expect(types).toContain(`PartName="/xl/${part}.xml"`);
    }
    const closing = partOf(bytes, 'xl/charts/chart1.xml');
    const figures = [...closing.matchAll(/<c:v>([^<]*)<\/c:v>/g)].map(([, value]) => value);
    expect(figures.slice(-31)).toEqual(document.statement.days.map((day) => String(day.closing)));
  });

  test('has one date for all parts, and no clock or chance in it', async () => {
    const parts = readZip(await xlsxBytes(sampleDocument()));
    expect(new Set(parts.map((part) => part.stamp))).toEqual(new Set([0x0021_0000]));
    expect(
      parts.map(({ path }) => path).filter((path) => path.startsWith('/') || path.endsWith('/')),
    ).toEqual([]);
    const core = parts.find(({ path }) => path === 'docProps/core.xml')!.content.toString();
    expect([...core.matchAll(/\d{4}-\d\d-\d\dT[^<]*/g)].map(([date]) => date)).toEqual([
      '2026-11-02T03:00:00Z',
      '2026-11-02T03:00:00Z',
    ]);
  });

  test('keeps hostile texts as texts: every formula is ours', async () => {
    const document = sampleDocument({ lines: 60, texts: 'hostile' });
    const { cells, formulas } = await readCells(await xlsxBytes(document));
    const shown = (await labelsOf(document)).map((label) => cellText(typeset(label!)));
    const ledger = cells.get('Grand livre')!;
    expect(shown.map((_, i) => ledger.get(`K${6 + i}`) ?? '')).toEqual(shown);
    expect(shown.filter((label) => /^[=+\-@]/.test(label)).length).toBeGreaterThan(3);
    for (const [, own] of formulas) {
      for (const formula of own.values())
        expect(formula).not.toMatch(/HYPERLINK|cmd|SUM\(A1:A9\)|^1\+1|2\+3/);
    }
    expect(
      [...formulas.get('Grand livre')!.keys()].filter((address) => !/^[E-J]/.test(address)),
    ).toEqual([]);
    const metadata = [...cells.get('Métadonnées')!.values()];
    expect(metadata).toEqual(
      expect.arrayContaining([expect.stringMatching(/écarts\s: 1\.$/), '=1+1']),
    );
    expect(cells.get('Lisez-moi')!.get('A2')).toContain('=Dupont & Fils <SARL> "été" 🎉');
    expect(cells.get('Lisez-moi')!.get('B4')).toContain(
      '=Monnaie Inventée SA <&> 🎉 · RCCM CI-ABJ-03-2026',
    );
    expect([...cells.get('Métadonnées')!.values()]).toContain(cells.get('Lisez-moi')!.get('B4'));
  });

  test('writes no part that XML refuses, whatever the texts', async () => {
    const bytes = await xlsxBytes(sampleDocument({ lines: 60, texts: 'hostile' }));
    for (const { path, content } of readZip(bytes)) {
      const xml = content.toString('utf8');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML refuses
      expect(xml, path).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
      expect(xml, path).not.toMatch(/&(?!(?:amp|lt|gt|quot|apos|#\d+);)/);
    }
  });

  test('of a month without lines has its figures, an empty ledger and no operators to draw', async () => {
    const document = sampleDocument({ lines: 0 });
    const { cells } = await readCells(await xlsxBytes(document));
    expect(
      cellBeside(cells, {
        sheet: 'Synthèse',
        label: 'À la clôture (somme des lignes)',
        column: 'D',
      }),
    ).toBe(1_250_000);
    expect(cells.get('Grand livre')!.get('G4')).toBe(1_250_000);
    expect(
      [...cells.get('Grand livre')!.keys()].filter((address) => /\D([6-9]|\d\d+)$/.test(address)),
    ).toEqual([]);
    expect(
      readZip(await xlsxBytes(document)).filter(({ path }) => path.includes('/charts/')),
    ).toHaveLength(1);
  });

  test('goes on in further sheets where one is full, with totals over all of them', async () => {
    const document = sampleDocument({ lines: 250 });
    const { cells, formulas } = await readCells(await xlsxBytes(document, { rowsPerSheet: 100 }));
    const names = [...cells.keys()];
    expect(names.filter((name) => name.startsWith('Grand livre'))).toEqual([
      'Grand livre',
      'Grand livre 2',
      'Grand livre 3',
    ]);
    const numbers = names
      .filter((name) => name.startsWith('Grand livre'))
      .flatMap((name) =>
        Array.from({ length: 100 }, (_, i) => cells.get(name)!.get(`A${6 + i}`) ?? null),
      );
    expect(numbers.filter((number) => number !== null)).toEqual(
      Array.from({ length: 250 }, (_, i) => SAMPLE_OPENING.sequence + i + 1),
    );
    expect(formulas.get('Grand livre 2')!.get('J6')).toContain("'Grand livre'!$G$105");
    expect(formulas.get('Grand livre')!.get('E4')).toContain("'Grand livre 3'!$E$6:$E$55");
    const entries = names.filter((name) => name.startsWith('Écritures'));
    const rows = entries.flatMap((name) =>
      [...cells.get(name)!].filter(([address]) => address.startsWith('A')),
    );
    const written = rows.filter(([, value]) => String(value).startsWith('MM-2026-10-')).length;
    expect(written).toBe(2 * document.statement.journal.entryCount);
  });

  test('of broken books says so on its first sheet, and by how much', async () => {
    const document = sampleDocument();
    const { statement, ...streams } = document;
    const broken: StatementDocument = {
      ...streams,
      statement: {
        ...statement,
        summary: {
          ...statement.summary,
          due: {
            ...statement.summary.recorded,
            balance: statement.summary.recorded.balance + 1_500,
          },
          verdict: { state: 'broken', missing: [] },
          findings: {
            ...statement.summary.findings,
            total: 4,
            roots: 3,
            critical: 2,
            error: 1,
            warning: 0,
          },
        },
      },
    };
    const first = (await readCells(await xlsxBytes(broken))).cells.get('Lisez-moi')!;
    const words = [...first.values()].filter((value) => typeof value === 'string');
    expect(words.filter((word) => word === 'Livres non conformes.')).toHaveLength(1);
    expect(
      words.filter((word) => word.startsWith('Le service doit 1\u202f500 XOF au marchand')),
    ).toHaveLength(1);
    expect(
      words.filter(
        (word) => word === 'Constats du mois : 2 critiques, 1 erreur, 1 qui découle d’un autre.',
      ),
    ).toHaveLength(1);
    const sound = (await readCells(await xlsxBytes(document))).cells.get('Lisez-moi')!;
    expect(
      [...sound.values()].filter((word) => String(word).startsWith('Livres conformes')),
    ).toHaveLength(1);
    expect([...sound.values()].filter((word) => String(word).startsWith('Livres non'))).toEqual([]);
  });

  test('fails with what the lines failed with, also when half of it is written', async () => {
    const { lines, ...rest } = sampleDocument({ lines: 5_000 });
    const broken = async function* () {
      for await (const batch of lines()) {
        yield batch;
        if (batch.at(-1)!.sequence >= SAMPLE_OPENING.sequence + 3_000)
          throw new Error('the ledger broke off');
      }
    };
    await expect(xlsxBytes({ ...rest, lines: broken })).rejects.toThrow('broke off');
  });

  test('prints its address for verification only when there is one', async () => {
    const address = 'https://releves.exemple.invalid/';
    const read = async (verifyAt: string | null) => [
      ...(await readCells(await xlsxBytes(sampleDocument(), { verifyAt }))).cells
        .get('Lisez-moi')!
        .values(),
    ];
    expect(await read(address)).toContain(`${address}${'c'.repeat(64)}`);
    expect((await read(null)).filter((value) => String(value).includes('https'))).toEqual([]);
  });

  test('fits its pages, repeats its headers, keeps them in sight and filters below them', async () => {
    const bytes = await xlsxBytes(sampleDocument());
    const ledger = partOf(bytes, 'xl/worksheets/sheet5.xml');
    expect(ledger).toContain(
      '<pane ySplit="5" topLeftCell="A6" activePane="bottomLeft" state="frozen"/>',
    );
    expect(ledger).toContain('<autoFilter ref="A5:S45"/>');
    expect(ledger).toMatch(/<pageSetup [^>]*fitToHeight="0"/);
    expect(ledger).not.toContain('sheetProtection');
    expect(ledger).toContain('&amp;C&amp;8 cccccccccccc&amp;R&amp;8 page &amp;P/&amp;N');
    expect(partOf(bytes, 'xl/workbook.xml')).toContain('&apos;Grand livre&apos;!$5:$5');
  });
});
