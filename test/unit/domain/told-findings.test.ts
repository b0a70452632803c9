// Which findings are announced: confirmed roots that are new or back and severe enough, worst
// first, at most twenty.

import { expect, test } from 'vitest';
import { chooseReported } from '../../../src/core/domain/delivery/reported-findings.ts';
import type { AuditReport, Finding } from '../../../src/core/domain/finding.ts';

function finding(fingerprint: string, changes: Partial<Finding> = {}): Finding {
  const place = {
    sequence: '1',
    operationReference: null,
    expected: null,
    actual: null,
    difference: null,
  };
  const said = { kind: 'BALANCE_DRIFT', severity: 'critical', status: 'confirmed' } as const;
  const message = `about ${fingerprint}`;
  return {
    fingerprint,
    ...said,
    ...place,
    message,
    figures: {},
    evidence: [],
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

const reportOf = (...findings: readonly Finding[]) =>
  ({ merchant: 'M1', findings }) as unknown as AuditReport;
const toldOf = (
  report: AuditReport,
  news: readonly string[],
  least: Finding['severity'] = 'error',
) =>
  chooseReported(report, { news, least })?.findings.map(({ fingerprint }) => fingerprint) ?? null;

test('tells a confirmed root that is new, with what a reader needs and no more', () => {
  const { findings, more } = chooseReported(reportOf(finding('a')), {
    news: ['a'],
    least: 'error',
  })!;
  expect(findings).toEqual([
    {
      fingerprint: 'a',
      kind: 'BALANCE_DRIFT',
      severity: 'critical',
      message: 'about a',
      figures: {},
    },
  ]);
  expect(more).toBe(0);
});

test.each([
  ['known since another run', finding('b')],
  ['provisional', finding('a', { status: 'provisional' })],
  ['the consequence of another', finding('a', { causedBy: 'root' })],
  ['not bad enough', finding('a', { severity: 'warning' })],
])('is silent about one that is %s', (_, one) => {
  expect(toldOf(reportOf(one), ['a'])).toBeNull();
});

test('tells what is as bad as the least severity, worst first, in the order of the report', () => {
  const report = reportOf(
    finding('w', { severity: 'warning' }),
    finding('c1'),
    finding('e', { severity: 'error' }),
    finding('c2'),
  );
  expect(toldOf(report, ['w', 'c1', 'e', 'c2'])).toEqual(['c1', 'c2', 'e']);
  expect(toldOf(report, ['w', 'c1', 'e', 'c2'], 'info')).toEqual(['c1', 'c2', 'e', 'w']);
});

test('tells twenty at most, and how many more there are', () => {
  const many = Array.from({ length: 23 }, (_, i) => finding(`f${i}`));
  const { findings, more } = chooseReported(reportOf(...many), {
    news: many.map((one) => one.fingerprint),
    least: 'info',
  })!;
  expect([findings.length, more]).toEqual([20, 3]);
});
