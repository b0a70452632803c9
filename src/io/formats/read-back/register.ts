// The readers of documents, by format. Every document of a report is read back before it is issued.

import type { StatementFormatName } from '../../../core/statements/statement.ts';
import { readCamt, readMt940, readOfx } from './bank-figures.ts';
import { readFec, readJournal, readOdoo, readSage } from './entry-figures.ts';
import { readCsv, readJson, readOperationsCsv } from './ledger-figures.ts';
import type { ReadBack } from './read-back.ts';
import { readPdf } from './wanted-figures.ts';
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
