// The register of plug-in 3: every format, one line each.

import { camtFormat } from './camt.ts';
import { csvFormat } from './csv.ts';
import { fecFormat } from './fec.ts';
import type { StatementFormat } from './format.ts';
import { journalFormat } from './journal.ts';
import { jsonFormat } from './json.ts';
import { pdfFormat } from './pdf/pdf-format.ts';
import { xlsxFormat } from './xlsx/xlsx-format.ts';

export const FORMATS: readonly StatementFormat[] = [
  jsonFormat,
  csvFormat,
  pdfFormat,
  xlsxFormat,
  journalFormat,
  fecFormat,
  camtFormat,
];

/** Null when no format has that name. */
export function formatNamed(name: string): StatementFormat | null {
  return FORMATS.find((format) => format.name === name) ?? null;
}
