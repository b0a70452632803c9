// What operators ask of months that were issued, and do with them: list them across merchants, look at one with what is open in it,
// release, send once more, close; and put a delivery back. Refuses what the commands refuse, in the same words.

import type { Instant } from '../../../core/domain/instant.ts';
import { type MonthKey, parsePeriod } from '../../../core/domain/period.ts';
import {
  countDeliveries,
  type DeliveryFilter,
  listDeliveries,
  loadDelivery,
} from '../../../io/storage/deliveries/deliveries.ts';
import { listMonthRecords, type MonthQuery } from '../../../io/storage/issued/month-records.ts';
import { loadIssuedReport, type ReportFile, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import {
  issuedOf,
  type Recipient,
  releaseStatement,
  retryNamedDeliveries,
  sendStatement,
} from '../deliveries/manage-deliveries.ts';
import { closeMonths, describeOpen, examineMonths } from '../month/close-months.ts';
import { reportRepositoryOf } from '../month/read-reports.ts';
import { withDueDay } from './decide-findings.ts';

export type { MonthQuery, MonthRecord } from '../../../io/storage/issued/month-records.ts';

export interface MonthDeskTask {
  readonly store: Store;
  readonly clock: () => Instant;
  readonly dueRules: Parameters<typeof withDueDay>[1];
  /** Whom the configuration has the merchant's statements sent to; null: there is no mail server. */
  readonly recipientsOf: (merchant: string) => readonly Recipient[] | null;
  /** Of the mail to an address that the configuration does not know. */
  readonly language: Recipient['language'];
}

interface Act extends MonthKey {
  readonly by: string;
  readonly reason: string;
}

/** Of one month. */
const MOST_DELIVERIES = 100;

export function monthDeskOf(task: MonthDeskTask) {
  const { store, clock } = task;
  return {
    /** Throws `StoreFailed` (UNKNOWN_MERCHANT). */
    listMonths: async (query: MonthQuery) => {
      if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
      return listMonthRecords(store, query);
    },
    findMonth: (key: MonthKey) => findMonth(task, key),
    /** The revision in force; null where the month was never issued. Throws `StoreFailed` (UNKNOWN_MERCHANT). */
    findStatement: async (key: MonthKey) => {
      await requireMerchant(store, key.merchant);
      return loadIssuedReport(store, key);
    },
    /** Also of one that is held. Throws as `ReportRepository.read`. */
    readFile: (report: ReportRecord, file: ReportFile) => reportRepositoryOf(store).read(report, file),
    /** Throws as `releaseStatement`, and (MONTH_REFUSED) where nothing is held. */
    releaseMonth: async ({ by, reason, ...key }: Act) => {
      const released = await releaseStatement(store, key, { by, reason, now: clock() });
      if (released !== null) return;
      throw new StoreFailed('MONTH_REFUSED', `Nothing of ${key.merchant} ${key.period} is held.`);
    },
    /** Throws as `sendStatement`, and (MONTH_REFUSED) without a mail server or a recipient. */
    sendMonth: async (wish: MonthKey & { readonly by: string; readonly to: string | undefined }) => {
      await issuedOf(store, wish);
      await sendStatement(store, { ...wish, to: recipientsOf(task, wish), evenIfHeld: false }, clock());
    },
    /** One that was closed before stays as it was. Throws as `closeMonths`, and (MONTH_REFUSED) where other roots are open than expected. */
    closeMonth: async ({ period, ...act }: Act & { readonly expectOpen: number | null }) => {
      await issuedOf(store, { merchant: act.merchant, period });
      const wish = { ...act, period: parsePeriod(period)!, now: clock() };
      const [month] = await closeMonths(store, wish);
      if (month!.outcome !== 'asked') return;
      throw new StoreFailed('MONTH_REFUSED', `${act.merchant} ${period} is not closed: ${describeOpen(month!)}`);
    },
    /** Newest first. Throws `StoreFailed` (UNKNOWN_MERCHANT). */
    listDeliveries: async (filter: DeliveryFilter) => {
      if (filter.merchant !== undefined) await requireMerchant(store, filter.merchant);
      return { total: await countDeliveries(store, filter), items: await listDeliveries(store, filter) };
    },
    /** `seen`: the state that it must be in. Throws `StoreFailed` (UNKNOWN_DELIVERY, DELIVERY_REFUSED). */
    retryDelivery: async (id: string, seen: string) => {
      const { state } = await loadDelivery(store, id);
      if (state !== seen) throw new StoreFailed('DELIVERY_REFUSED', `Delivery ${id} is ${state} by now, not ${seen}.`);
      await retryNamedDeliveries(store, { ids: [id], states: [] }, clock());
      return loadDelivery(store, id);
    },
  };
}

async function findMonth({ store, dueRules }: MonthDeskTask, key: MonthKey) {
  await requireMerchant(store, key.merchant);
  const { items } = await listMonthRecords(store, { ...key, limit: 1, offset: 0 });
  const report = await loadIssuedReport(store, key);
  const [month] = items;
  if (month === undefined || report === null) return null;
  const period = parsePeriod(key.period)!;
  const [closing] = await examineMonths(store, { merchant: key.merchant, period }).catch((failure: unknown) => {
    if (failure instanceof StoreFailed && failure.code === 'NOT_CLOSABLE') return [];
    throw failure;
  });
  return {
    ...month,
    files: report.files,
    /** What is open in it; null: it has no line, and cannot be closed. */
    closing:
      closing === undefined
        ? null
        : { ...closing, openRoots: closing.openRoots.map((one) => withDueDay(one, dueRules)) },
    deliveryList: await listDeliveries(store, { ...key, limit: MOST_DELIVERIES }),
  };
}

function recipientsOf(
  { recipientsOf: configured, language }: MonthDeskTask,
  { merchant, to }: { readonly merchant: string; readonly to: string | undefined },
): readonly Recipient[] {
  const known = configured(merchant);
  if (known === null)
    throw new StoreFailed(
      'MONTH_REFUSED',
      'There is no mail server: give mail.url and mail.from in the configuration.',
    );
  const wanted = to === undefined ? known : [known.find(({ email }) => email === to) ?? { email: to, language }];
  if (wanted.length > 0) return wanted;
  throw new StoreFailed('MONTH_REFUSED', `No accountant of ${merchant} is configured: name an address.`);
}
