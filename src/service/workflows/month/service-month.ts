// What the service itself published of a merchant's month, as far as a statement needs it: its
// bounds, a comparison of its key figures with ours, payments by link, and the file of its report.
// Reports a dashboard that cannot be read, and goes on without it. Asks for a file by the report's
// id alone, and never follows the address that a report names (`fileUrl`).

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type Bounds,
  endOfReport,
  formatPeriod,
  type Period,
} from '../../../core/domain/period.ts';
import type { DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { ServiceReport } from '../../../core/domain/service-report.ts';
import type { Batch, Reason, RejectedRow } from '../../../core/domain/snapshot.ts';
import { newestReady } from '../../../core/kernel/checks/reports/choose-reports.ts';
import {
  type LinksRead,
  notCompared,
  type ServiceComparison,
  type ServiceDocument,
} from '../../../core/statements/comparison.ts';
import { compareWithService } from '../../../core/statements/service/service-comparison.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { SERVICE_FILE } from '../../../io/formats/deltas.ts';
import type { StatementDocument, WrittenFormat } from '../../../io/formats/port/format.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import type { Published } from '../audit/compare-published.ts';
import { type LinksWanted, linksUnread, readLinks } from './read-links.ts';

export interface ServiceMonth {
  /** As the service states them; null when it states none, or when what it states is not known. */
  readonly bounds: Bounds | null;
  /**
   * The service could not be asked, or its answer could not be read: a month that was issued keeps
   * its bounds.
   */
  readonly isUnknown: boolean;
  /** Null: the service publishes nothing of such a period. */
  compare(summary: Omit<StatementSummary, 'revision'>): ServiceComparison | null;
  /** Payments by link of the period, asked for anew. */
  links(wanted: LinksWanted): Promise<LinksRead>;
  /** The file behind the service's report; null where there is none. */
  document(): Promise<FetchedDocument | null>;
  close(): Promise<void>;
}

/** Null: the place does not know the merchant, or none was asked. */
export type AskServiceMonth = (merchant: string, period: Period) => Promise<ServiceMonth | null>;

/** Where there is no dashboard to ask. */
export const nothingPublished: AskServiceMonth = async () => null;

/**
 * Asks for the reports of the merchant; for its payments and the file of a report when they are
 * wanted.
 */
export function askServiceMonthAt({
  dashboard,
  summaryKeys,
}: Omit<Published, 'months'>): AskServiceMonth {
  return async (merchant, period) => {
    const ask = async <T>(
      question: () => Promise<T>,
      otherwise: (why: string) => T,
    ): Promise<T> => {
      try {
        return await question();
      } catch (failure) {
        if (!(failure instanceof SourceFailed)) throw failure;
        return otherwise(`${dashboard.name}: ${failure.code}: ${failure.message}`);
      }
    };
    return ask(async () => {
      if (!(await dashboard.merchants()).includes(merchant)) return null;
      const snapshot = await dashboard.open(merchant);
      const read = await ask<Batch<ServiceReport> | string>(
        () => readReports(snapshot),
        (why) => why,
      );
      if (typeof read === 'string') {
        await snapshot.close();
        return unreachable(read);
      }
      const { rows, rejected } = read;
      const ofMonth = rows.filter((report) => report.period === formatPeriod(period));
      return {
        ...ofReports(ofMonth, rejected),
        links: (wanted) =>
          ask(() => readLinks(snapshot, wanted, { ofMonth, summaryKeys }), linksUnread),
        document: () => fetchDocument(snapshot, ofMonth),
        close: () => snapshot.close(),
      };
    }, unreachable);
  };
}

/** Ask a place that does not answer nothing more. */
function unreachable(why: string): ServiceMonth {
  return {
    ...unknown(why),
    links: async () => linksUnread(why),
    document: async () => null,
    close: async () => {},
  };
}

/** What the service's reports say of a month. */
type OfMonth = Pick<ServiceMonth, 'bounds' | 'isUnknown' | 'compare'>;

async function readReports(snapshot: DashboardSnapshot): Promise<Batch<ServiceReport>> {
  const isAbsent = snapshot.absent.some(({ what }) => what === 'reports');
  return isAbsent ? { rows: [], rejected: [] } : snapshot.reports();
}

function ofReports(ofMonth: readonly ServiceReport[], [refused]: readonly RejectedRow[]): OfMonth {
  if (ofMonth.length > 0) {
    return {
      bounds: boundsIn(ofMonth),
      isUnknown: false,
      compare: (summary) => compareWithService(ofMonth, summary),
    };
  }
  // It may be the one of this month.
  if (refused !== undefined)
    return unknown(`a report could not be read: ${refused.place}: ${refused.reason}`);
  return { bounds: null, isUnknown: false, compare: () => null };
}

function unknown(why: string): OfMonth {
  return {
    bounds: null,
    isUnknown: true,
    compare: () => notCompared({ why, code: 'REPORTS_UNREACHABLE', figures: { reason: why } }),
  };
}

/**
 * Of the report that counts where it states both; else of whichever does, since the month is the
 * same in all of them.
 */
function boundsIn(ofMonth: readonly ServiceReport[]): Bounds | null {
  const counting = newestReady(ofMonth);
  const inOrder = counting === null ? ofMonth : [counting, ...ofMonth];
  for (const { periodStart, periodEnd } of inOrder) {
    if (periodStart !== null && periodEnd !== null)
      return { start: periodStart, end: endOfReport(periodEnd) };
  }
  return null;
}

export interface FetchedDocument {
  readonly about: ServiceDocument;
  /** Null: nothing is kept, and `about` has why. */
  readonly bytes: Uint8Array | null;
}

/**
 * Null where no report of the month is READY, or the place keeps no files. Names a file that cannot
 * be had, and why.
 */
async function fetchDocument(
  snapshot: DashboardSnapshot,
  ofMonth: readonly ServiceReport[],
): Promise<FetchedDocument | null> {
  const report = newestReady(ofMonth);
  if (report === null) return null;
  const { id: reportId, filename: fileName, fileSize: statedSize } = report;
  const named = { reportId, fileName: fileName?.slice(0, LONGEST_NAME) ?? null, statedSize };
  const without = (notKept: Reason): FetchedDocument => ({
    about: { ...named, kept: null, notKept },
    bytes: null,
  });
  try {
    const bytes = await snapshot.reportFile(reportId);
    if (bytes === null) return null;
    // ISO 32000: the header is within the first 1024 bytes.
    const isPdf = Buffer.from(bytes.subarray(0, 1024)).includes('%PDF-');
    if (!isPdf) return without({ why: 'what was served is no PDF', code: 'FILE_NO_PDF' });
    const kept = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
    return { about: { ...named, kept, notKept: null }, bytes };
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    return without({ why: reason, code: 'REPORTS_UNREACHABLE', figures: { reason } });
  }
}

const LONGEST_NAME = 120;

/**
 * What it is written as beside the statement: its bytes as they were served; nothing where none are
 * kept.
 */
export function serviceFileOf({
  serviceFile = null,
}: StatementDocument): readonly (WrittenFormat & { readonly mediaType: string })[] {
  if (serviceFile === null) return [];
  const write: WrittenFormat['write'] = (_, __, out) => pipeline(Readable.from([serviceFile]), out);
  return [{ name: SERVICE_FILE, extension: 'service.pdf', mediaType: 'application/pdf', write }];
}
