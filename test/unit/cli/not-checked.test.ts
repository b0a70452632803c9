// What was not checked, as a person reads it: of one merchant everything, and of thousands what
// they have in common. Also the whole report as programs read it.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../../src/core/domain/finding.ts';
import type { NotChecked } from '../../../src/core/domain/snapshot.ts';
import { auditDocument } from '../../../src/core/kernel/reconcile/audit-document.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { piecesOf, printReports } from '../../../src/service/cli/print/report.ts';

const WHOLE: NotChecked = {
  what: 'reports',
  why: 'none is published',
  code: 'REPORTS_NONE',
  incomplete: false,
};

function bounded(count: number): NotChecked {
  const why = `the fees of ${count} payments were never told`;
  return {
    what: 'balance by link',
    why,
    code: 'BALANCE_BOUNDED',
    figures: { count },
    incomplete: false,
  };
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
  printReports({ out, note: () => {}, colour: false, width: null, progress }, reports, {
    most: 20,
  });
  return (text.split('Not checked\n')[1] ?? '').split('\n').filter((line) => line !== '');
}

test('one merchant has every note', () => {
  const notes = [1, 2, 3, 4, 5].map(bounded);
  expect(saidOf([reportOf('M1', ...notes)])).toEqual(
    notes.map(({ what, why }) => `  · ${what}: ${why}`),
  );
  expect(saidOf([reportOf('M1')])).toEqual([]);
});

test('of many, notes that differ in their figures alone are one, with the range of the figures', () => {
  const reports = Array.from({ length: 2_000 }, (_, i) =>
    reportOf(`M${i}`, bounded(i % 1_500), WHOLE),
  );
  expect(saidOf(reports)).toEqual([
    '  · balance by link: the fees of 0 to 1 499 payments were never told (2000 of 2000 merchants)',
    '  · reports: none is published (2000 of 2000 merchants)',
  ]);
});

test('of many, notes that differ in a name or a date are a few, and how many more there are', () => {
  const since = (day: number) => ({
    ...bounded(12_345),
    why: `12 345 payments since 2026-10-0${day} by L${day}`,
  });
  const reports = [1, 1, 2, 3, 4, 5].map((day, i) => reportOf(`M${i}`, since(day)));
  expect(saidOf(reports)).toEqual([
    '  · balance by link: 12 345 payments since 2026-10-01 by L1 (2 of 6 merchants)',
    '  · balance by link: 12 345 payments since 2026-10-02 by L2 (1 of 6 merchants)',
    '  · balance by link: 12 345 payments since 2026-10-03 by L3 (1 of 6 merchants)',
    '    and 2 more like it; --format json has all',
  ]);
});

test('a report for programs is one JSON text, written in pieces however many findings there are', () => {
  const lines = Array.from(
    { length: 300 },
    (_, i) => `line ${i + 1} CASHIN_CREDIT 1000 ${(i + 1) * 1001}/0 CI-${i + 1}`,
  );
  const broken = reconcileSample(lines.join('\n'));
  expect(broken.findings.length).toBeGreaterThan(300);
  const odd = { ...reportOf('M "1"\n', WHOLE), currency: undefined as never, due: null };
  for (const merchants of [[], [odd], [odd, broken, reportOf('M2')]]) {
    const document = auditDocument({
      engine: 'pointage 0',
      asOf: 0,
      source: 'file:books',
      merchants,
    });
    const pieces = [...piecesOf(document)];
    expect(pieces.join('')).toBe(`${JSON.stringify(document, null, 2)}\n`);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(80_000);
    expect(pieces.length > 3).toBe(merchants.length === 3);
  }
});
