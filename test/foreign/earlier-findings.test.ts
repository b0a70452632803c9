// A month without a finding of its own, in books that an earlier month breaks. The first page of
// the PDF, as poppler reads it, and the first sheet of the workbook say, so that it is seen, how
// many earlier findings are open. Once the payment service has put the fault right, no document
// names it as open.

import { execFileSync } from 'node:child_process';
import ExcelJS from 'exceljs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Language, Statement } from '../../src/core/statements/statement.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { formatNamed, readerOf } from '../../src/io/formats/register.ts';
import { verdictInWords } from '../../src/io/formats/sentences/verdict-reasons.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { handBooks } from '../support/hand-books.ts';
import { areInstalled } from '../support/installed.ts';
import {
  auditBooks,
  type StatedMonth,
  stateBooks,
  documentOf as statedDocument,
} from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf, squeezed } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { readCells, xlsxBytes } from '../support/sheet-cells.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

/** October of books in which a cash-in of September was credited twice. */
let october: StatedMonth;
/** November of the same books, in which the service took the second credit back. */
let november: StatedMonth;
let planted: Books;

beforeAll(async () => {
  const plan = planMerchant({
    reference: 'KORA_FICTIVE',
    policy: LAWFUL_POLICIES[0]!,
    opensAt: Date.UTC(2026, 7, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6 },
  });
  const sound = simulateBooks(plan, { seed: 'pdf', until: Date.UTC(2026, 10, 3) });
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_DUPLICATED')!;
  planted = fault.plant(sound, seedRandom('b'))!.books;
  october = await stateBooks(decodeBooks(planted), { period: '2026-10' });
  const { findings, summary } = october.statement;
  expect(findings.rows.map(({ when, kind }) => [when, kind])).toEqual([
    ['earlier', 'CREDIT_DUPLICATED'],
  ]);
  expect([summary.verdict.state, summary.findings.total]).toEqual(['broken', 0]);
});

beforeAll(async () => {
  const corrected = applyProposals(
    { ...planted, asOf: Date.UTC(2026, 10, 10) },
    auditBooks(decodeBooks(planted)),
  );
  const books = { ...decodeBooks(corrected.books), asOf: Date.UTC(2026, 11, 2) };
  november = await stateBooks(books, { period: '2026-11' });
});

function documentOf(
  changes: Partial<Pick<Statement, 'findings' | 'summary'>> = {},
): StatementDocument {
  return statedDocument({ ...october, statement: { ...october.statement, ...changes } });
}

/** Returns the document with so many critical findings in October. */
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

describe.skipIf(!areInstalled('pdftotext', 'pdftohtml'))(
  'the first page (needs pdftotext, pdftohtml)',
  () => {
    const boxOf = async (
      document: StatementDocument,
      language: Language,
    ): Promise<readonly string[]> => {
      const [first] = pagesOf(await folder.write(document, { language }));
      const { earlier, month } = SAID[language];
      return first!
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line.startsWith(earlier) || line.startsWith(month));
    };

    /** Returns what poppler shows in bold and in the colour of the verdict. */
    const shoutedOf = async (
      document: StatementDocument,
      language: Language,
    ): Promise<readonly string[]> => {
      const file = await folder.write(document, { language });
      const page = execFileSync(
        'pdftohtml',
        ['-xml', '-stdout', '-i', '-f', '1', '-l', '1', file],
        { encoding: 'utf8' },
      );
      const colours = new Map(
        [...page.matchAll(/<fontspec id="(\d+)".*color="(#\w+)"/g)].map(([, id, c]) => [id, c]),
      );
      const bold = [...page.matchAll(/<text [^>]*font="(\d+)"><b>(.*)<\/b>/g)].map(
        ([, id, text]) => ({
          text: text!,
          colour: colours.get(id),
        }),
      );
      const verdict = bold.find(({ text }) => text.startsWith(SAID[language].verdict))!;
      return bold.filter(({ colour }) => colour === verdict.colour).map(({ text }) => text);
    };

    test('says how many earlier findings are open, and has no list of zeros', async () => {
      expect(await boxOf(documentOf(), 'fr')).toEqual([
        'Constats de mois antérieurs : 1 critique.',
      ]);
      expect(await boxOf(documentOf(), 'en')).toEqual(['Findings of earlier months: 1 critical.']);
    });

    test.each(['fr', 'en'] as const)(
      'shows them as it shows the verdict (%s)',
      async (language) => {
        const { verdict, earlier } = SAID[language];
        const { owed } = SAID[language];
        const shouted = await shoutedOf(documentOf(), language);
        expect(
          shouted.map((text) => [verdict, owed, earlier].find((words) => text.startsWith(words))),
        ).toEqual([verdict, owed, earlier]);
      },
    );

    test('begins with the month where the month itself breaks the books, and shouts neither', async () => {
      const both = withFindingsOfMonth(2);
      const starts = await boxOf(both, 'en');
      expect(starts).toEqual([
        'Findings of the month: 2 critical.',
        'Findings of earlier months: 1 critical.',
      ]);
      expect((await shoutedOf(both, 'en')).filter((text) => /^Findings/.test(text))).toEqual([]);
    });

    test('of a month in which the fault was put right names it as settled, and no finding as open', async () => {
      expect(november.statement.summary.verdict.state).toBe('clean');
      const [first] = pagesOf(await folder.write(statedDocument(november), { language: 'fr' }));
      const box = first!.slice(
        first!.indexOf('Livres conformes'),
        first!.indexOf('Solde à l’ouverture'),
      );
      expect(box).toContain('régularisé par la ligne n°');
      expect(box).toContain('Constats de mois antérieurs : 1 régularisé.');
      expect(box).not.toMatch(/critique|erreur|avertissement|subsiste|ouvert/);
    });

    test('says nothing of earlier findings where there are none', async () => {
      expect(await boxOf(withoutFindings(), 'fr')).toEqual([]);
    });
  },
);

