// Puts a month's statement together out of its figures, proves that they agree, and gives the
// statement its hashes and its revision. It reads nothing: the workflow must have passed all
// operations and lines through before.

import type { Amount } from '../../domain/amount.ts';
import type { AuditReport } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import type { Wallet } from '../../domain/merchant.ts';
import { cameLate, formatPeriod, labelOf, statedAt } from '../../domain/period.ts';
import type { ChainMark, NotChecked } from '../../domain/snapshot.ts';
import { localText } from '../../domain/zone.ts';
import { KINDS } from '../../kernel/checks/port/kinds.ts';
import { type LinksRead, NO_MONEY, type ServiceComparison } from '../comparison.ts';
import type { Carried } from '../entries/year.ts';
import { plus, safe, sumOf, sumSides } from '../exact.ts';
import { canonicalContent, type StatementContent } from '../integrity.ts';
import type { JournalSection } from '../journal.ts';
import { closeJournal } from '../month/close-journal.ts';
import { commissionSection } from '../month/commissions.ts';
import { aheadItems, aheadSum, transitItems, transitSum } from '../month/in-transit.ts';
import { type MonthFigures, perpetualOf } from '../month/month-figures.ts';
import { countDeferred } from '../month/month-operations.ts';
import {
  correctionSection,
  crossingSection,
  dayRows,
  monthRows,
  movementRows,
  openHoldSection,
} from '../month/month-tables.ts';
import { collectionsBy, operatorSection } from '../month/operator-section.ts';
import type { MonthSettings } from '../month-settings.ts';
import { confirmedOf, findingSection } from '../reconciliation/finding-section.ts';
import {
  dueSection,
  itemsAtCutOff,
  reconcileSide,
  suspendedBy,
} from '../reconciliation/items-at-cut-off.ts';
import { type IssuedStatement, reviseStatement } from '../revision.ts';
import type {
  Compared,
  DueSection,
  Reconciliation,
  TransitItem,
} from '../section-reconciliation.ts';
import {
  type BoundText,
  type Circumstances,
  lacksOperations,
  type Statement,
  type StatementPeriod,
  type WalletBridge,
} from '../statement.ts';
import type { Collections, ComparedPeriod, StatementSummary } from '../summary.ts';

/** What a statement needs besides the month's figures. */
export interface StatementContext {
  /** The audit of the books as they were at the end of the period. */
  readonly report: AuditReport;
  /** The audit of the books as they were read last. */
  readonly now: AuditReport;
  /** The wallet as it was read at the end of the run; `null` when it was not read. */
  readonly wallet: Wallet | null;
  /** Recorded figures after the last line read; `null` when there is no line. */
  readonly head: { readonly balance: number; readonly reserved: number } | null;
  readonly watermark: Instant | null;
  /**
   * Compares the summary with the service's report. `null` when the service published no report of
   * the month, or was not asked.
   */
  readonly compareService:
    | ((summary: Omit<StatementSummary, 'revision'>) => ServiceComparison | null)
    | null;
  /**
   * Payments by link of the period. Where they could not be read, those of the revision before
   * stand.
   */
  readonly links: LinksRead;
  /** `null` when no hash chain is kept over the lines. */
  readonly chain: ChainMark | null;
  /** Earlier periods, as they were last issued. */
  readonly comparatives: readonly ComparedPeriod[];
  readonly engine: string;
  readonly generatedAt: Instant;
  /** Balances that the year before leaves. Only a yearly statement uses them. */
  readonly carried: Carried;
  /** The revision before; null when the month was never issued. */
  readonly issued: IssuedStatement | null;
}

/**
 * Makes the statement. Must be called once for `figures`, because it counts the operations that
 * waited for their lines. Throws `StatementRefused` when a figure cannot be stated exactly.
 */
