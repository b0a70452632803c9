// A PDF as a file: well formed, PDF/A-2a, its tags whole, its code readable, small, the same bytes
// on any machine, and its memory flat.

import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { FormatOptions, StatementDocument } from '../../src/io/formats/port/format.ts';
import { areInstalled } from '../support/installed.ts';
import { archiveProblems, objectsOf } from '../support/pdf-archive.ts';
import {
  hasPreflight,
  openPdfFolder,
  pagesOf,
  preflight,
  qpdfCheck,
  scanCode,
} from '../support/pdf-tools.ts';
import { sampleDocument } from '../support/sample-statement.ts';
import { TEMPLATE } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

function named(name: string): StatementDocument {
  const document = sampleDocument({ lines: 40 });
  const { statement } = document;
  return { ...document, statement: { ...statement, merchant: { ...statement.merchant, name } } };
}

/** Options for a PDF with the ledger, whose cells are untagged. */
const UNTAGGED: Partial<FormatOptions> = {
  withLedger: true,
  template: {
    ...TEMPLATE,
    layout: { ...TEMPLATE.layout, ledger: { ...TEMPLATE.layout.ledger, tagCellsUpTo: 20 } },
  },
};

const DOCUMENTS: readonly (readonly [string, () => StatementDocument, Partial<FormatOptions>?])[] =
  [
    ['an ordinary month', () => sampleDocument({ lines: 150 })],
    ['a month without lines', () => sampleDocument({ lines: 0 })],
    ['texts that mean harm', () => sampleDocument({ lines: 120, texts: 'hostile' })],
    ['payments by link', () => sampleDocument({ lines: 60, texts: 'hostile', links: true })],
    ['a ledger whose cells are not tagged', () => sampleDocument({ lines: 150 }), UNTAGGED],
    ['a name of XML signs', () => named('Dupont & Fils <SARL> "Étoile"')],
    [
      'a name of controls, halves of pairs and 10,000 letters',
      () => named(`\u0000\ud800]]>\u202e${'É'.repeat(10_000)}`),
    ],
  ];

/** The PDFs in French, each written once, for the tests that only read them. */
let french: Promise<readonly string[]> | null = null;

function writtenInFrench(): Promise<readonly string[]> {
  french ??= Promise.all(DOCUMENTS.map(([, make, options]) => folder.write(make(), options)));
  return french;
}

describe('a PDF', () => {
  test.skipIf(!areInstalled('qpdf'))('is well formed (needs qpdf)', async () => {
    for (const [i, file] of (await writtenInFrench()).entries())
      expect(qpdfCheck(file), DOCUMENTS[i]![0]).toContain('No syntax or stream encoding errors');
  });

  test.skipIf(!hasPreflight())(
    'keeps the rules of PDF/A-1a that PDF/A-2a has as well, by Apache PDFBox (needs java and preflight)',
    { timeout: 90_000 },
    async () => {
      const files: string[] = [];
      for (const [, make, options] of DOCUMENTS)
        files.push(await folder.write(make(), { ...options, language: 'en' }));
      expect(preflight(files)).toEqual(DOCUMENTS.map(() => 'valid'));
    },
  );

  test.skipIf(!areInstalled('qpdf'))(
    'is PDF/A-2a, and its tags are whole (needs qpdf)',
    async () => {
      for (const [i, file] of (await writtenInFrench()).entries())
        expect(archiveProblems(file), DOCUMENTS[i]![0]).toEqual([]);
    },
  );

  test.skipIf(!areInstalled('qpdf'))(
    'of which a mark, a cell or a part is wrong is told (needs qpdf)',
    async () => {
      const file = await folder.write(sampleDocument({ lines: 40 }));
      const plain = file.replace('.pdf', '-plain.pdf');
      execFileSync('qpdf', ['--qdf', '--object-streams=disable', file, plain]);
      const spoiled = (from: string, to: string): readonly string[] => {
        const wrong = file.replace('.pdf', '-wrong.pdf');
        const text = readFileSync(plain).toString('latin1');
        expect(text.includes(from), from).toBe(true);
        writeFileSync(wrong, Buffer.from(text.replace(from, to), 'latin1'));
        return archiveProblems(wrong);
      };
      expect(spoiled('<pdfaid:part>2<', '<pdfaid:part>1<')).toContain(
        'it does not say that it is PDF/A-2',
      );
      expect(spoiled('/S /TR\n', '/S /TD\n').join()).toMatch(/\/TD stands in \/Table/);
      expect(spoiled('/MCID 7>>', '/MCID 8>>').join()).toMatch(/page 1: /);
      expect(spoiled('/H1<</MCID 0>>BDC', '                 ').join()).toMatch(
        /page 1: .*not marked/,
      );
    },
  );

  test.skipIf(!areInstalled('qpdf'))(
    'says which language it is in, and what its pictures show (needs qpdf)',
    async () => {
      for (const language of ['fr', 'en'] as const) {
        const file = await folder.write(named('Dupont & Fils <SARL>'), { language });
        const { root, at, contentOf } = objectsOf(file);
        expect(root['/Lang']).toBe(`u:${language}`);
        const kindsBelow = (element: unknown): readonly Readonly<Record<string, unknown>>[] => {
          if (typeof element !== 'string') return [];
          const own = at(element);
          return [own, ...(own['/K'] as readonly unknown[]).flatMap(kindsBelow)];
        };
        const elements = (at(root['/StructTreeRoot'])['/K'] as readonly unknown[]).flatMap(
          kindsBelow,
        );
        const figures = elements.filter((element) => element['/S'] === '/Figure');
        expect(figures.map((figure) => typeof figure['/Alt'])).toEqual(['string']);
        expect(elements.some((element) => element['/S'] === '/TH')).toBe(true);
        const xmp = contentOf(root['/Metadata']);
        expect(xmp).toContain('Dupont &amp; Fils &lt;SARL&gt;');
        expect(xmp).not.toContain('Dupont & Fils <SARL>');
      }
    },
  );

  test.skipIf(!areInstalled('pdftotext'))(
    'names more glyphs than a byte can, and each is read back (needs pdftotext)',
    async () => {
      const letters = Array.from({ length: 150 }, (_, i) => String.fromCodePoint(0x400 + i)).join(
        '',
      );
      const more = Array.from({ length: 150 }, (_, i) => String.fromCodePoint(0x100 + i)).join('');
      for (const name of [letters, more]) {
        const text = pagesOf(
          await folder.write(named(`${letters.slice(0, 40)}${more.slice(0, 40)}`)),
        ).join('');
        expect(text).toContain(name.slice(0, 40));
      }
    },
  );

  test('of a thousand lines with all its tags is small', async () => {
    const { size } = statSync(await folder.write(sampleDocument({ lines: 1_000 })));
    // The file had 1,371,044 bytes before its objects were packed, with less in each row.
    expect(size).toBeLessThan(342_761);
  });

  test.skipIf(!areInstalled('pdftoppm', 'zbarimg'))(
    'has a code that a scanner reads (needs pdftoppm, zbarimg)',
    async () => {
      const document = sampleDocument();
      const { documentHash } = document.statement.integrity;
      const plain = scanCode(await folder.write(document), 1);
      expect(plain).toBe(`pointage 1 LIBRAIRIE_KORAFICTIVE 2026-10 r1 sha256:${documentHash}`);
      const address = 'https://releves.exemple.invalid/verifier/';
      expect(scanCode(await folder.write(document, { verifyAt: address }), 1)).toBe(
        `${address}${documentHash}`,
      );
    },
  );
});

