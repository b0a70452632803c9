// The register of plug-in 3: every format, one line each, with the reader of its documents. Every
// document of a report is read back before it is issued.

import { STATEMENT_FORMATS, type StatementFormatName } from '../../core/statements/statement.ts';
import { camtFormat } from './bank/camt.ts';
import { mt940Format } from './bank/mt940.ts';
import { ofxFormat } from './bank/ofx.ts';
import { fecFormat, odooFormat, sageFormat } from './bookkeeping/entry-layouts.ts';
import { journalFormat } from './bookkeeping/journal.ts';
import type { StatementFormat } from './port/format.ts';
import { readCamt, readMt940, readOfx } from './read-back/bank-figures.ts';
import { readFec, readJournal, readOdoo, readSage } from './read-back/entry-figures.ts';
import { readCsv, readJson, readOperationsCsv } from './read-back/ledger-figures.ts';
import type { ReadBack } from './read-back/read-back.ts';
import { readPdf, readXlsx } from './read-back/wanted-figures.ts';
import { csvFormat, operationsCsvFormat } from './text/csv.ts';
import { jsonFormat } from './text/json.ts';

/** Pages for people. The writer is loaded when the first one is written. */
export const pdfFormat: StatementFormat = {
  name: 'pdf',
  extension: 'pdf',
  mediaType: 'application/pdf',
  write: async (...document) => (await import('./pdf/write-pdf.ts')).writePdf(...document),
};

/**
 * A workbook that proves itself, with live formulas beside figures that the model computed. Loaded
 * as the PDF is.
 */
const xlsxFormat: StatementFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  write: async (...document) => (await import('./xlsx/plan-workbook.ts')).writeXlsx(...document),
};

type Entry = readonly [format: StatementFormat, readBack: ReadBack];

const REGISTER: Readonly<Record<StatementFormatName, Entry>> = {
  json: [jsonFormat, readJson],
  csv: [csvFormat, readCsv],
  operations: [operationsCsvFormat, readOperationsCsv],
  pdf: [pdfFormat, readPdf],
  xlsx: [xlsxFormat, readXlsx],
  journal: [journalFormat, readJournal],
  fec: [fecFormat, readFec],
  camt: [camtFormat, readCamt],
  mt940: [mt940Format, readMt940],
  ofx: [ofxFormat, readOfx],
  sage: [sageFormat, readSage],
  odoo: [odooFormat, readOdoo],
};

/** All of them, each of which a report has a file of. */
export const FORMATS: readonly StatementFormat[] = STATEMENT_FORMATS.map(
  (name) => REGISTER[name][0],
);

/** Null when no format has that name. */
export function formatNamed(name: string): StatementFormat | null {
  return FORMATS.find((format) => format.name === name) ?? null;
}

export function readerOf({ name }: { readonly name: StatementFormatName }): ReadBack {
  return REGISTER[name][1];
}
