// Faults in what the service states about books that are sound, except for the reserved amount
// carried in: the wallet, and the summary of a monthly report, which does not agree with its
// month's payments by link.

import { type Books, totalsOf, type WalletTotals } from '../../model/plan.ts';
import { TOTALS } from '../../model/policy.ts';
import { drawFrom, drawInteger, type Random } from '../../model/random.ts';
import type { ServedReport, ServedSummary } from '../../model/served-dashboard.ts';
import { atWallet, type Change, shiftFrom, shiftWallet } from '../port/edit-books.ts';
import { slackOf } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

export const WALLET_FAULTS = defineFaults({
  WALLET_IDENTITY_BROKEN: (books, random) =>
    atWallet(shiftWallet(books, { available: drawOffset(random) })),
  WALLET_BALANCE_MISMATCH: (books, random) => {
    const offset = drawOffset(random);
    return atWallet(shiftWallet(books, { balance: offset, available: offset }));
  },
  WALLET_RESERVED_MISMATCH: (books, random) => {
    const offset = drawOffset(random);
    return atWallet(shiftWallet(books, { reserved: offset, available: -offset }));
  },
  OPEN_HOLDS_MISMATCH: (books, random) => {
    const room = slackOf(books)[0] ?? 0;
    if (room < 1) return null;
    return atWallet(
      shiftFrom(books, 0, { reserved: drawInteger(random, { from: 1, to: Math.min(40, room) }) }),
    );
  },
  TOTAL_COLLECTED_MISMATCH: shiftTotal('totalCollected'),
  TOTAL_DISBURSED_MISMATCH: shiftTotal('totalDisbursed'),
  TOTAL_FEES_MISMATCH: shiftTotal('totalFees'),
});

function shiftTotal(total: keyof WalletTotals) {
  return (books: Books, random: Random): Change => {
    const lawful = TOTALS.map(
      (totals) => totalsOf(books.operations, { ...books.policy, totals })[total],
    );
    let offset = drawOffset(random);
    while (lawful.includes(books.wallet[total] + offset)) offset = drawOffset(random);
    return atWallet(shiftWallet(books, { [total]: offset }));
  };
}

function drawOffset(random: Random): number {
  return drawInteger(random, { from: 11, to: 997 });
}

export const REPORT_FAULTS = defineFaults({
  // The changes are larger than all payments that may have settled after the report was made.
  REPORT_SUMMARY_MISMATCH: alterSummary((summary, random) => ({
    ...summary,
    totalAmount: summary.totalAmount - drawInteger(random, { from: 1, to: 9_999 }),
  })),
  'REPORT_SUMMARY_MISMATCH/count': alterSummary((summary) => ({
    ...summary,
    paymentCount: summary.paymentCount + 100,
  })),
  'REPORT_SUMMARY_MISMATCH/operator': alterSummary((summary, random) => {
    const gone = drawFrom(random, summary.byOperator);
    return { ...summary, byOperator: summary.byOperator.filter((one) => one !== gone) };
  }),
  'REPORT_SUMMARY_MISMATCH/exchanged': alterSummary((summary) => {
    const [first, second, ...others] = summary.byOperator;
    if (first === undefined || second === undefined) return null;
    const exchanged = [
      { ...first, operator: second.operator },
      { ...second, operator: first.operator },
    ];
    return { ...summary, byOperator: [...exchanged, ...others] };
  }),
});

/** Changes the summary of one READY report that counts enough payments for the change to show. */
function alterSummary(change: (summary: ServedSummary, random: Random) => ServedSummary | null) {
  return atOne<ServedReport>(
    ({ reports }) =>
      reports.filter(({ summary }) => summary !== null && summary.paymentCount >= 20),
    (books, chosen, random) => {
      const summary = change(chosen.summary!, random);
      if (summary === null) return null;
      const reports = books.reports.map((report) =>
        report === chosen ? { ...chosen, summary } : report,
      );
      return atWallet({ ...books, reports });
    },
  );
}
