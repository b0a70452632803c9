// What the payment service publishes for a merchant's month, as far as a statement needs it: its
// bounds, a comparison of its key figures with ours, payments by link, and the file of its report.
// A dashboard that cannot be read is reported, and the statement is made without it. Files are
// requested by the report's id alone; the address in a report (`fileUrl`) is never followed.

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
  /**
   * The bounds as the service states them; `null` when it states none, or when its answer is not
   * known.
   */
  readonly bounds: Bounds | null;
  /**
   * True when the service could not be reached, or its answer could not be read. An issued month
   * then keeps its bounds.
   */
  readonly isUnknown: boolean;
  /**
   * Compares the statement with the service's reports; `null` when the service publishes none for
   * such a period.
   */
  compare(summary: Omit<StatementSummary, 'revision'>): ServiceComparison | null;
  /** Reads the payments by link of the period. Each call requests them again. */
  links(wanted: LinksWanted): Promise<LinksRead>;
  /** Fetches the file of the service's report; `null` when there is none. */
  document(): Promise<FetchedDocument | null>;
  close(): Promise<void>;
}

/**
 * Returns what the service publishes for a month; `null` when it does not know the merchant, or
 * when there is no dashboard.
 */
export type AskServiceMonth = (merchant: string, period: Period) => Promise<ServiceMonth | null>;

/** Used where there is no dashboard. */
export const nothingPublished: AskServiceMonth = async () => null;

/**
 * Returns a function that requests a merchant's reports. Payments, and the file of a report, are
 * requested only when they are needed.
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

/** Returns a replacement for a dashboard that did not answer. It sends no further request there. */
function unreachable(why: string): ServiceMonth {
  return {
    ...unknown(why),
    links: async () => linksUnread(why),
    document: async () => null,
    close: async () => {},
  };
}

/** What the service's reports say about a month. */
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
  // The unreadable report may be that of this month.
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
 * Returns the bounds from the newest READY report if it states both. Otherwise takes them from any
 * report that does, because the month is the same in all of them.
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
  /** `null` when no file is kept; `about` then says why. */
  readonly bytes: Uint8Array | null;
}

/**
 * Fetches the file of the newest READY report. Returns `null` when there is no such report or the
 * place keeps no files. When a file cannot be fetched, the result names it and says why.
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
 * Returns the format that writes the service's file beside the statement, byte for byte; none when
 * no file is kept.
 */
export function serviceFileOf({
  serviceFile = null,
}: StatementDocument): readonly (WrittenFormat & { readonly mediaType: string })[] {
  if (serviceFile === null) return [];
  const write: WrittenFormat['write'] = (_, __, out) => pipeline(Readable.from([serviceFile]), out);
  return [{ name: SERVICE_FILE, extension: 'service.pdf', mediaType: 'application/pdf', write }];
}
