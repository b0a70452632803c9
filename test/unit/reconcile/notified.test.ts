// What many notifications lead to: a finding for each operation that lacks one while these are few,
// one finding for all when they are many, and never more than a bound.

import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import { DELIVERY_WINDOW, type Notification } from '../../../src/core/domain/notification.ts';
import {
  mayBecome,
  OPERATION_STATUSES,
  type Operation,
} from '../../../src/core/domain/operation.ts';
import type {
  DeliveryList,
  FailedDelivery,
} from '../../../src/core/domain/published/failed-delivery.ts';
import { seenOf, viewOf } from '../../../src/core/domain/snapshot.ts';
import { draftsOf } from '../../../src/core/kernel/reconcile/notifications/describe-notified.ts';
import {
  beginJudging,
  finishJudging,
  hashedBy,
  type Judging,
  takeDoubtful,
  takeNotifications,
  takeOperations,
  takeUnnotified,
} from '../../../src/core/kernel/reconcile/notifications/judge-notifications.ts';
import type { Notified } from '../../../src/core/kernel/reconcile/notifications/notified.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';

const START = Date.UTC(2026, 9, 1);
const LATE = START + 100 * DELIVERY_WINDOW;

function operationAt(number: number): Operation {
  const at = START + number * 1_000;
  const reference = `GUI-CI-${String(number).padStart(6, '0')}`;
  const money = {
    amount: 100,
    fees: 0,
    netAmount: 100,
    currency: 'XOF',
    country: 'CI',
    operator: 'WAVE',
  };
  const nothing = {
    externalReference: null,
    payerActionUrl: null,
    requiresPayerAction: false,
    failureCode: null,
  };
  const times = { createdAt: at, updatedAt: at, completedAt: at, expiresAt: null };
  return { reference, type: 'CASHIN', status: 'SUCCEEDED', ...money, ...nothing, ...times };
}

const SETTINGS = {
  watermark: LATE,
  clockTolerance: MINUTE,
  notifiedFrom: START,
  holdsOperations: true,
};

function judge(operations: readonly Operation[], notifications: readonly Notification[]): Judging {
  const judging = beginJudging(SETTINGS, hashOf);
  const versions = {
    rows: operations.map((operation) => ({ operation, previous: null })),
    rejected: [],
  };
  takeOperations(judging, viewOf(versions));
  takeNotifications(
    judging,
    seenOf(
      notifications.map((notification) =>
        hashedBy(hashOf, { notification, content: notification.id }),
      ),
    ),
  );
  takeDoubtful(judging, operations);
  takeUnnotified(judging, viewOf(versions));
  return judging;
}

function unnotifiedOf(count: number, order: 'ascending' | 'descending' = 'ascending'): Notified {
  const operations = Array.from({ length: count }, (_, i) => operationAt(i));
  return finishJudging(judge(order === 'ascending' ? operations : operations.reverse(), []));
}

const NOTHING_ELSE = {
  fees: null,
  netAmount: null,
  currency: null,
  externalReference: null,
  failureCode: null,
};
const judged = { watermark: LATE, grace: 0, unread: [], profiles: [], undelivered: null };

describe('operations that no notification tells', () => {
  test('are named one by one up to a hundred, and by one finding at the first beyond', () => {
    expect(draftsOf(unnotifiedOf(100), judged)).toHaveLength(100);
    const [only, ...others] = draftsOf(unnotifiedOf(101), judged);
    expect(others).toEqual([]);
    expect(only!.operationReference).toBe('GUI-CI-000000');
    const since = expect.stringMatching(/^2026-10-01/);
    const first = { reference: 'GUI-CI-000000', status: 'SUCCEEDED', since };
    expect(only!.figures).toEqual({
      of: 'many',
      ...first,
      count: 101,
      isMore: false,
      undelivered: null,
    });
  });

  test('are kept up to a bound, the first of them whatever the order they came in', () => {
    for (const order of ['ascending', 'descending'] as const) {
      const notified = unnotifiedOf(25_000, order);
      expect([notified.unnotified.size, notified.hasMoreUnnotified]).toEqual([10_000, true]);
      const [only] = draftsOf(notified, judged);
      expect(only!.operationReference).toBe('GUI-CI-000000');
      expect(only!.figures).toMatchObject({ of: 'many', count: 10_000, isMore: true });
    }
  });

  test('are not missing before the last attempt to deliver is over, and the grace after it', () => {
    const due = START + DELIVERY_WINDOW;
    expect(DELIVERY_WINDOW).toBeGreaterThan(31 * HOUR + 22 * MINUTE + 29_000);
    for (const grace of [0, HOUR]) {
      expect(
        draftsOf(unnotifiedOf(1), {
          watermark: due + grace,
          grace,
          unread: [],
          profiles: [],
          undelivered: null,
        }),
      ).toEqual([]);
      expect(
        draftsOf(unnotifiedOf(1), {
          watermark: due + grace + 1,
          grace,
          unread: [],
          profiles: [],
          undelivered: null,
        }),
      ).toHaveLength(1);
    }
  });
});

