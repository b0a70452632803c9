// The payment service's report beside the statement: which of several counts, when nothing is
// compared, and what is no difference.

import { describe, expect, test } from 'vitest';
import type { ServiceReport, Summary } from '../../../src/core/domain/service-report.ts';
import { compareWithService } from '../../../src/core/statements/service/service-comparison.ts';
import { sampleDocument } from '../../support/sample-statement.ts';

const { summary: ours } = sampleDocument({ lines: 40 }).statement;
const own = ours as unknown as Summary;

function report(summary: Summary | null, change: Partial<ServiceReport> = {}): ServiceReport {
  return {
    id: 'r',
    period: '2026-10',
    periodLabel: null,
    periodStart: null,
    periodEnd: null,
    status: 'READY',
    filename: null,
    fileUrl: null,
    fileSize: null,
    summary,
    error: null,
    generatedAt: 1,
    ...change,
  };
}

const compare = (...reports: ServiceReport[]) => compareWithService(reports, ours);

describe('a report of the service', () => {
  test('that is our own agrees in every figure', () => {
    const { notCompared, compared, differences } = compare(report(own));
    expect([notCompared, differences]).toEqual([null, []]);
    expect(compared).toBeGreaterThan(40);
  });

  test('is not compared unless it says that it counts wallet operations, also when its figures are equal', () => {
    const { population: _, ...unsaid } = own;
    for (const population of ['PAYMENTS', 'wallet_operations', null]) {
      expect(compare(report({ ...own, population })).notCompared).toContain('payments by link');
    }
    expect(compare(report(unsaid))).toMatchObject({
      compared: 0,
      notCompared: expect.stringContaining('by link'),
    });
  });

  test('counts when it is the newest that is READY', () => {
    const off = { ...own, totalAmount: ours.totalAmount + 1 };
    const older = report(off, { generatedAt: 1 });
    const failed = report(null, { status: 'FAILED', error: 'disk', generatedAt: 9 });
    expect(compare(older, report(own, { generatedAt: 5 }), failed).differences).toEqual([]);
    expect(compare(report(own), report(off, { generatedAt: 5 })).differences).toEqual([
      { key: 'totalAmount', service: String(ours.totalAmount + 1), ours: String(ours.totalAmount) },
    ]);
    expect(compare(failed).notCompared).toBe('its generation FAILED: disk');
  });

  test('may leave a figure out, but not a member of a breakdown that it gives', () => {
    const { byDay: _, totalFees: __, ...less } = own;
    expect(compare(report(less)).differences).toEqual([]);
    const [gone, ...others] = ours.byOperator;
    const { differences } = compare(
      report({ ...own, byOperator: others.map((row) => ({ ...row })) }),
    );
    expect(differences).toContainEqual({
      key: `byOperator.${gone!.operator}.amount`,
      service: null,
      ours: String(gone!.amount),
    });
  });

  test('may name states in its own way', () => {
    const { OPEN, SUCCEEDED, ...others } = ours.byStatus;
    const byStatus = { ...others, PENDING: OPEN + 3, SUCCEEDED: SUCCEEDED + 1 };
    expect(compare(report({ ...own, byStatus })).differences.map(({ key }) => key)).toEqual([
      'byStatus.SUCCEEDED',
    ]);
  });

  test('that shares no figure with the statement does not agree with it', () => {
    const nothing = {
      population: 'WALLET_OPERATIONS',
      revision: 1,
      chainHead: ours.chainHead,
      byStatus: { DONE: 1 },
    };
    expect(compare(report(nothing)).notCompared).toContain('none of the figures');
  });
});
