// Attestations of a balance: the figures of the statement that ends with the day, on one page that
// programs that are not ours read, and as a file that says the same. `pointage statement attest`
// writes them once.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { ATTESTATION_FORMATS } from '../../src/io/formats/attestation/attestation-formats.ts';
import type { FormatOptions } from '../../src/io/formats/port/format.ts';
import { readAttestation } from '../../src/io/formats/read-back/wanted-figures.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { pointage } from '../support/command.ts';
import { handBooks, instant } from '../support/hand-books.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import {
  hasPreflight,
  pagesOf,
  preflight,
  qpdfCheck,
  scanCode,
  squeezed,
} from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf } from '../support/written-document.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-attest-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const [json, pdf] = [ATTESTATION_FORMATS[0]!, ATTESTATION_FORMATS[1]!];
const plan = planMerchant({
  reference: 'KORA',
  country: 'CM',
  opensAt: Date.UTC(2026, 8, 20),
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 8, reversalRate: 0.06 },
});
const sound = simulateBooks(plan, { seed: 'attest', until: plan.opensAt + 46 * DAY });

/**
 * The books by how many faults were planted. Each has the faults of the books before, and one more.
 */
const planted: Books[] = [sound];

function broken(count: number): Books {
  for (let i = planted.length - 1; i < count; i += 1) {
    const books = planted[i]!;
    planted.push(
      FAULTS[(i * 7) % FAULTS.length]!.plant(books, seedRandom(`attest/${i}`))?.books ?? books,
    );
  }
  return planted[count]!;
}

async function attest(books: Books, period: string): Promise<StatedMonth> {
  return stateBooks(decodeBooks(books), { period, zone: 'Africa/Douala', chain: CHAIN });
}

/** The chain of a mirror, which is one line more on the page. */
const CHAIN = {
  lines: 1_234_567,
  head: '1fb636a38fef6b8cad26fb8f1fc738b1b8a45c1b6f4c664144a65001f5e76fb4',
};

async function write(stated: StatedMonth, options: Partial<FormatOptions> = {}): Promise<string> {
  const file = join(
    scratch,
    `${stated.statement.integrity.shortHash}-${options.language ?? 'fr'}.pdf`,
  );
  writeFileSync(file, await bytesOf(pdf, documentOf(stated), options));
  return file;
}

describe('the figures', () => {
  test('at the last day of a month are those of its statement, of broken books too', async () => {
    for (const books of [sound, broken(20)]) {
      const [month, day] = [await attest(books, '2026-10'), await attest(books, '2026-10-31')];
      const { chainHead: _a, ...ofMonth } = month.statement.summary;
      const { chainHead: _b, ...ofDay } = day.statement.summary;
      expect(ofDay).toEqual(ofMonth);
      expect(day.statement.due).toEqual(month.statement.due);
      expect(day.statement.period).toMatchObject({
        period: '2026-10-31',
        label: { fr: '31 octobre 2026' },
      });
    }
  });

  test('within a month are what the last line before the end of the day has left', async () => {
    const decoded = decodeBooks(sound);
    const report = auditBooks(decoded);
    for (const day of ['2026-10-01', '2026-10-13', '2026-10-27']) {
      const end = Date.parse(`${day}T23:00:00Z`);
      const last = decoded.entries.filter(({ createdAt }) => createdAt < end).at(-1)!;
      const { statement } = await stateBooks(decoded, {
        period: day,
        zone: 'Africa/Douala',
        report,
      });
      const { balanceAfter: balance, reservedAfter: reserved } = last;
      const figures = { balance, reserved, available: balance - reserved };
      expect([statement.summary.recorded, statement.summary.due, statement.due.recomputed]).toEqual(
        [figures, figures, figures],
      );
      expect(statement.reconciliation.balance.headSequence).toBe(last.sequence);
    }
  });

  test('are in the JSON form under the keys of a statement, with the verdict and the sum in words', async () => {
    const { statement, ...streams } = await attest(broken(6), '2026-10-27');
    const file = JSON.parse(
      (await bytesOf(json, documentOf({ statement, ...streams }))).toString('utf8'),
    );
    expect(file.format).toBe('pointage attestation 1');
    for (const key of [
      'merchant',
      'period',
      'summary',
      'due',
      'integrity',
      'circumstances',
    ] as const)
      expect(file.attestation[key], key).toEqual(statement[key]);
    expect(file.attestation.days).toBeUndefined();
    expect(file.verdict.fr[0]).toBe('Livres non conformes.');
    expect(file.inWords.fr.recorded).toMatch(/ francs CFA$/);
    expect(file.inWords.en.due).not.toBe(file.inWords.en.recorded);
  });
});

