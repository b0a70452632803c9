// A month without a finding of its own, in books that an earlier month breaks: the first page of the PDF, as poppler reads it,
// and the first sheet of the workbook say how many earlier findings still stand, and say it so that it is seen.

import { execFileSync } from 'node:child_process';
import ExcelJS from 'exceljs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatementDocument } from '../../src/formats/format.ts';
import { readerOf } from '../../src/formats/read-back/register.ts';
import { formatNamed } from '../../src/formats/register.ts';
import { FAULTS } from '../../src/sandbox/faults/named/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/policy.ts';
import { seedRandom } from '../../src/sandbox/random.ts';
import { simulateBooks } from '../../src/sandbox/simulation/simulate.ts';
import type { Language, Statement } from '../../src/statements/statement.ts';
import { areInstalled } from '../support/installed.ts';
import { type StatedMonth, stateBooks, documentOf as statedDocument } from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { xlsxBytes } from '../support/sheet-cells.ts';
import { bytesOf } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

/** October of books in which a cash-in of September was credited twice. */
let october: StatedMonth;

beforeAll(async () => {
  const plan = planMerchant({
    reference: 'KORA_FICTIVE',
    policy: LAWFUL_POLICIES[0]!,
    opensAt: Date.UTC(2026, 7, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6 },
  });
  const sound = simulateBooks(plan, { seed: 'pdf', until: Date.UTC(2026, 10, 3) });
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_DUPLICATED')!;
  const planted = fault.plant(sound, seedRandom('b'))!;
  october = await stateBooks(decodeBooks(planted.books), { period: '2026-10' });
  const { findings, summary } = october.statement;
  expect(findings.rows.map(({ when, kind }) => [when, kind])).toEqual([['earlier', 'CREDIT_DUPLICATED']]);
  expect([summary.verdict.state, summary.findings.total]).toEqual(['broken', 0]);
});

function documentOf(changes: Partial<Pick<Statement, 'findings' | 'summary'>> = {}): StatementDocument {
  return statedDocument({ ...october, statement: { ...october.statement, ...changes } });
}

/** The same books with as many more critical findings in October. */
function withFindingsOfMonth(critical: number): StatementDocument {
  const { summary } = october.statement;
  const findings = { ...summary.findings, total: critical, roots: critical, critical };
  return documentOf({ summary: { ...summary, findings } });
}

function withoutFindings(): StatementDocument {
  const none = { total: 0, roots: 0, critical: 0, error: 0, warning: 0, info: 0 };
  const { summary, due } = october.statement;
  return {
    ...documentOf(),
    statement: {
      ...october.statement,
      summary: { ...summary, due: summary.recorded, verdict: { state: 'clean', missing: [] } },
      due: { ...due, due: due.recorded, items: [] },
      findings: { rows: [], count: 0, earlier: none, standing: none },
    },
  };
}

const SAID = {
  fr: {
    verdict: 'Livres non conformes',
    owed: 'Le marchand doit',
    earlier: 'Constats de mois antérieurs',
    month: 'Constats du mois',
  },
  en: {
    verdict: 'Books do not agree',
    owed: 'The merchant owes',
    earlier: 'Findings of earlier months',
    month: 'Findings of the month',
  },
} as const;