export function makeStatement(figures: MonthFigures, surroundings: StatementContext): Statement {
  const { settings, operations, columns } = figures;
  const { now, wallet, links, issued, generatedAt, engine, carried } = surroundings;
  countDeferred(operations, figures.settledAt);
  const atCut = confirmedOf(surroundings.report);
  const reconciliation = reconciliationOf(figures, surroundings.report);
  const items = itemsAtCutOff(figures, { atCut, now: confirmedOf(now) });
  const transit = transitOf(figures, surroundings.report);
  const due = dueSection(reconciliation, { found: items, transit }, surroundings.report);
  const commissions = commissionSection(operations.commissions, {
    cashin: columns.feesIn,
    cashout: columns.feesOut,
  });
  const paymentsByLink = links.section ?? (links.isKnown ? null : issued?.paymentsByLink) ?? null;
  const closed = closeJournal(figures, {
    ...{
      closing: due.recorded.balance,
      commissions: commissions.rows,
      suspended: suspendedBy(atCut),
    },
    carried,
    // An attestation has no journal.
    ...('day' in settings.period
      ? { money: NO_MONEY, account: null }
      : { money: links.money, account: paymentsByLink?.account ?? null }),
  });
  const journal = lacksOperations(surroundings.report.notChecked)
    ? { ...closed, controls: null }
    : closed;
  const report = withControls(surroundings.report, journal);
  const places = { sequences: figures.wanted, operations: operations.wanted };
  const terms = { places, bounds: settings.bounds, items };
  const { section: findings, counts, verdict: ofWallet } = findingSection(report, terms);
  const verdict = verdictWith(ofWallet, { paymentsByLink, notRead: links.notRead });
  const summary = summaryOf(figures, { findings: counts, reconciliation, due, verdict });
  const days = dayRows(figures);
  const tables = {
    movements: movementRows(figures),
    operators: operatorSection(figures),
    days,
    months: settings.period.month === null ? monthRows(days, summary.byDay) : null,
    commissions,
    due,
    reconciliation,
    findings,
    ...listsOf(figures),
    journal,
  };
  const identity = identityOf(settings, wallet);
  const content: StatementContent = {
    ...identity,
    phoneNumbers: settings.phoneNumbers,
    summary,
    paymentsByLink,
    ...tables,
    circumstances: circumstancesOf(figures, { ...surroundings, report, summary }),
  };
  proveTables(content);
  const contentHash = settings.hash(canonicalContent(content));
  const revised = reviseStatement({ contentHash, summary, paymentsByLink, generatedAt }, issued);
  return {
    ...identity,
    revision: revised.revision,
    engine,
    generatedAt: revised.generatedAt,
    phoneNumbers: settings.phoneNumbers,
    integrity: integrityOf(figures.chainHead, contentHash),
    summary: withRevision(summary, revised.revision.number),
    paymentsByLink,
    ...tables,
    circumstances: content.circumstances,
  };
}

/**
 * Adds a note for each control that leaves an amount over. No finding explains that amount yet, so
 * the month is not known to be clean.
 */
function withControls(report: AuditReport, { controls }: JournalSection): AuditReport {
  const notes = Object.entries(controls ?? {}).flatMap(
    ([control, { rest }]): readonly NotChecked[] => {
      const why = `their control leaves ${rest} that nothing explains`;
      return rest === 0
        ? []
        : [
            {
              what: `journal of ${control}`,
              why,
              incomplete: true,
              code: 'JOURNAL_LEAVES',
              figures: { rest },
            },
          ];
    },
  );
  return { ...report, notChecked: [...report.notChecked, ...notes] };
}

function listsOf(figures: MonthFigures) {
  const { open, listed } = figures.operations;
  return {
    openHolds: openHoldSection(figures),
    openOperations: { ...open, rows: open.rows.toSorted((a, b) => a.createdAt - b.createdAt) },
    earlierReversals: figures.reversals,
    crossing: crossingSection(figures),
    corrections: correctionSection(figures),
    operations: { count: listed },
  };
}

/** Returns the items in transit; none where it is not known what is due. */
function transitOf(
  { transits, cutOff }: MonthFigures,
  { due }: AuditReport,
): readonly TransitItem[] {
  return due === null ? [] : [...transitItems(transits), ...aheadItems(cutOff)];
}

/**
 * Adds payments by link to the wallet's verdict, as the audit judges them: a report that differs
 * proves a fault, and a row that could not be read may hide a fault.
 */