describe.skipIf(!areInstalled('pdftotext', 'qpdf', 'pdftoppm', 'zbarimg'))('the page', () => {
  test('is one, whatever is wrong, with the balances, the verdict and a place to sign', {
    timeout: 60_000,
  }, async () => {
    for (const [books, language] of [
      [sound, 'fr'],
      [broken(12), 'fr'],
      [broken(40), 'en'],
    ] as const) {
      const stated = await attest(books, '2026-10-27');
      const { recorded, due, verdict } = stated.statement.summary;
      expect(verdict.state === 'clean').toBe(books === sound);
      const file = await write(stated, { language });
      expect(qpdfCheck(file)).toContain('No syntax or stream encoding errors');
      const pages = pagesOf(file);
      expect(pages.length).toBe(1);
      expect(squeezed(pages[0]!)).toContain(
        `(nombre:SHA-256):1234567:${CHAIN.head}`.replace(
          'nombre',
          language === 'fr' ? 'nombre' : 'number',
        ),
      );
      expect(pages[0]).toMatch(/(?:chaîne|chain) 1234567:1fb636a38fef/);
      const text = squeezed(pages[0]!).replaceAll(',', '');
      for (const figure of [recorded.balance, recorded.available, due?.balance ?? 0])
        expect(text).toContain(String(Math.abs(figure)));
      expect(pages[0]).toContain(
        language === 'fr'
          ? 'Attestation de solde — 27 octobre 2026'
          : 'Balance confirmation — 27 October 2026',
      );
      expect(pages[0]).toMatch(
        language === 'fr' ? /Visa et cachet\s+Pour l’émetteur +Vérifié par/ : /Signature and seal/,
      );
      expect(pages[0]!.includes('Livres conformes')).toBe(books === sound);
      const counted =
        language === 'fr' ? /Constats du mois :|Constats de mois antérieurs :/ : /Findings of/;
      expect(pages[0]).toMatch(books === sound ? /Aucun constat confirmé/ : counted);
      expect(scanCode(file, 1)).toBe(
        `pointage 1 KORA 2026-10-27 r1 sha256:${stated.statement.integrity.documentHash}`,
      );
    }
  });

  test.skipIf(!hasPreflight())(
    'keeps the rules of PDF/A by Apache PDFBox',
    { timeout: 60_000 },
    async () => {
      expect(preflight([await write(await attest(broken(3), '2026-10-20'))])).toEqual(['valid']);
    },
  );

  test('is not given out when it does not say what the statement says', async () => {
    const stated = await attest(sound, '2026-10-27');
    const bytes = readFileSync(await write(stated));
    const file = async function* () {
      yield bytes;
    };
    expect(await readAttestation(file(), { statement: stated.statement, language: 'fr' })).toEqual(
      [],
    );
    const { summary } = stated.statement;
    const recorded = { ...summary.recorded, balance: summary.recorded.balance + 1 };
    const other = { ...stated.statement, summary: { ...summary, recorded } };
    expect(await readAttestation(file(), { statement: other, language: 'fr' })).toMatchObject([
      { figure: 'recorded.balance', stated: String(recorded.balance), found: null },
    ]);
  });
});

