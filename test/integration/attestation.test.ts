// Attestations of a balance: the figures of the statement that ends with the day, on one page that programs that are not ours
// read, and as a file that says the same. `pointage attest` writes them once.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/domain/instant.ts';
import { ATTESTATION_FORMATS } from '../../src/formats/attestation/attestation-formats.ts';
import type { FormatOptions } from '../../src/formats/format.ts';
import { readAttestation } from '../../src/formats/read-back/pdf.ts';
import type { Books } from '../../src/sandbox/books.ts';
import { FAULTS } from '../../src/sandbox/faults/named/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/plan.ts';
import { seedRandom } from '../../src/sandbox/random.ts';
import { simulateBooks } from '../../src/sandbox/simulation/simulate.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { hasPreflight, pagesOf, preflight, qpdfCheck, scanCode, squeezed } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);
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

function broken(count: number): Books {
  return Array.from({ length: count }, (_, i) => FAULTS[(i * 7) % FAULTS.length]!).reduce<Books>(
    (books, fault, i) => fault.plant(books, seedRandom(`attest/${i}`))?.books ?? books,
    sound,
  );
}

async function attest(books: Books, period: string): Promise<StatedMonth> {
  return stateBooks(decodeBooks(books), { period, zone: 'Africa/Douala' });
}

async function write(stated: StatedMonth, options: Partial<FormatOptions> = {}): Promise<string> {
  const file = join(scratch, `${stated.statement.integrity.shortHash}-${options.language ?? 'fr'}.pdf`);
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
      expect(day.statement.period).toMatchObject({ period: '2026-10-31', label: { fr: '31 octobre 2026' } });
    }
  });

  test('within a month are what the last line before the end of the day has left', async () => {
    const decoded = decodeBooks(sound);
    const report = auditBooks(decoded);
    for (const day of ['2026-10-01', '2026-10-13', '2026-10-27']) {
      const end = Date.parse(`${day}T23:00:00Z`);
      const last = decoded.entries.filter(({ createdAt }) => createdAt < end).at(-1)!;
      const { statement } = await stateBooks(decoded, { period: day, zone: 'Africa/Douala', report });
      const { balanceAfter: balance, reservedAfter: reserved } = last;
      const figures = { balance, reserved, available: balance - reserved };
      expect([statement.summary.recorded, statement.summary.due, statement.due.recomputed]).toEqual([
        figures,
        figures,
        figures,
      ]);
      expect(statement.reconciliation.balance.headSequence).toBe(last.sequence);
    }
  });

  test('are in the JSON form under the keys of a statement, with the verdict and the sum in words', async () => {
    const { statement, ...streams } = await attest(broken(6), '2026-10-27');
    const file = JSON.parse((await bytesOf(json, documentOf({ statement, ...streams }))).toString('utf8'));
    expect(file.format).toBe('pointage attestation 1');
    for (const key of ['merchant', 'period', 'summary', 'due', 'integrity', 'circumstances'] as const)
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
      const text = squeezed(pages[0]!).replaceAll(',', '');
      for (const figure of [recorded.balance, recorded.available, due?.balance ?? 0])
        expect(text).toContain(String(Math.abs(figure)));
      expect(pages[0]).toContain(
        language === 'fr' ? 'Attestation de solde — 27 octobre 2026' : 'Balance confirmation — 27 October 2026',
      );
      expect(pages[0]).toMatch(
        language === 'fr' ? /Visa et cachet\s+Pour l’émetteur +Vérifié par/ : /Signature and seal/,
      );
      expect(pages[0]!.includes('Livres conformes')).toBe(books === sound);
      expect(scanCode(file, 1)).toBe(`pointage 1 KORA 2026-10-27 r1 sha256:${stated.statement.integrity.documentHash}`);
    }
  });

  test.skipIf(!hasPreflight())('keeps the rules of PDF/A by Apache PDFBox', { timeout: 60_000 }, async () => {
    expect(preflight([await write(await attest(broken(3), '2026-10-20'))])).toEqual(['valid']);
  });

  test('is not given out when it does not say what the statement says', async () => {
    const stated = await attest(sound, '2026-10-27');
    const bytes = readFileSync(await write(stated));
    const file = async function* () {
      yield bytes;
    };
    expect(await readAttestation(file(), { statement: stated.statement, language: 'fr' })).toEqual([]);
    const { summary } = stated.statement;
    const recorded = { ...summary.recorded, balance: summary.recorded.balance + 1 };
    const other = { ...stated.statement, summary: { ...summary, recorded } };
    expect(await readAttestation(file(), { statement: other, language: 'fr' })).toMatchObject([
      { figure: 'recorded.balance', stated: String(recorded.balance), found: null },
    ]);
  });
});

describe('pointage attest', () => {
  const books = join(scratch, 'books');
  beforeAll(() => writeBundle(join(books, 'KORA'), sound));

  async function pointage(words: readonly string[]) {
    const main = resolve(import.meta.dirname, '../../src/cli/main.js');
    const from = ['--source', `file:${books}`, '--out', join(scratch, 'out'), '--as-of', '2026-11-05T00:00:00Z'];
    return run(process.execPath, [main, 'attest', ...words, ...from], {
      env: { PATH: process.env.PATH },
      cwd: scratch,
    }).then(
      ({ stdout, stderr }) => ({ status: 0, stdout, stderr }),
      (failure: { code: number; stdout: string; stderr: string }) => ({ status: failure.code, ...failure }),
    );
  }

  test('writes a page and a file once, and says so the second time', { timeout: 60_000 }, async () => {
    const first = await pointage(['KORA', '2026-10-31']);
    expect([first.status, first.stdout]).toEqual([
      0,
      expect.stringContaining('KORA 2026-10-31, revision 1, written: clean'),
    ]);
    expect(readdirSync(join(scratch, 'out')).sort()).toEqual([
      'ATTESTATION_KORA_2026-10-31_r1.json',
      'ATTESTATION_KORA_2026-10-31_r1.pdf',
    ]);
    expect((await pointage(['KORA', '2026-10-31'])).stdout).toContain('revision 1, unchanged');
  });

  test('refuses in one sentence a day that is not over, and what is no day', { timeout: 60_000 }, async () => {
    for (const [words, sentence] of [
      [['KORA', '2026-11-05'], 'The day 2026-11-05 has not ended: it ends at 2026-11-06T00:00:00.000Z'],
      [['KORA', '2026-10'], "'2026-10' is not a day; write it like 2026-10-31."],
      [['KORA', '2026-02-30'], "'2026-02-30' is not a day"],
      [['KORA'], 'Say which day of whom, for example: pointage attest M001 2026-10-31'],
    ] as const) {
      const { status, stderr } = await pointage(words);
      expect(status, sentence).toBe(3);
      expect(stderr).toContain(sentence);
    }
  });
});
