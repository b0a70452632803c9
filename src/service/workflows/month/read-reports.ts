// What people and programs ask of issued reports: the list of a merchant, one of them, the bytes of
// one of its files. Refuses to show what is held: to its merchant the report is still being made.

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

/** One merchant's reports, as a caller who may see no other merchant sees them. */
export function reportRepositoryOf(store: Store) {
  return {
    /** Newest first: of every revision of every month, the last attempt. */
    list: async (merchant: string): Promise<readonly ReportRecord[]> =>
      shownOf(await listReports(storeOfMerchant(store, merchant), merchant)),
    /** Null when the merchant has none of that id. */
    find: async (merchant: string, id: string): Promise<ReportRecord | null> => {
      const report = await findReport(storeOfMerchant(store, merchant), { merchant, id });
      return report === null ? null : asMerchantSees(report);
    },
    /**
     * The bytes, in parts. Throws `StoreFailed` (FILE_ALTERED) before the first one where they are
     * not those that were issued.
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
 * Books that agree, as after what they found was accepted, are held where they were read anew, and
 * for nothing else.
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

/** One that is held is PENDING, with the reason, and has neither figures nor files. */
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

/** Without what was still held when a later revision took its place. `reports`: of one merchant. */
function shownOf(reports: readonly ReportRecord[]): readonly ReportRecord[] {
  const newest = new Map<string, number>();
  for (const { period, revision, status } of reports)
    if (status === 'READY') newest.set(period, Math.max(revision, newest.get(period) ?? 0));
  return reports
    .filter(({ isHeld, period, revision }) => !isHeld || revision === newest.get(period))
    .map(asMerchantSees);
}