describe.skipIf(!areInstalled('pdftotext'))(
  'what the page claims of its lines and balances',
  () => {
    const day = '2026-10-31';
    const late = handBooks(`
    10-01T08:00 CASHIN_CREDIT 1000 GUI-CI-1
    10-31T21:00 CASHIN_CREDIT 2000 GUI-CI-2
    11-01T09:00 CASHIN_CREDIT 4000 GUI-CI-3
    10-31T22:10 CASHIN_CREDIT 5000 GUI-CI-4
    op GUI-CI-1 SUCCEEDED 1000 created=10-01T07:59 completed=10-01T08:00
    op GUI-CI-2 SUCCEEDED 2000 created=10-31T20:59 completed=10-31T21:00
    op GUI-CI-3 SUCCEEDED 4000 created=11-01T08:59 completed=11-01T09:00
    op GUI-CI-4 SUCCEEDED 5000 created=10-31T22:09 completed=10-31T22:10`);
    const months = [{ period: '2026-10', end: instant('11-01T00:00'), lastSequence: 2 }];
    const closed = months.map((month) => ({ ...month, at: instant('11-02T10:00'), by: 'awa' }));
    const every = 'Toutes les lignes datées d’avant y sont comptées, et aucune autre.';

    async function pageOf(stated: StatedMonth, language: 'fr' | 'en' = 'fr'): Promise<string> {
      const pages = pagesOf(await write(stated, { language }));
      expect(pages.length).toBe(1);
      return squeezed(pages[0]!);
    }

    test('every line by its date, where it is so', async () => {
      const stated = await stateBooks(late, { period: '2026-10-15' });
      expect(stated.statement.circumstances.notByDate).toBeUndefined();
      expect(await pageOf(stated)).toContain(squeezed(every));
    });

    test('a line of 5 000 that came after its month was closed, with the number of such lines', async () => {
      const stated = await stateBooks(late, { period: day, month: { closed } });
      expect(stated.statement.summary.recorded.balance).toBe(3_000);
      expect(stated.statement.circumstances.notByDate).toMatchObject({ late: 1, ahead: 0 });
      const page = await pageOf(stated);
      expect(page).toContain(
        squeezed(
          'sauf : 1 ligne datée d’avant, arrivée après la clôture du mois, n’y est pas comptée.',
        ),
      );
      expect(page).toContain(
        squeezed('Une ligne datée du mois est arrivée depuis, et n’y est pas comptée : n° 4.'),
      );
      expect(page).not.toContain(squeezed('aucune autre.'));
    });

    test('a line of an earlier month that came when both were closed', async () => {
      const september = {
        ...closed[0]!,
        period: '2026-09',
        end: instant('10-01T00:00'),
        lastSequence: 0,
      };
      const entries = late.entries.map((line, i) =>
        i === 3 ? { ...line, createdAt: instant('09-30T12:00') } : line,
      );
      const { statement } = await stateBooks(
        { ...late, entries },
        { period: day, month: { closed: [september, ...closed] } },
      );
      expect(statement.circumstances).toMatchObject({
        closed: { late: { count: 0 } },
        notByDate: { late: 1, countedAfter: 0 },
      });
    });

    test('lines dated later that the recorded figures have', async () => {
      const stated = await stateBooks(late, { period: day });
      expect(stated.statement.summary).toMatchObject({
        recorded: { balance: 12_000 },
        ahead: { balance: 4_000 },
      });
      const said = 'sauf : 1 ligne datée d’après est comprise dans les montants comptabilisés';
      expect(await pageOf(stated)).toContain(squeezed(said));
      expect(await pageOf(stated, 'en')).toContain(
        squeezed('except: 1 line dated after it is part of the recorded figures'),
      );
    });

    test('a line dated 2031 that is counted with its neighbours, and one dated before that is not', async () => {
      const dated = (sequence: number, createdAt: number) => {
        const entries = late.entries.map((line) =>
          line.sequence === sequence ? { ...line, createdAt } : line,
        );
        return {
          ...late,
          entries: entries.filter((line) => line.sequence < 4),
          wallet: { ...late.wallet, balance: 7_000 },
        };
      };
      const later = await stateBooks(dated(2, Date.UTC(2031, 0, 5)), { period: '2026-10-01' });
      expect(later.statement.summary.recorded.balance).toBe(3_000);
      expect(later.statement.circumstances.notByDate).toMatchObject({
        countedBefore: 1,
        countedAfter: 0,
      });
      const said =
        'sauf : 1 ligne datée d’après, d’une date impossible, y est comptée avec ses voisines.';
      expect(await pageOf(later)).toContain(squeezed(said));

      const before = dated(3, Date.UTC(2019, 0, 5));
      const entries = [
        ...before.entries,
        { ...before.entries[2]!, id: 'line-4', sequence: 4, createdAt: instant('11-02T09:00') },
      ];
      const { statement } = await stateBooks({ ...before, entries }, { period: '2026-10-15' });
      expect(statement.circumstances.notByDate).toMatchObject({
        countedBefore: 0,
        countedAfter: 1,
      });
    });

    test('money that nothing explains as money to be justified, as a statement does', async () => {
      const lines = `
      10-02T08:00 CASHIN_CREDIT 1000 GUI-CI-1
      10-02T08:00 CASHIN_FEE 20 GUI-CI-1
      op GUI-CI-1 SUCCEEDED 1000 fees=20 created=10-02T07:59 completed=10-02T08:00`;
      const stated = await stateBooks(handBooks(lines, '12-01T00:00', 16_911), { period: day });
      const month = await stateBooks(handBooks(lines, '12-01T00:00', 16_911), {
        period: '2026-10',
      });
      expect(stated.statement.summary).toMatchObject({
        recorded: { balance: 17_891 },
        due: { balance: 980 },
      });
      expect(stated.statement.summary.verdict).toEqual(month.statement.summary.verdict);
      const page = await pageOf(stated);
      expect(page).toContain(squeezed('À justifier : 16 911 XOF du solde comptabilisé'));
      // One form of the instant.
      expect(page).toContain(squeezed('31 octobre 2026, fin de journée ('));
      expect(page).not.toMatch(/T\d\d:\d\d:\d\dZ/);
      expect(page).toContain(squeezed('16 911 à justifier : '));
      expect(page).toContain(
        squeezed('Solde dû, en toutes lettres : neuf cent quatre-vingts francs CFA.'),
      );
      expect(page).not.toContain(squeezed('est le solde dû'));
      expect(page).not.toContain(squeezed('Livres conformes'));
    });

    test('nothing that is cut short, and no file by its name', { timeout: 60_000 }, async () => {
      for (const language of ['fr', 'en'] as const) {
        const page = await pageOf(await attest(broken(40), '2026-10-27'), language);
        expect(page).not.toContain('…');
        expect(page).not.toContain('JSON');
        expect(page).toContain(
          squeezed(language === 'fr' ? 'Autres postes en suspens : ' : 'Further open items: '),
        );
      }
    });
  },
);

