// The readers of documents, by media type: a format that has none here cannot be issued as a report.

import type { StatementFormat } from '../format.ts';
import { readCsv } from './csv.ts';
import { readJson } from './json.ts';
import { readPdf } from './pdf.ts';
import type { ReadBack } from './read-back.ts';
import { readXlsx } from './xlsx.ts';

const READERS: ReadonlyMap<string, ReadBack> = new Map([
  ['application/json', readJson],
  ['text/csv', readCsv],
  ['application/pdf', readPdf],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', readXlsx],
]);

/** Null when nothing here can read documents of that format. */
export function readerOf({ mediaType }: StatementFormat): ReadBack | null {
  return READERS.get(mediaType.split(';')[0]!.trim()) ?? null;
}
