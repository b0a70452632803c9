// The readers of documents, by format: what is issued as a report has been read back.

import type { StatementFormatName } from '../../../core/statements/statement.ts';
import { readCamt } from './camt.ts';
import { readCsv } from './csv.ts';
import { readFec } from './fec.ts';
import { readJournal } from './journal.ts';
import { readJson } from './json.ts';
import { readMt940 } from './mt940.ts';
import { readOdoo } from './odoo.ts';
import { readOfx } from './ofx.ts';
import { readOperationsCsv } from './operations-csv.ts';
import { readPdf } from './pdf.ts';
import type { ReadBack } from './read-back.ts';
import { readSage } from './sage.ts';
import { readXlsx } from './xlsx.ts';

const READERS: Readonly<Record<StatementFormatName, ReadBack>> = {
  json: readJson,
  csv: readCsv,
  operations: readOperationsCsv,
  pdf: readPdf,
  xlsx: readXlsx,
  journal: readJournal,
  fec: readFec,
  camt: readCamt,
  mt940: readMt940,
  ofx: readOfx,
  sage: readSage,
  odoo: readOdoo,
};

export function readerOf({ name }: { readonly name: StatementFormatName }): ReadBack {
  return READERS[name];
}
