// The register of plug-in 3: every format, one line each.

import { STATEMENT_FORMATS, type StatementFormatName } from '../../core/statements/statement.ts';
import { camtFormat } from './bank/camt.ts';
import { mt940Format } from './bank/mt940.ts';
import { ofxFormat } from './bank/ofx.ts';
import { fecFormat, odooFormat, sageFormat } from './bookkeeping/entry-layouts.ts';
import { journalFormat } from './bookkeeping/journal.ts';
import type { StatementFormat } from './port/format.ts';
import { csvFormat, operationsCsvFormat } from './text/csv.ts';
import { jsonFormat } from './text/json.ts';

/** Pages for people. The writer is loaded when the first one is written. */
export const pdfFormat: StatementFormat = {
  name: 'pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  write: async (...document) => (await import('./pdf/write-pdf.ts')).writePdf(...document),
};

/** A workbook that proves itself, with live formulas beside figures that the model computed. Loaded as the PDF is. */
const xlsxFormat: StatementFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: async (...document) => (await import('./xlsx/plan-workbook.ts')).writeXlsx(...document),
};

const REGISTER: Readonly<Record<StatementFormatName, StatementFormat>> = {
  json: jsonFormat,
  csv: csvFormat,
  operations: operationsCsvFormat,
  pdf: pdfFormat,
  xlsx: xlsxFormat,
  journal: journalFormat,
  fec: fecFormat,
  camt: camtFormat,
  mt940: mt940Format,
  ofx: ofxFormat,
  sage: sageFormat,
  odoo: odooFormat,
};

/** All of them, each of which a report has a file of. */
export const FORMATS: readonly StatementFormat[] = STATEMENT_FORMATS.map((name) => REGISTER[name]);

/** Null when no format has that name. */
export function formatNamed(name: string): StatementFormat | null {
  return FORMATS.find((format) => format.name === name) ?? null;
}
