// Payments by link in great numbers: two months of a merchant's payments are looked at, and few
// operations are asked for.

import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import type { Payment, ReceivedClaim } from '../../../src/core/domain/payment.ts';
import { judgeLinks } from '../../../src/core/kernel/checks/links/judge-links.ts';

const START = Date.UTC(2026, 9, 1);
const COUNT = 80_000;

test('so many payments, each notified once and never changed, are judged, and nearly no place is sought', () => {
  const payments = Array.from({ length: COUNT }, (_, i): Payment => {
    const createdAt = START + i * MINUTE;
    const reference = `PAY${i}`;
    return {
      reference,
      amount: 1_000 + i,
      country: 'CI',
      operator: 'wave',
      orderId: `o-${i}`,
      status: 'SUCCESS',
      createdAt,
    };
  });
  const claims = payments.map(({ reference, amount, createdAt }): ReceivedClaim => {
    return {
      reference,
      status: 'SUCCESS',
      amount,
      fees: null,
      createdAt,
      receivedAt: createdAt + HOUR,
    };
  });
  const askedAt = START + 62 * DAY;
  const { drafts, sought } = judgeLinks({
    payments: new Map(payments.map((one) => [one.reference, one])),
    span: { from: START, until: askedAt },
    kept: {
      versions: new Map(
        payments.map((one) => [one.reference, [{ at: askedAt - DAY, value: one }]]),
      ),
      claims,
    },
    isWhole: true,
    undelivered: new Map(),
    askedAt,
    clockTolerance: 300_000,
  });
  expect(drafts).toEqual([]);
  expect(sought.length).toBeLessThan(10);
});
