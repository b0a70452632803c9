// An auditor's working papers in LibreOffice: recomputed, no cell changes; what the auditor writes
// into the sample's result is projected as ISA 530 asks. Without LibreOffice (`soffice`) these
// tests are skipped.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ExcelJS from 'exceljs';
import { beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { METHODS } from '../../src/core/statements/papers/audit-papers.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { writeConfirmation } from '../../src/io/formats/attestation/confirmation.ts';
import { type AuditPapers, writePapers } from '../../src/io/formats/papers/papers-workbook.ts';
import { areInstalled } from '../support/installed.ts';
import { hasLibreOffice, recompute } from '../support/libre-office.ts';
import { papersOf, quarterOfBooks } from '../support/papers-of-months.ts';
import { pagesOf, qpdfCheck, squeezed } from '../support/pdf-tools.ts';
import { sampleLinks } from '../support/sample-links.ts';
import { type ReadWorkbook, readCells, type Sheets } from '../support/sheet-cells.ts';
import { testFolder } from '../support/test-folder.ts';
import { TEMPLATE } from '../support/written-document.ts';

const months = await quarterOfBooks();
const PAPERS = await papersOf(months, { limit: 100_000 });
const OPTIONS = { verifyAt: null, template: TEMPLATE } as const;

async function bytesIn(language: 'fr' | 'en'): Promise<Buffer> {
  const out = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(out),
    writePapers(PAPERS, { ...OPTIONS, language }, out),
  ]);
  return bytes;
}

const RESULT = 'Résultat du sondage';

/**
 * Fills in an auditor's results: the first item of the monetary sample is worth less, the second
 * has words in place of a number, and one of the random sample is worth nothing.
 */
async function audited(bytes: Buffer): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  const sheet = workbook.getWorksheet(RESULT)!;
  const [first, ofRandom] = [
    PAPERS.items[0]!,
    PAPERS.items.find(({ method }) => method === 'random')!,
  ];
  sheet.eachRow((row) => {
    const item = row.getCell(1).value;
    if (item === 1) row.getCell(4).value = first.amount - 1_000;
    if (item === 2) row.getCell(4).value = 'pièce demandée';
    if (item === PAPERS.items.indexOf(ofRandom) + 1) row.getCell(4).value = 0;
  });
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

/** Returns two items of the monetary sample that stand for more than themselves. */
function drawnTwo() {
  const drawn = PAPERS.items.filter((item) => item.stratum === 'drawn');
  expect(drawn.length).toBeGreaterThan(2);
  return drawn.slice(0, 2);
}

/** Finds 500 too much in each of these two, and a sum too small in a third. */
async function twice(bytes: Buffer): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  const found = new Map(
    drawnTwo().map((item) => [PAPERS.items.indexOf(item) + 1, item.amount - 500]),
  );
  const under = PAPERS.items.filter((item) => item.stratum === 'drawn')[2]!;
  found.set(PAPERS.items.indexOf(under) + 1, under.amount + 400);
  workbook.getWorksheet(RESULT)!.eachRow((row) => {
    const audited = found.get(Number(row.getCell(1).value));
    if (audited !== undefined) row.getCell(4).value = audited;
  });
  return Buffer.from(await workbook.xlsx.writeBuffer());
}

