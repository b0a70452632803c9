// What people and programs ask of issued reports: the list of a merchant, one of them, the bytes of one of its files.

import { loadMerchants } from '../storage/load-merchants.ts';
import { readReportFile } from '../storage/report-files.ts';
import { findReport, listReports, type MonthlyReport, type ReportFile } from '../storage/reports.ts';
import type { Store } from '../storage/store.ts';

export type { MonthlyReport, ReportFile };

/** One merchant's reports, as whoever may see nothing else sees them. */
export interface ReportShelf {
  /** Newest first: of every revision of every month, the last attempt. */
  list(merchant: string): Promise<readonly MonthlyReport[]>;
  /** Null when the merchant has none of that id. */
  find(merchant: string, id: string): Promise<MonthlyReport | null>;
  /** The bytes, in parts. */
  read(report: MonthlyReport, file: ReportFile): AsyncIterable<Uint8Array>;
  knows(merchant: string): Promise<boolean>;
}

export function reportShelfOf(store: Store): ReportShelf {
  return {
    list: (merchant) => listReports(store, merchant),
    find: (merchant, id) => findReport(store, { merchant, id }),
    read: ({ merchant, id }, { format }) => readReportFile(store, { merchant, id, format }),
    knows: async (merchant) => (await loadMerchants(store)).includes(merchant),
  };
}
