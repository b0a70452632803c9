// The audit report as a PDF, as foreign programs read it: every figure of every finding, columns
// that add up, the same bytes for the same audit, and PDF/A.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { auditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { wordFinding } from '../../src/core/words/finding.ts';
import { LABELS } from '../../src/core/words/tree.ts';
import { explain, writeAuditReport } from '../../src/io/formats/pdf/audit/audit-report.ts';
import { wordingOf } from '../../src/io/formats/port/wording.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { unreachable } from '../../src/service/workflows/audit/audit-source.ts';
import { englishIn } from '../support/english-words.ts';
import { areInstalled } from '../support/installed.ts';
import { archiveProblems } from '../support/pdf-archive.ts';
import { hasPreflight, pagesOf, preflight, qpdfCheck, squeezed } from '../support/pdf-tools.ts';
import { plantNamed } from '../support/plant-named.ts';
import { reportOnBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEMPLATE } from '../support/written-document.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-audit-pdf-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const plan = planMerchant({ reference: 'DRIFTED' });
const until = plan.opensAt + 12 * 86_400_000;
const sound = simulateBooks(plan, { seed: 'pdf', until });
const wrongBy = (...names: string[]): AuditReport =>
  reportOnBooks(plantNamed(sound, { names, seed: 'pdf' }).books);
const drifted = wrongBy(
  'BALANCE_DRIFT',
  'LINES_MISSING',
  'RESERVED_DRIFT',
  'CREDIT_MISSING',
  'WALLET_BALANCE_MISMATCH',
);

async function written(
  reports: readonly AuditReport[],
  language: 'fr' | 'en',
  name: string,
): Promise<string> {
  const document = auditDocument({
    engine: 'pointage 0.0.0-test',
    asOf: until,
    source: 'file:/livres',
    merchants: reports,
  });
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex');
  const file = join(scratch, `${name}.pdf`);
  await writeAuditReport(document, { language, template: TEMPLATE, hash }, createWriteStream(file));
  return file;
}

const figure = (text: string): string => squeezed(text).replace(/^-(?=\d+$)/, '−');

describe.skipIf(!areInstalled('pdftotext', 'qpdf'))('an audit report as PDF', () => {
  test.each(['fr', 'en'] as const)(
    'holds every figure of every finding, and of the wallet: %s',
    async (language) => {
      const file = await written([drifted], language, `one-${language}`);
      const printed = squeezed(
        execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }),
      );
      const plain = (text: string): string =>
        language === 'fr' ? text : text.replace(/(?<=\d),(?=\d{3})/g, '');
      const text = plain(printed);
      expect(drifted.findings.length).toBeGreaterThanOrEqual(5);
      if (language === 'fr') expect(englishIn(pagesOf(file).join('\n'))).toEqual([]);
      const { speech } = wordingOf('UTC', { labels: LABELS[language], language });
      for (const { kind, fingerprint, figures, expected, actual, difference } of drifted.findings) {
        for (const said of [
          kind,
          fingerprint,
          plain(wordFinding(speech, kind, figures)),
          expected,
          actual,
          difference,
        ]) {
          if (said !== null) expect(text, kind).toContain(figure(said));
        }
      }
      for (const amount of [
        ...Object.values(drifted.recorded),
        ...Object.values(drifted.recomputed),
      ]) {
        expect(text).toContain(figure(amount!));
      }
      expect(text).toContain(language === 'fr' ? 'Verdict:nonconforme' : 'Verdict:broken');
      expect(qpdfCheck(file)).toContain('No syntax or stream encoding errors found');
      expect(
        readFileSync(await written([drifted], language, 'again')).equals(readFileSync(file)),
      ).toBe(true);
    },
  );

  test('says what is due, what each root is off by, and what became of it', async () => {
    const twice = wrongBy('CREDIT_DUPLICATED', 'FEE_MISSING');
    const [settled, accepted] = twice.findings.filter(
      ({ item }) => item !== null && item.balance !== '0',
    );
    const decided = {
      ...twice,
      findings: twice.findings.map((finding) => {
        if (finding === settled) {
          const by = {
            by: 'correction',
            lines: ['901', '902'],
            at: '2026-10-20T08:00:00.000Z',
          } as const;
          return { ...finding, settledBy: { ...by, person: null, reason: null } };
        }
        if (finding !== accepted) return finding;
        const at = '2026-10-21T08:00:00.000Z';
        return {
          ...finding,
          accepted: { person: 'Awa', reason: 'sous le seuil', at, limit: null, until: null },
        };
      }),
    };
    const file = await written([decided], 'fr', 'decided');
    const text = squeezed(execFileSync('pdftotext', ['-raw', file, '-'], { encoding: 'utf8' }));
    for (const said of [
      'Régularisé par les lignes n° 901, 902 le 20/10/2026',
      'Accepté par Awa : sous le seuil.',
    ]) {
      expect(text).toContain(squeezed(said));
    }
    for (const { item } of [settled!, accepted!]) {
      const off = `À tort dans le solde : ${item!.balance.replace('-', '−')}, dans le réservé : 0.`;
      expect(text).toContain(squeezed(off));
    }
    expect(text).toContain(squeezed('(régularisées : 1, acceptées : 1)'));
    expect(text).toContain(figure(twice.due!.balance));
  });

  test('numbers its pages, begins each merchant on its own, and says what could not be read', async () => {
    const clean = { ...reportOnBooks(sound), merchant: 'SOUND' };
    const file = await written(
      [drifted, clean, unreachable('AWAY', 'UNREACHABLE: nobody answers')],
      'en',
      'three',
    );
    const pages = pagesOf(file);
    pages.forEach((page, i) => {
      expect(page).toContain(`page ${i + 1}/${pages.length}`);
    });
    expect(pages[0]).toContain('3 merchants: 1 clean, 1 broken, 1 incomplete.');
    expect(pages.at(-1)).toContain('UNREACHABLE: nobody answers');
    expect(pages.find((page) => page.includes('SOUND —'))).toContain(
      'Everything that was read agrees.',
    );
  });

  test.skipIf(!hasPreflight() || !areInstalled('qpdf'))('is PDF/A', async () => {
    const file = await written([drifted], 'fr', 'archive');
    expect(preflight([file])).toEqual(['valid']);
    expect(archiveProblems(file)).toEqual([]);
  });
});

test('the difference is explained to zero, whatever is wrong', () => {
  let seen = 0;
  for (const { name } of FAULTS.filter((fault) =>
    /DRIFT|LINES|WALLET|OPENING|HOLD|AMOUNT/.test(fault.name),
  )) {
    let report: AuditReport;
    try {
      report = wrongBy(name);
    } catch {
      continue;
    }
    for (const side of ['balance', 'reserved'] as const) {
      const explained = explain(report, side);
      if (explained === null) continue;
      const { recorded, items, others, unexplained, recomputed } = explained;
      const named = items.reduce((sum, { amount }) => sum + amount, 0n);
      expect(recorded - named - others - unexplained, `${name} ${side}`).toBe(recomputed);
      if (recorded !== recomputed && items.length > 0) seen += 1;
    }
  }
  expect(seen).toBeGreaterThan(5);
});