describe.skipIf(!hasLibreOffice)(
  'working papers that LibreOffice recomputes (needs soffice)',
  () => {
    const before = {} as Record<'fr' | 'en', ReadWorkbook>;
    let after: Record<'fr' | 'en' | 'audited' | 'twice', Sheets>;

    beforeAll(async () => {
      const [fr, en] = [await bytesIn('fr'), await bytesIn('en')];
      for (const [name, bytes] of Object.entries({ fr, en }))
        before[name as 'fr' | 'en'] = await readCells(bytes);
      after = await recompute({ fr, en, audited: await audited(fr), twice: await twice(fr) });
    }, 180_000);

    test.each(['fr', 'en'] as const)('keep every cell: %s', (language) => {
      const { cells, formulas } = before[language];
      expect([...after[language].keys()]).toEqual([...cells.keys()]);
      expect([...formulas.values()].reduce((many, own) => many + own.size, 0)).toBeGreaterThan(250);
      for (const [sheet, own] of cells)
        expect(rounded(after[language].get(sheet)!), sheet).toEqual(rounded(own));
    });

    test('project what the auditor writes, each item for what it represents', () => {
      const [first, ofRandom] = [
        PAPERS.items[0]!,
        PAPERS.items.find(({ method }) => method === 'random')!,
      ];
      // The total rows of both tables.
      const totals = [...after.audited.get(RESULT)!].filter(
        ([address, value]) => address.startsWith('A') && value === 'Total',
      );
      const projected = totals.map(([address]) =>
        after.audited.get(RESULT)!.get(address.replace('A', 'H')),
      );
      expect(projected).toEqual([
        Math.round((1_000 / first.amount) * first.represents),
        ofRandom.represents,
      ]);
      const tested = totals.map(([address]) =>
        after.audited.get(RESULT)!.get(address.replace('A', 'E')),
      );
      const sizes = METHODS.map(
        (method) => PAPERS.items.filter((item) => item.method === method).length,
      );
      expect(tested).toEqual([1, 1]);
      const titles = [...after.audited.get(RESULT)!.values()].filter((value) =>
        String(value).startsWith('Testés'),
      );
      expect(titles).toEqual(sizes.map((size) => `Testés sur ${size}`));
      const untouched = totals.map(([address]) =>
        after.fr.get(RESULT)!.get(address.replace('A', 'H')),
      );
      expect(untouched).toEqual([0, 0]);
    });

    test('say the upper limit of the error, and that nothing is tested yet before', () => {
      const limitIn = (sheets: Sheets) => {
        const own = sheets.get('Limite supérieure')!;
        const figureOf = (name: string) =>
          own.get([...own].find(([, value]) => value === name)![0].replace('A', 'B'));
        return {
          tested: figureOf('Éléments testés'),
          basic: figureOf('Précision de base, à 95 %'),
          overstated: figureOf('Surestimation projetée'),
          allowance: figureOf('Majoration pour les erreurs trouvées'),
          upper: figureOf('Limite supérieure de la surestimation, à 95 %'),
        };
      };
      const basic = PAPERS.draw.interval * 3;
      expect(limitIn(after.fr)).toEqual({
        tested: 0,
        basic,
        overstated: 0,
        allowance: 0,
        upper: 'rien n’a encore été testé',
      });
      const [first] = PAPERS.items;
      const overstated = Math.round((1_000 / first!.amount) * first!.represents);
      // The largest error raises the factor from 3.00 to 4.75: 0.75 more than its projection.
      const allowance = first!.stratum === 'certain' ? 0 : Math.round(overstated * 0.75);
      const upper = basic + overstated + allowance;
      expect(limitIn(after.audited)).toEqual({ tested: 1, basic, overstated, allowance, upper });
    });

    test('take the largest error first, and the others by the factors that follow', () => {
      const drawn = drawnTwo();
      const [largest, next] = drawn
        .map(({ amount, represents }) => Math.round((500 / amount) * represents))
        .sort((one, other) => other - one);
      const own = after.twice.get('Limite supérieure')!;
      const row = [...own].find(([, value]) => value === 'Majoration pour les erreurs trouvées')!;
      expect(own.get(row[0].replace('A', 'B'))).toBe(Math.round(largest! * 0.75 + next! * 0.55));
    });

    test('have no difference between an item and its lines, but for the credit that is missing', () => {
      const sheet = after.fr.get('Sondage')!;
      const column = [...sheet].find(
        ([address, value]) => value === 'Écart' && !address.startsWith('A'),
      )![0];
      const letters = column.replace(/\d+/, '');
      const rows = [...sheet]
        .filter(([address]) => address.replace(/\d+/, '') === letters)
        .map(([, value]) => value);
      expect(rows.slice(1)).toHaveLength(PAPERS.items.length);
      expect(rows.slice(1).filter((value) => value !== 0).length).toBeLessThanOrEqual(2);
    });
  },
);

test('the same papers are the same bytes', async () => {
  expect((await bytesIn('fr')).equals(await bytesIn('fr'))).toBe(true);
});

