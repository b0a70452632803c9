// Section H of the catalogue: what the service notified, against its operations as they stand, one
// notification after another.

import type { Notification, NotificationContent } from '../../src/core/domain/notification.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import {
  CLOCKS_DIFFER,
  isFinal,
  MINUTE,
  type NaiveBooks,
  type NaiveFinding,
} from './naive-books.ts';

export const NOTIFICATION_KINDS = [
  'EVENT_MISSING',
  'EVENT_CONTRADICTS_OPERATION',
  'EVENT_ID_REUSED',
  'EVENT_UNKNOWN_OPERATION',
  'EVENT_TYPE_MISMATCH',
] as const;

/**
 * Eight retries over 31 hours and 20 minutes, and a quarter of a minute for each of nine answers.
 */
const LAST_TRY = (31 * 60 + 30) * MINUTE;

/**
 * Of each type: of which operations it tells, and which states they may be in when its body is
 * written.
 */
const TOLD: Readonly<
  Record<string, { readonly of: string | null; readonly states: readonly string[] }>
> = {
  'cashin.awaiting_payer': {
    of: 'CASHIN',
    states: [
      'AWAITING_PAYER',
      'PENDING',
      'SUCCEEDED',
      'FAILED',
      'EXPIRED',
      'CANCELLED',
      'REVERSED',
    ],
  },
  'cashin.succeeded': { of: 'CASHIN', states: ['SUCCEEDED', 'REVERSED'] },
  'cashin.failed': { of: 'CASHIN', states: ['FAILED'] },
  'cashin.expired': { of: 'CASHIN', states: ['EXPIRED'] },
  'cashout.succeeded': { of: 'CASHOUT', states: ['SUCCEEDED', 'REVERSED'] },
  'cashout.failed': { of: 'CASHOUT', states: ['FAILED'] },
  'cashout.expired': { of: 'CASHOUT', states: ['EXPIRED'] },
  'operation.reversed': { of: null, states: ['REVERSED'] },
};

/** Null: the books have no notifications, and nothing can be said of them. */
export function notificationFindings(books: NaiveBooks): readonly NaiveFinding[] {
  if (books.notifications === null) return [];
  const found = books.notifications.flatMap(({ notification }) => wrongWith(notification, books));
  return [
    ...found,
    ...reused(books.notifications),
    ...missing(books, books.notifications),
    ...untold(books),
  ];
}

function wrongWith(
  notification: Notification,
  { operations }: NaiveBooks,
): readonly NaiveFinding[] {
  const carried = notification.operation;
  if (carried === null) return [];
  const place = { sequence: null, operationReference: carried.reference };
  const operation = operations.find(({ reference }) => reference === carried.reference);
  if (operation === undefined) return [{ kind: 'EVENT_UNKNOWN_OPERATION', ...place }];
  const told = TOLD[notification.type];
  const isMisfit =
    told !== undefined &&
    ((told.of !== null && told.of !== carried.type) ||
      carried.type !== operation.type ||
      !told.states.includes(carried.status));
  return [
    ...(isMisfit ? [{ kind: 'EVENT_TYPE_MISMATCH', ...place }] : []),
    ...(isContradicted(notification, operation)
      ? [{ kind: 'EVENT_CONTRADICTS_OPERATION', ...place }]
      : []),
  ];
}

function isContradicted(
  { operation: carried, createdAt }: Notification,
  operation: Operation,
): boolean {
  const { amount, fees, netAmount, currency, externalReference, failureCode, status, updatedAt } =
    carried!;
  const differs = (stated: unknown, due: unknown) => stated !== null && stated !== due;
  if (
    amount !== operation.amount ||
    differs(fees, operation.fees) ||
    differs(netAmount, operation.netAmount)
  )
    return true;
  if (
    differs(currency, operation.currency) ||
    differs(externalReference, operation.externalReference)
  )
    return true;
  const isUnchanged = operation.updatedAt <= (updatedAt ?? createdAt);
  const haveFailed = status === 'FAILED' && operation.status === 'FAILED';
  if (haveFailed && isUnchanged && failureCode !== null && operation.failureCode !== null) {
    if (failureCode !== operation.failureCode) return true;
  }
  if (status === operation.status) return false;
  const canFollow =
    !isFinal({ ...operation, status }) ||
    (status === 'SUCCEEDED' && operation.status === 'REVERSED');
  return !canFollow || (updatedAt ?? createdAt - CLOCKS_DIFFER) > operation.updatedAt;
}

/** One id under two contents: one finding, at the operation that has it first. */
function reused(notifications: readonly NotificationContent[]): readonly NaiveFinding[] {
  const byId = Map.groupBy(notifications, ({ notification }) => notification.id);
  return [...byId.values()]
    .filter((some) => new Set(some.map(({ content }) => content)).size > 1)
    .map((some) => {
      const inTime = some
        .map(({ notification }) => notification)
        .toSorted((a, b) => a.createdAt - b.createdAt);
      const first = inTime.find(({ operation }) => operation !== null);
      return {
        kind: 'EVENT_ID_REUSED',
        sequence: null,
        operationReference: first?.operation?.reference ?? null,
      };
    });
}

/**
 * Final for longer than the service tries, and in no notification, by type or body. CANCELLED has
 * no notification.
 */
function missing(
  { operations, asOf }: NaiveBooks,
  notifications: readonly NotificationContent[],
): readonly NaiveFinding[] {
  const isTold = ({ reference, status }: Operation) =>
    notifications.some(({ notification: { type, operation } }) => {
      const states = [operation?.status, TOLD[type]?.states[0]];
      return operation?.reference === reference && states.includes(status);
    });
  return operations
    .filter((operation) => isFinal(operation) && operation.status !== 'CANCELLED')
    .filter(({ status, updatedAt, completedAt }) => {
      const since = status === 'REVERSED' ? updatedAt : (completedAt ?? updatedAt);
      return since < asOf - LAST_TRY;
    })
    .filter((operation) => !isTold(operation))
    .map(({ reference }) => ({
      kind: 'EVENT_MISSING',
      sequence: null,
      operationReference: reference,
    }));
}

/** Once one adjustment has been notified, each later one must be. */
function untold({ lines, adjustedAt, asOf }: NaiveBooks): readonly NaiveFinding[] {
  const first = Math.min(...adjustedAt);
  return lines
    .filter(({ kind }) => kind.startsWith('ADJUSTMENT_'))
    .filter(({ createdAt }) => first < createdAt - 60 * MINUTE && createdAt < asOf - LAST_TRY)
    .filter(
      ({ createdAt }) =>
        !adjustedAt.some((instant) => Math.abs(instant - createdAt) <= 60 * MINUTE),
    )
    .map(({ sequence, operationReference }) => ({
      kind: 'EVENT_MISSING',
      sequence,
      operationReference,
    }));
}
