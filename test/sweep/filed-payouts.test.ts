// Payments by link and payouts in files, as the sandbox writes them. Sound ones of every choice
// show nothing, also long after they were copied.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { COMPLIANCE_STATUSES } from '../../src/core/domain/published/payout.ts';
import { type MerchantPlan, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { auditFiled, kindsIn } from '../support/filed-dashboard.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

type Dashboard = MerchantPlan['dashboard'];

const FEW = { ...ORDINARY_TRAFFIC, operationsPerDay: 1, adjustmentsPerMonth: 0, paymentsPerDay: 8 };
const SETTLEMENTS: readonly Dashboard['settlement'][] = [
  { mode: 'MANUAL', time: null, timezone: 'UTC' },
  { mode: 'T0', time: '00:10', timezone: 'Africa/Douala' },
  { mode: 'T0', time: '23:50', timezone: 'UTC' },
  { mode: 'T1', time: '05:30', timezone: 'Africa/Abidjan' },
];
const ACCOUNTS: readonly Dashboard['payoutAccounts'][] = [
  [],
  ['MOBILE_MONEY'],
  ['BANK', 'MOBILE_MONEY'],
];
const COMPLIANCE = [null, ...COMPLIANCE_STATUSES];
/** The ways to be paid out. A payout that happens by itself needs a primary account. */
const PAID_OUT = SETTLEMENTS.flatMap((settlement) =>
  ACCOUNTS.filter(({ length }) => settlement.mode === 'MANUAL' || length > 0).map(
    (payoutAccounts) => ({
      settlement,
      payoutAccounts,
    }),
  ),
);
/**
 * Each way to be paid out with two states of compliance, in turn. TEST_POLICIES=all takes all of
 * them.
 */
const CHOICES = PAID_OUT.flatMap((paidOut, turn) =>
  COMPLIANCE.filter((_, i) => ALL_POLICIES || (turn + i) % 2 === 0).map(
    (compliance): Dashboard => ({ ...paidOut, compliance }),
  ),
);

function booksOf(dashboard: Dashboard, at: number) {
  const country = (['CI', 'BF', 'ML', 'CM'] as const)[at % 4]!;
  const plan = planMerchant({ reference: `SAIN_${at}`, country, dashboard, traffic: FEW });
  return simulateBooks(plan, {
    seed: `${TEST_SEED}/${at}`,
    until: plan.opensAt + 45 * DAY + at * 7 * HOUR,
  });
}

describe(`sound payments and payouts of ${CHOICES.length} choices (TEST_SEED=${TEST_SEED})`, () => {
  test('show nothing as of the moment at which they were copied', async () => {
    for (const [at, choice] of CHOICES.entries()) {
      const books = booksOf(choice, at);
      const report = await auditFiled(books);
      expect(kindsIn(report), JSON.stringify(choice)).toEqual([]);
      expect(report.notChecked.map(({ what, code }) => `${what} ${code}`)).toEqual([
        'history FILES_WITHOUT_HISTORY',
        'balance by link BALANCE_BOUNDED',
      ]);
    }
  });

  test('show no payouts that are wrong a month and a year later', async () => {
    for (const [at, choice] of CHOICES.entries()) {
      if (at % 3 !== 0) continue;
      const books = booksOf(choice, at);
      for (const days of [1, 17, 40, 400]) {
        const report = await auditFiled(books, books.asOf + days * DAY);
        const late = kindsIn(report).filter((kind) => !/OVERDUE|EXPIRY/.test(kind));
        expect(late, `${days} days after ${JSON.stringify(choice)}`).toEqual([]);
      }
    }
  });
});