test('texts from outside are texts, also where they begin as formulas', async () => {
  const [month] = months;
  const lines = month.lines.map((line) => ({ ...line, label: '=1+1' }));
  const operations = month.operations.map((operation) => ({
    ...operation,
    description: '=HYPERLINK("x")',
  }));
  const out = new PassThrough();
  const papers = await papersOf([{ ...month, lines, operations }]);
  const [bytes] = await Promise.all([
    buffer(out),
    writePapers(papers, { ...OPTIONS, language: 'fr' }, out),
  ]);
  const { cells, formulas } = await readCells(bytes);
  const texts = [...cells.values()].flatMap((own) => [...own.values()]);
  expect(texts.filter((text) => text === '=1+1').length).toBe(papers.entries.length);
  expect(texts.filter((text) => text === '=HYPERLINK("x")').length).toBe(papers.items.length);
  expect(
    [...formulas.values()].flatMap((own) =>
      [...own.values()].filter((text) => /1\+1|HYPER/.test(String(text))),
    ),
  ).toEqual([]);
});

describe('sheets', () => {
  const rowsOf = (sheet: ReadonlyMap<string, string | number>, column: string) =>
    [...sheet]
      .filter(([address]) => address.replace(/\d+/, '') === column)
      .map(([, value]) => value);

  test('have days of the week from Monday on', async () => {
    const { cells } = await readCells(await bytesIn('fr'));
    const days = rowsOf(cells.get('Écritures diverses')!, 'A').filter((value) =>
      /di$|^dimanche$/.test(String(value)),
    );
    const week = ['lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi', 'dimanche'];
    expect(days.length).toBeGreaterThan(3);
    expect(days).toEqual(week.filter((day) => days.includes(day)));
  });

  test('name a month without a statement, whose movements are missing from the balances', async () => {
    const out = new PassThrough();
    const papers = { ...(await papersOf([months[0], months[2]])), missing: '2026-10' };
    const [bytes] = await Promise.all([
      buffer(out),
      writePapers(papers, { ...OPTIONS, language: 'fr' }, out),
    ]);
    const lead = (await readCells(bytes)).cells;
    expect([...lead.get('Feuille maîtresse')!.values()]).toContainEqual(
      expect.stringContaining('Mois sans relevé : 2026-10.'),
    );
    const whole = (await readCells(await bytesIn('fr'))).cells.get('Feuille maîtresse')!;
    expect([...whole.values()].filter((value) => /sans relevé/.test(String(value)))).toEqual([]);
  });

  test('have what came after: corrections, revisions with their effect, nights and deeds', async () => {
    const at = Date.UTC(2026, 11, 3, 9);
    const line = {
      sequence: 9_001,
      kind: 'REVERSAL_DEBIT',
      operationReference: 'GUI-CI-1',
      label: 'rappel',
    };
    const papers: AuditPapers = {
      ...PAPERS,
      corrections: [{ ...line, at, effect: -700, concerns: at - 5 * DAY }],
      changes: [
        {
          at,
          month: '2026-11',
          revision: 2,
          figure: 'closingBalance',
          before: '1000',
          after: '350',
        },
      ],
      runs: [
        {
          runId: 4,
          run: 'night',
          startedAt: at,
          state: 'done',
          verdict: 'clean',
          notChecked: [{ what: 'reports' }, { what: 'reports' }],
        },
      ],
      deeds: [{ at, act: 'accept', about: 'cafe', person: 'awa', reason: 'connu' }],
    };
    const out = new PassThrough();
    const [bytes] = await Promise.all([
      buffer(out),
      writePapers(papers, { ...OPTIONS, language: 'fr' }, out),
    ]);
    const { cells } = await readCells(bytes);
    const events = cells.get('Événements postérieurs')!;
    expect(rowsOf(events, 'F')).toEqual(['Effet sur le solde', -700, -700, 'Après', '350']);
    expect(rowsOf(events, 'D')).toEqual(expect.arrayContaining(['GUI-CI-1', 'Solde à la clôture']));
    const runs = cells.get('Contrôles de nuit')!;
    expect([rowsOf(runs, 'B'), rowsOf(runs, 'F'), rowsOf(runs, 'M')]).toEqual([
      ['Sorte', 'nuit'],
      ['Livres', 'conforme'],
      ['Non contrôlé', 'les rapports mensuels du service'],
    ]);
    expect(rowsOf(cells.get('Piste d’audit')!, 'C')).toEqual(['Quoi', 'accepté']);
  });
});