describe('pointage statement attest', () => {
  const books = join(scratch, 'books');
  beforeAll(() => writeBundle(join(books, 'KORA'), sound));

  function attestBy(words: readonly string[]) {
    const from = [
      '--source',
      `file:${books}`,
      '--out',
      join(scratch, 'out'),
      '--as-of',
      '2026-11-05T00:00:00Z',
    ];
    return pointage(['statement', 'attest', ...words, ...from]);
  }

  test('writes a page and a file once, and says so the second time', {
    timeout: 60_000,
  }, async () => {
    const first = await attestBy(['KORA', '2026-10-31']);
    expect([first.status, first.out]).toEqual([
      0,
      expect.stringContaining('KORA 2026-10-31, revision 1, written: clean'),
    ]);
    expect(readdirSync(join(scratch, 'out')).sort()).toEqual([
      'ATTESTATION_KORA_2026-10-31_r1.json',
      'ATTESTATION_KORA_2026-10-31_r1.pdf',
    ]);
    expect((await attestBy(['KORA', '2026-10-31'])).out).toContain('revision 1, unchanged');
  });

  test('refuses in one sentence a day that is not over, and what is no day', {
    timeout: 60_000,
  }, async () => {
    for (const [words, sentence] of [
      [
        ['KORA', '2026-11-05'],
        'The day 2026-11-05 has not ended: it ends at 2026-11-06T00:00:00.000Z',
      ],
      [['KORA', '2026-10'], "'2026-10' is not a day; write it like 2026-10-31."],
      [['KORA', '2026-02-30'], "'2026-02-30' is not a day"],
      [['KORA'], 'Say which day of whom, for example: pointage statement attest M001 2026-10-31'],
    ] as const) {
      const { status, err } = await attestBy(words);
      expect(status, sentence).toBe(3);
      expect(err).toContain(sentence);
    }
  });
});
