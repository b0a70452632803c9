// What a PDF says, read back out of the file by pdftotext: the figures of the summary, the pages,
// the sums carried from one page of the ledger to the next, the box on the first page, and texts
// that mean harm.

import { execFileSync } from 'node:child_process';
import { afterAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { ServiceComparison } from '../../src/core/statements/comparison.ts';
import type { Language, Statement } from '../../src/core/statements/statement.ts';
import type { StatementLine } from '../../src/core/statements/statement-line.ts';
import { fill } from '../../src/core/words/finding.ts';
import { nameUnchecked, wordUnchecked } from '../../src/core/words/names.ts';
import { LABELS } from '../../src/core/words/tree.ts';
import type { FormatOptions, StatementDocument } from '../../src/io/formats/port/format.ts';
import { wordingOf } from '../../src/io/formats/port/wording.ts';
import { linkOutcome } from '../../src/io/formats/sentences/link-sentences.ts';
import { verdictSentences } from '../../src/io/formats/sentences/verdict-sentences.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { sealDocument } from '../../src/service/workflows/month/open-month.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, stateBooks } from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf, squeezed } from '../support/pdf-tools.ts';
import { sampleDocument } from '../support/sample-statement.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEMPLATE } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

const write = async (
  document: StatementDocument,
  language: Language = 'fr',
  others: Partial<FormatOptions> = {},
) => pagesOf(await folder.write(document, { language, ...others }));

async function linesOf({ lines }: StatementDocument): Promise<StatementLine[]> {
  const all: StatementLine[] = [];
  for await (const batch of lines()) all.push(...batch);
  return all;
}

/**
 * Returns a figure as the language writes it, without spaces. French groups digits by a space, so
 * that no grouping is left.
 */
function written(figure: number, language: Language): string {
  const digits = String(Math.abs(figure)).replace(/\B(?=(\d{3})+$)/g, language === 'en' ? ',' : '');
  return figure < 0 ? `−${digits}` : digits;
}

/** Returns every number in a value, with the path to it. */
function figuresIn(value: unknown, path: string): readonly (readonly [string, number])[] {
  if (typeof value === 'number') return [[path, value]];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => figuresIn(inner, `${path}.${key}`));
}

const plan = planMerchant({
  reference: 'KORA_FICTIVE',
  policy: LAWFUL_POLICIES[0]!,
  opensAt: Date.UTC(2026, 8, 20),
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6 },
});
const sound = simulateBooks(plan, { seed: 'pdf', until: plan.opensAt + 49 * DAY });

/** The pages of the small sample, unchanged, in French. */
let plain: Promise<readonly string[]> | null = null;

function plainPages(): Promise<readonly string[]> {
  plain ??= write(sampleDocument());
  return plain;
}

const LEDGER_HEAD = /^ *N° Date et heure +Nature +Référence +Débit/m;