/** Returns a picture of two by two dots without transparency. */
function picture(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.from('00000002000000020802000000', 'hex');
  const dots = deflateSync(Buffer.from('00ff0000' + '00ff00' + '000000ff' + 'ffff00', 'hex'));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', dots),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe.skipIf(!hasPreflight() || !areInstalled('pdftotext'))(
  'a template (needs pdftotext, java and preflight)',
  () => {
    const { layout } = TEMPLATE;
    const margins = { top: 120, right: 120, bottom: 120, left: 120 };
    const most = {
      title: 30,
      heading: 20,
      subheading: 16,
      body: 12,
      table: 10,
      ledger: 10,
      note: 10,
    };
    const least = { title: 12, heading: 9, subheading: 7, body: 6, table: 5, ledger: 5, note: 5 };

    test('at its narrowest and at its widest gives whole documents', {
      timeout: 60_000,
    }, async () => {
      const files: string[] = [];
      for (const look of [
        { page: { margins }, sizes: most },
        { page: { margins: { top: 24, right: 24, bottom: 24, left: 24 } }, sizes: least },
      ]) {
        const template = { ...TEMPLATE, layout: { ...layout, ...look } };
        files.push(
          await folder.write(sampleDocument({ lines: 60, texts: 'hostile' }), { template }),
        );
      }
      expect(preflight(files)).toEqual(['valid', 'valid']);
      const [many, few] = files.map((file) => pagesOf(file).length);
      expect(many).toBeGreaterThan(few!);
    });

    test('has its logo, its sections and its order on the pages', { timeout: 60_000 }, async () => {
      const look = {
        sections: ['ledger', 'commissions'] as const,
        newPageBefore: [],
        logo: { file: 'logo.png', width: 60, height: 40 },
      };
      const template = {
        ...TEMPLATE,
        layout: { ...layout, ...look, sections: [...look.sections] },
        logo: picture(),
      };
      const file = await folder.write(sampleDocument({ lines: 20 }), { template });
      expect(readFileSync(file).toString('latin1')).toContain('/Subtype /Image');
      expect(preflight([file])).toEqual(['valid']);
      const text = pagesOf(file).join('\n');
      expect(text.indexOf('1. Grand livre')).toBeGreaterThan(text.indexOf('Relevé mensuel'));
      expect(text.indexOf('2. Commissions')).toBeGreaterThan(text.indexOf('1. Grand livre'));
      expect(text).not.toContain('Chiffres clés');
    });
  },
);

interface ChildResult {
  readonly hash: string;
  readonly milliseconds: number;
  readonly peak: number;
}

async function writeInChild(
  count: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<ChildResult> {
  const child = join(import.meta.dirname, '../support/pdf-child.ts');
  const words = [child, String(count), '1000000'];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env: { ...process.env, ...environment },
  });
  return JSON.parse(stdout) as ChildResult;
}

describe('the bytes and the memory of a PDF', () => {
  test('are the same in any zone and language of the machine', async () => {
    const [first, second] = await Promise.all([
      writeInChild(60, { TZ: 'Pacific/Kiritimati', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' }),
      writeInChild(60, { TZ: 'America/Los_Angeles', LANG: 'C', LC_ALL: 'C' }),
    ]);
    expect(first.hash).toBe(second.hash);
  });

  test('20,000 lines take less than 8 seconds of processor time and 300 MB', {
    timeout: 60_000,
  }, async () => {
    const { milliseconds, peak } = await writeInChild(20_000);
    expect(milliseconds).toBeLessThan(8_000);
    expect(peak).toBeLessThan(300);
  });
});
