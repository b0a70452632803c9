// Statements of books that are wrong. Whatever was planted, the état de rapprochement adds up and
// names each difference by a confirmed finding of its month, and the recomputed figures are those
// of the audit. TEST_POLICIES=all plants every fault under all of the policies, and not under one
// after another.

import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { ReconciliationSide } from '../../src/core/statements/section-reconciliation.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { plantInTurn } from '../support/in-turn.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

// The books go from 20 September to 8 November: October is whole, and faults lie before, in and
// after it.
const shops = HOLD_RULES.filter((_, i) => i % 3 === 0).map((rule, i) => {
  const random = seedRandom(`${TEST_SEED}/stated policies/${i}`);
  const kept = LAWFUL_POLICIES.filter(
    (policy) =>
      policy.holdSettlement === rule.holdSettlement && policy.holdAmount === rule.holdAmount,
  );
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: drawFrom(random, kept),
    opensAt: Date.UTC(2026, 8, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 7, reversalRate: 0.06 },
  });
  return simulateBooks(plan, { seed: TEST_SEED, until: plan.opensAt + 49 * DAY });
});

function expectAddsUp(side: ReconciliationSide, context: string): void {
  const {
    recordedAtHead,
    crossing,
    recorded,
    carriedForward,
    items,
    others,
    remainder,
    recomputed,
  } = side;
  expect(recordedAtHead, context).toBe(recorded);
  const named = items.reduce((sum, item) => sum + item.amount, 0);
  expect(
    recorded - crossing - carriedForward.amount - named - others.amount - remainder,
    context,
  ).toBe(recomputed);
  expect(remainder, context).toBe(0);
}

function namedBy({ items }: ReconciliationSide): readonly string[] {
  return items.map((item) => item.fingerprint);
}

function expectDrawnUpFrom(
  { summary, reconciliation, findings, circumstances, period }: Statement,
  context: string,
): void {
  for (const side of ['balance', 'reserved'] as const) {
    expectAddsUp(
      reconciliation[side],
      `${context} ${side} ${JSON.stringify(reconciliation[side])}`,
    );
    const known = new Set(findings.rows.map((finding) => finding.fingerprint));
    for (const item of reconciliation[side].items)
      expect(known.has(item.fingerprint), context).toBe(true);
  }
  expect(reconciliation.balance.recomputed, context).toBe(summary.closingBalance);
  const named = new Set(
    (['balance', 'reserved'] as const).flatMap((side) => namedBy(reconciliation[side])),
  );
  const later = findings.rows.filter((row) => row.at !== null && row.at >= period.end);
  expect(
    later.filter((row) => !named.has(row.fingerprint)),
    context,
  ).toEqual([]);
  const { earlier, standing, count } = findings;
  expect(summary.findings.total + earlier.total + standing.total, context).toBe(count);
  const { walletAsRead } = circumstances;
  for (const side of ['balance', 'reserved'] as const) {
    const { wallet, recomputedNow, difference } = walletAsRead![side];
    expect(wallet - recomputedNow, context).toBe(difference);
  }
}

describe(`statements of faulty books (TEST_SEED=${TEST_SEED})`, () => {
  for (const [turn, fault] of FAULTS.entries()) {
    test(`${fault.name}: the état de rapprochement adds up`, async () => {
      const seedOf = () => `${TEST_SEED}/${fault.name}`;
      for (const { sound, planted } of plantInTurn(fault, shops, { turn, seedOf })) {
        const books = decodeBooks(planted.books);
        const report = auditBooks(books);
        const context = `${namePolicy(sound.policy)} ${JSON.stringify(planted.expected)}`;
        const september = await stateBooks(books, { period: '2026-09', report });
        const { statement, lines } = await stateBooks(books, { period: '2026-10', report });
        expectDrawnUpFrom(statement, context);
        const { balance, reserved } = statement.circumstances.walletAsRead!;
        expect(String(balance.recomputedNow), context).toBe(report.recomputed.balance);
        expect(String(reserved.recomputedNow), context).toBe(report.recomputed.reserved);
        expect(statement.summary.openingBalance, context).toBe(
          september.statement.summary.closingBalance,
        );
        expect(lines.at(-1)!.balance, context).toBe(statement.summary.closingBalance);
        for (const entry of lines.flatMap((line) => line.entry ?? [])) {
          expect(
            entry.rows.reduce((sum, row) => sum + row.debit - row.credit, 0),
            context,
          ).toBe(0);
        }
        expectFindingInItsMonth(statement, planted.expected, books.entries, context);
      }
    });
  }
});

/**
 * Checks that the planted root is on October's statement when its line is dated in October, and
 * otherwise only where a difference names it.
 */
function expectFindingInItsMonth(
  { findings, summary, period, reconciliation }: Statement,
  expected: { readonly kind: string; readonly sequence: number | null },
  entries: readonly { readonly sequence: number; readonly createdAt: number }[],
  context: string,
): void {
  const rank = entries.findIndex((entry) => entry.sequence === expected.sequence);
  if (rank < 0) return;
  // A line of an impossible date belongs to the month of its neighbours.
  const line = entries[expected.kind === 'ENTRY_TIME_IMPOSSIBLE' ? Math.max(rank - 1, 0) : rank]!;
  const shown = findings.rows.find(
    (row) => row.kind === expected.kind && row.sequence === expected.sequence,
  );
  const stands = [...namedBy(reconciliation.balance), ...namedBy(reconciliation.reserved)];
  if (line.createdAt >= period.end)
    expect(shown === undefined || stands.includes(shown.fingerprint), context).toBe(true);
  else if (expected.kind !== 'AVAILABLE_NEGATIVE') {
    const when = line.createdAt < period.start ? 'earlier' : 'month';
    expect(shown?.when, context).toBe(when);
    if (when === 'month') expect(summary.findings.total, context).toBeGreaterThan(0);
  }
}
