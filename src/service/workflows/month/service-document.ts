// The file behind the service's own report of a month, fetched and kept beside ours as evidence of what the service said. It is
// asked for by the report's id alone: the address that a report names (`fileUrl`) is not followed.

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { newestReady } from '../../../core/checks/reports/choose-reports.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import type { Reason } from '../../../core/domain/snapshot.ts';
import type { ServiceDocument } from '../../../core/statements/comparison.ts';
import { SERVICE_FILE } from '../../../io/formats/deltas.ts';
import type { StatementDocument, WrittenFormat } from '../../../io/formats/port/format.ts';
import { writeBytes } from '../../../io/formats/port/write-text.ts';
import { SourceFailed } from '../../../io/sources/source.ts';

export interface FetchedDocument {
  readonly said: ServiceDocument;
  /** Null: nothing is kept, and `said` has why. */
  readonly bytes: Uint8Array | null;
}

/** Null where no report of the month is READY, or the place keeps no files. A file that cannot be had is said. */
export async function fetchDocument(
  snapshot: DashboardSnapshot,
  ofMonth: readonly ServiceReport[],
): Promise<FetchedDocument | null> {
  const report = newestReady(ofMonth);
  if (report === null) return null;
  const { id: reportId, filename: fileName, fileSize: statedSize } = report;
  const named = { reportId, fileName: fileName?.slice(0, LONGEST_NAME) ?? null, statedSize };
  const without = (notKept: Reason): FetchedDocument => ({ said: { ...named, kept: null, notKept }, bytes: null });
  try {
    const bytes = await snapshot.reportFile(reportId);
    if (bytes === null) return null;
    if (!isPdf(bytes)) return without({ why: 'what was served is no PDF', code: 'FILE_NO_PDF' });
    const kept = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    return { said: { ...named, kept, notKept: null }, bytes };
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    return without({ why: reason, code: 'REPORTS_UNREACHABLE', figures: { reason } });
  }
}

const LONGEST_NAME = 120;

/** ISO 32000: the header stands within the first 1024 bytes. */
function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
}

/** What it is written as beside the statement: its bytes as they were served; nothing where none are kept. */
export function serviceFileOf({
  serviceFile = null,
}: StatementDocument): readonly (WrittenFormat & { readonly mediaType: string })[] {
  if (serviceFile === null) return [];
  const write: WrittenFormat['write'] = (_, __, out) => writeBytes(Readable.from([serviceFile]), out);
  return [{ name: SERVICE_FILE, extension: 'service.pdf', mediaType: 'application/pdf', write }];
}
