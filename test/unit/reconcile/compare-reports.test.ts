// For which months it is known how their report stands. A finding about any other month is not
// taken for gone.

import { expect, test } from 'vitest';
import { DAY } from '../../../src/core/domain/instant.ts';
import type { ServiceReport } from '../../../src/core/domain/service-report.ts';
import { chooseReports } from '../../../src/core/kernel/checks/reports/choose-reports.ts';
import {
  beginComparison,
  concludeComparison,
  refusedNote,
  spanWanted,
  takePayments,
} from '../../../src/core/kernel/reconcile/published/judged-part.ts';
import { END, payments, report, START } from '../../support/judged-reports.ts';

function conclude(...published: readonly ServiceReport[]) {
  const comparison = beginComparison(
    chooseReports(published, { asOf: END + 9 * DAY, most: null }),
    [],
  );
  takePayments(comparison, { rows: payments, rejected: [] });
  const { sought, drafts, notes } = concludeComparison(comparison);
  return { isJudged: sought.length === 1, drafts: drafts.length, notes: notes.length };
}

test('a month is judged when its report is wrong, or right in all that is mapped', () => {
  const right = { totalAmount: 1_300 };
  expect(conclude(report(right))).toEqual({ isJudged: true, drafts: 0, notes: 0 });
  expect(conclude(report({ ...right, pages: 3 }))).toEqual({ isJudged: true, drafts: 0, notes: 1 });
  expect(conclude(report({ ...right, paymentCount: 'x' }))).toEqual({
    isJudged: false,
    drafts: 0,
    notes: 1,
  });
  expect(conclude(report({ totalAmount: 1, paymentCount: 'x' }))).toEqual({
    isJudged: true,
    drafts: 1,
    notes: 1,
  });
});

test('of two reports that contradict each other, one that is right settles nothing', () => {
  const [right, wrong] = [report({ totalAmount: 1_300 }), report({ totalAmount: 1 })];
  expect(conclude(right, wrong)).toEqual({ isJudged: false, drafts: 0, notes: 1 });
  expect(conclude(wrong, right)).toEqual({ isJudged: true, drafts: 1, notes: 1 });
});

test('a thousand refused rows are kept by their place, and all are counted', () => {
  const chosen = chooseReports([report({ totalAmount: 1_300 })], {
    asOf: END + 9 * DAY,
    most: null,
  });
  const refused = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({
      part: 'payments' as const,
      place: `payments:${from + i}`,
      reason: 'amount is missing',
      ...{ refusal: null, sequence: null, reference: null, raw: '' },
    }));
  const comparison = beginComparison(chosen, refused(1, 2));
  takePayments(comparison, { rows: payments, rejected: refused(3, 998) });
  takePayments(comparison, { rows: [], rejected: refused(1_001, 2) });
  expect(spanWanted(comparison)).toEqual({ from: START, until: END });
  const { rejected, notes, drafts } = concludeComparison(comparison);
  expect([rejected.length, rejected.at(-1)?.place]).toEqual([1_000, 'payments:1000']);
  expect(notes).toContainEqual(refusedNote('refused rows of reports and payments', 1_002));
  expect(drafts).toEqual([]);
  // Rows of reports hide no payment: of a report that differs, only the payments that cannot be
  // read are told.
  const wrong = chooseReports([report({ totalAmount: 1 })], { asOf: END + 9 * DAY, most: null });
  const [unread, read] = [beginComparison(wrong, []), beginComparison(wrong, refused(1, 2))];
  takePayments(unread, { rows: payments, rejected: refused(1, 2) });
  takePayments(read, { rows: payments, rejected: [] });
  expect(concludeComparison(unread).drafts).toEqual([]);
  expect(concludeComparison(read).drafts).toHaveLength(1);
});

test('no report, no stretch of time', () => {
  expect(spanWanted(beginComparison({ reports: [], notes: [] }, []))).toBeNull();
});
