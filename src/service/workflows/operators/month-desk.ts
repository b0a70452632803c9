// What operators see of issued months and do with them: list them across merchants, look at one
// with its open roots, release, send again, close; and retry a delivery. Refuses what the commands
// refuse, in the same words. A release or closing with more at stake than one operator may decide
// alone is only proposed.

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
  /** The amounts above which two operators must agree. */
  readonly limits: Limits;
  /**
   * Returns the recipients that the configuration has for the merchant's statements; `null` when
   * there is no mail server.
   */
  readonly recipientsOf: (merchant: string) => readonly Recipient[] | null;
  /** The language of a mail to an address that the configuration does not have. */
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

/** Most deliveries shown for one month. */
const MOST_DELIVERIES = 100;

type Bound<Ask> = Ask extends (of: never, ...rest: infer Rest) => infer Answer
  ? (...rest: Rest) => Answer
  : never;

/** Returns the functions with `of` filled in as their first argument. */
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
    release,
    close,
    ...boundTo(store, {
      listMonths,
      listDeliveries: listKnownDeliveries,
      findDelivery: loadDelivery,
    }),
    ...boundTo(task, { findMonth }),
    /**
     * Returns the revision in force as the operator may see it; `null` when the month was never
     * issued. Throws `StoreFailed` (UNKNOWN_MERCHANT).
     */
    findStatement: async (key: MonthKey, operator: Pick<Operator, 'merchant'>) => {
      await requireMerchant(store, key.merchant);
      const report = await loadIssuedReport(store, key);
      return report === null || operator.merchant === null ? report : asMerchantSees(report);
    },
    /** Reads a file, also of a held report. Throws like `ReportRepository.read`. */
    readFile: (report: ReportRecord, file: ReportFile) =>
      reportRepositoryOf(store).read(report, file),
    /**
     * Releases a month. Returns the proposal when two operators must agree, otherwise `null`.
     * Throws like `releaseOrPropose`, and `StoreFailed` (MONTH_REFUSED) when nothing is held.
     */
    releaseMonth: async (act: Act): Promise<Proposal | null> => {
      const agreed = await release(act);
      if ('proposed' in agreed) return agreed.proposed;
      if (agreed.done !== null) return null;
      throw new StoreFailed('MONTH_REFUSED', `Nothing of ${act.merchant} ${act.period} is held.`);
    },
    /**
     * Sends a statement. Always returns `null`, because no second operator is needed. Throws like
     * `sendStatement`, and `StoreFailed` (MONTH_REFUSED) when there is no mail server or no
     * recipient.
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
     * Closes a month. Returns the proposal when two operators must agree, otherwise `null`. A month
     * that is closed already stays as it is. Throws like `closeOrPropose`, and `StoreFailed`
     * (MONTH_REFUSED) when not exactly the expected number of roots is open.
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
     * Retries a delivery, which must still be in the state `seen`. Throws `StoreFailed`
     * (UNKNOWN_DELIVERY, DELIVERY_REFUSED).
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

/** Lists issued months. Throws `StoreFailed` (UNKNOWN_MERCHANT). */
async function listMonths(store: Store, query: MonthQuery) {
  if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
  return listMonthRecords(store, query);
}

/**
 * Releases like `releaseStatement`, or proposes it when too much is at stake. Throws like
 * `releaseStatement`, and `StoreFailed` (PROPOSAL_REFUSED).
 */
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
 * Closes like `closeMonths`, or proposes it when too much is at stake and what is open is expected.
 * Throws like `closeMonths`, and `StoreFailed` (PROPOSAL_REFUSED).
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
 * Carries out a confirmed proposal about a month, or about the months of a year. Throws
 * `StoreFailed` (PROPOSAL_REFUSED) when they have changed since it was proposed.
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
 * Returns what releasing or closing the months puts at stake, and what the second operator must
 * find unchanged.
 *
 * `stake` weighs, each once, the roots that are open in the months now and those that their
 * statements name as open. The latter are published as stated, even if a person has settled or
 * accepted them since. Weights are those of `findings exposure`.
 *
 * `seen` is one text for all months; it must be the same when the proposal is confirmed:
 *   2026-10, revision 1, open roots: 2
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

/** Returns the month if it is held, otherwise nothing. */
async function toRelease(store: Store, key: MonthKey): Promise<Examined> {
  const { isHeld } = await issuedOf(store, key);
  return isHeld
    ? [{ period: key.period, openRoots: (await examineMonth(store, key))?.openRoots ?? [] }]
    : [];
}

/** Returns the months that are not closed yet. */
async function toClose(store: Store, wish: Parameters<typeof examineMonths>[1]) {
  return (await examineMonths(store, wish)).filter(({ closed }) => closed === null);
}

/** Returns `null` when the month cannot be closed, for example because it has no line. */
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
