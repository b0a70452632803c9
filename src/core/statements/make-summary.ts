// The key figures of a month, out of its figures; proves that the opening and the movements make the closing.

import { KINDS } from '../checks/port/kinds.ts';
import { invariant } from '../domain/invariant.ts';
import { plus, sumOf } from './exact.ts';
import type { MonthFigures } from './month-figures.ts';
import { collectionsBy } from './operator-section.ts';
import { aheadSum, transitSum } from './reconciliation/in-transit.ts';
import type { DueSection } from './reconciliation/section-due.ts';
import type { Reconciliation } from './reconciliation/section-reconciliation.ts';
import type { StatementSummary } from './summary.ts';

/** All but the revision, which depends on the rest. */
export function summaryOf(
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
  const summary = {
    currency: settings.currency,
    population: 'WALLET_OPERATIONS' as const,
    totalAmount: collections.amount,
    paymentCount: collections.count,
    totalFees: collections.fees,
    ...collectionsBy(operations.groups.values()),
    byDay: [...operations.byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, counted]) => ({ day, ...counted })),
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
  const net = [collected, -disbursed, -fees, reversals, adjustments, otherMovements].reduce(plus, 0);
  invariant(plus(before.balance, net) === closingBalance, 'opening + movements = closing');
  return summary;
}

/** Nothing where there is nothing: a month without any has the same content whatever version states it. */
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
    toJustify: { balance: sumOf(open, (item) => item.balance), reserved: sumOf(open, (item) => item.reserved) },
  };
  return Object.fromEntries(
    Object.entries(sums).filter(([, { balance, reserved }]) => balance !== 0 || reserved !== 0),
  );
}
