// What was not checked, as a person reads it: everything of one merchant, and of thousands what they have in common.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../../src/core/domain/finding.ts';
import type { NotChecked } from '../../../src/core/domain/snapshot.ts';
import { printReports } from '../../../src/service/cli/print/report.ts';

const WHOLE: NotChecked = { what: 'reports', why: 'none is published', code: 'REPORTS_NONE', incomplete: false };

function bounded(count: number): NotChecked {
  const why = `the fees of ${count} payments were never told`;
  return { what: 'balance by link', why, code: 'BALANCE_BOUNDED', figures: { count }, incomplete: false };
}

function reportOf(merchant: string, ...notChecked: readonly NotChecked[]): AuditReport {
  const totals = { totalCollected: '0', totalDisbursed: '0', totalFees: '0' };
  const figures = { balance: '0', reserved: '0', available: '0', ...totals };
  return {
    merchant,
    currency: 'XOF',
    verdict: 'clean',
    entries: 0,
    operations: 0,
    firstSequence: null,
    lastSequence: null,
    recomputed: figures,
    recorded: figures,
    unexplained: { balance: '0', reserved: '0' },
    due: null,
    assumptions: {},
    notChecked,
    findings: [],
  };
}

function saidOf(reports: readonly AuditReport[]): readonly string[] {
  let text = '';
  const progress = () => ({ update: () => {}, stop: () => {} });
  const out = (part: string) => {
    text += part;
  };
  printReports({ out, note: () => {}, colour: false, width: null, progress }, reports, { most: 20 });
  return (text.split('Not checked\n')[1] ?? '').split('\n').filter((line) => line !== '');
}

test('of one merchant every note is said', () => {
  const notes = [1, 2, 3, 4, 5].map(bounded);
  expect(saidOf([reportOf('M1', ...notes)])).toEqual(notes.map(({ what, why }) => `  · ${what}: ${why}`));
  expect(saidOf([reportOf('M1')])).toEqual([]);
});

test('of many, notes that differ in their figures alone are one, with the range of the figures', () => {
  const reports = Array.from({ length: 2_000 }, (_, i) => reportOf(`M${i}`, bounded(i % 1_500), WHOLE));
  expect(saidOf(reports)).toEqual([
    '  · balance by link: the fees of 0 to 1 499 payments were never told (2000 of 2000 merchants)',
    '  · reports: none is published (2000 of 2000 merchants)',
  ]);
});

test('of many, notes that differ in a name or a date are a few, and how many more there are', () => {
  const since = (day: number) => ({ ...bounded(12_345), why: `12 345 payments since 2026-10-0${day} by L${day}` });
  const reports = [1, 1, 2, 3, 4, 5].map((day, i) => reportOf(`M${i}`, since(day)));
  expect(saidOf(reports)).toEqual([
    '  · balance by link: 12 345 payments since 2026-10-01 by L1 (2 of 6 merchants)',
    '  · balance by link: 12 345 payments since 2026-10-02 by L2 (1 of 6 merchants)',
    '  · balance by link: 12 345 payments since 2026-10-03 by L3 (1 of 6 merchants)',
    '    and 2 more like it; --format json has all',
  ]);
});
