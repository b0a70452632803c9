// Which of a month's published reports is compared with its payments, and why none is.

import { expect, test } from 'vitest';
import { DAY } from '../../../src/core/domain/instant.ts';
import type { ServiceReport } from '../../../src/core/domain/service-report.ts';
import {
  chooseReports,
  compareSummaries,
  newestReady,
} from '../../../src/core/kernel/checks/reports/choose-reports.ts';
import { END, judge, report } from '../../support/judged-reports.ts';

const TOTAL = { totalAmount: 1_300 };
const made = (id: string, generatedAt: number | null, change: Partial<ServiceReport> = {}) =>
  report(TOTAL, { id, generatedAt, ...change });
const chosen = (reports: readonly ServiceReport[], asOf = END + 9 * DAY, most = null) => {
  const { reports: some, notes } = chooseReports(reports, { asOf, most });
  return [...some.map(({ id }) => id), ...notes.map(({ code }) => code)];
};

test('a report that was never generated is older than any other', () => {
  expect(newestReady([made('a', null), made('b', 0)])!.id).toBe('b');
  expect(newestReady([made('a', -1), made('b', null)])!.id).toBe('a');
  expect(newestReady([made('a', null), made('b', null)])!.id).toBe('a');
});

test('of two made at one instant the first is compared, and a difference is noted', () => {
  const at = END + DAY;
  expect(chosen([made('a', at), made('b', at)])).toEqual(['a']);
  expect(chosen([made('a', at), made('b', at + 1)])).toEqual(['b']);
  const other = (summary: ServiceReport['summary']) => made('b', at, { summary });
  const contradicted = ['a', 'REPORT_CONTRADICTED'];
  expect(chosen([made('a', at), other({ totalAmount: 1 })])).toEqual(contradicted);
  expect(chosen([made('a', at), other(null)])).toEqual(contradicted);
  expect(chosen([made('a', at), other({ ...TOTAL, pages: 1 })])).toEqual(contradicted);
  expect(chosen([made('a', at), other({ totalAmount: '1300.00' })])).toEqual(['a']);
  // One that differs in a figure and has one more, and lacks one that the other has.
  expect(chosen([made('a', at), other({ pages: 1 })])).toEqual(contradicted);
});

test('a report counts once its month has ended and it was made', () => {
  expect(chosen([made('a', END)], END)).toEqual(['a']);
  expect(chosen([made('a', END - 1)], END - 1)).toEqual(['REPORT_MONTH_OPEN']);
  expect(chosen([made('a', END + 1)], END)).toEqual(['REPORT_LATER']);
});

test('the reason of a report that failed is shown in 200 characters', () => {
  const failed = (error: string | null) =>
    chooseReports([made('a', null, { status: 'FAILED', error })], { asOf: END, most: null }).notes;
  expect(failed('x'.repeat(300))).toMatchObject([
    { code: 'REPORT_FAILED', figures: { reason: 'x'.repeat(200) } },
  ]);
  expect(failed(null)).toMatchObject([{ why: 'its generation FAILED', figures: { reason: null } }]);
});

test('older months than are wanted are counted in a note', () => {
  const of = (...periods: readonly string[]) =>
    chooseReports(
      periods.map((period) => made(period, null, { status: 'PENDING', period })),
      { asOf: END, most: 1 },
    ).notes;
  const waiting = { why: 'it is not generated yet (PENDING)' };
  expect(of('2026-10')).toMatchObject([waiting]);
  expect(of('2026-10', '2026-09')).toMatchObject([
    waiting,
    { why: '1 older month is not compared again' },
  ]);
  expect(of('2026-08', '2026-10', '2026-09')).toMatchObject([
    waiting,
    { why: '2 older months are not compared again' },
  ]);
});

test('a member that one summary leaves out counts as nothing, and is compared', () => {
  const by = (...operators: readonly string[]) => ({
    byOperator: operators.map((operator) => ({ operator, amount: 5 })),
  });
  const more = compareSummaries(by('wave', 'mtn'), by('wave'));
  expect(more).toMatchObject({
    compared: 2,
    differences: [{ key: 'byOperator.mtn.amount', service: '5', ours: null, difference: '5' }],
    onlyInService: [],
  });
  const less = compareSummaries(by('wave'), by('wave', 'mtn'));
  expect(less.differences).toMatchObject([{ service: null, ours: '5', difference: '-5' }]);
});

test('names of figures are cut to what can be shown', () => {
  const name = 'n'.repeat(200);
  const { note } = judge({ totalAmount: 1_300, [name]: 1 });
  expect(note!.why).toContain(`: ${'n'.repeat(120)};`);
  expect(note!.why).not.toContain('n'.repeat(121));
  const byOperator = [{ operator: name, amount: 7 }];
  const { draft } = judge({ byOperator });
  expect(String(draft!.figures.name).length).toBeLessThanOrEqual(80);
});
