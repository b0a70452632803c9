// A lost notification is one that its receiver can miss: something was sent before it, and it can
// be no other.

import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import { isLost } from '../../../src/sandbox/faults/losses.ts';
import { type Expected, ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import type { ServedNotification } from '../../../src/sandbox/model/served.ts';
import {
  advanceAccount,
  expectedOf,
  openAccount,
} from '../../../src/sandbox/service/account/account.ts';

const traffic = {
  ...ORDINARY_TRAFFIC,
  operationsPerDay: 60,
  adjustmentsPerMonth: 400,
  failureRate: 0.3,
};
const plan = planMerchant({ reference: 'M1', traffic });
const start = plan.opensAt + 5 * DAY;

/** Returns the notifications of three days that were sent, and those that were lost. */
function live(seed: string, fault: string) {
  const account = openAccount(plan, { seed, start });
  const [sent, lost]: [ServedNotification[], ServedNotification[]] = [[], []];
  account.notifiedSince = start;
  account.losing.add(fault);
  account.simulation.onNotified = (one) => {
    (isLost(account, one) ? lost : sent).push(one);
  };
  advanceAccount(account, start + 3 * DAY);
  return { account, sent, lost };
}

const at = ({ createdAt }: { readonly createdAt: string }): number => Date.parse(createdAt);
const SEEDS = Array.from({ length: 12 }, (_, i) => `losses ${i}`);

test.each(SEEDS)(
  'an adjustment is lost once one was notified, where no other is near (%s)',
  (seed) => {
    const { account, sent, lost } = live(seed, 'EVENT_MISSING/adjustment');
    expect(lost.map(({ type }) => type)).toEqual(['wallet.adjusted']);
    const adjusted = sent.filter(({ type }) => type === 'wallet.adjusted').map(at);
    expect(Math.min(...adjusted)).toBeLessThan(at(lost[0]!) - HOUR);
    expect(adjusted.filter((other) => Math.abs(other - at(lost[0]!)) <= HOUR)).toEqual([]);
    const [{ sequence, ...rest }] = expectedOf(account) as [Expected];
    expect(rest).toEqual({ kind: 'EVENT_MISSING', operationReference: null });
    const line = account.simulation.entries.find((one) => one.sequence === sequence)!;
    expect(line.kind).toMatch(/^ADJUSTMENT_/);
    expect(Math.abs(at(line) - at(lost[0]!))).toBeLessThan(MINUTE);
  },
);

test.each(SEEDS)('the end of an operation is lost once something was notified (%s)', (seed) => {
  const { account, sent, lost } = live(seed, 'EVENT_MISSING');
  expect(lost).toHaveLength(1);
  expect(Math.min(...sent.map(at))).toBeLessThan(at(lost[0]!) - HOUR);
  const { reference } = lost[0]!.data.operation!;
  expect(expectedOf(account)).toEqual([
    { kind: 'EVENT_MISSING', sequence: null, operationReference: reference },
  ]);
});
