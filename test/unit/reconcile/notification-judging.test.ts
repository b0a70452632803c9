// Which notifications are compared with the operation itself, and which with a few numbers of it.
// What is said of a notification must not depend on that.

import { describe, expect, test } from 'vitest';
import { MINUTE } from '../../../src/core/domain/instant.ts';
import type {
  HashedNotification,
  Notification,
  NotifiedOperation,
} from '../../../src/core/domain/notification.ts';
import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
} from '../../../src/core/domain/operation.ts';
import {
  type Batch,
  type OperationVersion,
  seenOf,
  viewOf,
} from '../../../src/core/domain/snapshot.ts';
import { judgeNotification } from '../../../src/core/kernel/checks/notifications/judge-notification.ts';
import {
  beginJudging,
  doubtfulReferences,
  finishJudging,
  hashedBy,
  judgeNotifications,
  takeDoubtful,
  takeNotifications,
  takeOperations,
} from '../../../src/core/kernel/reconcile/notifications/judge-notifications.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';
import { drawFrom, drawInteger, seedRandom } from '../../../src/sandbox/model/random.ts';
import { driveSteps } from '../../../src/service/workflows/drive-session.ts';
import { runsOf } from '../../support/assert-property.ts';
import { TEST_SEED } from '../../support/test-seed.ts';

const START = Date.UTC(2026, 9, 1);
const TYPES = [
  'cashin.awaiting_payer',
  'cashin.succeeded',
  'cashin.failed',
  'cashout.failed',
  'operation.reversed',
];
const SETTINGS = {
  watermark: START + 1_000,
  clockTolerance: 5,
  notifiedFrom: START,
  holdsOperations: true,
};

function operationOf(reference: string, change: Partial<Operation> = {}): Operation {
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
  const times = { createdAt: START, updatedAt: START, completedAt: START, expiresAt: null };
  return {
    reference,
    type: 'CASHIN',
    status: 'SUCCEEDED',
    ...money,
    ...nothing,
    ...times,
    ...change,
  };
}

function notificationOf(
  id: string,
  operation: NotifiedOperation,
  change: Partial<Notification> = {},
): Notification {
  return { id, type: 'cashin.succeeded', createdAt: START, at: START, operation, ...change };
}

function hashed(notification: Notification, hash = hashOf): HashedNotification {
  return hashedBy(hash, { notification, content: JSON.stringify(notification) });
}

function versionsOf(operations: readonly Operation[]): Batch<OperationVersion> {
  return { rows: operations.map((operation) => ({ operation, previous: null })), rejected: [] };
}

function doubtsOver(
  operations: readonly Operation[],
  notifications: readonly Notification[],
  hash: (text: string) => number = hashOf,
): readonly string[] {
  const judging = beginJudging(SETTINGS, hash);
  takeOperations(judging, viewOf(versionsOf(operations)));
  takeNotifications(judging, seenOf(notifications.map((one) => hashed(one, hash))));
  return [...doubtfulReferences(judging)];
}

describe('an operation is looked up', () => {
  const [a, b] = [operationOf('A'), operationOf('B')];

  test('not for a notification that agrees with it', () => {
    expect(doubtsOver([a, b], [notificationOf('1', a), notificationOf('2', b)])).toEqual([]);
  });

  test('for one that differs, and for one that names an unknown operation', () => {
    const differing = notificationOf('1', { ...a, amount: 101 });
    const unknown = notificationOf('2', operationOf('C'));
    expect(doubtsOver([a, b], [differing, unknown])).toEqual(['A', 'C']);
  });

  test('for none of many that agree, and for one that these few numbers do not describe', () => {
    const many = Array.from({ length: 20_000 }, (_, i) =>
      operationOf(`${i}`, { amount: i, netAmount: i }),
    );
    const large = operationOf('large', { amount: 2 ** 40, netAmount: 2 ** 40 });
    const net = operationOf('net', { netAmount: 99 });
    const all = [...many, large, net];
    const notifications = all.map((operation, i) => notificationOf(`${i}`, operation));
    expect(doubtsOver(all, notifications)).toEqual(['large', 'net']);
  });

  test('always where two operations share a hash', () => {
    const agreeing = [notificationOf('1', a), notificationOf('2', b)];
    const reference = (text: string) => (text === 'A' || text === 'B' ? 7 : hashOf(text));
    expect(doubtsOver([a, b], agreeing, reference)).toEqual(['A', 'B']);
  });
});

