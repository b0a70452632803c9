// An operation and its lines, at the edges of what its state makes lawful.

import { describe, expect, test } from 'vitest';
import { EVERY_INTERPRETATION } from '../../../src/core/domain/assumptions.ts';
import type { OperationStatus } from '../../../src/core/domain/operation.ts';
import { caseOf } from '../../../src/core/kernel/checks/judge-operation.ts';
import {
  checkHold,
  checkOpenHold,
  checkReleases,
} from '../../../src/core/kernel/checks/operations/hold.ts';
import type { CheckContext } from '../../../src/core/kernel/checks/port/check.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { tallyFrom, type Written } from '../../support/tally-from.ts';

test('a net credit with a fee line beside it is short of its fee, where both credits are lawful', () => {
  const report = reconcileSample(`
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    line 3 CASHIN_CREDIT 980 1960/0 CI-2
    line 4 CASHIN_CREDIT 980 2940/0 CI-3
    line 5 CASHIN_FEE 20 2920/0 CI-3
    op CI-1 SUCCEEDED 1000 fees=20
    op CI-2 SUCCEEDED 1000 fees=20
    op CI-3 SUCCEEDED 1000 fees=20
    wallet 2920/0`);
  const { findings, due, verdict } = report;
  expect(findings.map(({ kind, sequence, item }) => [kind, sequence, item?.balance])).toEqual([
    ['CREDIT_AMOUNT_MISMATCH', '4', '-20'],
  ]);
  expect([verdict, due?.balance, due?.unexplained.balance]).toEqual(['broken', '2940', '0']);
});

const CONTEXT: CheckContext = {
  standing: EVERY_INTERPRETATION,
  currency: 'XOF',
  profiles: [],
  adjustedAt: null,
  watermark: Number.POSITIVE_INFINITY,
  deadlinesAt: Number.POSITIVE_INFINITY,
  grace: 0,
  clockTolerance: 0,
  latest: Number.POSITIVE_INFINITY,
};

/** Returns the findings of a cash-out of 1000 with fees of 20, by the checks of its hold. */
function foundOfHold(
  status: OperationStatus,
  written: readonly Written[] = [],
  others = 0,
): readonly string[] {
  const tally = tallyFrom(
    { reference: 'GUI-CO-1', status, amount: 1000, fees: 20 },
    written,
    others,
  );
  const subject = caseOf({ ...tally, operation: tally.operation! });
  return [checkHold, checkOpenHold, checkReleases].flatMap((check) =>
    check(subject, CONTEXT).map(({ kind, sequence }) => `${kind} ${sequence}`),
  );
}

const HOLD = ['CASHOUT_HOLD', 1020] as const;
const SETTLED = [HOLD, ['CASHOUT_DEBIT', 1000, -1000]] as const;

describe('a release', () => {
  test('of exactly what is left of the hold is no excess', () => {
    expect(foundOfHold('EXPIRED', [HOLD, ['CASHOUT_RELEASE', 1020]])).toEqual([]);
    expect(
      foundOfHold('EXPIRED', [HOLD, ['CASHOUT_RELEASE', 20], ['CASHOUT_RELEASE', 1000]]),
    ).toEqual([]);
    expect(foundOfHold('SUCCEEDED', [...SETTLED, ['CASHOUT_RELEASE', 20]])).toEqual([]);
  });

  test('of one unit more is', () => {
    expect(
      foundOfHold('EXPIRED', [HOLD, ['CASHOUT_RELEASE', 20], ['CASHOUT_RELEASE', 1001]]),
    ).toEqual(['RELEASE_EXCEEDS_HOLD 3']);
    expect(foundOfHold('SUCCEEDED', [...SETTLED, ['CASHOUT_RELEASE', 21]])).toEqual([
      'RELEASE_EXCEEDS_HOLD 3',
    ]);
  });

  test('of one unit less leaves a hold that is not released', () => {
    expect(foundOfHold('EXPIRED', [HOLD, ['CASHOUT_RELEASE', 1019]])).toEqual([
      'HOLD_NOT_RELEASED null',
    ]);
  });

  test('before the debit may leave just what the debit takes, and no less', () => {
    const released = (amount: number, others: number) =>
      foundOfHold(
        'SUCCEEDED',
        [HOLD, ['CASHOUT_RELEASE', amount], ['CASHOUT_DEBIT', 1000, -999]],
        others,
      );
    expect(released(21, 5000)).toEqual([]);
    expect(released(22, 5000)).toEqual(['RELEASE_EXCEEDS_HOLD 2']);
    // Where no other hold hides it, the reserved amount is below zero, which is a finding.
    expect(released(22, 0)).toEqual([]);
  });
});

describe('a cash-out without a hold', () => {
  test('is lawful while it is created, and where it was cancelled from there', () => {
    expect(foundOfHold('CREATED')).toEqual([]);
    expect(foundOfHold('CANCELLED')).toEqual([]);
  });

  test.each(['PENDING', 'SUCCEEDED', 'FAILED', 'EXPIRED'] as const)('lacks it, %s', (status) => {
    expect(foundOfHold(status)).toEqual(['HOLD_MISSING null']);
  });

  test('lacks it where it was released: it had been submitted', () => {
    expect(foundOfHold('CANCELLED', [['CASHOUT_RELEASE', 1020]])).toEqual([
      'HOLD_MISSING null',
      'RELEASE_WITHOUT_HOLD 1',
    ]);
  });
});
