// Faults in the wallet that the service states, the ledger being sound (but for the reserved amount carried in), and in the summary of a
// monthly report, which is not that of its month's payments by link.

import type { Amount } from '../../../core/domain/amount.ts';
import {
  type Books,
  type Change,
  defineFault,
  type Fault,
  totalsOfOperation,
  type WalletTotals,
} from '../../model/plan.ts';
import { TOTALS } from '../../model/policy.ts';
import { drawFrom, drawInteger, type Random } from '../../model/random.ts';
import type { ServedReport, ServedSummary } from '../../model/served-dashboard.ts';
import { movementsOf, shiftWallet, withMovements } from '../port/edit-books.ts';
import { slackOf } from '../port/find-cases.ts';

export const WALLET_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'WALLET_IDENTITY_BROKEN',
    says: 'the wallet’s available amount is not its balance less what is reserved',
    change: (books, random) => atWallet(shiftWallet(books, { available: drawWalletOffset(random) })),
  }),
  defineFault({
    name: 'WALLET_BALANCE_MISMATCH',
    says: 'the wallet’s balance is not the ledger’s',
    change: (books, random) => {
      const offset = drawWalletOffset(random);
      return atWallet(shiftWallet(books, { balance: offset, available: offset }));
    },
  }),
  defineFault({
    name: 'WALLET_RESERVED_MISMATCH',
    says: 'the wallet’s reserved amount is not the ledger’s',
    change: (books, random) => {
      const offset = drawWalletOffset(random);
      return atWallet(shiftWallet(books, { reserved: offset, available: -offset }));
    },
  }),
  defineFault({
    name: 'OPEN_HOLDS_MISMATCH',
    says: 'an amount that no hold explains was reserved before the first line and ever since',
    change: (books, random) => {
      const [first, ...later] = movementsOf(books);
      if (first === undefined) return null;
      const room = slackOf(books)[0]!;
      if (room < 1) return null;
      const reserved = first.reserved + drawInteger(random, { from: 1, to: Math.min(40, room) });
      return atWallet(withMovements(books, [{ ...first, reserved }, ...later]));
    },
  }),
  defineFault({
    name: 'TOTAL_COLLECTED_MISMATCH',
    says: 'the wallet’s total collected fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalCollected'),
  }),
  defineFault({
    name: 'TOTAL_DISBURSED_MISMATCH',
    says: 'the wallet’s total disbursed fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalDisbursed'),
  }),
  defineFault({
    name: 'TOTAL_FEES_MISMATCH',
    says: 'the wallet’s total of fees fits no way of counting',
    change: (books, random) => shiftTotal(books, random, 'totalFees'),
  }),
];

/** No line and no operation to name: the place is the wallet. */
function atWallet(books: Books) {
  return { books, sequence: null, operationReference: null };
}

function shiftTotal(books: Books, random: Random, total: keyof WalletTotals) {
  const lawful = TOTALS.map((totals) =>
    books.operations.reduce(
      (sum, operation) => sum + totalsOfOperation(operation, { ...books.policy, totals })[total],
      0,
    ),
  );
  let offset = drawWalletOffset(random);
  while (lawful.includes(books.wallet[total] + offset)) offset = drawWalletOffset(random);
  return atWallet(shiftWallet(books, { [total]: offset }));
}

function drawWalletOffset(random: Random): Amount {
  return drawInteger(random, { from: 11, to: 997 });
}

export const REPORT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'REPORT_SUMMARY_MISMATCH',
    says: 'a monthly report states another total amount than its month’s payments by link',
    change: (books, random) =>
      alterSummary(books, random, (summary) => ({
        ...summary,
        totalAmount: summary.totalAmount + drawSummaryOffset(random),
      })),
  }),
  defineFault({
    name: 'REPORT_SUMMARY_MISMATCH/count',
    says: 'a monthly report counts more payments by link than there are',
    change: (books, random) =>
      alterSummary(books, random, (summary) => ({ ...summary, paymentCount: summary.paymentCount + 100 })),
  }),
  defineFault({
    name: 'REPORT_SUMMARY_MISMATCH/operator',
    says: 'a monthly report leaves an operator out of its breakdown',
    change: (books, random) =>
      alterSummary(books, random, (summary) => {
        const gone = drawFrom(random, summary.byOperator);
        return { ...summary, byOperator: summary.byOperator.filter((one) => one !== gone) };
      }),
  }),
  defineFault({
    name: 'REPORT_SUMMARY_MISMATCH/exchanged',
    says: 'a monthly report gives one operator the payments of another',
    change: (books, random) =>
      alterSummary(books, random, (summary) => {
        const [first, second, ...others] = summary.byOperator;
        if (first === undefined || second === undefined) return null;
        const exchanged = [
          { ...first, operator: second.operator },
          { ...second, operator: first.operator },
        ];
        return { ...summary, byOperator: [...exchanged, ...others] };
      }),
  }),
];

/** Changes the summary of one READY report that counts enough payments for a change to show. */
function alterSummary(
  books: Books,
  random: Random,
  change: (summary: ServedSummary) => ServedSummary | null,
): Change | null {
  const ready = books.reports.filter(({ summary }) => summary !== null && summary.paymentCount >= 20);
  if (ready.length === 0) return null;
  const chosen = drawFrom(random, ready);
  const summary = change(chosen.summary!);
  if (summary === null) return null;
  const altered: ServedReport = { ...chosen, summary };
  const reports = books.reports.map((report) => (report === chosen ? altered : report));
  return { books: { ...books, reports }, sequence: null, operationReference: null };
}

/** More than all payments that may have settled after the report was made could explain. */
function drawSummaryOffset(random: Random): number {
  return -drawInteger(random, { from: 1, to: 9_999 });
}
