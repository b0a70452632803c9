// XLSX: the statement as a workbook that proves itself, with live formulas beside figures that the model computed.

import type { Writable } from 'node:stream';
import type { FormatOptions, StatementDocument, StatementFormat } from '../port/format.ts';

export const xlsxFormat: StatementFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: (document, options, out) => writeXlsx(document, options, out),
};

export interface XlsxOptions extends FormatOptions {
  /** Lines that one sheet takes; what a sheet of the format can hold unless given. */
  readonly rowsPerSheet?: number;
}

/** Of 1,048,576 rows, less room for the head of the sheet. */
const ROWS_PER_SHEET = 1_048_000;

export async function writeXlsx(document: StatementDocument, options: XlsxOptions, out: Writable): Promise<void> {
  // Loaded here, because it takes longer to load than other commands take to run.
  const { default: library } = await import('exceljs');
  const { planWorkbook } = await import('./plan-workbook.ts');
  const plan = planWorkbook(document, options, { rowsPerSheet: options.rowsPerSheet ?? ROWS_PER_SHEET });
  const { writeWorkbook } = await import('./write-workbook.ts');
  await writeWorkbook(library, plan, out);
}