function verdictWith(
  ofWallet: StatementSummary['verdict'],
  {
    paymentsByLink,
    notRead,
  }: Pick<StatementContent, 'paymentsByLink'> & Pick<LinksRead, 'notRead'>,
): StatementSummary['verdict'] {
  const isWrong = (paymentsByLink?.comparison?.differences ?? []).length > 0;
  if (ofWallet.state === 'broken' || isWrong) return { state: 'broken', missing: [] };
  const lacking = notRead.filter(({ incomplete }) => incomplete).map(({ what }) => what);
  if (lacking.length === 0) return ofWallet;
  return { state: 'incomplete', missing: [...new Set([...ofWallet.missing, ...lacking])] };
}

/**
 * Returns the integrity block as it is before the document is sealed: `documentHash` holds the
 * content hash until then.
 */
function integrityOf(chainHead: string, contentHash: string): Statement['integrity'] {
  return { chainHead, contentHash, shortHash: contentHash.slice(0, 12), documentHash: contentHash };
}

/** Puts the revision before the chain head, so that the keys stand in the order of the type. */
function withRevision(
  summary: StatementContent['summary'],
  revision: number,
): Statement['summary'] {
  const { chainHead, ...figures } = summary;
  return { ...figures, revision, chainHead };
}

/**
 * Proves that the sum of each table is the month's net movement, because the tables count the same
 * lines in three ways.
 */
function proveTables({
  summary,
  movements,
  operators,
  days,
  months,
  openHolds,
}: StatementContent): void {
  const net = plus(summary.closingBalance, -summary.openingBalance);
  const moved = plus(summary.closingReserved, -summary.openingReserved);
  invariant(
    sumOf(movements, (row) => row.balanceEffect) === net,
    'movements by kind sum to closing − opening',
  );
  invariant(
    sumOf(movements, (row) => row.reservedEffect) === moved,
    'moves by kind sum to the change of the reserved amount',
  );
  invariant(
    sumOf(operators.rows, (row) => row.net) === net,
    'movements by operator sum to closing − opening',
  );
  invariant(sumOf(days, (row) => row.net) === net, 'movements by day sum to closing − opening');
  invariant(days.at(-1)!.closing === summary.closingBalance, 'the last day closes with the month');
  invariant(
    days.at(-1)!.closingReserved === summary.closingReserved,
    'the last day closes with the month',
  );
  if (months !== null) {
    invariant(
      months.at(-1)!.closing === summary.closingBalance,
      'the last month closes with the year',
    );
    invariant(
      sumOf(months, (row) => row.net) === net,
      'movements by month sum to closing − opening',
    );
    invariant(
      sumOf(months, (row) => row.collections.amount) === summary.totalAmount,
      'months have all collections',
    );
  }
  invariant(
    openHolds.total === summary.closingReserved,
    'open holds sum to the closing reserved amount',
  );
  const tables: readonly (readonly Collections[])[] = [
    summary.byOperator,
    summary.byCountry,
    summary.byDay,
  ];
  for (const rows of tables) {
    invariant(
      sumOf(rows, (row) => row.amount) === summary.totalAmount,
      'collections of each table sum to their total',
    );
    invariant(
      sumOf(rows, (row) => row.count) === summary.paymentCount,
      'collections of each table sum to their total',
    );
  }
}

function identityOf(settings: MonthSettings, wallet: Wallet | null) {
  return {
    merchant: merchantOf(settings),
    issuer: settings.parties.issuer,
    walletId: wallet?.walletId ?? null,
    currency: settings.currency,
    period: periodOf(settings),
  };
}

function merchantOf({ merchant, profiles, parties }: MonthSettings): Statement['merchant'] {
  const profile = profiles.at(-1) ?? null;
  const legalName = parties.holder?.legalName ?? profile?.legalName ?? null;
  const known = parties.holder ?? { registration: null, taxNumber: null, address: [] };
  const holder = parties.holder === null && legalName === null ? null : { ...known, legalName };
  return {
    reference: merchant,
    name: profile?.name ?? null,
    country: profile?.country ?? null,
    holder,
    profile,
  };
}

