// What operators ask of months that were issued, and do with them: list them across merchants, look
// at one with what is open in it, release, send once more, close; and put a delivery back. Refuses
// what the commands refuse, in the same words. To release or close a broken month above the limit
// is proposed.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Operator } from '../../../core/domain/operators/role.ts';
import {
  formatPeriod,
  type MonthKey,
  parsePeriod,
  parseYear,
} from '../../../core/domain/period.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import { listDeliveries, loadDelivery } from '../../../io/storage/deliveries/deliveries.ts';
import {
  listMonthRecords,
  type MonthQuery,
  type MonthRecord,
} from '../../../io/storage/issued/month-records.ts';
import {
  loadIssuedReport,
  type ReportFile,
  type ReportRecord,
} from '../../../io/storage/issued/reports.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { weighRoots } from '../../../io/storage/operators/find-findings.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import {
  issuedOf,
  listKnownDeliveries,
  type Recipient,
  type Released,
  releaseStatement,
  retryNamedDeliveries,
  sendStatement,
} from '../deliveries/manage-deliveries.ts';
import {
  type CloseWish,
  closeMonths,
  describeOpen,
  examineMonths,
  type MonthClosing,
  unexpectedOf,
} from '../month/close-months.ts';
import { asMerchantSees, reportRepositoryOf } from '../month/read-reports.ts';
import { withDueDay } from './decide-findings.ts';
import {
  type Agreed,
  ANEW,
  type Limits,
  type Performer,
  type Proposal,
  proposeOr,
  refused,
} from './proposals.ts';

export type { MonthQuery, MonthRecord };

export interface MonthDeskTask {
  readonly store: Store;
  readonly clock: () => Instant;
  readonly dueRules: Parameters<typeof withDueDay>[1];
  /** Above them two operators must agree. */
  readonly limits: Limits;
  /**
   * Whom the configuration has the merchant's statements sent to; null: there is no mail server.
   */
  readonly recipientsOf: (merchant: string) => readonly Recipient[] | null;
  /** Of the mail to an address that the configuration does not know. */
  readonly language: Recipient['language'];
}

interface Act extends MonthKey {
  readonly by: string;
  readonly reason: string;
}

/** Keys are a contract with programs: they are added, never renamed. */
export const MONTH_KEYS = [
  ...([
    'merchant',
    'period',
    'reportId',
    'revision',
    'statedAt',
    'verdict',
    'isHeld',
    'releasedAt',
  ] as const),
  ...([
    'releasedBy',
    'releaseReason',
    'closedAt',
    'closedBy',
    'deliveries',
    'sent',
    'stuck',
    'openRoots',
  ] as const),
] as const satisfies readonly (keyof MonthRecord)[];

/** Of one month. */
const MOST_DELIVERIES = 100;