test('a notification is judged as the comparison with its operation itself does', () => {
  const random = seedRandom(TEST_SEED);
  const near = (): number => START + drawInteger(random, { from: -8, to: 8 });
  const state = () => ({
    type: drawFrom(random, OPERATION_TYPES),
    status: drawFrom(random, OPERATION_STATUSES),
  });
  const oneOf = <Value>(usual: Value, other: Value): Value =>
    drawFrom(random, [usual, usual, usual, usual, other]);
  const fixed = () => ({
    amount: oneOf(100, 101),
    fees: oneOf(0, 1),
    netAmount: oneOf(100, 99),
    currency: oneOf('XOF', 'GNF'),
    externalReference: oneOf<string | null>('CMD-1', drawFrom(random, ['CMD-2', null])),
    failureCode: oneOf<string | null>(
      null,
      drawFrom(random, ['OPERATOR_TIMEOUT', 'INTERNAL_ERROR']),
    ),
  });
  const kinds = new Set<string>();
  for (let round = 0; round < runsOf(2_500); round += 1) {
    const operation = operationOf('A', { ...state(), ...fixed(), updatedAt: near() });
    const updatedAt = drawFrom(random, [null, near()]);
    const carried = { ...operation, ...state(), ...fixed(), updatedAt };
    const notification = notificationOf('1', carried, {
      type: drawFrom(random, TYPES),
      createdAt: near(),
    });
    const judging = beginJudging(SETTINGS, hashOf);
    takeOperations(judging, viewOf(versionsOf([operation])));
    takeNotifications(judging, seenOf([hashed(notification)]));
    takeDoubtful(judging, [operation]);
    const said = [...finishJudging(judging).faults.values()].flat().map(({ draft }) => draft);
    const due = judgeNotification(notification, operation, SETTINGS);
    expect(said).toHaveLength(due.length);
    expect(said).toEqual(expect.arrayContaining([...due]));
    for (const { kind } of due) kinds.add(kind);
    if (due.length === 0) kinds.add('none');
  }
  expect([...kinds].sort()).toEqual(['EVENT_CONTRADICTS_OPERATION', 'EVENT_TYPE_MISMATCH', 'none']);
});

test('a stream ends where the failure of another request ends the judging', async () => {
  let isEnded = false;
  const stream = async function* () {
    try {
      for (;;)
        yield seenOf(
          Array.from({ length: 2_000 }, (_, i) => hashed(notificationOf(`${i}`, operationOf('A')))),
        );
    } finally {
      isEnded = true;
    }
  };
  const nothing = () => [];
  const operations = () => Promise.reject(new Error('gone'));
  const steps = judgeNotifications(beginJudging(SETTINGS, hashOf), {
    ...{ stream, operations, contents: nothing, allOperations: nothing },
  });
  await expect(driveSteps(steps, async (asked) => asked)).rejects.toThrow('gone');
  expect(isEnded).toBe(true);
});

test('few are held at a time to be compared later', () => {
  const judging = beginJudging({ ...SETTINGS, clockTolerance: MINUTE }, hashOf);
  const strange = (number: number) => hashed(notificationOf(`${number}`, operationOf(`${number}`)));
  const first = seenOf(Array.from({ length: 1_999 }, (_, i) => strange(i)));
  expect(takeNotifications(judging, first).size).toBe(0);
  const asked = takeNotifications(judging, seenOf([strange(1_999)]));
  expect(asked.size).toBe(2_000);
  takeDoubtful(judging, []);
  expect(doubtfulReferences(judging).size).toBe(0);
});