describe.skipIf(!areInstalled('pdftotext', 'pdftohtml'))('the first page (needs pdftotext, pdftohtml)', () => {
  const boxOf = async (document: StatementDocument, language: Language): Promise<readonly string[]> => {
    const [first] = pagesOf(await folder.write(document, { language }));
    const { earlier, month } = SAID[language];
    return first!
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith(earlier) || line.startsWith(month));
  };

  /** What poppler shows in bold, and in the colour of the verdict. */
  const shoutedOf = async (document: StatementDocument, language: Language): Promise<readonly string[]> => {
    const file = await folder.write(document, { language });
    const page = execFileSync('pdftohtml', ['-xml', '-stdout', '-i', '-f', '1', '-l', '1', file], { encoding: 'utf8' });
    const colours = new Map([...page.matchAll(/<fontspec id="(\d+)".*color="(#\w+)"/g)].map(([, id, c]) => [id, c]));
    const bold = [...page.matchAll(/<text [^>]*font="(\d+)"><b>(.*)<\/b>/g)].map(([, id, text]) => ({
      text: text!,
      colour: colours.get(id),
    }));
    const verdict = bold.find(({ text }) => text.startsWith(SAID[language].verdict))!;
    return bold.filter(({ colour }) => colour === verdict.colour).map(({ text }) => text);
  };

  test('says how many earlier findings still stand, before it says that the month has none', async () => {
    expect(await boxOf(documentOf(), 'fr')).toEqual([
      'Constats de mois antérieurs qui subsistent : 1 — critiques : 1, erreurs : 0, avertissements : 0, informations : 0.',
      'Constats du mois : 0 — critiques : 0, erreurs : 0, avertissements : 0, informations : 0.',
    ]);
    expect(await boxOf(documentOf(), 'en')).toEqual([
      'Findings of earlier months that still stand: 1 — critical: 1, errors: 0, warnings: 0, information: 0.',
      'Findings of the month: 0 — critical: 0, errors: 0, warnings: 0, information: 0.',
    ]);
  });

  test.each(['fr', 'en'] as const)(
    'shows them as it shows the verdict, and the month’s 0 not so (%s)',
    async (language) => {
      const { verdict, earlier } = SAID[language];
      const { owed } = SAID[language];
      const shouted = await shoutedOf(documentOf(), language);
      expect(shouted.map((text) => [verdict, owed, earlier].find((words) => text.startsWith(words)))).toEqual([
        verdict,
        owed,
        earlier,
      ]);
    },
  );

  test('begins with the month where the month itself breaks the books, and shouts neither', async () => {
    const both = withFindingsOfMonth(2);
    const starts = (await boxOf(both, 'en')).map((line) => line.slice(0, line.indexOf(' —')));
    expect(starts).toEqual(['Findings of the month: 2', 'Findings of earlier months that still stand: 1']);
    expect((await shoutedOf(both, 'en')).filter((text) => /^Findings/.test(text))).toEqual([]);
  });

  test('says nothing of earlier findings where there are none', async () => {
    expect(await boxOf(withoutFindings(), 'fr')).toEqual([]);
  });
});

describe('the first sheet', () => {
  interface ShownLine {
    readonly text: string;
    readonly colour: string | undefined;
  }

  const linesOf = async (document: StatementDocument, language: Language): Promise<readonly ShownLine[]> => {
    const workbook = new ExcelJS.Workbook();
    await workbook.xlsx.load((await xlsxBytes(document, { language })) as unknown as ArrayBuffer);
    const shown: ShownLine[] = [];
    workbook.worksheets[0]!.getColumn(1).eachCell(({ text, font }) => {
      shown.push({ text, colour: font?.color?.argb });
    });
    return shown.filter(({ text }) => /^Livres|^Books|Constats confirmés|onfirmed findings/.test(text));
  };

  test.each([
    [
      'fr',
      'Livres non conformes.',
      'Constats confirmés de mois antérieurs qui subsistent : 1 (critiques : 1, erreurs : 0).',
      'Constats confirmés dans le mois : 0 (critiques : 0, erreurs : 0).',
    ],
    [
      'en',
      'Books do not agree.',
      'Confirmed findings of earlier months that still stand: 1 (critical: 1, errors: 0).',
      'Confirmed findings in the month: 0 (critical: 0, errors: 0).',
    ],
  ] as const)(
    'says how many earlier findings still stand, in the colour of the verdict (%s)',
    async (language, ...said) => {
      const shown = await linesOf(documentOf(), language);
      expect(shown.map(({ text }) => text)).toEqual(said);
      const [verdict, earlier, month] = shown.map(({ colour }) => colour);
      expect(earlier).toBe(verdict);
      expect(month).not.toBe(verdict);
    },
  );

  test('begins with the month where the month itself breaks the books', async () => {
    const shown = await linesOf(withFindingsOfMonth(2), 'en');
    expect(shown.map(({ text }) => text.replace(/ \(.*/, ''))).toEqual([
      'Books do not agree.',
      'Confirmed findings in the month: 2',
      'Confirmed findings of earlier months that still stand: 1',
    ]);
    expect(new Set(shown.map(({ colour }) => colour)).size).toBe(2);
  });

  test('says nothing of earlier findings where there are none', async () => {
    const shown = await linesOf(withoutFindings(), 'fr');
    expect(shown.filter(({ text }) => text.includes('antérieurs'))).toEqual([]);
    expect(shown).toHaveLength(2);
  });
});

test.each(['pdf', 'xlsx', 'json'])('the %s document, read back, says what the statement says', async (name) => {
  const format = formatNamed(name)!;
  const document = documentOf();
  for (const language of ['fr', 'en'] as const) {
    const bytes = await bytesOf(format, document, { language });
    const file = (async function* () {
      yield bytes;
    })();
    expect(await readerOf(format)(file, { statement: document.statement, language })).toEqual([]);
  }
});
