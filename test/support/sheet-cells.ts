// The cells of a workbook as plain values, by sheet and address, and how a test asks for one by the
// words beside it.

import { PassThrough } from 'node:stream';
import ExcelJS from 'exceljs';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { writeXlsx, type XlsxOptions } from '../../src/io/formats/xlsx/plan-workbook.ts';
import { TEMPLATE } from './written-document.ts';

export type CellContent = string | number;
/** Sheet name → address (`C7`) → value; dates as serial numbers, formulas as their results. */
export type Sheets = ReadonlyMap<string, ReadonlyMap<string, CellContent>>;

export interface ReadWorkbook {
  readonly cells: Sheets;
  readonly formulas: Sheets;
}

const DAY_MS = 86_400_000;

/** Returns the bytes of the workbook, in French unless told otherwise. */
export async function xlsxBytes(
  document: StatementDocument,
  options: Partial<XlsxOptions> = {},
): Promise<Buffer> {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on('data', (chunk: Buffer) => chunks.push(chunk));
  await writeXlsx(
    document,
    { language: 'fr', verifyAt: null, template: TEMPLATE, ...options },
    out,
  );
  return Buffer.concat(chunks);
}

/** Returns what the library that wrote the file reads in it. */
export async function readCells(bytes: Buffer): Promise<ReadWorkbook> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  const cells = new Map<string, Map<string, CellContent>>();
  const formulas = new Map<string, Map<string, CellContent>>();
  for (const sheet of workbook.worksheets) {
    const own = new Map<string, CellContent>();
    const live = new Map<string, CellContent>();
    cells.set(sheet.name, own);
    formulas.set(sheet.name, live);
    sheet.eachRow((row) => {
      row.eachCell((cell) => {
        if (cell.formula !== undefined) live.set(cell.address, cell.formula);
        const value =
          cell.type === ExcelJS.ValueType.RichText ? cell.text : (cell.result ?? cell.value);
        if (value instanceof Date) own.set(cell.address, value.getTime() / DAY_MS + 25_569);
        else if (typeof value === 'string' || typeof value === 'number')
          own.set(cell.address, value);
        else if (value !== null && value !== undefined)
          throw new Error(`${cell.address} holds ${JSON.stringify(value)}`);
      });
    });
  }
  return { cells, formulas };
}

export function addressOf(column: number, row: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row}`;
}

export interface Sought {
  readonly sheet: string;
  /** Text in column A of a row; the search begins below that row. */
  readonly below?: string;
  readonly label: CellContent;
  readonly column: string;
}

/**
 * Returns the cell in `column` of the first row whose first cell is `label`, below the row whose
 * first cell is `below`.
 */
export function cellBeside(
  sheets: Sheets,
  { sheet, below, label, column }: Sought,
): CellContent | undefined {
  const cells = sheets.get(sheet)!;
  const rowOf = (first: CellContent, from: number): number => {
    for (let row = from; row < from + 5_000; row++) if (cells.get(`A${row}`) === first) return row;
    throw new Error(`${sheet} has no row that begins with ${first}`);
  };
  const from = below === undefined ? 1 : rowOf(below, 1) + 1;
  return cells.get(`${column}${rowOf(label, from)}`);
}