describe('the first sheet', () => {
  interface ShownLine {
    readonly text: string;
    readonly colour: string | undefined;
  }

  const linesOf = async (
    document: StatementDocument,
    language: Language,
  ): Promise<readonly ShownLine[]> => {
    const workbook = new ExcelJS.Workbook();
    await workbook.xlsx.load((await xlsxBytes(document, { language })) as unknown as ArrayBuffer);
    const shown: ShownLine[] = [];
    workbook.worksheets[0]!.getColumn(1).eachCell(({ text, font }) => {
      shown.push({ text, colour: font?.color?.argb });
    });
    return shown.filter(({ text }) =>
      /^Livres|^Books|^Constats (?:du|de) |^Findings of |^Aucun constat/.test(text),
    );
  };

  test.each([
    ['fr', 'Livres non conformes.', 'Constats de mois antérieurs : 1 critique.'],
    ['en', 'Books do not agree.', 'Findings of earlier months: 1 critical.'],
  ] as const)(
    'says how many earlier findings are open, in the colour of the verdict (%s)',
    async (language, ...said) => {
      const shown = await linesOf(documentOf(), language);
      expect(shown.map(({ text }) => text)).toEqual(said);
      const [verdict, earlier] = shown.map(({ colour }) => colour);
      expect(earlier).toBe(verdict);
    },
  );

  test('begins with the month where the month itself breaks the books', async () => {
    const shown = await linesOf(withFindingsOfMonth(2), 'en');
    expect(shown.map(({ text }) => text)).toEqual([
      'Books do not agree.',
      'Findings of the month: 2 critical.',
      'Findings of earlier months: 1 critical.',
    ]);
    expect(new Set(shown.map(({ colour }) => colour)).size).toBe(2);
  });

  test('says nothing of earlier findings where there are none', async () => {
    const shown = await linesOf(withoutFindings(), 'fr');
    expect(shown.map(({ text }) => text)).toEqual([
      expect.stringContaining('Livres conformes'),
      'Aucun constat confirmé dans le mois.',
    ]);
  });
});

test('the JSON form and what a mail has from it say the same reasons, the settled one as settled', () => {
  expect(verdictInWords(october.statement).fr.reasons).toEqual([
    expect.stringMatching(
      /^[\d\u202f]+ à déduire : L’opération d’encaissement \S+ a été créditée 2 fois/,
    ),
    'Constats de mois antérieurs : 1 critique.',
  ]);
  expect(verdictInWords(november.statement).fr.reasons).toEqual([
    expect.stringMatching(/^[\d\u202f]+ à déduire, régularisé par la ligne n° /),
    'Constats de mois antérieurs : 1 régularisé.',
  ]);
  expect(verdictInWords(november.statement).en.reasons[1]).toBe(
    'Findings of earlier months: 1 settled.',
  );
});

