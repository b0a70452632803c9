// A PDF as a file: well formed, PDF/A-1a, its code readable, the same bytes on any machine, and its memory flat.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { StatementDocument } from '../../src/formats/format.ts';
import { areInstalled, hasPreflight, openPdfFolder, preflight, qpdfCheck, scanCode } from '../support/pdf-tools.ts';
import { sampleDocument } from '../support/sample-statement.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

function named(name: string): StatementDocument {
  const document = sampleDocument({ lines: 40 });
  const { statement } = document;
  return { ...document, statement: { ...statement, merchant: { ...statement.merchant, name } } };
}

const DOCUMENTS: readonly (readonly [string, () => StatementDocument])[] = [
  ['an ordinary month', () => sampleDocument({ lines: 400 })],
  ['a month without lines', () => sampleDocument({ lines: 0 })],
  ['texts that mean harm', () => sampleDocument({ lines: 300, texts: 'hostile' })],
  ['a ledger whose cells are not tagged', () => sampleDocument({ lines: 1_200 })],
  ['a name of XML signs', () => named('Dupont & Fils <SARL> "Étoile"')],
  ['a name of controls, halves of pairs and 10,000 letters', () => named(`\u0000\ud800]]>\u202e${'É'.repeat(10_000)}`)],
];

describe('a PDF', () => {
  test.skipIf(!areInstalled('qpdf'))('is well formed (needs qpdf)', async () => {
    for (const [what, make] of DOCUMENTS) {
      expect(qpdfCheck(await folder.write(make())), what).toContain('No syntax or stream encoding errors');
    }
  });

  test.skipIf(!hasPreflight())(
    'is PDF/A-1a by Apache PDFBox (needs java and preflight)',
    { timeout: 90_000 },
    async () => {
      const files: string[] = [];
      for (const [, make] of DOCUMENTS) files.push(await folder.write(make(), { language: 'en' }));
      expect(preflight(files)).toEqual(DOCUMENTS.map(() => 'valid'));
    },
  );

  test('says in plain bytes which language it is in, that it is tagged, and what its pictures show', async () => {
    for (const language of ['fr', 'en'] as const) {
      const bytes = readFileSync(await folder.write(named('Dupont & Fils <SARL>'), { language })).toString('latin1');
      expect(bytes).toContain(`/Lang (${language})`);
      expect(bytes).toContain('/Marked true');
      expect(bytes.match(/\/S \/Figure\n\/Alt \(/g)?.length).toBe(3);
      expect(bytes).toContain('Dupont &amp; Fils &lt;SARL&gt;');
      expect(bytes).not.toContain('Dupont & Fils <SARL>');
      expect(bytes).toContain('/S /TH');
    }
  });

  test.skipIf(!areInstalled('pdftoppm', 'zbarimg'))(
    'has a code that a scanner reads (needs pdftoppm, zbarimg)',
    async () => {
      const document = sampleDocument();
      const { contentHash } = document.statement.integrity;
      const plain = scanCode(await folder.write(document), 1);
      expect(plain).toBe(`pointage 1 LIBRAIRIE_KORAFICTIVE 2026-10 r1 sha256:${contentHash}`);
      const address = 'https://releves.exemple.invalid/verifier/';
      expect(scanCode(await folder.write(document, { verifyAt: address }), 1)).toBe(`${address}${contentHash}`);
    },
  );
});

interface ChildResult {
  readonly hash: string;
  readonly milliseconds: number;
  readonly peak: number;
}

async function writeInChild(count: number, environment: Readonly<Record<string, string>> = {}): Promise<ChildResult> {
  const child = join(import.meta.dirname, '../support/pdf-child.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [child, String(count), '1000000'], {
    env: { ...process.env, ...environment },
  });
  return JSON.parse(stdout) as ChildResult;
}

describe('the bytes and the memory of a PDF', () => {
  test('are the same in any zone and language of the machine', async () => {
    const first = await writeInChild(300, { TZ: 'Pacific/Kiritimati', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' });
    const second = await writeInChild(300, { TZ: 'America/Los_Angeles', LANG: 'C', LC_ALL: 'C' });
    expect(first.hash).toBe(second.hash);
  });

  test('20,000 lines take less than 8 seconds of processor time and 300 MB', { timeout: 60_000 }, async () => {
    const { milliseconds, peak } = await writeInChild(20_000);
    expect(milliseconds).toBeLessThan(8_000);
    expect(peak).toBeLessThan(300);
  });
});