function periodOf({ period, zone, bounds, boundsFrom }: MonthSettings): StatementPeriod {
  const textOf = (at: Instant): BoundText => ({
    utc: formatInstant(at),
    local: localText(zone, at),
  });
  return {
    period: formatPeriod(period),
    label: { fr: labelOf(period, 'fr'), en: labelOf(period, 'en') },
    zone: zone.name,
    start: bounds.start,
    end: bounds.end,
    startText: textOf(bounds.start),
    endText: textOf(bounds.end),
    boundsFrom,
  };
}

function reconciliationOf(figures: MonthFigures, report: AuditReport): Reconciliation {
  const findings = confirmedOf(report);
  const { collections, disbursements } = figures.operations;
  const compare = (operations: Amount, lines: Amount): Compared =>
    lacksOperations(report.notChecked)
      ? { operations: null, lines, difference: null }
      : { operations, lines, difference: plus(operations, -lines) };
  return {
    balance: reconcileSide('balance', figures, findings),
    reserved: reconcileSide('reserved', figures, findings),
    collections: compare(collections.amount, figures.columns.grossIn),
    disbursements: compare(disbursements.amount, figures.columns.grossOut),
  };
}

function circumstancesOf(
  figures: MonthFigures,
  surroundings: StatementContext & { readonly summary: Omit<StatementSummary, 'revision'> },
): Circumstances {
  const { report, now, wallet, watermark, compareService, links, chain, comparatives, summary } =
    surroundings;
  const { verdict, entries, operations, firstSequence, lastSequence } = now;
  const { notChecked } = report;
  // The interpretation of the wallet's totals is that of the last reading, because the wallet is
  // shown as it was read then.
  const assumptions = { ...report.assumptions, totals: now.assumptions.totals };
  const serviceReport = compareService === null ? null : compareService(summary);
  // The audit did not read payments by link and reports, but the statement did. So the audit's
  // notes on them are dropped.
  const isCompared = (links.section?.comparison ?? serviceReport)?.notCompared === null;
  const said = new Set([
    ...(links.section === null ? [] : ['payments']),
    ...(isCompared ? ['reports'] : []),
  ]);
  return {
    verdict,
    assumptions,
    coverage: {
      ...{ entries, operations, firstSequence, lastSequence, watermark },
      ...(chain === null ? {} : { chain }),
    },
    notChecked: [...notChecked.filter(({ what }) => !said.has(what)), ...links.notRead],
    serviceReport,
    serviceDocument: null,
    ...(comparatives.length === 0 ? {} : { comparatives }),
    ...closedOf(figures),
    ...notByDate(figures),
    walletAsRead:
      wallet === null
        ? null
        : {
            wallet,
            balance: bridgeOf('balance', figures, { ...surroundings, wallet }),
            reserved: bridgeOf('reserved', figures, { ...surroundings, wallet }),
          },
  };
}

const LATE_NAMED = 20;

/**
 * Returns when and by whom the period's month was closed; an attestation to a day has that of its
 * month. Empty when the month is not closed.
 */
function closedOf({ settings, late }: MonthFigures): Pick<Circumstances, 'closed'> {
  const own = settings.closed.find(
    ({ period }) => period === formatPeriod(settings.period).slice(0, 7),
  );
  if (own?.at === undefined || own.by === undefined) return {};
  const { at, by } = own;
  return { closed: { at, by, late: { count: late.length, sequences: late.slice(0, LATE_NAMED) } } };
}

/**
 * Counts, for an attestation to a day, the lines that its balance does not have by their dates.
 * Dates count as they were served, even impossible ones, because an attestation speaks of those.
 */
function notByDate({
  settings,
  lateCount: late,
  crossings,
}: MonthFigures): Pick<Circumstances, 'notByDate'> {
  const { end } = settings.bounds;
  if (!('day' in settings.period)) return {};
  const moved = [...settings.moved].map(([sequence, { createdAt }]) => ({ sequence, createdAt }));
  const elsewhere = moved.filter((line) => line.createdAt < end !== statedAt(line, settings) < end);
  const countedBefore = elsewhere.filter(({ createdAt }) => createdAt >= end).length;
  const countedAfter = elsewhere.filter(
    (line) => line.createdAt < end && !cameLate(line, settings),
  ).length;
  const ahead = crossings.find(({ bound }) => bound === 'end')!.early.count;
  return late + countedAfter + countedBefore + ahead === 0
    ? {}
    : { notByDate: { late, countedAfter, countedBefore, ahead } };
}