describe('the service’s list gives the reason of a missing notification', () => {
  const nothing = {
    outcome: null,
    amount: null,
    attempts: null,
    lastStatus: null,
    nextRetryAt: null,
    createdAt: null,
  };
  const listed = (change: Partial<FailedDelivery>): FailedDelivery => ({
    ...{ id: 'delivery', status: 'ABANDONED', reference: 'GUI-CI-000000', ...nothing },
    ...change,
  });
  const whole = { rejected: [], isWhole: true, absent: null };
  const missing = (count: number, list: DeliveryList) =>
    draftsOf(unnotifiedOf(count), { ...judged, undelivered: list })[0]!;

  test('with its state, its attempts and its id: of several the newest, and of no other state or operation', () => {
    const deliveries = [
      listed({ id: 'old', createdAt: 1, attempts: 8 }),
      listed({ id: 'new', createdAt: 2, attempts: 1, lastStatus: 404, outcome: 'SUCCEEDED' }),
      listed({ id: 'waiting', createdAt: 3, outcome: 'AWAITING_PAYER' }),
      listed({ id: 'other', createdAt: 4, reference: 'GUI-CI-000009' }),
      listed({ id: 'ping', createdAt: 5, reference: null }),
    ];
    const { figures, evidence } = missing(1, { ...whole, deliveries });
    expect(figures).toMatchObject({
      listed: 'ABANDONED',
      attempts: 1,
      lastStatus: 404,
      nextRetryAt: null,
    });
    expect(evidence.map(({ what, reference }) => [what, reference])).toEqual([
      ['operation', 'GUI-CI-000000'],
      ['notification', 'new'],
    ]);
  });

  test('as none only where the list was read whole; and as a number where one finding speaks for many', () => {
    const none = { ...whole, deliveries: [listed({ reference: 'GUI-CI-000009' })] };
    expect(missing(1, none).figures).toMatchObject({ listed: 'NONE', attempts: null });
    expect(missing(1, { ...none, isWhole: false }).figures).toMatchObject({ listed: null });
    expect(missing(101, none).figures).toMatchObject({ of: 'many', undelivered: 1 });
  });
});

test('a state may become another unless it is final, but for SUCCEEDED and REVERSED', () => {
  const lawful = OPERATION_STATUSES.flatMap((from) =>
    OPERATION_STATUSES.filter((to) => from !== to && mayBecome(from, to)).map(
      (to) => `${from} ${to}`,
    ),
  );
  const open = lawful.filter((pair) => /^(CREATED|PENDING|AWAITING_PAYER) /.test(pair));
  expect(lawful.filter((pair) => !open.includes(pair))).toEqual(['SUCCEEDED REVERSED']);
  expect(open).toHaveLength(21);
});

test('of many notifications that contradict one operation the oldest are in one finding', () => {
  const operation = operationAt(0);
  const { reference } = operation;
  const shout = (number: number) => {
    const createdAt = START + number * MINUTE;
    const carried = {
      reference,
      type: 'CASHIN',
      status: 'FAILED',
      amount: 100,
      ...NOTHING_ELSE,
      createdAt: null,
      updatedAt: null,
    } as const;
    const id = `evt_${number}`;
    return { id, type: 'cashin.failed', createdAt, at: createdAt, operation: carried };
  };
  const tell = (numbers: readonly number[]): Notified =>
    finishJudging(judge([operation], numbers.map(shout)));
  const numbers = Array.from({ length: 50 }, (_, i) => i);
  const [missing, contradicts, ...others] = draftsOf(tell(numbers), judged);
  expect([missing!.kind, contradicts!.kind, others]).toEqual([
    'EVENT_MISSING',
    'EVENT_CONTRADICTS_OPERATION',
    [],
  ]);
  const named = contradicts!.evidence
    .filter(({ what }) => what === 'notification')
    .map((one) => one.reference);
  expect(named).toEqual(['evt_0', 'evt_1', 'evt_2', 'evt_3', 'evt_4']);
  expect(draftsOf(tell(numbers.toReversed()), judged)).toEqual([missing, contradicts]);
});
