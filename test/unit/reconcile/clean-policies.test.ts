// Sound books are never accused, whichever lawful way they are kept, because a false alarm does
// more harm than a finding does good. TEST_POLICIES=all judges all 672 policies; otherwise the seed
// draws a sample.

import { describe, expect, test } from 'vitest';
import type { AuditReport } from '../../../src/core/domain/finding.ts';
import { DAY } from '../../../src/core/domain/instant.ts';
import {
  type Books,
  type MerchantPlan,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy, type Policy } from '../../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../../src/sandbox/model/random.ts';
import { reportOnBooks } from '../../support/sandbox-books.ts';
import { simulateBooks } from '../../support/simulate-books.ts';
import { TEST_SEED } from '../../support/test-seed.ts';

const SAMPLE = 60;
const PRICES = [
  { cashinFeeBps: 175, cashinFeeFlat: 0, cashoutFeeBps: 100, cashoutFeeFlat: 50 },
  { cashinFeeBps: 150, cashinFeeFlat: 25, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
  { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
];

const chosen = choosePolicies();

function choosePolicies(): readonly Policy[] {
  if (process.env.TEST_POLICIES === 'all') return LAWFUL_POLICIES;
  const random = seedRandom(`${TEST_SEED}/policies`);
  const left = [...LAWFUL_POLICIES];
  return Array.from(
    { length: SAMPLE },
    () => left.splice(left.indexOf(drawFrom(random, left)), 1)[0]!,
  );
}

function booksUnder(policy: Policy, parts: Partial<MerchantPlan> = {}): Books {
  const i = LAWFUL_POLICIES.indexOf(policy);
  const plan = planMerchant({
    reference: `M${i}`,
    policy,
    pricing: PRICES[i % PRICES.length]!,
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 16,
      reversalRate: 0.1,
      cashoutShare: 0.45,
      adjustmentsPerMonth: 8,
      sequenceGapRate: i % 2 === 0 ? 0 : 0.02,
    },
    ...parts,
  });
  return simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt + 6 * DAY });
}

function alarmsOf(report: AuditReport): readonly string[] {
  return report.findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ message }) => message);
}

describe(`sound books under ${chosen.length} lawful policies (TEST_SEED=${TEST_SEED})`, () => {
  test('give no alarm, explain every unit, and leave the true policy standing', () => {
    for (const policy of chosen) {
      const name = namePolicy(policy);
      const report = reportOnBooks(booksUnder(policy));
      expect(alarmsOf(report), name).toEqual([]);
      expect([report.verdict, report.unexplained], name).toEqual([
        'clean',
        { balance: '0', reserved: '0' },
      ]);
      expect(report.recomputed, name).toEqual(report.recorded);
      const { balance, reserved, available } = report.recorded;
      const unexplained = { balance: '0', reserved: '0' };
      expect(report.due, name).toEqual({ balance, reserved, available, unexplained });
      const items = report.findings.map(({ item }) => item);
      expect(items, name).toEqual(items.map(() => ({ balance: '0', reserved: '0' })));
      for (const [question, snapshot] of Object.entries(policy)) {
        expect(answersOf(report.assumptions[question]), `${name} ${question}`).toContain(snapshot);
      }
    }
  });

  test('a change of price is worth knowing at most, and never an alarm', () => {
    const at = planMerchant({ reference: 'P' }).opensAt + 3 * DAY;
    const pricing = {
      cashinFeeBps: 210,
      cashinFeeFlat: 15,
      cashoutFeeBps: 130,
      cashoutFeeFlat: 25,
    };
    for (const policy of chosen.slice(0, 12)) {
      const report = reportOnBooks(booksUnder(policy, { priceChange: { at, pricing } }));
      expect(alarmsOf(report), namePolicy(policy)).toEqual([]);
      expect(report.verdict).toBe('clean');
      expect(report.findings.some(({ kind }) => kind === 'PRICING_CHANGED')).toBe(true);
    }
  });

  test('books that have only just opened are clean, and so are books with nothing in them over a wallet of 0', () => {
    for (const policy of chosen.slice(0, 12)) {
      const plan = planMerchant({ reference: 'YOUNG', policy });
      const hours = [6, 12, 24, 48].map((hour) =>
        reportOnBooks(
          simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt + (hour / 24) * DAY }),
        ),
      );
      for (const report of hours) {
        expect(alarmsOf(report), namePolicy(policy)).toEqual([]);
        expect(report.verdict).toBe('clean');
      }
      const empty = reportOnBooks(simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt }));
      expect(empty.verdict).toBe('clean');
    }
  });
});

/**
 * Returns the interpretations in an answer. A question may be answered by one interpretation, by
 * several, or (the totals) by one for each figure.
 */
function answersOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  return typeof answer === 'object' && answer !== null ? Object.values(answer).flat() : [answer];
}
