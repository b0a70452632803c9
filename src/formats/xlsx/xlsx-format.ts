// XLSX: the statement as a workbook that proves itself, with live formulas beside figures that the model computed. Up to
// a number of lines it is held in memory, above it is written while it grows; both give the same cells.

import type { Writable } from 'node:stream';
import type { FormatOptions, StatementDocument, StatementFormat } from '../format.ts';

export const xlsxFormat: StatementFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: (document, options, out) => writeXlsx(document, options, out),
};

export interface XlsxOptions extends FormatOptions {
  /** How the workbook is written; by the number of lines unless given. */
  readonly mode?: 'memory' | 'streaming';
  /** Lines that one sheet takes; what a sheet of the format can hold unless given. */
  readonly rowsPerSheet?: number;
}

/** Above it, a workbook in memory takes more than 300 MB and, because its archive is packed in one thread, twice the time. */
const MOST_LINES_IN_MEMORY = 2_000;
/** Of 1,048,576 rows, less room for what stands above the table. */
const ROWS_PER_SHEET = 1_048_000;

export async function writeXlsx(document: StatementDocument, options: XlsxOptions, out: Writable): Promise<void> {
  // Loaded here, because it takes longer to load than other commands take to run.
  const { default: library } = await import('exceljs');
  const { planWorkbook } = await import('./plan-workbook.ts');
  const plan = planWorkbook(document, options, { rowsPerSheet: options.rowsPerSheet ?? ROWS_PER_SHEET });
  const isSmall = document.statement.summary.entryCount <= MOST_LINES_IN_MEMORY;
  const mode = options.mode ?? (isSmall ? 'memory' : 'streaming');
  if (mode === 'memory') {
    const { writeInMemory } = await import('./write-in-memory.ts');
    await writeInMemory(library, plan, out);
    return;
  }
  const { writeStreaming } = await import('./write-streaming.ts');
  await writeStreaming(library, plan, out);
}
