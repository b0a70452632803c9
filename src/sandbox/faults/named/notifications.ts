// Faults in notifications about books that are sound: a missing notification, other content, an id
// used twice.

import { DAY, HOUR } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import type { Books } from '../../model/plan.ts';
import { credit } from '../../model/postings.ts';
import { drawInteger, drawLetters, type Random } from '../../model/random.ts';
import type { ServedNotification, ServedOperation } from '../../model/served.ts';
import { atLine, atOperation, inOrder, insertBefore } from '../port/edit-books.ts';
import { casesOf, drawFew } from '../port/find-cases.ts';
import { atOne, defineFaults } from '../port/planting.ts';

export const NOTIFICATION_FAULTS = defineFaults({
  EVENT_MISSING: replaceOne(['SUCCEEDED', 'FAILED', 'EXPIRED'], () => []),
  'EVENT_MISSING/reversal': replaceOne(['REVERSED'], () => []),
  'EVENT_MISSING/adjustment': (books, random) => {
    const old = books.entries.filter(({ createdAt }) => isOld(books, createdAt));
    if (old.length < 20) return null;
    const earlier = adjust(books, random, drawInteger(random, { from: 1, to: old.length >> 2 }));
    const index = drawInteger(random, { from: old.length >> 1, to: old.length - 2 });
    const at = Date.parse(earlier.entries[index]!.createdAt);
    const isNear = ({ type, createdAt }: ServedNotification) =>
      type === 'wallet.adjusted' && Math.abs(Date.parse(createdAt) - at) <= 2 * HOUR;
    if (books.notifications.some(isNear)) return null;
    return atLine(
      { ...adjust(earlier, random, index), notifications: earlier.notifications },
      index,
    );
  },
  EVENT_CONTRADICTS_OPERATION: misstate('SUCCEEDED', ({ amount }, random) => ({
    amount: amount + drawFew(random),
  })),
  'EVENT_CONTRADICTS_OPERATION/fees': misstate('SUCCEEDED', ({ fees, netAmount }, random) => {
    const more = drawFew(random);
    return { fees: fees + more, netAmount: netAmount + more };
  }),
  'EVENT_CONTRADICTS_OPERATION/currency': misstate('SUCCEEDED', ({ currency }) => ({
    currency: currency === 'GNF' ? 'XOF' : 'GNF',
  })),
  'EVENT_CONTRADICTS_OPERATION/reference': misstate('SUCCEEDED', (_, random) => ({
    externalReference: `other-${drawLetters(random, 8)}`,
  })),
  'EVENT_CONTRADICTS_OPERATION/failure': misstate('FAILED', ({ failure }) => ({
    failure: {
      ...failure!,
      code: failure!.code === 'INTERNAL_ERROR' ? 'OPERATOR_REFUSED' : 'INTERNAL_ERROR',
    },
  })),
  'EVENT_CONTRADICTS_OPERATION/status': replaceOne(['EXPIRED'], (sent) => [
    withOperation(
      { ...sent, type: sent.type.replace('expired', 'succeeded') },
      { status: 'SUCCEEDED' },
    ),
  ]),
  'EVENT_CONTRADICTS_OPERATION/body': misstate('SUCCEEDED', () => ({ status: 'FAILED' })),
  EVENT_ID_REUSED: (books, random) => {
    const { notifications } = books;
    const own = notifications.filter(
      ({ data, createdAt }) => data.operation !== undefined && isOld(books, createdAt),
    );
    if (own.length < 2) return null;
    const later = drawInteger(random, { from: 1, to: own.length - 1 });
    const earlier = drawInteger(random, { from: 0, to: later - 1 });
    const bearing = { ...own[later]!, id: own[earlier]!.id };
    const changed = notifications.map((one) => (one === own[later] ? bearing : one));
    return atOperation(
      { ...books, notifications: changed },
      own[earlier]!.data.operation!.reference,
    );
  },
  'EVENT_ID_REUSED/content': replaceOne(['SUCCEEDED'], (sent) => [
    sent,
    withOperation(sent, { metadata: { redelivered: true } }),
  ]),
  EVENT_UNKNOWN_OPERATION: atOne(
    (books) => sentOf(books, ['SUCCEEDED']),
    (books, { sent }, random) => {
      const reference = `${sent.data.operation!.reference.slice(0, 7)}${drawLetters(random, 11)}`;
      const extra = {
        ...withOperation(sent, { reference }),
        id: `evt_${drawLetters(random, 20).toLowerCase()}`,
      };
      return atOperation(
        { ...books, notifications: inOrder([...books.notifications, extra]) },
        reference,
      );
    },
  ),
  EVENT_TYPE_MISMATCH: replaceOne(['SUCCEEDED'], (sent) => {
    const [from, to] = sent.type.startsWith('cashin')
      ? ['cashin', 'cashout']
      : ['cashout', 'cashin'];
    return [{ ...sent, type: sent.type.replace(from!, to!) }];
  }),
  'EVENT_TYPE_MISMATCH/status': replaceOne(['SUCCEEDED'], (sent) => [
    { ...sent, type: sent.type.replace('succeeded', 'failed') },
  ]),
});

/** Replaces the notification of an operation's present state by others. */
function replaceOne(
  statuses: readonly OperationStatus[],
  alter: (
    sent: ServedNotification,
    operation: ServedOperation,
    random: Random,
  ) => readonly ServedNotification[],
) {
  return atOne(
    (books) => sentOf(books, statuses),
    (books, { operation, sent }, random) => {
      const others = alter(sent, operation, random);
      const notifications = books.notifications.flatMap((one) => (one === sent ? others : [one]));
      return atOperation({ ...books, notifications }, operation.reference);
    },
  );
}

/** Makes one notification state other fields of its operation. */
function misstate(
  status: OperationStatus,
  changes: (operation: ServedOperation, random: Random) => Partial<ServedOperation>,
) {
  return replaceOne([status], (sent, operation, random) => [
    withOperation(sent, changes(operation, random)),
  ]);
}

function withOperation(
  sent: ServedNotification,
  changes: Partial<ServedOperation>,
): ServedNotification {
  return { ...sent, data: { operation: { ...sent.data.operation!, ...changes } } };
}

/**
 * Adds a small credit before the line at `index`, with the time of that line, and its notification.
 */
function adjust(books: Books, random: Random, index: number): Books {
  const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 50, to: 500 }))];
  const changes = { operationReference: null, description: 'Geste commercial' };
  return insertBefore(books, random, index, posts, changes).books;
}

/** True when the instant is so long ago that no delivery is still on its way. */
function isOld({ asOf }: Books, instant: string): boolean {
  return Date.parse(instant) < asOf - 2 * DAY;
}

/**
 * Returns old operations in these states with the notification of that state, collections first.
 */
function sentOf(books: Books, statuses: readonly OperationStatus[]) {
  const cases = (['CASHIN', 'CASHOUT'] as const).flatMap((type) => casesOf(books, type, statuses));
  return cases.flatMap(({ operation }) => {
    const { reference, status, updatedAt } = operation;
    const sent = books.notifications.find(
      ({ data }) => data.operation?.reference === reference && data.operation.status === status,
    );
    return sent === undefined || !isOld(books, updatedAt) ? [] : [{ operation, sent }];
  });
}
