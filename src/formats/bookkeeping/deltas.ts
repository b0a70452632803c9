// The entries that a revision changes, in the forms that accounting programs import: what is taken back and what is posted, for
// accounts that hold the revision before. A first issue has none.

import type { Writable } from 'node:stream';
import { STATEMENT_FORMATS, type StatementFormatName } from '../../statements/statement.ts';
import type { FormatOptions, StatementDocument } from '../format.ts';
import { writeBytes, writeText } from '../write-text.ts';
import { fecFormat, writeFec } from './fec.ts';
import { odooFormat, writeOdoo } from './odoo.ts';
import { sageFormat, writeSage } from './sage.ts';
import type { StreamedEntry } from './stream-entries.ts';

/** No format of every report: only a revision has it, beside the format that it is a delta of. */
export interface DeltaFormat {
  readonly name: string;
  readonly of: StatementFormatName;
  readonly extension: string;
  readonly mediaType: string;
  write(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void>;
}

export const DELTAS: readonly DeltaFormat[] = [
  {
    name: 'delta',
    of: 'fec',
    extension: 'delta.txt',
    mediaType: fecFormat.mediaType,
    write: (document, { language }, out) => writeBytes(writeFec(document, changedIn(document), language), out),
  },
  {
    name: 'sage-delta',
    of: 'sage',
    extension: 'delta.pnm',
    mediaType: sageFormat.mediaType,
    write: (document, { language }, out) => writeBytes(writeSage(document, changedIn(document), language), out),
  },
  {
    name: 'odoo-delta',
    of: 'odoo',
    extension: 'delta.odoo.csv',
    mediaType: odooFormat.mediaType,
    write: (document, { language }, out) => writeText(writeOdoo(document, changedIn(document), language), out),
  },
];

/** What a report may have a file of, by name. */
export const REPORT_FILES = [...STATEMENT_FORMATS, ...DELTAS.map(({ name }) => name)] as const;

/** Those of the formats named; none where the statement is no revision, or its changes are not listed. */
export function deltasOf({ statement }: StatementDocument, formats: readonly string[]): readonly DeltaFormat[] {
  return statement.revision.entries?.entries == null ? [] : DELTAS.filter((delta) => formats.includes(delta.of));
}

async function* changedIn({ statement }: StatementDocument): AsyncGenerator<readonly StreamedEntry[]> {
  const { entries } = statement.revision.entries ?? {};
  yield (entries ?? []).map((entry) => ({ entry, line: null, date: entry.date, wallet: 0 }));
}
