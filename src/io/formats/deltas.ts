// What a revision changes, in the forms that accounting programs import: entries taken back and posted, and of bank statements lines
// that are new or gone, for accounts that hold the revision before. A first issue has none. OFX needs none: its ids stay.

import type { Writable } from 'node:stream';
import { invariant } from '../../core/domain/invariant.ts';
import { STATEMENT_FORMATS, type StatementFormatName } from '../../core/statements/statement.ts';
import { type BankParts, changesOfMonth, isWhole } from './bank/bank-entries.ts';
import { camtFormat, writeCamt } from './bank/camt.ts';
import { mt940Format, writeMt940 } from './bank/mt940.ts';
import { fecFormat, writeFec } from './bookkeeping/fec.ts';
import { odooFormat, writeOdoo } from './bookkeeping/odoo.ts';
import { sageFormat, writeSage } from './bookkeeping/sage.ts';
import type { StreamedEntry } from './bookkeeping/stream-entries.ts';
import type { FormatOptions, StatementDocument } from './port/format.ts';
import { writeBytes, writeText } from './port/write-text.ts';

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
  {
    name: 'camt-delta',
    of: 'camt',
    extension: 'delta.xml',
    mediaType: camtFormat.mediaType,
    write: (document, { language }, out) => writeText(writeCamt(changesOf(document), language), out),
  },
  {
    name: 'mt940-delta',
    of: 'mt940',
    extension: 'delta.mt940',
    mediaType: mt940Format.mediaType,
    write: (document, { language }, out) => writeText(writeMt940(changesOf(document), language), out),
  },
];

const OF_BANK: readonly string[] = ['camt', 'mt940'];

function changesOf(document: StatementDocument): BankParts {
  const changes = changesOfMonth(document);
  invariant(changes !== null, 'a delta is asked for where there is one');
  return changes;
}

/** The service's own file of the month, among the files of a report. */
export const SERVICE_FILE = 'service';

/** What a report may have a file of, by name. */
export const REPORT_FILES = [...STATEMENT_FORMATS, ...DELTAS.map(({ name }) => name), SERVICE_FILE] as const;

/** Those of the formats named; none where the statement is no revision, or its changes are not listed. */
export function deltasOf({ statement }: StatementDocument, formats: readonly string[]): readonly DeltaFormat[] {
  const areListed = statement.revision.entries?.entries != null;
  return DELTAS.filter(({ of }) => formats.includes(of) && (OF_BANK.includes(of) ? isWhole(statement) : areListed));
}

async function* changedIn({ statement }: StatementDocument): AsyncGenerator<readonly StreamedEntry[]> {
  const { entries } = statement.revision.entries ?? {};
  yield (entries ?? []).map((entry) => ({ entry, line: null, date: entry.date, wallet: 0 }));
}