test('an entry that puts a fault right says so, and which fault, in the file that accounts are kept from', async () => {
  const fec = (
    await bytesOf(formatNamed('fec')!, statedDocument(november), { language: 'fr' })
  ).toString('latin1');
  const [line] = november.statement.due.items.flatMap(({ settledBy }) => settledBy?.lines ?? []);
  const { entry } = november.lines.find(({ sequence }) => String(sequence) === line)!;
  const rows = fec.split('\r\n').map((row) => row.split('\t'));
  const own = rows.filter(([, , number]) => number === entry!.number);
  expect(own.length).toBeGreaterThan(1);
  for (const row of own) expect(row[10]).toMatch(/^Régularisation crédit en double /);
  expect(rows.filter((row) => row[10]?.startsWith('Régularisation crédit en double ')).length).toBe(
    own.length,
  );
  expect(fec).not.toContain('?');
});

test('no document of a reader has a commission of an operation that came to nothing, a straight apostrophe or a code', async () => {
  const failed = november.operations.filter(({ status }) =>
    ['FAILED', 'EXPIRED', 'CANCELLED'].includes(status),
  );
  expect(failed.length).toBeGreaterThan(0);
  const { cells } = await readCells(await xlsxBytes(statedDocument(november), { language: 'fr' }));
  const sheet = cells.get('Opérations')!;
  for (const { reference } of failed) {
    const row = [...sheet].find(([, value]) => value === reference)![0].replace(/^[A-Z]+/, '');
    expect(['G', 'H'].map((column) => sheet.get(`${column}${row}`) ?? null)).toEqual([null, null]);
  }
  const said = ['Lisez-moi', 'Synthèse', 'Exceptions'].flatMap((name) =>
    [...cells.get(name)!.values()].map(String),
  );
  expect(
    said.filter((text) => /\p{L}'\p{L}|\b(?!KORA)[A-Z]{4,}_[A-Z]{4,}|\d{4}-\d\d-\d\d/u.test(text)),
  ).toEqual([]);
});

test.each(['pdf', 'xlsx', 'json'])(
  'the %s document, read back, says what the statement says',
  async (name) => {
    const format = formatNamed(name)!;
    const document = documentOf();
    for (const language of ['fr', 'en'] as const) {
      const bytes = await bytesOf(format, document, { language });
      const file = (async function* () {
        yield bytes;
      })();
      expect(await readerOf(format)(file, { statement: document.statement, language })).toEqual([]);
    }
  },
);

describe.skipIf(!areInstalled('pdftotext'))('money that nothing explains', () => {
  const credited = '10-05T10:00 CASHIN_CREDIT 1000 GUI-CI-1\n10-05T10:00 CASHIN_FEE 20 GUI-CI-1';
  const collected = 'op GUI-CI-1 SUCCEEDED 1000 fees=20 created=10-05T09:59 completed=10-05T10:00';
  const books = {
    OPENING_BALANCE_UNEXPLAINED: handBooks(`${credited}\n${collected}`, '12-01T00:00', 16_911),
    UNKNOWN_KIND: handBooks(`${credited}\n10-06T10:00 PROMOTION_CREDIT 339\n${collected}`),
  };

  test.each([
    ['OPENING_BALANCE_UNEXPLAINED', '16 911'],
    ['UNKNOWN_KIND', '339'],
  ] as const)(
    'is to be justified on page 1 and in the reasons of the mail, and never due: %s',
    async (kind, sum) => {
      const stated = await stateBooks(books[kind], { period: '2026-10' });
      const { due, toJustify, verdict } = stated.statement.summary;
      expect([due!.balance, toJustify!.balance]).toEqual([980, Number(sum.replace(' ', ''))]);
      expect(verdict.state).not.toBe('clean');
      const [page] = pagesOf(await folder.write(statedDocument(stated), { language: 'fr' }));
      const { fr, en } = verdictInWords(stated.statement);
      const said = squeezed([...fr.verdict, ...fr.reasons].join(' '));
      for (const text of [squeezed(page!), said]) {
        expect(text).toContain(squeezed(`À justifier : ${sum} XOF du solde comptabilisé`));
        expect(text).toContain(squeezed(`${sum} à justifier : `));
        for (const claim of ['est le solde dû', 'Livres conformes', 'doit'])
          expect(text).not.toContain(squeezed(claim));
      }
      for (const claim of ['is the balance due', 'Books agree', 'owes'])
        expect(en.verdict.join(' ')).not.toContain(claim);
    },
  );
});