describe.skipIf(!areInstalled('pdftotext'))('the text of a PDF (needs pdftotext)', () => {
  describe.each(['fr', 'en'] as const)('in %s', (language) => {
    test.each([0, 40, 300])(
      'holds every figure of the summary of a month of %i lines',
      async (lines) => {
        const document = sampleDocument({ lines });
        const { summary, integrity } = document.statement;
        const pages = await write(document, language);
        const text = squeezed(pages.join('\n'));
        const figures = figuresIn(summary, 'summary');
        expect(figures.length).toBeGreaterThan(30);
        expect(figures.filter(([, figure]) => !text.includes(written(figure, language)))).toEqual(
          [],
        );
        // English figures have no spaces in them, so that each can be found as a word of its own.
        const words = new Set(pages.join(' ').match(/−?[\d,]+/g));
        // Amounts that were paid out and charged are shown as taken off the balance.
        const isShown = ([path, figure]: readonly [string, number]): boolean =>
          words.has(written(/fees$|disbursed$/.test(path) ? 0 - figure : figure, 'en')) ||
          words.has(written(figure, 'en'));
        if (language === 'en') expect(figures.filter((figure) => !isShown(figure))).toEqual([]);
        for (const hash of [summary.chainHead, integrity.contentHash, integrity.documentHash])
          expect(text).toContain(hash);
        for (const { operator } of summary.byOperator) expect(text).toContain(operator);
      },
    );
  });

  test('holds every figure of a real month, and of its tables', async () => {
    const stated = await stateBooks(decodeBooks(sound), { period: '2026-10' });
    const text = squeezed((await write(documentOf(stated))).join('\n'));
    const { summary, days, operators, commissions, journal } = stated.statement;
    const shown = {
      summary,
      operators: operators.total,
      rows: commissions.rows.map(({ base }) => base),
    };
    const closings = days.map(({ opening, closing }) => ({ opening, closing }));
    const accounts = journal.accounts.map(({ debit, credit }) => ({ debit, credit }));
    const { success, ...columns } = shown.operators;
    const figures = figuresIn({ ...shown, operators: columns, closings, accounts }, '');
    expect(figures.filter(([, figure]) => !text.includes(written(figure, 'fr')))).toEqual([]);
    expect(text).toContain(`${success.percent!.replace('.', ',')}%`);
  });

  test('has at most 4 pages of 60 operations, named and counted on the first, and each page names its section', async () => {
    const few = { ...plan, traffic: { ...plan.traffic, operationsPerDay: 2.2 } };
    const books = simulateBooks(few, { seed: 'few', until: plan.opensAt + 49 * DAY });
    const stated = await stateBooks(decodeBooks(books), { period: '2026-10' });
    expect(stated.statement.operations.count).toBeGreaterThanOrEqual(60);
    expect(stated.statement.summary.verdict.state).toBe('clean');
    const pages = await write(documentOf(stated));
    expect(pages.length).toBeLessThanOrEqual(4);
    expect((await write(documentOf(stated), 'en')).length).toBeLessThanOrEqual(4);
    const [, contents] = /Sommaire :([\s\S]*?)\n\n/.exec(pages[0]!)!;
    const entries = [...contents!.matchAll(/(\d)\. ([^·]+?)\s+p\.\s+(\d+)/g)];
    expect(entries.map(([, number]) => number).join('')).toBe('1234567');
    for (const [, number, title, page] of entries) {
      expect(pages[Number(page) - 1]).toMatch(new RegExp(`(^|  )${number}\\. ${title}(  |$)`, 'm'));
      expect(
        pages.slice(1).filter((one) => one.includes(`— octobre 2026 · ${number}. ${title}`)).length,
      ).toBeLessThan(3);
    }
    for (const page of pages.slice(1))
      expect(page.trimStart().split('\n')[0]).toMatch(/— octobre 2026 · \d\. /);
  });

  test('shows the service’s report beside the statement: each figure that differs, or why nothing was compared', async () => {
    const { statement, ...streams } = sampleDocument({ lines: 40 });
    const pagesWith = async (serviceReport: ServiceComparison | null) => {
      const circumstances = { ...statement.circumstances, serviceReport };
      const document = { statement: { ...statement, circumstances }, ...streams };
      const file = await folder.write(document, { language: 'en' });
      // A cell of two lines is read whole.
      return squeezed(execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }));
    };
    const differences = [{ key: 'byOperator.WAVE.amount', service: '7000123', ours: '6999001' }];
    const compared = await pagesWith({ notCompared: null, compared: 41, differences });
    expect(compared).toContain('41figuresstandinboth');
    expect(compared).toContain(
      squeezed('Successful collections, operator WAVE: gross amount 7,000,123 6,999,001'),
    );
    const why = 'it counts payments by link, not wallet operations';
    const left = await pagesWith({ notCompared: why, compared: 0, differences: [] });
    expect(left).toContain(squeezed(`was not compared with this statement: ${why}.`));
    expect(await pagesWith(null)).not.toContain(squeezed('The service’s own report of the month'));
  });

  test('names all that was not read in the title of the band, on as many lines as it takes', async () => {
    const document = sampleDocument();
    const { statement } = document;
    const missing = [
      'merchant',
      'wallet',
      'ledger',
      'operations',
      'events',
      'payments',
      'reports',
      'refused rows',
      'due',
    ];
    const verdict = { state: 'incomplete' as const, missing };
    const [first] = await write({
      ...document,
      statement: { ...statement, summary: { ...statement.summary, verdict } },
    });
    const { speech } = wordingOf('UTC', { labels: LABELS.fr, language: 'fr' });
    for (const what of missing)
      expect(squeezed(first!)).toContain(squeezed(nameUnchecked(speech.words, what)));
  });

  test('says of a finding that it was put right, before its message', async () => {
    const document = sampleDocument();
    const { findings } = document.statement;
    const rows = findings.rows.map((row) => ({ ...row, state: 'settled' as const }));
    const pages = await write({
      ...document,
      statement: { ...document.statement, findings: { ...findings, rows } },
    });
    expect(rows.length).toBeGreaterThan(0);
    expect(pages.join('\n')).toContain('Régularisé. La ligne');
    expect((await plainPages()).join('\n')).not.toContain('Régularisé. La ligne');
  });

  test('says whole on the first page what a revision replaces and what changed, and cuts nothing there', async () => {
    const document = sampleDocument({ links: true });
    const { statement } = document;
    const name =
      'Coopérative agricole des planteurs réunis de la lagune et du fleuve, société fictive';
    const previous = {
      number: 1,
      generatedAt: Date.UTC(2026, 10, 1, 2, 30),
      contentHash: 'd'.repeat(64),
      documentHash: `4a5b6c7d8e9f${'0'.repeat(52)}`,
    };
    const changes = [
      { figure: 'byOperator.ORANGE.amount', before: '1', after: '2' },
      { figure: 'closingBalance', before: '5081054', after: '5071279' },
      { figure: 'verdict.state', before: 'broken', after: 'clean' },
      { figure: 'collected', before: '3', after: '4' },
      { figure: 'fees', before: '5', after: '6' },
      { figure: 'disbursed', before: '7', after: '8' },
    ];
    const revision = { number: 2, previous, changes, entries: null };
    const merchant = {
      ...statement.merchant,
      name,
      holder: { ...statement.merchant.holder!, legalName: `${name} SA` },
    };
    const missing = ['merchant', 'wallet', 'ledger', 'operations', 'events', 'payments', 'reports'];
    const notChecked = missing.slice(0, 5).map((what) => ({
      what,
      why: `${'ce motif technique est bien plus long que d’habitude et se lit pourtant jusqu’au bout '.repeat(1)}${what}`,
      incomplete: true,
    }));
    const summary = { ...statement.summary, verdict: { state: 'incomplete' as const, missing } };
    const circumstances = { ...statement.circumstances, notChecked };
    const whole = { ...statement, merchant, revision, summary, circumstances };
    // In larger type, which is not set close.
    const sizes = { ...TEMPLATE.layout.sizes, body: 9.1, table: 6 };
    const template = { ...TEMPLATE, layout: { ...TEMPLATE.layout, sizes } };
    for (const language of ['fr', 'en'] as const) {
      const labels = LABELS[language];
      const words = wordingOf(whole.period.zone, { labels, language });
      const replaces = {
        fr: 'Révision 2 : annule et remplace la révision 1, établie le 01/11/2026 02:30:00 sous l’empreinte 4a5b6c7d8e9f.',
        en: 'Revision 2: cancels and replaces revision 1, issued on 2026-11-01 02:30:00 under the hash 4a5b6c7d8e9f.',
      }[language];
      const changed = {
        fr: 'Ce qui a changé : Verdict : non conforme → conforme ; Solde à la clôture : 5 081 054 → 5 071 279 ;',
        en: 'What has changed: Verdict: do not agree → agree; Closing balance: 5,081,054 → 5,071,279;',
      }[language];
      const intended = [
        replaces,
        changed,
        name,
        `${name} SA`,
        ...verdictSentences(summary, labels, words.amount),
        ...notChecked.map((note) =>
          fill(labels.verdict.notChecked, wordUnchecked(words.speech, note)),
        ),
      ];
      // Columns beside each other are read one after the other.
      const file = await folder.write({ ...document, statement: whole }, { language, template });
      const pages = execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }).split(
        '\f',
      );
      expect(intended.filter((text) => !squeezed(pages[0]!).includes(squeezed(text)))).toEqual([]);
      // Payments by link are on the next page where the first is as full as here. The first page
      // says what remains due of them.
      const remains = {
        fr: 'Paiements par lien : reste dû par le service au plus 11 199 885 FCFA ; commissions non connues de 55 paiements ; le service énonçait 11 000 000,75 (décimales du service) le 01/11/2026 (page 2).',
        en: 'Payments by link: still owed by the service at most 11,199,885 FCFA; the commissions of 55 payments are not known; the service stated 11,000,000.75 (the service’s decimals) on 2026-11-01 (page 2).',
      }[language];
      expect(squeezed(pages[0]!)).toContain(squeezed(remains));
      // The row itself also says so, and why.
      const row = {
        fr: 'Reste dû par le service, au plus ; commissions non connues de 55 paiements ; le service énonçait 11 000 000,75 (décimales du service) le 01/11/2026',
        en: 'Still owed by the service, at most; the commissions of 55 payments are not known; the service stated 11,000,000.75 (the service’s decimals) on 2026-11-01',
      }[language];
      const ofLinks = [
        row,
        ...linkOutcome(whole.paymentsByLink!, labels.links, words.speech).map(({ text }) => text),
        labels.links.apart,
      ];
      expect(ofLinks.filter((text) => !squeezed(pages[1]!).includes(squeezed(text)))).toEqual([]);
    }
  });

  test('differs in the hash of each page wherever it differs in a word', async () => {
    const document = sampleDocument({ lines: 20, links: true });
    const { statement } = document;
    const { merchant, corrections, findings, circumstances, issuer } = statement;
    const others: readonly Partial<Statement>[] = [
      {
        corrections: {
          ...corrections,
          rows: corrections.rows.map((row) => ({ ...row, reason: 'Un autre motif' })),
        },
      },
      { merchant: { ...merchant, name: 'Un autre nom' } },
      { issuer: { ...issuer!, legalName: 'Un autre émetteur' } },
      {
        findings: {
          ...findings,
          rows: findings.rows.map((row) => ({ ...row, state: 'accepted' as const })),
        },
      },
      {
        circumstances: {
          ...circumstances,
          coverage: { ...circumstances.coverage, entries: 9_999_999 },
        },
      },
      { circumstances: { ...circumstances, notChecked: [] } },
      { circumstances: { ...circumstances, assumptions: { reversal: 'NET' } } },
      { generatedAt: statement.generatedAt + 1_000 },
      { engine: 'pointage 9' },
    ];
    const hashes = new Set<string>();
    const texts = new Set<string>();
    for (const other of [{}, ...others]) {
      const sealed = await sealDocument({ ...document, statement: { ...statement, ...other } });
      const { documentHash } = sealed.statement.integrity;
      const pages = await write(sealed);
      for (const page of pages) expect(page).toContain(documentHash.slice(0, 12));
      hashes.add(documentHash);
      texts.add(
        pages.join('').replaceAll(documentHash, '').replaceAll(documentHash.slice(0, 12), ''),
      );
    }
    expect([hashes.size, texts.size]).toEqual([others.length + 1, others.length + 1]);
  });

  test('numbers its pages truly, with reference and short hash on each', async () => {
    const document = sampleDocument({ lines: 400 });
    const pages = await write(document, 'en');
    expect(pages.length).toBeGreaterThan(3);
    pages.forEach((page, i) => {
      const footer = page.trimEnd().split('\n').at(-1)!;
      expect(footer).toContain(`page ${i + 1}/${pages.length}`);
      expect(footer).toContain('LIBRAIRIE_KORAFICTIVE');
      expect(footer).toContain(document.statement.integrity.documentHash.slice(0, 12));
      expect(footer).toContain(
        `${document.statement.circumstances.coverage.chain!.lines}:1fb636a38fef`,
      );
    });
  });

  // The cells of the ledger are not tagged in the longer one.
  test.each([200, 300])(
    'carries the sums of %i lines from page to page, where the ledger is wanted',
    async (count) => {
      const document = sampleDocument({ lines: count });
      const lines = await linesOf(document);
      expect((await write(document)).join()).not.toMatch(LEDGER_HEAD);
      const { layout } = TEMPLATE;
      const template = {
        ...TEMPLATE,
        layout: { ...layout, ledger: { ...layout.ledger, tagCellsUpTo: 250 } },
      };
      const pages = await write(document, 'fr', { withLedger: true, template });
      const { openingBalance, closingBalance } = document.statement.summary;
      let seen = 0;
      const sums = () => {
        const past = lines.slice(0, seen);
        const debit = past.reduce((sum, line) => sum + (line.debit ?? 0), 0);
        const credit = past.reduce((sum, line) => sum + (line.credit ?? 0), 0);
        const last = past.at(-1);
        return [debit, credit, last?.balance ?? openingBalance, last?.reserved ?? 0]
          .map((one) => written(one, 'fr'))
          .join('');
      };
      const rowOf = (page: string, name: string): string | null => {
        const row = page.split('\n').find((line) => line.trim().startsWith(name));
        return row === undefined ? null : squeezed(row.trim().slice(name.length));
      };
      const ledger = pages.filter((page) => LEDGER_HEAD.test(page));
      expect(ledger.length).toBeGreaterThan(2);
      ledger.forEach((page, i) => {
        expect(rowOf(page, i === 0 ? 'Solde à l’ouverture' : 'Report')).toBe(sums());
        const isLast = i === ledger.length - 1;
        const below = isLast ? 'Totaux et solde à la clôture' : 'À reporter';
        // The first page of the ledger has other tables above it.
        const [table] = page.split(LEDGER_HEAD)[1]!.split(below);
        seen += table!
          .split('\n')
          .filter((line) => /\d\d\/10\/2026 \d\d:\d\d:\d\d/.test(line)).length;
        expect(rowOf(page, below)).toBe(sums());
      });
      expect(seen).toBe(count);
      expect(lines.at(-1)!.balance).toBe(closingBalance);
    },
  );

  test('repeats the header of a table on the page where it goes on', async () => {
    const document = sampleDocument({ lines: 40 });
    const differences = Array.from({ length: 200 }, (_, i) => ({
      operationReference: `GUI-CI-${i}`,
      type: 'CASHIN' as const,
      amount: 1_000,
      charged: 20,
      recomputed: 18,
      difference: 2,
    }));
    const commissions = { ...document.statement.commissions, differences, differenceCount: 230 };
    const pages = await write({ ...document, statement: { ...document.statement, commissions } });
    const own = pages.filter((page) => /GUI-CI-\d{1,3} +Encaissement/.test(page));
    expect(own.length).toBeGreaterThan(2);
    for (const page of own) expect(page).toMatch(/Opération +Type +Montant/);
    expect(pages.join('')).toContain('et 30 autres, hors de cette liste');
  });

  test('says on the first page that books are broken, and where the difference comes from', async () => {
    const fault = FAULTS.find(({ name }) => name === 'BALANCE_DRIFT/persistent')!;
    const planted = fault.plant(sound, seedRandom('pdf'))!;
    const october = await stateBooks(decodeBooks(planted.books), { period: '2026-10' });
    const { recorded, due } = october.statement.summary;
    const off = recorded.balance - due!.balance;
    expect(off).toBe(october.statement.summary.control.recordedMinusRecomputed);
    expect(off).not.toBe(0);
    const owed = {
      fr: off > 0 ? 'Le marchand doit' : 'Le service doit',
      en: off > 0 ? 'The merchant owes' : 'The service owes',
    };
    for (const [language, said] of [
      ['fr', 'Livres non conformes'],
      ['en', 'Books do not agree'],
    ] as const) {
      const [first] = await write(documentOf(october), language);
      expect(first).toContain(said);
      const box = squeezed(first!.slice(first!.indexOf(said))).slice(0, 500);
      expect(box).toContain(squeezed(owed[language]));
      for (const figure of [recorded.balance, due!.balance, Math.abs(off)])
        expect(box).toContain(written(figure, language));
    }
  });

  test('says on page 1 that collections are posted net, and of how much, where page 2 has them gross', async () => {
    const policy = LAWFUL_POLICIES.find(({ cashinCredit }) => cashinCredit === 'NET')!;
    const net = simulateBooks({ ...plan, policy }, { seed: 'net', until: plan.opensAt + 49 * DAY });
    const stated = await stateBooks(decodeBooks(net), { period: '2026-10' });
    const { summary, movements, operators } = stated.statement;
    const { amount } = movements.find(({ kind }) => kind === 'CASHIN_CREDIT')!;
    const fees = operators.total.feesIn;
    expect([summary.collected, fees > 0]).toEqual([amount + fees, true]);
    const text = squeezed((await write(documentOf(stated)))[0]!);
    expect(text).toContain(`Commissions,dont${fees}retenuessurlesencaissements`);
    expect(text).toContain(`Encaissé(brut)${operators.total.countIn}${summary.collected}`);
    const gross = squeezed((await plainPages())[0]!);
    expect(gross).not.toContain('retenuessur');
  });

  const columnOf = async (name: string) => {
    const planted = FAULTS.find((fault) => fault.name === name)!.plant(sound, seedRandom('pdf'))!;
    const stated = await stateBooks(decodeBooks(planted.books), { period: '2026-10' });
    const [first] = await write(documentOf(stated));
    const [table] = first!
      .slice(first!.indexOf('Solde à l’ouverture'))
      .split(/À faire par le marchand|Indicateurs/);
    return { ...stated.statement, table: table!.split('\n').map(squeezed).filter(Boolean) };
  };

  test('leads from the opening to what was recorded, and from there over each item to what is due', async () => {
    const { summary, due, journal, table } = await columnOf('BALANCE_DRIFT/persistent');
    const { recorded } = summary;
    const [item] = due.items;
    expect(due.items).toHaveLength(1);
    expect(table[0]).toBe(
      `Soldeàl’ouverture,comptabiliséparleservice${written(journal.wallet.opening, 'fr')}`,
    );
    expect(table.slice(-3)).toEqual([
      `Soldecomptabiliséparleservice${written(recorded.balance, 'fr')}`,
      expect.stringMatching(/^Écartdesolde·.*lignen°\d+·\d\d\/\d\d\/2026/),
      `Soldedû${written(summary.due!.balance, 'fr')}`,
    ]);
    expect(table.at(-2)).toContain(written(0 - item!.balance, 'fr'));
  });

  test('ends that column on one figure where what was recorded is due, and leads nowhere from sound books', async () => {
    const { summary, table } = await columnOf('LINES_MISSING');
    expect(summary.recorded.balance).not.toBe(summary.closingBalance);
    expect(table.at(-1)).toBe(
      `${squeezed('Solde comptabilisé par le service, et dû')}${written(summary.recorded.balance, 'fr')}`,
    );
    const [clean] = await plainPages();
    expect(clean).not.toMatch(/sans ligne à l’appui|À faire par le marchand/);
  });

  test('says on the first page what an incomplete reading left out, and of sound books that they are', async () => {
    const document = sampleDocument();
    const { statement } = document;
    const { summary, circumstances } = statement;
    const incomplete = {
      ...statement,
      summary: { ...summary, verdict: { state: 'incomplete' as const, missing: ['operations'] } },
      circumstances: {
        ...circumstances,
        notChecked: [
          { what: 'operations', why: 'operations.jsonl is not there', incomplete: true },
          { what: 'events', why: 'events.jsonl is not there', incomplete: false },
        ],
      },
    };
    const [first] = await write({ ...document, statement: incomplete });
    expect(first).toContain('Lecture incomplète');
    expect(first).toContain('operations.jsonl is not there');
    // The reading takes nothing from the verdict; the annex names it.
    expect(first).not.toContain('events.jsonl');
    const [clean] = await plainPages();
    expect(clean).not.toMatch(/Lecture incomplète|Livres non conformes/);
    expect(clean).toContain('Livres conformes : le solde comptabilisé par le service');
    expect(clean).toContain(
      'Arrêté le présent relevé, solde comptabilisé par le service au 31/10/2026, à la somme d’un million',
    );
    expect(first).not.toContain('Arrêté le présent relevé');
  });

  test('names issuer and holder on the first page, and ends with a place to sign; without an issuer with neither', async () => {
    const document = sampleDocument();
    const pages = await plainPages();
    const line =
      'SA · RCCM CI-ABJ-03-2026-B12-00001 · NCC 2600001 A · Boulevard Inventé 1, Abidjan, Plateau';
    expect(squeezed(pages[0]!)).toContain(squeezed('Émetteur'));
    expect(squeezed(pages[0]!)).toContain(squeezed(`Monnaie Inventée ${line}`));
    expect(squeezed(pages[0]!)).toContain(squeezed('Kora SARL (fictive) · RCCM'));
    expect(pages.at(-1)).toMatch(/Visa et cachet[\s\S]+Pour Monnaie Inventée SA +Vérifié par/);
    // It does not stand on a page by itself.
    expect(pages.at(-1)).toContain('Vérifier ce relevé');
    const unnamed = { ...document.statement, issuer: null };
    const others = (await write({ ...document, statement: unnamed })).join('\n');
    expect(others).not.toMatch(/Visa et cachet|Émetteur|Monnaie Inventée/);
  });

  test('leaves out a ledger above the limit of the template, and says where it is', async () => {
    const { layout } = TEMPLATE;
    const document = sampleDocument({ lines: 40 });
    const textOf = async (mostLines: number) => {
      const template = {
        ...TEMPLATE,
        layout: { ...layout, ledger: { ...layout.ledger, mostLines } },
      };
      return pagesOf(await folder.write(document, { template, withLedger: true })).join('\n');
    };
    const text = await textOf(39);
    expect(squeezed(text)).toContain('40lignes,plusqueles39');
    expect(text).toMatch(/XLSX et CSV/);
    expect(text).not.toMatch(LEDGER_HEAD);
    expect(text).toMatch(/01\/10 \d\d:\d\d +\w+ +GUI-CI-/);
    const { count } = document.statement.operations;
    const neither = await textOf(count - 1);
    expect(squeezed(neither)).toContain(`${count}opérations,plusqueles${count - 1}`);
    expect(neither).not.toMatch(/01\/10 \d\d:\d\d +\w+ +GUI-CI-/);
  });

  test('shows texts that mean harm as text, cut where their cell ends', async () => {
    const document = sampleDocument({ lines: 60, texts: 'hostile' });
    const text = (await write(document, 'fr', { withLedger: true })).join('\n');
    for (const said of [
      '=Dupont & Fils <SARL> "été"',
      '@SUM(A1:A9)',
      '<script>alert(1)</s',
      '(parenthèse \\) de PDF',
      '…',
    ]) {
      expect(text).toContain(said);
    }
    expect(text).not.toContain('\u0000');
  });

  /**
   * Returns a text as it is found in a PDF: programs isolate such runs by marks, and some letters
   * come back as the one sign that two of them have.
   */
  const asSearched = (text: string): string =>
    text.normalize('NFKC').replace(/[\u202a-\u202e]/g, '');

  test.each([
    'محل الأمير',
    'شركة النور لا غير',
    'سُوق اليَمَن الكبير',
    'חנות הכתר הגדול',
    'ߒߞߏ ߛߓߍ',
    'Boutique محل الأمير, Abidjan',
  ])('gives the words of %s in their order', async (name) => {
    const document = sampleDocument({ lines: 3 });
    const { statement } = document;
    const merchant = { ...statement.merchant, name };
    const pages = await write({ ...document, statement: { ...statement, merchant } });
    expect(asSearched(pages[0]!)).toContain(name);
    expect(asSearched(pages[1]!)).toContain(name);
  });
});
