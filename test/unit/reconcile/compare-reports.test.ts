// Of which months it is known how their report stands: a finding about any other is not taken for
// gone.

import { expect, test } from 'vitest';
import { chooseReports } from '../../../src/core/checks/reports/choose-reports.ts';
import { DAY } from '../../../src/core/domain/instant.ts';
import type { ServiceReport } from '../../../src/core/domain/service-report.ts';
import {
  beginComparison,
  concludeComparison,
  takePayments,
} from '../../../src/core/reconcile/published/judged-part.ts';
import { END, payments, report } from '../../support/judged-reports.ts';

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
