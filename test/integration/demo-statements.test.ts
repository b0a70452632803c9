// The statements that the demonstration ends with, read by programs that are not ours: pdftotext finds every figure of the
// summary in the PDF, and LibreOffice finds it in the workbook after it has recomputed every cell.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatementSummary } from '../../src/statements/summary.ts';
import { pointage } from '../support/command.ts';
import { areInstalled } from '../support/installed.ts';
import { hasLibreOffice, recompute } from '../support/libre-office.ts';
import { pagesOf, squeezed } from '../support/pdf-tools.ts';
import { readCells, type Sheets } from '../support/sheet-cells.ts';
import { figuresOf, summaryCell } from '../support/summary-cells.ts';

const MERCHANTS = 12;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-demo-statements-'));
const folder = join(scratch, 'out');
const filesOf = (extension: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`.${extension}`))
    .sort();
const summaries = new Map<string, StatementSummary>();

beforeAll(async () => {
  const ended = await pointage(['demo', '--data-directory', join(scratch, 'data'), '--out', folder]);
  expect(ended.status, ended.err).toBe(0);
  for (const name of filesOf('json')) {
    const { statement } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      statement: { summary: StatementSummary };
    };
    summaries.set(name.replace(/\.json$/, ''), statement.summary);
  }
  expect(summaries.size).toBe(MERCHANTS);
}, 180_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Numbers as a French document writes them, but for the spaces. */
function numbersOf(summary: StatementSummary): readonly (readonly [string, string])[] {
  return [...figuresOf(summary)]
    .filter(([, figure]) => typeof figure === 'number')
    .map(([path, figure]) => [path, String(figure).replace('-', '−')]);
}

describe.skipIf(!areInstalled('pdftotext'))('the PDFs (need pdftotext)', () => {
  test('hold every figure of the summary, for every merchant', () => {
    expect(filesOf('pdf').length).toBe(MERCHANTS);
    for (const name of filesOf('pdf')) {
      const text = squeezed(pagesOf(join(folder, name)).join('\n'));
      const numbers = numbersOf(summaries.get(name.replace(/\.pdf$/, ''))!);
      expect(numbers.length, name).toBeGreaterThan(30);
      expect(
        numbers.filter(([, figure]) => !text.includes(figure)),
        name,
      ).toEqual([]);
    }
  });
});

describe.skipIf(!hasLibreOffice)('the workbooks (need soffice)', () => {
  test('keep every cell when they are recomputed, and hold every figure of the summary, for every merchant', {
    timeout: 240_000,
  }, async () => {
    const names = filesOf('xlsx').map((name) => name.replace(/\.xlsx$/, ''));
    expect(names.length).toBe(MERCHANTS);
    const books = Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, `${name}.xlsx`))]));
    const after = await recompute(books);
    for (const name of names) {
      const { cells } = await readCells(books[name]!);
      for (const [sheet, own] of cells)
        expect(rounded(after[name]!.get(sheet)!), `${name} ${sheet}`).toEqual(rounded(own));
      for (const [path, figure] of figuresOf(summaries.get(name)!)) {
        expect(summaryCell(after[name]!, path), `${name} ${path}`).toBe(figure);
      }
    }
  });
});

/** Dates are fractions of days: compared to the second. */
function rounded(cells: NonNullable<ReturnType<Sheets['get']>>): ReadonlyMap<string, unknown> {
  return new Map(
    [...cells].map(([at, value]) => [at, typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value]),
  );
}