describe.skipIf(!areInstalled('pdftotext', 'qpdf'))(
  'a request to confirm balances (needs pdftotext, qpdf)',
  () => {
    const [, , { statement }] = months;
    const pdfOf = async (
      of: Statement,
      auditor: string | null,
      language: 'fr' | 'en' = 'fr',
      days: readonly [string | null, string | null] = [null, null],
    ) => {
      const out = new PassThrough();
      const [requestedOn, answerBy] = days;
      const wish = { ...OPTIONS, language, auditor, requestedOn, answerBy };
      const [bytes] = await Promise.all([buffer(out), writeConfirmation(of, wish, out)]);
      const file = join(testFolder('pointage-confirmation-'), 'confirmation.pdf');
      writeFileSync(file, bytes);
      return file;
    };
    const grouped = (figure: number) => String(figure).replace(/(?=(\d{3})+$)(?<=\d)/g, ' ');

    test('states one balance to agree with, reserved and available, to whom the answer goes, and a place to sign', async () => {
      const days = ['2027-01-05', '2027-01-20'] as const;
      const file = await pdfOf(statement, 'Cabinet Kora, 12 rue Inventée, Abidjan', 'fr', days);
      const [page, ...more] = pagesOf(file).map(squeezed);
      const { recorded, due, recomputed } = statement.due;
      expect(more).toEqual([]);
      const { balance, reserved, available } = recorded;
      const { currency } = statement;
      for (const text of [
        'Réponse à : Cabinet Kora, 12 rue Inventée, Abidjan',
        'À confirmer, au 30/11/2026 23:59:59 (UTC)',
        `Portefeuille, solde comptabilisé ${[balance, reserved, available].map(grouped).join(' ')}`,
        `d’accord avec ${grouped(balance)} ${currency}`,
        'en désaccord, montant : ____',
        'Date de la réponse : ____',
        'Demandé le : 5 janvier 2027',
        'Avant le : 20 janvier 2027',
        'la réponse signée est à envoyer à Cabinet Kora, 12 rue Inventée, Abidjan, et à lui seul.',
        'Pour le service',
      ])
        expect(page).toContain(squeezed(text));
      expect(due!.balance).not.toBe(balance);
      expect(page).not.toContain(squeezed(grouped(due!.balance)));
      if (recomputed.balance !== balance)
        expect(page).not.toContain(squeezed(grouped(recomputed.balance)));
      expect(page).not.toMatch(/lien|[ÉEé]metteur/);
      expect(qpdfCheck(file)).toContain('No syntax or stream encoding errors');
    });

    test('has a balance of payments by link where they have an account, and the issuer where one is named', async () => {
      const issuer = {
        ...{ legalName: 'Kora Services, SA', registration: null, taxNumber: null },
        address: ['Boulevard Inventé 1', 'Abidjan'],
      };
      const page = squeezed(
        pagesOf(
          await pdfOf({ ...statement, issuer, paymentsByLink: sampleLinks(false) }, null, 'en'),
        )[0]!,
      );
      for (const text of [
        'To: Kora Services, SA · Boulevard Inventé 1, Abidjan',
        'Answer to: ____',
        'Requested on: ____',
        'Answer by: ____',
        'goes to the auditor named above, and to no one else.',
        `amount owed to the holder: ☐ agree with 11,199,885 ${statement.currency} ☐ disagree, amount: ____`,
        'For Kora Services, SA',
      ])
        expect(page).toContain(squeezed(text));
      // The figure stands in the row, between the words that limit it.
      expect(page.replace('11,199,885', '')).toContain(
        squeezed(
          'owed to the holder, at most; the commissions of 55 payments are not known; the service stated',
        ),
      );
      expect(page).not.toContain('9,080,706');
    });
  },
);

/** Returns cells with dates to the millisecond, because they pass through text. */
function rounded(
  cells: ReadonlyMap<string, string | number>,
): ReadonlyMap<string, string | number> {
  const inOrder = [...cells].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    inOrder.map(([address, value]) => [
      address,
      typeof value === 'number' ? Math.round(value * 1e8) / 1e8 : value,
    ]),
  );
}
