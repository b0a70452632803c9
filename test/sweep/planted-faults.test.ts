// Every fault that the sandbox can plant is told exactly once, by its kind and at its place, under
// several policies. All else that it brings about is said to follow from it. What is due stays what
// it was, to the unit.

import { describe, expect, test } from 'vitest';
import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  type Books,
  type Expected,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { type NaiveDue, naiveDue } from '../naive/naive-due.ts';
import { ALL_POLICIES, plantInTurn } from '../support/in-turn.ts';
import { interpretationsOf, naiveBooksOf } from '../support/naive-comparison.ts';
import { decodeBooks, reportOnBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/**
 * Shops of as many seeds, each under a policy of its own. A fault is planted in one of them after
 * another. TEST_POLICIES=all takes thirty, and plants every fault in each of them.
 */
const shops: readonly Books[] = Array.from({ length: ALL_POLICIES ? 30 : 4 }, (_, i) => {
  const random = seedRandom(`${TEST_SEED}/fault policies/${i}`);
  const rule = HOLD_RULES[(2 * i) % HOLD_RULES.length]!;
  const kept = LAWFUL_POLICIES.filter(
    (policy) =>
      policy.holdSettlement === rule.holdSettlement && policy.holdAmount === rule.holdAmount,
  );
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: drawFrom(random, kept),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 10, reversalRate: 0.06 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/${i}`, until: plan.opensAt + 32 * DAY });
});

function rootsOf(report: AuditReport, expected: Expected): readonly Finding[] {
  return report.findings.filter(
    ({ causedBy, severity, kind }) =>
      causedBy === null && (severity !== 'info' || kind === expected.kind),
  );
}

describe(`one fault, one root (TEST_SEED=${TEST_SEED})`, () => {
  for (const [turn, fault] of FAULTS.entries()) {
    test(`${fault.name}: ${fault.says}`, { timeout: 60_000 }, () => {
      const seedOf = (index: number) => `${TEST_SEED}/${index}/${fault.name}`;
      const places = plantInTurn(fault, shops, { turn, seedOf });
      for (const { sound, planted } of places) {
        const { expected } = planted;
        const report = reportOnBooks(planted.books);
        const context = `${namePolicy(sound.policy)} ${JSON.stringify(expected)}`;
        const roots = rootsOf(report, expected);
        expect(
          roots.map(({ kind }) => kind),
          context,
        ).toEqual([expected.kind]);
        expectPlace(roots[0]!, expected, context);
        expectVerdict(report, roots[0]!, context);
        expectCausesNamed(report, context);
        expectDue(
          report,
          dueAfter({ name: fault.name, report, planted: planted.books, sound }),
          context,
        );
      }
      if (ALL_POLICIES) expect(places.length, 'places found').toBeGreaterThan(0);
    });
  }
});

function expectPlace(root: Finding, expected: Expected, context: string): void {
  const sequence = expected.sequence === null ? null : String(expected.sequence);
  // The two ways of counting a day may cross the ceiling with different cash-outs: then no place is
  // expected.
  const isAnywhere =
    expected.kind === 'DAILY_CASHOUT_LIMIT_EXCEEDED' && expected.operationReference === null;
  if (!isAnywhere) expect(root.operationReference, context).toBe(expected.operationReference);
  // The sandbox names the end of the operation's group of lines; the report names the line in the
  // group that went too far.
  if (expected.kind === 'AVAILABLE_NEGATIVE')
    expect(Number(sequence) - Number(root.sequence)).toBeLessThanOrEqual(1);
  else expect(root.sequence, context).toBe(sequence);
}

/**
 * Checks the verdict: only a finding that is confirmed and grave breaks the books. A warning leaves
 * them clean, and a row that is not judged makes them incomplete.
 */
function expectVerdict(report: AuditReport, root: Finding, context: string): void {
  expect(root.status, context).toBe('confirmed');
  const isGrave = root.severity === 'critical' || root.severity === 'error';
  if (isGrave) expect(report.verdict, context).toBe('broken');
  else expect(report.verdict, context).not.toBe('broken');
  expect(report.unexplained, context).toEqual({ balance: '0', reserved: '0' });
}

/**
 * Faults after which other money is due: an operation or an adjustment differs, is added, or is
 * gone.
 */
const CHANGES_WHAT_IS_DUE = [
  'ADJUSTMENT_UNEXPLAINED',
  'AVAILABLE_NEGATIVE',
  'BALANCE_NEGATIVE',
  'CREDIT_WITHOUT_SUCCESS/status',
  'DEBIT_WITHOUT_SUCCESS',
  'EVENT_MISSING/adjustment',
  'HOLD_EXCEEDS_AVAILABLE',
  'HOLD_EXCEEDS_AVAILABLE/fees',
  'HOLD_PAST_EXPIRY',
  'OPERATION_UNKNOWN',
  'RELEASE_EXCEEDS_HOLD',
  'RELEASE_EXCEEDS_HOLD/consumed',
  'RELEASE_WITHOUT_HOLD',
  'REVERSAL_MISSING',
];
type DueFigures = Pick<NaiveDue, 'balance' | 'reserved'>;

interface PlantedFault {
  readonly name: string;
  readonly report: AuditReport;
  readonly planted: Books;
  readonly sound: Books;
}

/**
 * Returns what is due after a fault. That is what was due before, unless the fault is about just
 * that.
 */
function dueAfter({ name, report, planted, sound }: PlantedFault): DueFigures {
  if (!CHANGES_WHAT_IS_DUE.includes(name)) return sound.wallet;
  return naiveDue(naiveBooksOf(decodeBooks(planted)), interpretationsOf(report))!;
}

function expectDue(report: AuditReport, { balance, reserved }: DueFigures, context: string): void {
  const unexplained = { balance: '0', reserved: '0' };
  const figures = {
    balance: String(balance),
    reserved: String(reserved),
    available: String(balance - reserved),
  };
  expect(report.due, context).toEqual({ ...figures, unexplained });
  for (const side of ['balance', 'reserved'] as const) {
    const items = report.findings.reduce((sum, { item }) => sum + Number(item?.[side] ?? 0), 0);
    expect(items, context).toBe(Number(report.recorded[side]) - Number(report.due![side]));
  }
  for (const { item, itemParts, causedBy } of report.findings) {
    expect(item === null, context).toBe(causedBy !== null);
    const sum = (side: 'balance' | 'reserved') =>
      String(itemParts.reduce((total, part) => total + Number(part[side]), 0));
    expect({ balance: sum('balance'), reserved: sum('reserved') }, context).toEqual(
      item ?? unexplained,
    );
  }
}

function expectCausesNamed(report: AuditReport, context: string): void {
  const byPrint = new Map(report.findings.map((finding) => [finding.fingerprint, finding]));
  expect(byPrint.size, context).toBe(report.findings.length);
  for (const { causedBy, fingerprint } of report.findings) {
    if (causedBy === null) continue;
    expect(causedBy, context).not.toBe(fingerprint);
    // A cause must be a root itself, so that nobody has to follow a chain.
    expect(byPrint.get(causedBy)?.causedBy, context).toBeNull();
  }
}
