// What people do with a statement that was issued: release it where it is held, and send it to somebody once more.

import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { HeldMonth } from '../../../core/domain/delivery/delivery-channel.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { addDeliveries } from '../../../io/storage/deliveries/outbox.ts';
import { checkReportFiles } from '../../../io/storage/issued/report-files.ts';
import { releaseReport } from '../../../io/storage/issued/report-holds.ts';
import { listHeldMonths, loadIssuedReport, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { inTransaction } from '../../../io/storage/server/connections.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

/** `deliveries`: how many are sent from now on. */
export interface Released extends HeldMonth {
  readonly deliveries: number;
}

/**
 * The revision in force, for all it is meant for; null: it is not held. Throws `StoreFailed` (UNKNOWN_MERCHANT, UNKNOWN_REPORT) where
 * the month was never issued.
 */
export async function releaseStatement(
  store: Store,
  month: MonthKey,
  decision: { readonly by: string; readonly now: Instant },
): Promise<Released | null> {
  const report = await issuedOf(store, month);
  if (!report.isHeld) return null;
  const held = (await listHeldMonths(store, month.merchant)).find(({ period }) => period === month.period);
  const deliveries = await releaseReport(store, report, decision);
  return { ...month, open: null, since: [], ...held, deliveries };
}

export interface SendWish extends MonthKey {
  /** Addresses. */
  readonly to: readonly string[];
  readonly language: 'fr' | 'en';
}

/** By mail, the revision in force, whether it is held or not: who names the address has decided. Throws as `releaseStatement`, and (FILE_ALTERED) where a file is not what was issued. */
export async function sendStatement(store: Store, wish: SendWish, now: Instant): Promise<ReportRecord> {
  const { merchant, period, to, language } = wish;
  const report = await issuedOf(store, wish);
  await checkReportFiles(store, report);
  const content = { topic: 'statement', merchant, period, reportId: report.id, language, evenIfHeld: true } as const;
  const announces = `report/${report.id}/${formatInstant(now)}`;
  const deliveries = to.map((target): NewDelivery => ({ channel: 'mail', announces, target, merchant, content }));
  await inTransaction(store, (client) => addDeliveries(client, deliveries, now));
  return report;
}

async function issuedOf(store: Store, { merchant, period }: MonthKey): Promise<ReportRecord> {
  await requireMerchant(store, merchant);
  const report = await loadIssuedReport(store, { merchant, period });
  if (report !== null) return report;
  const message = `No statement of ${merchant} was issued for ${period}: 'pointage publish ${merchant} ${period}' issues it.`;
  throw new StoreFailed('UNKNOWN_REPORT', message);
}
