// Reads what a service published of a merchant beside the ledger and judges it: reports against payments, payouts against all that is
// said of them. A dashboard that cannot be read makes the verdict incomplete and holds up nothing else.

import { chooseReports } from '../../checks/reports/choose-reports.ts';
import type { Dashboard, DashboardSnapshot } from '../../domain/dashboard-snapshot.ts';
import { DAY, type Instant } from '../../domain/instant.ts';
import type { KeptPayments } from '../../domain/published/kept-payments.ts';
import { type KeptPayouts, NOTHING_KEPT, type PayoutsRead } from '../../domain/published/payout-place.ts';
import type { Span } from '../../domain/service-report.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { SummaryKeys } from '../../domain/summary-keys.ts';
import {
  beginComparison,
  concludeComparison,
  type ReportComparison,
  spanWanted,
  takePayments,
  withoutPayments,
} from '../../reconcile/compare-reports.ts';
import { beginPayments, gatherPayments, type PaymentBooks } from '../../reconcile/published/judge-payments.ts';
import { beginTotalsOf, judgeLook, type PaymentsPassed } from '../../reconcile/published/judge-payouts.ts';
import { type JudgedPart, joinParts } from '../../reconcile/published/judged-part.ts';
import { SourceFailed } from '../../sources/source.ts';
import { endPayments, LOOKED_BACK, type PaymentsLook } from './look-at-payments.ts';
import { type BegunLook, beginLook, endLook } from './look-at-payouts.ts';

export interface Published {
  readonly dashboard: Dashboard;
  /** At most so many months, the newest; null: all. */
  readonly months: number | null;
  /** Of the summaries of its reports, over the defaults. */
  readonly summaryKeys: SummaryKeys;
}

export interface Compared {
  readonly part: JudgedPart;
  /** At the payouts; null: none was taken. */
  readonly look: { readonly kept: KeptPayouts; readonly read: PayoutsRead } | null;
  /** At the payments by link; null: none was taken. */
  readonly payments: PaymentsLook | null;
}

interface Judged {
  readonly merchant: string;
  readonly asOf: Instant;
  /** It is judged as it stood before now: figures that are asked for now are not those of then. */
  readonly isPast?: boolean;
  /** What earlier looks at the payouts have seen; absent: nothing. */
  readonly kept?: () => Promise<KeptPayouts>;
  /** What is kept of payments by link; absent: nothing. */
  readonly keptPayments?: (span: Span) => Promise<KeptPayments>;
}

/** Null when the place holds nothing of this merchant: then the reading itself says what is absent. */
export async function comparePublished(published: Published, judged: Judged): Promise<Compared | null> {
  const { dashboard } = published;
  try {
    if (!(await dashboard.merchants()).includes(judged.merchant)) return null;
    const snapshot = await dashboard.open(judged.merchant);
    try {
      const isAbsent = (part: string): boolean => snapshot.absent.some(({ what }) => what === part);
      if (['reports', 'payments', 'payouts'].every(isAbsent)) return null;
      const looks = !isAbsent('payouts') && judged.isPast !== true;
      const begun = looks ? await beginLook(snapshot.payouts, judged.asOf) : null;
      const reports = await beginReports(snapshot, published, judged);
      const passed = begun === null ? null : beginTotalsOf(snapshot, begun.at);
      const books =
        isAbsent('payments') || judged.isPast === true ? null : beginPayments(spanOf(snapshot, reports, judged));
      await readPayments(snapshot, { reports, passed, books });
      const payments =
        books === null ? null : await endPayments(snapshot, books, { askedAt: judged.asOf, load: judged.keptPayments });
      const payouts = begun === null ? null : await judgePayouts(begun, passed, judged);
      const past = judged.isPast === true ? pastOf(snapshot) : [];
      const parts = [concludeComparison(reports), payments?.judgement ?? [], payouts?.judgement ?? [], past].flat();
      return { part: joinParts(parts), look: payouts?.look ?? null, payments: payments?.look ?? null };
    } finally {
      await snapshot.close();
    }
  } catch (failure) {
    if (!(failure instanceof SourceFailed)) throw failure;
    const why = `${dashboard.name}: ${failure.code}: ${failure.message}`;
    return { part: unreachable(why), look: null, payments: null };
  }
}

/** What a place says of payments and payouts is said of now. */
function pastOf({ absent }: DashboardSnapshot): readonly JudgedPart[] {
  const there = ['payments', 'payouts'].filter((part) => !absent.some(({ what }) => what === part));
  const why = 'what is published of them now says nothing of an earlier day';
  const notChecked = there.map((what): NotChecked => ({ what, why, incomplete: false, code: 'PUBLISHED_NOW' }));
  return [{ drafts: [], rejected: [], sought: [], notChecked }];
}

function unreachable(why: string): JudgedPart {
  const note: NotChecked = {
    what: 'reports',
    why,
    incomplete: true,
    code: 'REPORTS_UNREACHABLE',
    figures: { reason: why },
  };
  return { drafts: [], rejected: [], sought: [], notChecked: [note] };
}

/** Reports that are not there are named as the place names them. */
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
  const held = without === undefined ? chosen : withoutPayments(chosen, without);
  const others = snapshot.absent.filter(({ what }) => what === 'payouts');
  return beginComparison({ ...held, notes: [...held.notes, ...others] }, rejected, summaryKeys);
}

interface Takers {
  readonly reports: ReportComparison;
  readonly passed: PaymentsPassed | null;
  readonly books: PaymentBooks | null;
}

/** Once, for all that look at them. */
async function readPayments(snapshot: DashboardSnapshot, { reports, passed, books }: Takers): Promise<void> {
  const span = passed?.isWhole === true ? ALL_TIME : (books?.span ?? spanWanted(reports));
  if (span === null) return;
  for await (const batch of snapshot.payments(span)) {
    takePayments(reports, batch);
    passed?.take(batch);
    if (books !== null) gatherPayments(books, batch);
  }
}

/** The payments of two months, and those that reports are held against. */
function spanOf({ isCopy }: DashboardSnapshot, reports: ReportComparison, { asOf }: Judged): Span {
  if (isCopy) return ALL_TIME;
  const recent = { from: asOf - LOOKED_BACK, until: asOf + DAY };
  const wanted = spanWanted(reports) ?? recent;
  return { from: Math.min(wanted.from, recent.from), until: Math.max(wanted.until, recent.until) };
}

const ALL_TIME: Span = { from: 0, until: Date.UTC(2200, 0, 1) };

async function judgePayouts(begun: BegunLook, passed: PaymentsPassed | null, { kept: load }: Judged) {
  const look = await endLook(begun);
  const kept = load === undefined ? NOTHING_KEPT : await load();
  const judgement = judgeLook(look, { kept, payments: passed?.totals() ?? null });
  return { judgement, look: { kept, read: look.read } };
}
