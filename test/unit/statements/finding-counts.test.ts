// How many findings a statement counts, of the month and from elsewhere, and which of them the
// reader must see first.

import { describe, expect, test } from 'vitest';
import type { AuditReport, Finding, Severity, Verdict } from '../../../src/core/domain/finding.ts';
import {
  explainCounts,
  findingSection,
} from '../../../src/core/statements/reconciliation/finding-section.ts';

const BOUNDS = {
  start: Date.parse('2026-10-01T00:00:00Z'),
  end: Date.parse('2026-11-01T00:00:00Z'),
};
const SEPTEMBER = 1;
const OCTOBER = 2;
const NOVEMBER = 3;
const NOWHERE = null;
const places = {
  sequences: new Map([
    [SEPTEMBER, Date.parse('2026-09-10T08:00:00Z')],
    [OCTOBER, Date.parse('2026-10-10T08:00:00Z')],
    [NOVEMBER, Date.parse('2026-11-10T08:00:00Z')],
  ]),
  operations: new Map(),
};

type Row = readonly [severity: Severity, sequence: number | null, causedBy?: string];

function sectionOf(rows: readonly Row[], verdict: Verdict = 'broken') {
  const findings = rows.map(
    ([severity, sequence, causedBy = null], i): Finding => ({
      fingerprint: `f${i}`,
      kind: 'BALANCE_DRIFT',
      severity,
      status: 'confirmed',
      sequence: sequence === null ? null : String(sequence),
      operationReference: null,
      expected: null,
      actual: null,
      difference: null,
      message: 'The figures differ.',
      figures: {},
      evidence: [],
      causedBy,
      item: null,
      itemParts: [],
      concerned: null,
      currency: 'XOF',
      itemAt: null,
      settledBy: null,
      proposedSettlement: null,
      accepted: null,
      proposal: null,
    }),
  );
  const report = { verdict, findings, notChecked: [] } as unknown as AuditReport;
  return findingSection(report, { places, bounds: BOUNDS, items: new Map() });
}

function explainedOf(...[rows, verdict]: Parameters<typeof sectionOf>): readonly string[] {
  const { section, counts, verdict: judged } = sectionOf(rows, verdict);
  const summary = { findings: counts, verdict: judged };
  return explainCounts({ findings: section, summary }).map(
    ({ when, counts: { total }, isReason }) => `${when} ${total}${isReason ? ' !' : ''}`,
  );
}

describe('the findings of a statement', () => {
  test('are counted by when they lie', () => {
    const { section, counts } = sectionOf([
      ['critical', SEPTEMBER],
      ['error', SEPTEMBER, 'f0'],
      ['warning', OCTOBER],
      ['info', NOWHERE],
    ]);
    expect(section.earlier).toEqual({
      total: 2,
      roots: 1,
      critical: 1,
      error: 0,
      warning: 0,
      info: 0,
    });
    expect(counts).toEqual({ total: 1, roots: 1, critical: 0, error: 0, warning: 1, info: 0 });
    expect(section.standing).toEqual({
      total: 1,
      roots: 1,
      critical: 0,
      error: 0,
      warning: 0,
      info: 1,
    });
    expect(section.earlier.total + counts.total + section.standing.total).toBe(section.count);
  });

  test('are counted beyond the rows that are kept', () => {
    const { section } = sectionOf(Array.from({ length: 700 }, () => ['error', SEPTEMBER] as const));
    expect([section.rows.length, section.earlier.total]).toEqual([500, 700]);
  });
});

describe('what is shown of them', () => {
  test('is the month’s alone where there is nothing else, and nothing where there is none', () => {
    expect(explainedOf([], 'clean')).toEqual([]);
    expect(explainedOf([['critical', OCTOBER]])).toEqual(['month 1']);
  });

  test('begins with earlier ones where it is they that break the books', () => {
    expect(explainedOf([['critical', SEPTEMBER]])).toEqual(['earlier 1 !']);
    expect(
      explainedOf([
        ['warning', OCTOBER],
        ['error', SEPTEMBER],
      ]),
    ).toEqual(['earlier 1 !', 'month 1']);
  });

  test('ends with those without a date, which break no month', () => {
    expect(
      explainedOf([
        ['critical', NOWHERE],
        ['warning', SEPTEMBER],
      ]),
    ).toEqual(['earlier 1', 'standing 1']);
  });

  test('begins with the month’s where one of them breaks the books, or where the books are not broken', () => {
    expect(
      explainedOf([
        ['error', OCTOBER],
        ['critical', SEPTEMBER],
      ]),
    ).toEqual(['month 1', 'earlier 1']);
    expect(explainedOf([['info', SEPTEMBER]], 'clean')).toEqual(['earlier 1']);
  });
});
