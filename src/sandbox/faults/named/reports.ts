// Faults in what the service publishes beside the ledger: the summary of a monthly report that is not that of its month's
// payments by link. The payments themselves, and the ledger, stay sound.

import type { Books } from '../../books.ts';
import type { ServedReport, ServedSummary } from '../../dashboard/served-dashboard.ts';
import { drawFrom, drawInteger, type Random } from '../../random.ts';
import { type Change, defineFault, type Fault } from '../fault.ts';

export const REPORT_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'REPORT_SUMMARY_MISMATCH',
    says: 'a monthly report states another total amount than its month’s payments by link',
    change: (books, random) =>
      alterSummary(books, random, (summary) => ({ ...summary, totalAmount: summary.totalAmount + drawOffset(random) })),
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
function drawOffset(random: Random): number {
  return -drawInteger(random, { from: 1, to: 9_999 });
}