type Bound<Ask> = Ask extends (of: never, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** Each of them, asked of that store or task. */
export function boundTo<
  Of,
  const Asks extends Readonly<Record<string, (of: Of, ...rest: never[]) => unknown>>,
>(of: Of, asks: Asks) {
  const bound = Object.entries(asks).map(([name, ask]) => [name, ask.bind(null, of)]);
  return Object.fromEntries(bound) as { readonly [Name in keyof Asks]: Bound<Asks[Name]> };
}

export function monthDeskOf(task: MonthDeskTask) {
  const { store, clock, limits } = task;
  const release = (wish: Omit<Act, 'reason'> & Pick<CloseWish, 'reason'>) =>
    releaseOrPropose(store, limits, { ...wish, now: clock() });
  const close = (wish: Omit<CloseWish, 'now'>) =>
    closeOrPropose(store, limits, { ...wish, now: clock() });
  return {
    /** As `releaseOrPropose` and `closeOrPropose`. */
    release,
    close,
    ...boundTo(store, {
      listMonths,
      listDeliveries: listKnownDeliveries,
      findDelivery: loadDelivery,
    }),
    ...boundTo(task, { findMonth }),
    /**
     * The revision in force, as the operator sees it; null where the month was never issued. Throws
     * `StoreFailed` (UNKNOWN_MERCHANT).
     */
    findStatement: async (key: MonthKey, operator: Pick<Operator, 'merchant'>) => {
      await requireMerchant(store, key.merchant);
      const report = await loadIssuedReport(store, key);
      return report === null || operator.merchant === null ? report : asMerchantSees(report);
    },
    /** Also of one that is held. Throws as `ReportRepository.read`. */
    readFile: (report: ReportRecord, file: ReportFile) =>
      reportRepositoryOf(store).read(report, file),
    /**
     * The proposal where two must agree. Throws as `releaseOrPropose`, and (MONTH_REFUSED) where
     * nothing is held.
     */
    releaseMonth: async (act: Act): Promise<Proposal | null> => {
      const agreed = await release(act);
      if ('proposed' in agreed) return agreed.proposed;
      if (agreed.done !== null) return null;
      throw new StoreFailed('MONTH_REFUSED', `Nothing of ${act.merchant} ${act.period} is held.`);
    },
    /**
     * Always null, as one person does it. Throws as `sendStatement`, and (MONTH_REFUSED) without a
     * mail server or a recipient.
     */
    sendMonth: async (
      wish: MonthKey & { readonly by: string; readonly to: string | undefined },
    ): Promise<null> => {
      await issuedOf(store, wish);
      await sendStatement(
        store,
        { ...wish, to: recipientsOf(task, wish), evenIfHeld: false },
        clock(),
      );
      return null;
    },
    /**
     * The proposal where two must agree. One that was closed before stays as it was. Throws as
     * `closeOrPropose`, and (MONTH_REFUSED) where other roots are open than expected.
     */
    closeMonth: async ({
      period,
      ...act
    }: Act & { readonly expectOpen: number | null }): Promise<Proposal | null> => {
      await issuedOf(store, { merchant: act.merchant, period });
      const agreed = await close({ ...act, period: parsePeriod(period)! });
      if ('proposed' in agreed) return agreed.proposed;
      const [month] = agreed.done;
      if (month!.outcome !== 'asked') return null;
      throw new StoreFailed(
        'MONTH_REFUSED',
        `${act.merchant} ${period} is not closed: ${describeOpen(month!)}`,
      );
    },
    /**
     * `seen`: the state that it must be in. Throws `StoreFailed` (UNKNOWN_DELIVERY,
     * DELIVERY_REFUSED).
     */
    retryDelivery: async (id: string, seen: string) => {
      const { state } = await loadDelivery(store, id);
      if (state !== seen)
        throw new StoreFailed(
          'DELIVERY_REFUSED',
          `Delivery ${id} is ${state} by now, not ${seen}.`,
        );
      await retryNamedDeliveries(store, { ids: [id], states: [] }, clock());
      return loadDelivery(store, id);
    },
  };
}

/** Throws `StoreFailed` (UNKNOWN_MERCHANT). */
async function listMonths(store: Store, query: MonthQuery) {
  if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
  return listMonthRecords(store, query);
}

/** As `releaseStatement` does and throws, or proposed (PROPOSAL_REFUSED). */
async function releaseOrPropose(
  store: Store,
  limits: Limits,
  { merchant, period, ...decision }: MonthKey & Pick<CloseWish, 'by' | 'reason' | 'now'>,
): Promise<Agreed<Released | null>> {
  const months = await toRelease(store, { merchant, period });
  if (months.length === 0) return { done: null };
  const { stake, seen } = await weighMonths(store, merchant, months);
  const { by, reason, now: at } = decision;
  const about = {
    merchant,
    action: 'release',
    subject: period,
    decisions: null,
    wish: { reason, seen },
  } as const;
  const perform = () => releaseStatement(store, { merchant, period }, decision);
  return proposeOr(store, limits, { ...about, stake, by, at }, perform);
}

/**
 * As `closeMonths` does and throws, or proposed (PROPOSAL_REFUSED) where what is open is expected.
 */
async function closeOrPropose(
  store: Store,
  limits: Limits,
  wish: CloseWish,
): Promise<Agreed<readonly MonthClosing[]>> {
  const perform = () => closeMonths(store, wish);
  const months = await toClose(store, wish);
  if (unexpectedOf(months, wish).length > 0) return { done: await perform() };
  const { merchant, period, by, reason, now: at } = wish;
  const { stake, seen } = await weighMonths(store, merchant, months);
  const about = {
    merchant,
    action: 'close',
    subject: formatPeriod(period),
    decisions: null,
  } as const;
  return proposeOr(store, limits, { ...about, wish: { reason, seen }, stake, by, at }, perform);
}

/**
 * Carries out what was proposed about a month, or the months of a year. Throws (PROPOSAL_REFUSED)
 * where it has changed since.
 */
export const decideMonths: Performer = async (
  store,
  { merchant, action, subject, wish },
  { by, at: now },
) => {
  const decision = { merchant, by, reason: wish.reason, now };
  const key = { merchant, period: subject };
  const period = parsePeriod(subject) ?? parseYear(subject)!;
  const months = await (action === 'release'
    ? toRelease(store, key)
    : toClose(store, { merchant, period }));
  const { seen } = await weighMonths(store, merchant, months);
  if (seen !== wish.seen) throw refused(`'${wish.seen}' is now '${seen}'. ${ANEW}`);
  if (action === 'release') await releaseStatement(store, key, decision);
  else await closeMonths(store, { ...decision, period, expectOpen: 'any' });
};

type Examined = readonly Pick<MonthClosing, 'period' | 'openRoots'>[];

/**
 * `stake`: what releasing or closing the months puts at stake, the roots that their statements name
 * as open, which go out and stay as they are stated also where a person has settled or accepted
 * them since, and the roots open in the months by now; each once, as `findings exposure` weighs it.
 * `seen`: what who confirms must find again.
 */
async function weighMonths(store: Store, merchant: string, months: Examined) {
  const fingerprints = new Set<string>();
  const seen: string[] = [];
  for (const { period, openRoots } of months) {
    const { issued, revision } = await issuedOf(store, { merchant, period });
    const { openRoots: named = [] } = issued as IssuedStatement;
    for (const one of [...named, ...openRoots.map(({ finding }) => finding.fingerprint)])
      fingerprints.add(one);
    seen.push(`${period}, revision ${revision}, open roots: ${openRoots.length}`);
  }
  const stake = await weighRoots(store, { merchant, fingerprints: [...fingerprints] });
  return { stake, seen: seen.join('; ') || 'done' };
}

/** None where it is not held. */
async function toRelease(store: Store, key: MonthKey): Promise<Examined> {
  const { isHeld } = await issuedOf(store, key);
  return isHeld
    ? [{ period: key.period, openRoots: (await examineMonth(store, key))?.openRoots ?? [] }]
    : [];
}

/** Those that are not closed. */
async function toClose(store: Store, wish: Parameters<typeof examineMonths>[1]) {
  return (await examineMonths(store, wish)).filter(({ closed }) => closed === null);
}

/** Null: it has no line, and cannot be closed. */
async function examineMonth(store: Store, { merchant, period }: MonthKey) {
  const [closing = null] = await examineMonths(store, {
    merchant,
    period: parsePeriod(period)!,
  }).catch((failure: unknown) => {
    if (failure instanceof StoreFailed && failure.code === 'NOT_CLOSABLE') return [];
    throw failure;
  });
  return closing;
}

async function findMonth({ store, dueRules }: MonthDeskTask, key: MonthKey) {
  await requireMerchant(store, key.merchant);
  const { items } = await listMonthRecords(store, { ...key, limit: 1 });
  const report = await loadIssuedReport(store, key);
  const [month] = items;
  if (month === undefined || report === null) return null;
  const closing = await examineMonth(store, key);
  return {
    ...month,
    files: report.files,
    closing:
      closing === null
        ? null
        : { ...closing, openRoots: closing.openRoots.map((one) => withDueDay(one, dueRules)) },
    deliveryList: (await listDeliveries(store, { ...key, limit: MOST_DELIVERIES })).items,
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
  const wanted =
    to === undefined ? known : [known.find(({ email }) => email === to) ?? { email: to, language }];
  if (wanted.length > 0) return wanted;
  throw new StoreFailed(
    'MONTH_REFUSED',
    `No accountant of ${merchant} is configured: name an address.`,
  );
}
