// The entries that a revision changes, in the form of a FEC: what is taken back and what is posted, for accounts that hold the
// revision before. A first issue has none.

import type { Writable } from 'node:stream';
import { nameEntry } from './entry-names.ts';
import { FEC_COLUMNS, fecRows, validDate } from './fec.ts';
import type { FormatOptions, StatementDocument } from './format.ts';
import { latin9 } from './latin9.ts';
import { writeBytes } from './write-text.ts';

/** No format of every report: only a revision has it, beside the others. */
export const DELTA = {
  name: 'delta',
  extension: 'delta.txt',
  mediaType: 'text/tab-separated-values; charset=iso-8859-15',
  write: (document: StatementDocument, options: FormatOptions, out: Writable): Promise<void> =>
    writeBytes(piecesOf(document, options), out),
} as const;

async function* piecesOf(document: StatementDocument, { language }: FormatOptions): AsyncGenerator<Uint8Array> {
  const { journal, revision } = document.statement;
  const form = { journal, validated: validDate(document) };
  yield latin9(`${FEC_COLUMNS.join('\t')}\r\n`);
  for (const entry of revision.entries?.entries ?? []) {
    yield latin9(fecRows(entry, { ...form, name: nameEntry({ entry, line: null }, language) }));
  }
}
