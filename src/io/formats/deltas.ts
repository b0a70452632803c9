// Files of a revision's changes, in the forms that accounting programs import: entries taken back
// and posted, and of bank statements lines that are new or gone, for accounts that hold the
// revision before. A first issue has none. OFX needs none: its ids stay.

import type { SentFile } from '../../core/domain/delivery/choose-files.ts';
import type { MonthKey } from '../../core/domain/period.ts';
import { STATEMENT_FORMATS, type StatementFormatName } from '../../core/statements/statement.ts';
import { isWhole } from './bank/bank-statement.ts';
import { camtFormat } from './bank/camt.ts';
import { mt940Format } from './bank/mt940.ts';
import { fecFormat, odooFormat, sageFormat } from './bookkeeping/entry-layouts.ts';
import type { RevisedFormat, StatementDocument, StatementFormat } from './port/format.ts';

/** No format of every report: only a revision has it, beside the format that it is a delta of. */
export interface DeltaFormat extends Pick<StatementFormat, 'extension' | 'mediaType' | 'write'> {
  readonly name: string;
  readonly of: StatementFormatName;
}

const BANK = [camtFormat, mt940Format];

export const DELTAS: readonly DeltaFormat[] = [fecFormat, sageFormat, odooFormat, ...BANK].map(
  ({ name, extension, mediaType, writeChanges }: RevisedFormat) => ({
    name: name === 'fec' ? 'delta' : `${name}-delta`,
    of: name,
    extension: `delta.${extension}`,
    mediaType,
    write: writeChanges,
  }),
);

/**
 * What is booked when it is imported: a later revision, whole, would be booked a second time. A
 * journal for hledger has no delta.
 */
export const BOOKED = [...DELTAS, { name: null, of: 'journal' }];

/** The revision that a file has only the changes of; null: it is whole. */
export function deltaOf({
  format,
  revision,
}: Pick<SentFile, 'format' | 'revision'>): number | null {
  return DELTAS.some(({ name }) => name === format) ? revision - 1 : null;
}

/** The file of a download, in the subject of its entry in the trail. */
export function nameDownload(file: SentFile & Pick<MonthKey, 'period'>): string {
  return [`r${file.revision}`, file.sha256, file.period, file.format, file.fileName].join(' ');
}

/** The service's own file of the month, among the files of a report. */
export const SERVICE_FILE = 'service';

/**
 * The proof that the other files are in the log (docs/EVIDENCE.md): the one file that a report gets
 * after it was issued.
 */
export const PROOF_FILE = 'tlog-proof';

/** The files that a report may have, by name. */
export const REPORT_FILES = [
  ...STATEMENT_FORMATS,
  ...DELTAS.map(({ name }) => name),
  SERVICE_FILE,
  PROOF_FILE,
] as const;

/**
 * Those of the formats named; none where the statement is no revision, or its changes are not
 * listed.
 */
export function deltasOf(
  { statement }: StatementDocument,
  formats: readonly string[],
): readonly DeltaFormat[] {
  const areListed = statement.revision.entries?.entries != null;
  return DELTAS.filter(
    ({ of }) =>
      formats.includes(of) &&
      (BANK.some(({ name }) => name === of) ? isWhole(statement) : areListed),
  );
}
