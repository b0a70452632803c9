// However the service posts commissions, in lines of their own or with the money, a month states
// them alike: collected and disbursed amounts are gross, commissions are what operations were
// charged, and both agree with the operations to the unit.

import { expect, test } from 'vitest';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const POSTINGS = LAWFUL_POLICIES.filter(
  ({ totals, feeRounding }) => totals === 'GROSS' && feeRounding === 'FLOOR',
);

test.each(POSTINGS.map((policy) => [namePolicy(policy), policy] as const))(
  '%s',
  async (_, policy) => {
    const plan = planMerchant({
      reference: 'GROSS',
      policy,
      opensAt: Date.UTC(2026, 9, 1),
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4, reversalRate: 0 },
    });
    const books = decodeBooks(
      simulateBooks(plan, { seed: TEST_SEED, until: Date.UTC(2026, 10, 3) }),
    );
    const report = auditBooks(books);
    expect(report.verdict).toBe('clean');
    const { statement } = await stateBooks(books, { period: '2026-10', report });
    const { reconciliation, summary, commissions } = statement;
    expect(summary.paymentCount).toBeGreaterThan(20);
    expect(reconciliation.collections).toEqual({
      operations: summary.totalAmount,
      lines: summary.totalAmount,
      difference: 0,
    });
    expect([summary.collected, reconciliation.disbursements.difference]).toEqual([
      summary.totalAmount,
      0,
    ]);
    expect(reconciliation.disbursements.lines).toBe(summary.disbursed);
    expect(summary.disbursed).toBeGreaterThan(0);
    const charged = books.operations
      .filter(
        ({ status, completedAt }) => status === 'SUCCEEDED' && completedAt! < statement.period.end,
      )
      .reduce((sum, { fees }) => sum + fees, 0);
    expect([summary.fees, commissions.posted.cashin + commissions.posted.cashout]).toEqual([
      charged,
      charged,
    ]);
  },
);
