// A due delivery with all that it takes to send it: for a statement, the figures and files of its report. Refuses a report
// that is not READY, or has none of the files that are to be sent.

import type {
  MonthFigures,
  Parcel,
  ParcelFile,
  ReportParcel,
  SendOutcome,
} from '../../../core/domain/delivery/delivery-channel.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { DELTAS } from '../../../io/formats/deltas.ts';
import type { DueDelivery } from '../../../io/storage/deliveries/outbox.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { findReport, listHeldMonths, type ReportFile, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { loadMerchantName } from '../../../io/storage/merchants/merchant-name.ts';
import type { Store } from '../../../io/storage/server/store.ts';

export interface Packing {
  readonly store: Store;
  /** Names of the formats of a report that are sent. */
  readonly formats: readonly string[];
}

export type Packed = { readonly parcel: Parcel } | { readonly refused: SendOutcome };

/** Reads no file yet: their bytes stream when they are sent. */
export async function packParcel(packing: Packing, due: DueDelivery, sentAt: Instant): Promise<Packed> {
  const { id, target, createdAt, content } = due;
  const parcel = { id, target, createdAt, sentAt, content };
  if (content.topic === 'night') {
    const heldMonths = await listHeldMonths(packing.store);
    return { parcel: { ...parcel, report: null, heldMonths } };
  }
  if (content.topic !== 'statement') return { parcel: { ...parcel, report: null } };
  const { merchant, reportId } = content;
  const report = await findReport(packing.store, { merchant, id: reportId });
  if (report?.status !== 'READY') return refused(`There is no report ${reportId} that is READY.`);
  if (report.isHeld && content.evenIfHeld !== true)
    return refused(`The statement is held: 'pointage statements release ${merchant} ${report.period}' lets it go.`);
  // Who is sent entries is sent what a revision changes in them: they are not to be booked twice.
  const deltas = DELTAS.filter((delta) => packing.formats.includes(delta.of)).map(({ name }) => name);
  const wanted = [...packing.formats, ...deltas];
  const files = report.files.filter(({ format }) => wanted.includes(format));
  if (files.length === 0) return refused(`Report ${reportId} has no file in ${packing.formats.join(' or ')}.`);
  return { parcel: { ...parcel, report: await packReport(packing.store, report, files) } };
}

function refused(detail: string): Packed {
  return { refused: { outcome: 'REFUSED', detail } };
}

async function packReport(store: Store, report: ReportRecord, files: readonly ReportFile[]): Promise<ReportParcel> {
  const { summary, reasons } = report.issued as IssuedStatement;
  return {
    merchantName: await loadMerchantName(store, report.merchant),
    revision: report.revision,
    figures: figuresOf(summary),
    reasons: reasons ?? { fr: [], en: [] },
    files: files.map((file) => packFile(store, report, file)),
  };
}

function figuresOf(summary: StatementSummary): MonthFigures {
  const { currency, openingBalance, collected, disbursed, fees, reversals, adjustments, otherMovements } = summary;
  const { closingBalance, closingReserved, availableAtClose, recorded, due, inTransit, ahead, toJustify, verdict } =
    summary;
  const movements = { collected, disbursed, fees, reversals, adjustments, otherMovements };
  return {
    currency,
    openingBalance,
    ...movements,
    closingBalance,
    closingReserved,
    availableAtClose,
    recorded,
    due,
    ...(inTransit === undefined ? {} : { inTransit }),
    ...(ahead === undefined ? {} : { ahead }),
    ...(toJustify === undefined ? {} : { toJustify }),
    verdict,
  };
}

function packFile(store: Store, report: ReportRecord, file: ReportFile): ParcelFile {
  const { format, fileName, mediaType, size, sha256 } = file;
  return { fileName, mediaType, size, sha256, read: () => readReportFile(store, report, format) };
}
