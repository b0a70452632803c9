// Which findings a month's statement shows, among those of its books at their cut.

import { expect, test } from 'vitest';
import type { AuditReport, Finding } from '../../../src/core/domain/finding.ts';
import { findingSection } from '../../../src/core/statements/reconciliation/finding-section.ts';

const BOUNDS = {
  start: Date.parse('2026-10-01T00:00:00Z'),
  end: Date.parse('2026-11-01T00:00:00Z'),
};
const places = {
  sequences: new Map([[5, Date.parse('2026-10-10T08:00:00Z')]]),
  operations: new Map(),
};

function finding(fields: Pick<Finding, 'fingerprint' | 'kind' | 'sequence' | 'causedBy'>): Finding {
  return {
    severity: 'critical',
    status: 'confirmed',
    operationReference: null,
    expected: '100',
    actual: '147',
    difference: '47',
    message: 'The figures differ.',
    figures: {},
    evidence: [],
    item: null,
    itemParts: [],
    concerned: null,
    currency: 'XOF',
    itemAt: null,
    settledBy: null,
    proposedSettlement: null,
    accepted: null,
    proposal: null,
    ...fields,
  };
}

const wallet = (causedBy: string | null) =>
  finding({ fingerprint: 'wallet', kind: 'WALLET_BALANCE_MISMATCH', sequence: null, causedBy });
const drift = (sequence: string) =>
  finding({ fingerprint: 'drift', kind: 'BALANCE_DRIFT', sequence, causedBy: null });

function sectionOf(findings: readonly Finding[]) {
  const report = { verdict: 'broken', findings, notChecked: [] } as unknown as AuditReport;
  const { section, verdict } = findingSection(report, {
    places,
    bounds: BOUNDS,
    items: new Map(),
  });
  return { verdict: verdict.state, kinds: section.rows.map(({ kind, when }) => `${kind} ${when}`) };
}

test("the wallet that is off by this month's fault is listed with it", () => {
  const kinds = ['BALANCE_DRIFT month', 'WALLET_BALANCE_MISMATCH standing'];
  expect(sectionOf([drift('5'), wallet('drift')])).toEqual({ verdict: 'broken', kinds });
});