function bridgeOf(
  side: 'balance' | 'reserved',
  { before, inside, after }: MonthFigures,
  { wallet, head, now }: StatementContext & { readonly wallet: Wallet },
): WalletBridge {
  const closing = plus(before[side], inside[side]);
  const recomputedNow = plus(closing, after[side]);
  return {
    closing,
    sinceCutOff: after[side],
    recomputedNow,
    recordedNow: head === null ? null : head[side],
    wallet: safe(wallet[side]),
    difference: plus(wallet[side], -recomputedNow),
    unexplained: now.unexplained[side],
  };
}

// Makes the key figures of a month out of its figures, and proves that the opening and the
// movements make the closing.

/** Returns the summary without the revision, which is not known until the content is hashed. */
function summaryOf(
  figures: MonthFigures,
  also: Pick<StatementSummary, 'findings' | 'verdict'> & {
    readonly reconciliation: Reconciliation;
    readonly due: DueSection;
  },
): Omit<StatementSummary, 'revision'> {
  const { before, inside, columns, operations, settings } = figures;
  const { collections } = operations;
  const closingBalance = plus(before.balance, inside.balance);
  const closingReserved = plus(before.reserved, inside.reserved);
  const { balance, reserved } = also.reconciliation;
  const perpetual = perpetualOf(figures);
  const summary = {
    currency: settings.currency,
    population: 'WALLET_OPERATIONS' as const,
    totalAmount: collections.amount,
    paymentCount: collections.count,
    totalFees: collections.fees,
    ...collectionsBy(operations.groups.values()),
    byDay: [...operations.byDay]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, counted]) => ({ day, ...counted })),
    byStatus: { ...operations.byStatus },
    collected: columns.grossIn,
    disbursed: columns.grossOut,
    fees: plus(columns.feesIn, columns.feesOut),
    reversals: columns.reversals,
    adjustments: columns.adjustments,
    otherMovements: columns.other,
    openingBalance: before.balance,
    closingBalance,
    openingReserved: before.reserved,
    closingReserved,
    availableAtClose: plus(closingBalance, -closingReserved),
    firstSequence: figures.firstSequence,
    lastSequence: figures.lastSequence,
    entryCount: inside.entries,
    perpetual,
    control: {
      openingPlusMovementsMinusClosing: 0 as const,
      recordedMinusRecomputed: plus(balance.recorded, -balance.recomputed),
      reservedRecordedMinusRecomputed: plus(reserved.recorded, -reserved.recomputed),
    },
    recorded: also.due.recorded,
    due: also.due.due,
    ...(also.due.due === null ? {} : partsOfDue(figures, also.due)),
    verdict: also.verdict,
    findings: also.findings,
    chainHead: figures.chainHead,
  };
  const { collected, disbursed, fees, reversals, adjustments, otherMovements } = summary;
  const net = [collected, -disbursed, -fees, reversals, adjustments, otherMovements].reduce(
    plus,
    0,
  );
  invariant(plus(before.balance, net) === closingBalance, 'opening + movements = closing');
  const since = plus(settings.opening?.balance ?? 0, plus(perpetual.credits, -perpetual.debits));
  invariant(since === closingBalance, 'declared opening + all credits − all debits = closing');
  return summary;
}

/**
 * Returns the sums that make up the figures due. A sum of 0 has no key, so that a month without any
 * has the same content in every version of the program.
 */
function partsOfDue(
  { transits, cutOff }: MonthFigures,
  { items }: DueSection,
): Pick<StatementSummary, 'inTransit' | 'ahead' | 'toJustify'> {
  const open = items.filter(
    ({ kind, state }) => kind !== null && state !== 'settled' && KINDS[kind].toJustify === true,
  );
  const sums = {
    inTransit: transitSum(transits[1]),
    ahead: aheadSum(cutOff),
    toJustify: sumSides(open),
  };
  return Object.fromEntries(
    Object.entries(sums).filter(([, { balance, reserved }]) => balance !== 0 || reserved !== 0),
  );
}
