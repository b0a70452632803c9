// Faults in the wallet that the service states, beside a sound ledger (but for the reserved amount carried in), and in the summary of a
// monthly report, which is not that of its month's payments by link.

import { type Books, totalsOf, type WalletTotals } from '../../model/plan.ts';
import { TOTALS } from '../../model/policy.ts';
import { drawFrom, drawInteger, type Random } from '../../model/random.ts';
import type { ServedReport, ServedSummary } from '../../model/served-dashboard.ts';
import { atWallet, type Change, shiftFrom, shiftWallet } from '../port/edit-books.ts';
import { slackOf } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

export const WALLET_FAULTS = defineFaults({
  WALLET_IDENTITY_BROKEN: {
    says: 'the wallet’s available amount is not its balance less what is reserved',
    change: (books, random) => atWallet(shiftWallet(books, { available: drawOffset(random) })),
  },
  WALLET_BALANCE_MISMATCH: {
    says: 'the wallet’s balance is not the ledger’s',
    change: (books, random) => {
      const offset = drawOffset(random);
      return atWallet(shiftWallet(books, { balance: offset, available: offset }));
    },
  },
  WALLET_RESERVED_MISMATCH: {
    says: 'the wallet’s reserved amount is not the ledger’s',
    change: (books, random) => {
      const offset = drawOffset(random);
      return atWallet(shiftWallet(books, { reserved: offset, available: -offset }));
    },
  },
  OPEN_HOLDS_MISMATCH: {
    says: 'an amount that no hold explains was reserved before the first line and ever since',
    change: (books, random) => {
      const room = slackOf(books)[0] ?? 0;
      if (room < 1) return null;
      return atWallet(shiftFrom(books, 0, { reserved: drawInteger(random, { from: 1, to: Math.min(40, room) }) }));
    },
  },
  TOTAL_COLLECTED_MISMATCH: {
    says: 'the wallet’s total collected fits no way of counting',
    change: shiftTotal('totalCollected'),
  },
  TOTAL_DISBURSED_MISMATCH: {
    says: 'the wallet’s total disbursed fits no way of counting',
    change: shiftTotal('totalDisbursed'),
  },
  TOTAL_FEES_MISMATCH: {
    says: 'the wallet’s total of fees fits no way of counting',
    change: shiftTotal('totalFees'),
  },
});

function shiftTotal(total: keyof WalletTotals) {
  return (books: Books, random: Random): Change => {
    const lawful = TOTALS.map((totals) => totalsOf(books.operations, { ...books.policy, totals })[total]);
    let offset = drawOffset(random);
    while (lawful.includes(books.wallet[total] + offset)) offset = drawOffset(random);
    return atWallet(shiftWallet(books, { [total]: offset }));
  };
}

function drawOffset(random: Random): number {
  return drawInteger(random, { from: 11, to: 997 });
}

export const REPORT_FAULTS = defineFaults({
  REPORT_SUMMARY_MISMATCH: {
    says: 'a monthly report states another total amount than its month’s payments by link',
    // More than all payments that may have settled after the report was made could explain.
    change: alterSummary((summary, random) => ({
      ...summary,
      totalAmount: summary.totalAmount - drawInteger(random, { from: 1, to: 9_999 }),
    })),
  },
  'REPORT_SUMMARY_MISMATCH/count': {
    says: 'a monthly report counts more payments by link than there are',
    change: alterSummary((summary) => ({ ...summary, paymentCount: summary.paymentCount + 100 })),
  },
  'REPORT_SUMMARY_MISMATCH/operator': {
    says: 'a monthly report leaves an operator out of its breakdown',
    change: alterSummary((summary, random) => {
      const gone = drawFrom(random, summary.byOperator);
      return { ...summary, byOperator: summary.byOperator.filter((one) => one !== gone) };
    }),
  },
  'REPORT_SUMMARY_MISMATCH/exchanged': {
    says: 'a monthly report gives one operator the payments of another',
    change: alterSummary((summary) => {
      const [first, second, ...others] = summary.byOperator;
      if (first === undefined || second === undefined) return null;
      const exchanged = [
        { ...first, operator: second.operator },
        { ...second, operator: first.operator },
      ];
      return { ...summary, byOperator: [...exchanged, ...others] };
    }),
  },
});

/** Changes the summary of one READY report that counts enough payments for a change to show. */
function alterSummary(change: (summary: ServedSummary, random: Random) => ServedSummary | null) {
  return atOne<ServedReport>(
    ({ reports }) => reports.filter(({ summary }) => summary !== null && summary.paymentCount >= 20),
    (books, chosen, random) => {
      const summary = change(chosen.summary!, random);
      if (summary === null) return null;
      const reports = books.reports.map((report) => (report === chosen ? { ...chosen, summary } : report));
      return atWallet({ ...books, reports });
    },
  );
}
