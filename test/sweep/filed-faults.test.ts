// Every fault in payments by link and payouts that one look shows is one root in files that the
// sandbox wrote, at its place, and nothing else is found.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { DASHBOARD_FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  ORDINARY_DASHBOARD,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../src/sandbox/model/plan.ts';
import { openAccount } from '../../src/sandbox/service/account/account.ts';
import { booksOf, plantAny } from '../../src/sandbox/simulation/simulate.ts';
import { auditFiled, rootsIn } from '../support/filed-dashboard.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const SEEDS = 6;
/**
 * In the books of how many seeds each fault is planted; TEST_POLICIES=all: of all. Each fault
 * begins with another seed.
 */
const PLACES = ALL_POLICIES ? SEEDS : 3;
const FEW = { ...ORDINARY_TRAFFIC, operationsPerDay: 1, adjustmentsPerMonth: 0, paymentsPerDay: 8 };
const COMPLIANCE = ['APPROVED', null, 'REJECTED'] as const;

function accountOf(number: number) {
  const plan = planMerchant({
    reference: `FAUTE_${number}`,
    country: (['CI', 'ML', 'CM'] as const)[number % 3]!,
    dashboard: { ...ORDINARY_DASHBOARD, compliance: COMPLIANCE[number % 3]! },
    traffic: FEW,
  });
  return openAccount(plan, {
    seed: `${TEST_SEED}/${number}`,
    start: plan.opensAt + 40 * DAY + number * 29 * HOUR,
  });
}

describe(`one look at files (TEST_SEED=${TEST_SEED})`, () => {
  const shown = DASHBOARD_FAULTS.filter(({ shows }) => shows === 'AT_ONCE');
  test.each(shown.map((fault, turn) => [fault.name, fault.says, { fault, turn }] as const))(
    '%s is one root in files: %s',
    async (name, _, { fault, turn }) => {
      let places = 0;
      for (let i = 0; i < SEEDS && places < PLACES; i += 1) {
        const number = (turn + i) % SEEDS;
        const account = accountOf(number);
        try {
          plantAny(account, fault);
        } catch (failure) {
          if (failure instanceof RangeError) continue;
          throw failure;
        }
        places += 1;
        const report = await auditFiled(booksOf(account.simulation));
        expect(rootsIn(report), `${name} ${number}`).toEqual(
          account.planted.map(({ kind, about }) => [kind, about]),
        );
      }
      expect(places).toBeGreaterThanOrEqual(3);
    },
  );
});
