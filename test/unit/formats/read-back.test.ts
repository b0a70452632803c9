// Documents are read back by other code than wrote them. What was written is found, and what was
// falsified is named.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import exceljs from 'exceljs';
import PDFDocument from 'pdfkit';
import { describe, expect, test } from 'vitest';
import {
  LANGUAGES,
  type Statement,
  type StatementFormatName,
} from '../../../src/core/statements/statement.ts';
import {
  describeDifferences,
  type FigureDifference,
} from '../../../src/io/formats/read-back/read-back.ts';
import { numbersIn } from '../../../src/io/formats/read-back/wanted-figures.ts';
import { FORMATS, formatNamed, readerOf } from '../../../src/io/formats/register.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

/** Yields odd pieces, so that no reader can rely on where a chunk ends. */
async function* piecesOf(bytes: Uint8Array, size = 777) {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

function readBack(
  format: { readonly name: StatementFormatName },
  bytes: Uint8Array,
  statement: Statement,
) {
  return readerOf(format)(piecesOf(bytes), { statement, language: 'fr' });
}

const figuresOf = (differences: readonly FigureDifference[]) =>
  differences.map(({ figure }) => figure);

describe.each(FORMATS.map((format) => [format.name, format] as const))(
  '%s, as registered',
  (_, format) => {
    test('is found to say what the statement says', { timeout: 60_000 }, async () => {
      const withLinks = { lines: 60, texts: 'hostile' as const, links: true };
      // There are more lines than a workbook shares the texts of, and more operations than a PDF
      // tags the cells of.
      const long = { lines: 2_401 };
      for (const wish of [{}, { lines: 0 }, { texts: 'hostile' as const }, long, withLinks]) {
        const document = sampleDocument(wish);
        for (const language of wish === long ? (['fr'] as const) : LANGUAGES) {
          const bytes = await bytesOf(format, document, { language });
          const stated = { statement: document.statement, language };
          expect(await readerOf(format)(piecesOf(bytes), stated), JSON.stringify(wish)).toEqual([]);
        }
      }
    });

    test('is found out when a figure is another than the statement’s', async () => {
      const document = sampleDocument({});
      const { statement } = document;
      const { closingBalance, paymentCount } = statement.summary;
      const summary = {
        ...statement.summary,
        closingBalance: closingBalance + 7_777,
        paymentCount: paymentCount + 333,
      };
      const wallet = {
        ...statement.journal.wallet,
        closing: statement.journal.wallet.closing + 7_777,
      };
      const otherwise = { ...statement, summary, journal: { ...statement.journal, wallet } };
      const differences = await readBack(format, await bytesOf(format, document), otherwise);
      // A list of operations has no balance.
      expect(figuresOf(differences)).toContain(
        format.name === 'operations' ? 'paymentCount' : 'closingBalance',
      );
    });
  },
);

test.each(['pdf', 'xlsx', 'json'] as const)(
  '%s is found out in its payments by link',
  async (name) => {
    const document = sampleDocument({ links: true });
    const section = document.statement.paymentsByLink!;
    const [first, ...others] = section.summary.byOperator;
    const byOperator = [{ ...first!, amount: first!.amount + 7_777 }, ...others];
    const otherwise = {
      ...document.statement,
      paymentsByLink: {
        ...section,
        summary: { ...section.summary, totalAmount: 7_662_098, byOperator },
      },
    };
    const differences = await readBack(
      formatNamed(name)!,
      await bytesOf(formatNamed(name)!, document),
      otherwise,
    );
    const found = name === 'json' ? 'the statement as a whole' : 'paymentsByLink.total.amount';
    expect(figuresOf(differences)).toContain(found);
  },
);

describe('JSON', () => {
  const json = formatNamed('json')!;

  test.each([
    ['a figure of the summary', /"closingBalance":\d/, '"closingBalance":9', 'closingBalance'],
    ['a figure of a list', /"byOperator":\[\{"operator":"(\w+)","count":\d/, '$&9', 'byOperator'],
    [
      'a table outside the summary',
      /"balanceEffect":\d/,
      '"balanceEffect":9',
      'the statement as a whole',
    ],
    ['a balance of a line', /("sequence":4317,[^\n]*"balance":)\d/, '$19', 'line 17, balance'],
    [
      'an operation that is not there',
      /\n\{"reference":"GUI-CI-00000002",[^\n]*/,
      '',
      'operations.count',
    ],
    ['a line that is not there', /\n\{"sequence":4317,[^\n]*/, '', 'entryCount'],
  ])('%s', async (_, what, instead, figure) => {
    const document = sampleDocument({});
    const text = (await bytesOf(json, document)).toString();
    const falsified = text.replace(what, instead);
    expect(falsified).not.toBe(text);
    const differences = await readBack(json, Buffer.from(falsified), document.statement);
    expect(figuresOf(differences).some((path) => path.startsWith(figure))).toBe(true);
  });

  test('cut off, or something else, is no statement', async () => {
    const document = sampleDocument({});
    const bytes = await bytesOf(json, document);
    for (const wrong of [
      bytes.subarray(0, bytes.length - 4),
      bytes.subarray(0, 100),
      Buffer.from('{}'),
      Buffer.from(''),
    ]) {
      await expect(readBack(json, wrong, document.statement)).rejects.toThrow();
    }
  });
});

describe('CSV', () => {
  const csv = formatNamed('csv')!;

  test('a line changed, left out or moved is named', async () => {
    const document = sampleDocument({});
    const rows = (await bytesOf(csv, document)).toString().split('\r\n');
    const swapped = rows.with(3, rows[4]!).with(4, rows[3]!);
    const shorter = rows.toSpliced(-2, 1);
    const cells = rows[5]!.split(';');
    const balance = rows[0]!.split(';').indexOf('Solde');
    const changed = rows.with(5, cells.with(balance, `${cells[balance]}0`).join(';'));
    for (const [falsified, figure] of [
      [swapped, 'line 3, balance'],
      [shorter, 'entryCount'],
      [changed, 'line 5, balance'],
    ] as const) {
      const differences = await readBack(
        csv,
        Buffer.from(falsified.join('\r\n')),
        document.statement,
      );
      expect(figuresOf(differences)).toContain(figure);
    }
    await expect(readBack(csv, Buffer.from('a;b\r\n'), document.statement)).rejects.toThrow(
      'no column',
    );
  });
});

const grouped = (figure: number): string =>
  `${figure < 0 ? '−' : ''}${String(Math.abs(figure)).replace(/\B(?=(\d{3})+$)/g, '\u202f')}`;

function numbersOf(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersOf) : [];
}

async function printPdf(texts: readonly string[]): Promise<Buffer> {
  const pdf = new PDFDocument({ size: 'A4' });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const ended = once(pdf, 'end');
  const font = new URL(
    '../../../node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
    import.meta.url,
  );
  pdf.font(font.pathname).fontSize(8);
  texts.forEach((text, i) => {
    if (i % 60 === 0 && i > 0) pdf.addPage();
    pdf.text('Montant', 40, 40 + (i % 60) * 12, { lineBreak: false });
    pdf.text(text, 120, 40 + (i % 60) * 12, { lineBreak: false });
  });
  pdf.end();
  await ended;
  return Buffer.concat(parts);
}

describe('PDF', () => {
  const pdf = { name: 'pdf' } as const;

  test('every figure printed is found; one that is another is named, also where a later page has the right one', async () => {
    const { statement } = sampleDocument({ lines: 400 });
    const { byOperator: _a, byCountry: _b, byDay: _c, ...single } = statement.summary;
    const { fees, disbursed } = single;
    const texts = numbersOf({ ...single, fees: 0 - fees, disbursed: 0 - disbursed }).map(grouped);
    expect(await readBack(pdf, await printPdf(texts), statement)).toEqual([]);
    const blank = new Array<string>(240).fill('');
    expect(await readBack(pdf, await printPdf([...blank, ...texts]), statement)).toEqual([]);
    const wrong = texts.map((text) =>
      text === grouped(statement.summary.closingBalance) ? `${text}0` : text,
    );
    const ledger = [...wrong, ...blank, grouped(statement.summary.closingBalance)];
    for (const printed of [wrong, ledger]) {
      expect(figuresOf(await readBack(pdf, await printPdf(printed), statement))).toContain(
        'closingBalance',
      );
    }
    await expect(readBack(pdf, Buffer.from('%PDF-1.7 nothing'), statement)).rejects.toThrow();
  });

  test('numbers are read with their sign and their groups, and none is part of another', () => {
    expect(numbersIn('1\u202f234\u202f567')).toEqual(['1234567']);
    expect(numbersIn('−12 345 678')).toEqual(['-12345678']);
    expect(numbersIn('n° 1 – 500, page 3 / 12')).toEqual(['1', '500', '3', '12']);
    expect(numbersIn('1,234,567 and −1.000')).toEqual(['1234567', '-1000']);
    expect(numbersIn('01/10/2026 · 97,4 %')).toEqual(['01', '10', '2026', '97']);
    expect(numbersIn('1234 567')).toEqual(['1234', '567']);
    expect(numbersIn('aucun')).toEqual([]);
  });
});

describe('XLSX', () => {
  const xlsx = { name: 'xlsx' } as const;

  /** Returns a workbook whose sheets come before the list of sheets in the file. */
  async function streamedWorkbook(figures: readonly number[]): Promise<Uint8Array> {
    const stream = new PassThrough();
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    const book = new exceljs.stream.xlsx.WorkbookWriter({
      stream,
      useSharedStrings: true,
      useStyles: true,
    });
    const sheet = book.addWorksheet('Synthèse');
    for (const figure of figures) sheet.addRow(['Montant', figure]).commit();
    await book.commit();
    return Buffer.concat(parts);
  }

  test('of a workbook that was written as a stream', async () => {
    const { statement } = sampleDocument({});
    const figures = numbersOf(statement.summary);
    expect(await readBack(xlsx, await streamedWorkbook(figures), statement)).toEqual([]);
    expect(await readBack(xlsx, await streamedWorkbook([]), statement)).not.toEqual([]);
    await expect(readBack(xlsx, Buffer.from('PK no workbook'), statement)).rejects.toThrow();
  });

  async function workbook(
    ...sheets: readonly (readonly (number | string)[])[]
  ): Promise<Uint8Array> {
    const book = new exceljs.Workbook();
    for (const figures of sheets) {
      const sheet = book.addWorksheet();
      figures.forEach((figure, i) => {
        const value =
          i % 2 === 0 || typeof figure === 'string' ? figure : { formula: '1+1', result: figure };
        sheet.addRow(['Montant', value]);
      });
    }
    return new Uint8Array(await book.xlsx.writeBuffer());
  }

  test('numbers and results of formulas are found; a number kept as text is not one', async () => {
    const { statement } = sampleDocument({});
    const figures = numbersOf(statement.summary);
    const { closingBalance } = statement.summary;
    expect(await readBack(xlsx, await workbook(figures), statement)).toEqual([]);
    const others = figures.map((figure) => (figure === closingBalance ? figure + 1 : figure));
    expect(figuresOf(await readBack(xlsx, await workbook(others), statement))).toContain(
      'closingBalance',
    );
    const texts = figures.map((figure) => (figure === closingBalance ? String(figure) : figure));
    expect(figuresOf(await readBack(xlsx, await workbook(texts), statement))).toContain(
      'closingBalance',
    );
    const elsewhere = await workbook(
      others,
      figures.toReversed().slice(0, 3).concat(closingBalance),
    );
    expect(figuresOf(await readBack(xlsx, elsewhere, statement))).toContain('closingBalance');
  });
});

test('differences are one sentence', () => {
  const difference = (figure: string): FigureDifference => ({ figure, stated: '1', found: null });
  const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(difference);
  expect(describeDifferences('pdf', many)).toMatch(
    /^The pdf document.* a is 1, but it is not to be found; .*; and 2 more\.$/,
  );
});
