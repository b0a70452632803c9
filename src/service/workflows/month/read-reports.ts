// What people and programs request about issued reports: the list for a merchant, one report, the
// bytes of one file. Refuses to show a held report: its merchant sees it as PENDING.

import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { MonthRecord } from '../../../io/storage/issued/month-records.ts';
import { checkReportFiles, readReportFile } from '../../../io/storage/issued/report-files.ts';
import {
  findReport,
  listReports,
  type ReportFile,
  type ReportRecord,
} from '../../../io/storage/issued/reports.ts';
import { knowsMerchant } from '../../../io/storage/merchants/merchants.ts';
import { storeOfMerchant } from '../../../io/storage/server/merchant-store.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export type { ReportFile, ReportRecord };

export type ReportRepository = ReturnType<typeof reportRepositoryOf>;

/** Returns access to reports. Each call sees one merchant's rows only. */
export function reportRepositoryOf(store: Store) {
  return {
    /** Lists the last attempt at every revision of every month, newest first. */
    list: async (merchant: string): Promise<readonly ReportRecord[]> =>
      shownOf(await listReports(storeOfMerchant(store, merchant), merchant)),
    /** Returns `null` when the merchant has no report with that id. */
    find: async (merchant: string, id: string): Promise<ReportRecord | null> => {
      const report = await findReport(storeOfMerchant(store, merchant), { merchant, id });
      return report === null ? null : asMerchantSees(report);
    },
    /**
     * Returns the bytes of the file in parts. Throws `StoreFailed` (FILE_ALTERED) before the first
     * part when they are not the bytes that were issued.
     */
    read: async (report: ReportRecord, file: ReportFile): Promise<AsyncIterable<Uint8Array>> => {
      const shown = storeOfMerchant(store, report.merchant);
      await checkReportFiles(shown, report, [file]);
      return readReportFile(shown, report, file.format);
    },
    knows: (merchant: string): Promise<boolean> =>
      knowsMerchant(storeOfMerchant(store, merchant), merchant),
  };
}

/**
 * Returns why a report is held; `null` when it is not. A report that is held although its books
 * agree is held because lines were read anew. (They may agree because a finding was accepted.)
 */
export function holdOf({
  verdict,
  isHeld,
}: Pick<MonthRecord, 'verdict' | 'isHeld'>): 'broken' | 'reread' | null {
  return isHeld ? (verdict === 'broken' ? 'broken' : 'reread') : null;
}

function whyHeld({ issued, isHeld }: ReportRecord): string {
  const { verdict } = (issued as IssuedStatement).summary;
  const isBroken = holdOf({ verdict: verdict.state, isHeld }) === 'broken';
  const why = isBroken ? 'do not agree' : 'were read anew after it was issued';
  return `The books of this month ${why}; the report is held for review, and is READY once it is released.`;
}

/**
 * Returns the report as its merchant sees it: a held report is PENDING, with the reason, and has
 * neither figures nor files.
 */
export function asMerchantSees(report: ReportRecord): ReportRecord {
  if (!report.isHeld) return report;
  return {
    ...report,
    status: 'PENDING',
    generatedAt: null,
    error: whyHeld(report),
    issued: null,
    files: [],
  };
}

/**
 * Leaves out a revision that was still held when a later one took its place. `reports` must all be
 * of one merchant.
 */
function shownOf(reports: readonly ReportRecord[]): readonly ReportRecord[] {
  const newest = new Map<string, number>();
  for (const { period, revision, status } of reports)
    if (status === 'READY') newest.set(period, Math.max(revision, newest.get(period) ?? 0));
  return reports
    .filter(({ isHeld, period, revision }) => !isHeld || revision === newest.get(period))
    .map(asMerchantSees);
}
