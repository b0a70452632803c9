// The entries that are proposed for a root put it right. Posted to a copy of the books, they leave
// the root settled or gone, and the books clean. Tested for every fault that the sandbox can plant;
// those that no entry puts right are listed with the reason.

import { describe, expect, test } from 'vitest';
import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import type { FindingKind } from '../../src/core/domain/finding-kind.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { KINDS } from '../../src/core/kernel/checks/port/kinds.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { naiveAudit } from '../naive/naive-audit.ts';
import { openOf } from '../naive/naive-corrections.ts';
import { naiveDue, naiveSettled } from '../naive/naive-due.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { CORRECTABLE, RESERVED_CORRECTABLE } from '../support/correcting-lines.ts';
import { ALL_POLICIES, plantInTurn } from '../support/in-turn.ts';
import { interpretationsOf, naiveBooksOf } from '../support/naive-comparison.ts';
import { decodeBooks, reportOnBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/**
 * How many shops there are. A fault is planted in one of them after another. TEST_POLICIES=all
 * takes thirty, and plants every fault in each of them.
 */
const SHOPS = ALL_POLICIES ? 30 : 4;
const shops: readonly Books[] = Array.from({ length: SHOPS }, (_, i) => {
  const random = seedRandom(`${TEST_SEED}/proposals/${i}`);
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
  return simulateBooks(plan, {
    seed: `${TEST_SEED}/proposals/${i}`,
    until: plan.opensAt + 32 * DAY,
  });
});

/**
 * Faults that the document has no entry to put right, each with the reason. Faults that are in
 * neither list move no money that is still where it should not be.
 */
const NO_ENTRY: Readonly<Record<string, string>> = {
  'RESERVED_DRIFT/persistent':
    'reserved for no operation: a release belongs to a cash-out that holds as much',
  OPENING_BALANCE_UNEXPLAINED:
    'nothing explains the money: it is to be justified, by whom is not known',
  UNKNOWN_KIND: 'nothing explains the money: it is to be justified, by whom is not known',
  OPEN_HOLDS_MISMATCH:
    'reserved for no operation: a release belongs to a cash-out that holds as much',
  WALLET_BALANCE_MISMATCH: 'the ledger is right: the wallet itself must be stated anew',
  WALLET_RESERVED_MISMATCH: 'the ledger is right: the wallet itself must be stated anew',
};

/** Faults of which at least one root has money in it and an entry that puts it right. */
const CORRECTED = [...CORRECTABLE, ...RESERVED_CORRECTABLE];

/**
 * Faults for which, under a policy whose debits consume no hold, what they took of the reserved
 * amount was reserved for no operation.
 */
const CONSUMED = ['DEBIT_DUPLICATED/consumed', 'DEBIT_WITHOUT_SUCCESS/consumed'];

const NOTHING = { balance: '0', reserved: '0' };

describe(`what is proposed puts right (TEST_SEED=${TEST_SEED})`, () => {
  for (const [turn, fault] of FAULTS.entries()) {
    test(fault.name, { timeout: 60_000 }, () => {
      const seedOf = (index: number) => `${TEST_SEED}/${index}/${fault.name}`;
      for (const { index, sound, planted } of plantInTurn(fault, shops, { turn, seedOf })) {
        const report = reportOnBooks(planted.books);
        const context = `${namePolicy(sound.policy)} ${index}`;
        const roots = report.findings.filter(({ item }) => item !== null && !isNothing(item));
        const hasEntry =
          CORRECTED.includes(fault.name) &&
          !(CONSUMED.includes(fault.name) && roots.some(isReservedDrift));
        expect(roots.length > 0, context).toBe(
          CORRECTED.includes(fault.name) || fault.name in NO_ENTRY,
        );
        for (const { proposal } of roots) expect(proposal !== null, context).toBe(hasEntry);
        if (hasEntry) expectClean(planted.books, report, context);
        else
          expect(
            report.findings.map(({ proposal }) => proposal).filter((one) => one !== null),
          ).toEqual([]);
      }
    });
  }
});

function isNothing({ balance, reserved }: NonNullable<Finding['item']>): boolean {
  return balance === '0' && reserved === '0';
}

function isReservedDrift({ itemParts }: Finding): boolean {
  return itemParts.some(({ of, reserved }) => of === 'drift' && reserved !== '0');
}

/**
 * Checks that the corrected books are clean. The naive model, which knows no roots, says the same
 * of what is due.
 */
function expectClean(books: Books, report: AuditReport, context: string): void {
  const corrected = applyProposals(books, report);
  const after = reportOnBooks(corrected.books);
  expect([after.verdict, after.due!.unexplained], context).toEqual(['clean', NOTHING]);
  for (const [fingerprint, lines] of corrected.posted) {
    const root = after.findings.find((finding) => finding.fingerprint === fingerprint);
    if (root !== undefined)
      expect(root.settledBy, context).toMatchObject({ by: 'correction', lines });
  }
  const { balance, reserved, available } = after.due!;
  expect([balance, reserved], context).toEqual([after.recorded.balance, after.recorded.reserved]);
  const [naive, standing] = [naiveBooksOf(decodeBooks(corrected.books)), interpretationsOf(after)];
  const open = openOf(naiveAudit(naive, standing), naiveSettled(naive, standing));
  expect(
    open.filter(({ kind }) => KINDS[kind as FindingKind].severity === 'critical'),
    context,
  ).toEqual([]);
  const due = naiveDue(naive, standing);
  if (due === null) return;
  expect(
    { balance: Number(balance), reserved: Number(reserved), available: Number(available) },
    context,
  ).toEqual(due);
}
