// What people do with deliveries: list, show and retry them. (The beginning of an id is enough if
// no other id begins so.) They may also release a held statement, or send an issued one again.

import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { HeldMonth } from '../../../core/domain/delivery/delivery-channel.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { commandLine } from '../../../core/domain/printable.ts';
import { deltaOf } from '../../../io/formats/deltas.ts';
import {
  type DeliveryFilter,
  listDeliveries,
  loadDelivery,
  type RetryWish,
  retryDeliveries,
  type StoredDelivery,
} from '../../../io/storage/deliveries/deliveries.ts';
import { addDeliveries } from '../../../io/storage/deliveries/outbox.ts';
import { listSentFiles } from '../../../io/storage/deliveries/sent-files.ts';
import { checkReportFiles } from '../../../io/storage/issued/report-files.ts';
import {
  listHeldMonths,
  loadIssuedReport,
  type ReportRecord,
  releaseReport,
} from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { inTransaction } from '../../../io/storage/server/connections.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';

export { type DeliveryFilter, loadDelivery, type StoredDelivery };

/**
 * The columns of the list for programs, in this order. New ones may be added at the end; none is
 * ever renamed.
 */
export const DELIVERY_KEYS = [
  ...(['id', 'createdAt', 'topic', 'merchant', 'announces', 'channel', 'target', 'state'] as const),
  ...(['attempts', 'nextAttemptAt', 'lastDetail'] as const),
] as const satisfies readonly (keyof StoredDelivery)[];

/** Lists deliveries, newest first. Throws `StoreFailed` (UNKNOWN_MERCHANT). */
export async function listKnownDeliveries(store: Store, filter: DeliveryFilter) {
  if (filter.merchant !== undefined) await requireMerchant(store, filter.merchant);
  return listDeliveries(store, filter);
}

/** Lists every file that was sent, newest first. Throws `StoreFailed` (UNKNOWN_MERCHANT). */
export async function listRegister(store: Store, query: Parameters<typeof listSentFiles>[1]) {
  if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
  return (await listSentFiles(store, query)).map((row) => ({ ...row, deltaOf: deltaOf(row) }));
}

/**
 * Does what `retryDeliveries` does, where each id may be only the beginning of one. Throws
 * `StoreFailed` also when an id does not exist.
 */
export async function retryNamedDeliveries(
  store: Store,
  wanted: RetryWish,
  now: Instant,
): Promise<number> {
  const ids: string[] = [];
  for (const id of wanted.ids) ids.push((await loadDelivery(store, id)).id);
  return retryDeliveries(store, { ...wanted, ids }, now);
}

/** A released statement. `deliveries` is the number of deliveries that become due. */
export interface Released extends HeldMonth {
  readonly deliveries: number;
}

/**
 * Releases the revision in force, so that its waiting deliveries are sent. Returns `null` when it
 * is not held. Throws `StoreFailed` (UNKNOWN_MERCHANT, or UNKNOWN_REPORT when the month was never
 * issued).
 */
export async function releaseStatement(
  store: Store,
  month: MonthKey,
  decision: { readonly by: string; readonly reason: string | null; readonly now: Instant },
): Promise<Released | null> {
  const report = await issuedOf(store, month);
  if (!report.isHeld) return null;
  const held = (await listHeldMonths(store, month.merchant)).find(
    ({ period }) => period === month.period,
  );
  const deliveries = await releaseReport(store, report, decision);
  return { ...month, open: null, since: [], ...held, deliveries };
}

interface SendWish extends MonthKey {
  readonly to: readonly Recipient[];
  readonly evenIfHeld: boolean;
  readonly by: string;
}

export interface Recipient {
  readonly email: string;
  readonly language: 'fr' | 'en';
}

/**
 * Adds mails with the revision in force to the outbox, whether or not it was sent before. Throws
 * like `releaseStatement`, and `StoreFailed`: FILE_ALTERED when a file is not what was issued;
 * MONTH_REFUSED when the statement is held and `evenIfHeld` is false, or when the mail server has
 * refused an address.
 */
export async function sendStatement(
  store: Store,
  wish: SendWish,
  now: Instant,
): Promise<ReportRecord> {
  const { merchant, period, to, evenIfHeld, by } = wish;
  const report = await issuedOf(store, wish);
  if (report.isHeld && !evenIfHeld)
    throw new StoreFailed(
      'MONTH_REFUSED',
      `The statement of ${merchant} for ${period} is held: release it first.`,
    );
  for (const { email } of to) await requireNotRefused(store, merchant, email);
  await checkReportFiles(store, report);
  const announces = `report/${report.id}/${formatInstant(now)}`;
  const about = { topic: 'statement', merchant, period, reportId: report.id } as const;
  const asked = { ...(evenIfHeld ? { evenIfHeld } : {}), askedBy: by };
  const deliveries = to.map(({ email: target, language }): NewDelivery => {
    return {
      channel: 'mail',
      announces,
      target,
      merchant,
      content: { ...about, language, ...asked },
    };
  });
  await inTransaction(store, (client) => addDeliveries(client, deliveries, now));
  return report;
}

/**
 * Throws `StoreFailed` (MONTH_REFUSED) when the mail server refused the address in the merchant's
 * last mail to it.
 */
async function requireNotRefused(store: Store, merchant: string, target: string): Promise<void> {
  const [last] = (await listDeliveries(store, { merchant, target, limit: 1 })).items;
  if (last?.state !== 'ABANDONED' || !last.lastDetail?.startsWith('RCPT TO')) return;
  const why = `The mail server has refused ${target} (${last.lastDetail}): correct it, or retry delivery ${last.id.slice(0, 8)}.`;
  throw new StoreFailed('MONTH_REFUSED', why);
}

/** Returns the revision in force. Throws like `releaseStatement`. */
export async function issuedOf(
  store: Store,
  { merchant, period }: MonthKey,
): Promise<ReportRecord> {
  await requireMerchant(store, merchant);
  const report = await loadIssuedReport(store, { merchant, period });
  if (report !== null) return report;
  const message = `No statement of ${merchant} was issued for ${period}: '${commandLine('statement issue', merchant, period)}' issues it.`;
  throw new StoreFailed('UNKNOWN_REPORT', message);
}
