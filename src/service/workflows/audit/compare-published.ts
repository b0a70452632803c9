// Reads what a service published about a merchant beside the ledger, and judges it: reports against
// payments, payouts against each other and against published figures. A dashboard that cannot be
// read makes the verdict incomplete and holds up nothing else.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type {
  Dashboard,
  DashboardSnapshot,
} from '../../../core/domain/published/dashboard-snapshot.ts';
import type { FailedDelivery } from '../../../core/domain/published/failed-delivery.ts';
import {
  type Answered,
  type KeptPayments,
  type KeptPayouts,
  type KeptTotals,
  NO_PAYMENTS_KEPT,
  NOTHING_KEPT,
  type PayoutPlace,
  type PayoutsRead,
} from '../../../core/domain/published/payout-place.ts';
import type { Span } from '../../../core/domain/service-report.ts';
import type { Note, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { SummaryKeys } from '../../../core/domain/summary-keys.ts';
import { chooseReports } from '../../../core/kernel/checks/reports/choose-reports.ts';
import {
  beginPayments,
  beginTotalsOf,
  feesToldIn,
  gatherPayments,
  judgeLook,
  judgePayments,
  lacksNotification,
  type PaymentBooks,
  type PaymentsPassed,
  type PayoutLook,
  type Window,
  wantedFrom,
} from '../../../core/kernel/reconcile/published/judge-payments.ts';
import {
  beginComparison,
  concludeComparison,
  type JudgedPart,
  joinParts,
  type ReportComparison,
  spanWanted,
  takePayments,
  withoutPayments,
} from '../../../core/kernel/reconcile/published/judged-part.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import { closable } from '../closable.ts';

export interface Published {
  readonly dashboard: Dashboard;
  /** Most months whose reports are compared, the newest ones; `null` for all. */
  readonly months: number | null;
  /** Names of figures in the service's summaries, where they differ from the defaults. */
  readonly summaryKeys: SummaryKeys;
}

export interface Compared {
  readonly part: JudgedPart;
  /** What this look saw of the payouts; `null` when none was taken. */
  readonly look: {
    readonly kept: KeptPayouts;
    readonly read: PayoutsRead;
    /**
     * Totals of payments so old that no later look need read them again; `null` when there are no
     * new ones.
     */
    readonly totals: KeptTotals | null;
  } | null;
  /** What this look saw of payments by link; `null` when none was taken. */
  readonly payments: PaymentsLook | null;
}

interface Judged {
  readonly merchant: string;
  readonly asOf: Instant;
  /**
   * True when the books are judged as of an earlier day. Current figures say nothing about that
   * day.
   */
  readonly isPast?: boolean;
  /** Loads what earlier looks saw of the payouts; absent when nothing is stored. */
  readonly kept?: () => Promise<KeptPayouts>;
  /** Loads what is stored about payments by link; absent when nothing is. */
  readonly keptPayments?: (span: Span) => Promise<KeptPayments>;
}

/**
 * Reads and judges what is published. Returns `null` when the place has nothing of this merchant:
 * the reading itself then says what is absent.
 */
export async function comparePublished(
  published: Published,
  judged: Judged,
): Promise<Compared | null> {
  const { dashboard } = published;
  try {
    if (!(await dashboard.merchants()).includes(judged.merchant)) return null;
    await using snapshot = closable(await dashboard.open(judged.merchant));
    const isAbsent = (part: string): boolean => snapshot.absent.some(({ what }) => what === part);
    if (['reports', 'payments', 'payouts'].every(isAbsent)) return null;
    const looks = !isAbsent('payouts') && judged.isPast !== true;
    const begun = looks ? await beginLook(snapshot.payouts, judged.asOf) : null;
    const kept = begun === null ? NOTHING_KEPT : ((await judged.kept?.()) ?? NOTHING_KEPT);
    const reports = await beginReports(snapshot, published, judged);
    const window = snapshot.isCopy
      ? null
      : { from: lookedFrom(judged.asOf), kept: kept.totals.at(-1)?.value ?? null };
    const span = spanOf(window, reports, judged);
    const hasBooks = !isAbsent('payments') && judged.isPast !== true;
    const keptPayments =
      (hasBooks ? await judged.keptPayments?.(span) : undefined) ?? NO_PAYMENTS_KEPT;
    const passed =
      begun === null || isAbsent('payments')
        ? null
        : beginTotalsOf(window, begun.at, feesToldIn(keptPayments.claims ?? []));
    const books = hasBooks ? beginPayments(span) : null;
    await readPayments(snapshot, { reports, passed, books });
    const payments =
      books === null
        ? null
        : await endPayments(snapshot, books, { askedAt: judged.asOf, kept: keptPayments });
    const payouts = begun === null ? null : await judgePayouts(begun, passed, kept);
    const past = judged.isPast === true ? pastOf(snapshot) : [];
    const parts = [
      concludeComparison(reports),
      payments?.judgement ?? [],
      payouts?.judgement ?? [],
      past,
    ].flat();
    return {
      part: joinParts(parts),
      look: payouts?.look ?? null,
      payments: payments?.look ?? null,
    };
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const why = `${dashboard.name}: ${failure.code}: ${failure.message}`;
    return { part: unreachable(why), look: null, payments: null };
  }
}

/**
 * Notes that payments and payouts are published as of now, so that they cannot be judged for an
 * earlier day.
 */
function pastOf({ absent }: DashboardSnapshot): readonly JudgedPart[] {
  const there = ['payments', 'payouts'].filter((part) => !absent.some(({ what }) => what === part));
  const notes = there.map((what): Note => ({ what, code: 'PUBLISHED_NOW' }));
  return [{ drafts: [], rejected: [], sought: [], notes }];
}

function unreachable(reason: string): JudgedPart {
  const note: Note = {
    what: 'reports',
    incomplete: true,
    code: 'REPORTS_UNREACHABLE',
    figures: { reason },
  };
  return { drafts: [], rejected: [], sought: [], notes: [note] };
}

/** Begins to compare reports. A place without reports says so in its own note. */
async function beginReports(
  snapshot: DashboardSnapshot,
  { months, summaryKeys }: Published,
  { asOf }: Judged,
): Promise<ReportComparison> {
  const absent = snapshot.absent.filter(({ what }) => what === 'reports');
  if (absent.length > 0) return beginComparison({ reports: [], notes: snapshot.absent }, []);
  const { rows, rejected } = await snapshot.reports();
  const chosen = chooseReports(rows, { asOf, most: months });
  const without = snapshot.absent.find(({ what }) => what === 'payments');
  const held = without === undefined ? chosen : withoutPayments(chosen, without, ENGLISH_WORDING);
  const others = snapshot.absent.filter(({ what }) => what === 'payouts');
  return beginComparison({ ...held, notes: [...held.notes, ...others] }, rejected, summaryKeys);
}

interface Takers {
  readonly reports: ReportComparison;
  readonly passed: PaymentsPassed | null;
  readonly books: PaymentBooks | null;
}

/** Reads payments once and passes them to everything that needs them. */
async function readPayments(
  snapshot: DashboardSnapshot,
  { reports, passed, books }: Takers,
): Promise<void> {
  const span = books?.span ?? spanWanted(reports);
  if (span === null) return;
  for await (const batch of snapshot.payments(span)) {
    takePayments(reports, batch);
    passed?.take(batch);
    if (books !== null) gatherPayments(books, batch);
  }
  if (passed?.wantsOlder === true) await readOlder(snapshot, passed, span.from);
}

/**
 * Reads older payments, for the first look only. If the service does not serve them all, only the
 * checks that need them are left out.
 */
async function readOlder(
  snapshot: DashboardSnapshot,
  passed: PaymentsPassed,
  until: Instant,
): Promise<void> {
  try {
    for await (const batch of snapshot.payments({ from: EARLIEST, until })) passed.takeOlder(batch);
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    passed.giveUp();
  }
}

/** No payment by link is older than this. */
const EARLIEST: Instant = Date.UTC(2000, 0, 1);

/**
 * Returns the times whose payments are read: the last two months, those of the compared reports,
 * and those that no look has counted yet.
 */
function spanOf(window: Window | null, reports: ReportComparison, { asOf }: Judged): Span {
  if (window === null) return ALL_TIME;
  const recent = { from: wantedFrom(window), until: asOf + DAY };
  const wanted = spanWanted(reports) ?? recent;
  return { from: Math.min(wanted.from, recent.from), until: Math.max(wanted.until, recent.until) };
}

const ALL_TIME: Span = { from: 0, until: Date.UTC(2200, 0, 1) };

async function judgePayouts(begun: BegunLook, passed: PaymentsPassed | null, kept: KeptPayouts) {
  const look = await endLook(begun);
  const payments = passed?.totals() ?? null;
  const judgement = judgeLook(look, { kept, payments, wording: ENGLISH_WORDING });
  return { judgement, look: { kept, read: look.read, totals: passed?.toKeep() ?? null } };
}

/**
 * How far back each look reads payments. Older ones are read again only when a report needs them.
 */
const LOOKED_BACK = 62 * DAY;

/**
 * Returns the instant from which payments are read. It moves once a week, so that older payments
 * are counted at most once a week.
 */
export function lookedFrom(asOf: Instant): Instant {
  return Math.floor((asOf - LOOKED_BACK) / (7 * DAY)) * 7 * DAY;
}

/** What a look saw of payments, to be stored. */
interface PaymentsLook {
  readonly kept: KeptPayments['versions'];
  readonly payments: PaymentBooks['payments'];
}

async function endPayments(
  snapshot: DashboardSnapshot,
  books: PaymentBooks,
  { askedAt, kept }: { readonly askedAt: Instant; readonly kept: KeptPayments },
): Promise<{ readonly judgement: JudgedPart; readonly look: PaymentsLook }> {
  const beside = { kept, askedAt };
  const undelivered = lacksNotification(books, beside) ? await undeliveredOf(snapshot) : new Map();
  const judgement = judgePayments(books, beside, { undelivered, isFromFirst: snapshot.isCopy });
  return { judgement, look: { kept: kept.versions, payments: books.payments } };
}

/**
 * Returns the failed deliveries of notifications. Rows that cannot be read are left out, because
 * they explain nothing.
 */
async function undeliveredOf(
  snapshot: DashboardSnapshot,
): Promise<ReadonlyMap<string, FailedDelivery>> {
  const { value } = await snapshot.payouts.deliveries();
  return new Map(
    (value ?? []).flatMap((one) => (one.reference === null ? [] : [[one.reference, one] as const])),
  );
}

type BegunLook = Awaited<ReturnType<typeof beginLook>>;

/**
 * Begins a look at payouts. `at` is the instant as of which the books are judged; figures requested
 * now are no older.
 */
export async function beginLook(place: PayoutPlace, at: Instant) {
  const rejected = new Map<string, RejectedRow>();
  const begun = { place, at, rejected, notes: new Map<string, Note>() };
  const take = taker(begun);
  const before = {
    limits: take(await place.limits()),
    counters: take(await place.counters()),
    balance: take(await place.balance()),
  };
  return { ...begun, before, statistics: take(await place.statistics()) };
}

export async function endLook(begun: BegunLook): Promise<PayoutLook> {
  const { place, at, before, statistics } = begun;
  const take = taker(begun);
  const payouts = take(await place.list());
  const accounts = take(await place.accounts());
  const settlement = take(await place.settlement());
  const after = {
    limits: before.limits === null ? null : take(await place.limits()),
    counters: before.counters === null ? null : take(await place.counters()),
    balance: before.balance === null ? null : take(await place.balance()),
  };
  // A listed payout existed, so the service's clock had reached its instants.
  const listed = (payouts ?? []).flatMap(({ createdAt, completedAt }) => [
    createdAt,
    completedAt ?? createdAt,
  ]);
  const newest = listed.reduce((latest, one) => Math.max(latest, one), Number.NEGATIVE_INFINITY);
  const copied = place.isCopy === true && listed.length > 0 ? { copiedAfter: newest } : {};
  const lists = { payouts, accounts, settlement, statistics };
  const read: PayoutsRead = {
    from: at,
    until: Math.max(at, newest),
    ...copied,
    before,
    after,
    ...lists,
  };
  return { read, rejected: [...begun.rejected.values()], notes: [...begun.notes.values()] };
}

function taker({ rejected, notes }: Pick<BegunLook, 'rejected' | 'notes'>) {
  return <Value>(answered: Answered<Value>): Value | null => {
    for (const row of answered.rejected) rejected.set(`${row.place} ${row.reason}`, row);
    if (answered.absent !== null) notes.set(answered.absent.what, answered.absent);
    return answered.value;
  };
}
