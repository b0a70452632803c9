// Findings and reports as a run concludes them, made by hand.

import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';

export function findingOf(fingerprint: string, changes: Partial<Finding> = {}): Finding {
  return {
    fingerprint,
    kind: 'BALANCE_DRIFT',
    severity: 'critical',
    status: 'confirmed',
    sequence: '3',
    operationReference: null,
    expected: '3000',
    actual: '3047',
    difference: '47',
    message: 'The balance rises by 47 more than the line says.',
    figures: {},
    evidence: [{ what: 'line', sequence: '3', reference: null, note: null }],
    causedBy: null,
    item: null,
    itemParts: [],
    concerned: null,
    currency: 'XOF',
    itemAt: null,
    settledBy: null,
    proposedSettlement: null,
    accepted: null,
    proposal: null,
    ...changes,
  };
}

const NO_FIGURES = {
  balance: null,
  reserved: null,
  available: null,
  totalCollected: null,
  totalDisbursed: null,
  totalFees: null,
};

export function reportWith(merchant: string, findings: readonly Finding[]): AuditReport {
  return {
    merchant,
    currency: 'XOF',
    verdict: findings.length === 0 ? 'clean' : 'broken',
    entries: 3,
    operations: 3,
    firstSequence: 1,
    lastSequence: 3,
    recomputed: NO_FIGURES,
    recorded: NO_FIGURES,
    unexplained: { balance: null, reserved: null },
    due: null,
    assumptions: { totals: 'GROSS' },
    notChecked: [],
    findings,
  };
}
