// What people and programs ask of issued reports: the list of a merchant, one of them, the bytes of one of its files.

import { readReportFile } from '../../storage/issued/report-files.ts';
import { findReport, listReports, type ReportFile, type ReportRecord } from '../../storage/issued/reports.ts';
import { knowsMerchant } from '../../storage/merchants/merchants.ts';
import type { Store } from '../../storage/server/store.ts';

export type { ReportFile, ReportRecord };

/** One merchant's reports, as a caller who may see no other merchant sees them. */
export interface ReportRepository {
  /** Newest first: of every revision of every month, the last attempt. */
  list(merchant: string): Promise<readonly ReportRecord[]>;
  /** Null when the merchant has none of that id. */
  find(merchant: string, id: string): Promise<ReportRecord | null>;
  /** The bytes, in parts. */
  read(report: ReportRecord, file: ReportFile): AsyncIterable<Uint8Array>;
  knows(merchant: string): Promise<boolean>;
}

export function reportRepositoryOf(store: Store): ReportRepository {
  return {
    list: (merchant) => listReports(store, merchant),
    find: (merchant, id) => findReport(store, { merchant, id }),
    read: ({ merchant, id }, { format }) => readReportFile(store, { merchant, id, format }),
    knows: (merchant) => knowsMerchant(store, merchant),
  };
}
