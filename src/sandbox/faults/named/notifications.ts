// Faults in what the service notifies, beside books that are sound: nothing sent, something else said, an id given twice.

import { DAY, HOUR } from '../../../core/domain/instant.ts';
import type { OperationStatus } from '../../../core/domain/operation.ts';
import { atLine, atOperation, type Books, type Change, defineFault, type Fault } from '../../model/plan.ts';
import { credit } from '../../model/postings.ts';
import { drawFrom, drawInteger, drawLetters, type Random } from '../../model/random.ts';
import type { ServedNotification, ServedOperation } from '../../model/served.ts';
import { insertLines } from '../port/edit-books.ts';
import { casesOf } from '../port/find-cases.ts';

export const NOTIFICATION_FAULTS: readonly Fault[] = [
  defineFault({
    name: 'EVENT_MISSING',
    says: 'the end of a transfer was never notified',
    change: (books, random) => alterNotification(books, random, ['SUCCEEDED', 'FAILED', 'EXPIRED'], () => []),
  }),
  defineFault({
    name: 'EVENT_MISSING/reversal',
    says: 'a reversal was never notified, and the success before it was',
    change: (books, random) => alterNotification(books, random, ['REVERSED'], () => []),
  }),
  defineFault({
    name: 'EVENT_MISSING/adjustment',
    says: 'an adjustment of the wallet was never notified, as those before it were',
    change: (books, random) => {
      const old = [...books.entries.keys()].filter((i) => isOld(books, books.entries[i]!.createdAt));
      if (old.length < 20) return null;
      const earlier = adjust(books, random, drawInteger(random, { from: 1, to: old.length >> 2 }));
      const index = drawInteger(random, { from: old.length >> 1, to: old.length - 2 });
      const at = Date.parse(earlier.entries[index]!.createdAt);
      const isNear = ({ type, createdAt }: ServedNotification) =>
        type === 'wallet.adjusted' && Math.abs(Date.parse(createdAt) - at) <= 2 * HOUR;
      if (books.notifications.some(isNear)) return null;
      return atLine({ ...adjust(earlier, random, index), notifications: earlier.notifications }, index);
    },
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION',
    says: 'a notification states an amount that is off',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent, { amount }) => [
        withOperation(sent, { amount: amount + drawInteger(random, { from: 1, to: 99 }) }),
      ]),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/fees',
    says: 'a notification states fees, and so a net amount, that are off',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent, { fees, netAmount }) => {
        const more = drawInteger(random, { from: 1, to: 99 });
        return [withOperation(sent, { fees: fees + more, netAmount: netAmount + more })];
      }),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/currency',
    says: 'a notification states another currency than the operation is in',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent, { currency }) => [
        withOperation(sent, { currency: currency === 'GNF' ? 'XOF' : 'GNF' }),
      ]),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/reference',
    says: 'a notification states a partner’s reference that is another one’s',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent) => [
        withOperation(sent, { externalReference: `other-${drawLetters(random, 8)}` }),
      ]),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/failure',
    says: 'a failure is notified with another code than the operation has',
    change: (books, random) =>
      alterNotification(books, random, ['FAILED'], (sent, { failure }) => [
        withOperation(sent, {
          failure: { ...failure!, code: failure!.code === 'INTERNAL_ERROR' ? 'OPERATOR_REFUSED' : 'INTERNAL_ERROR' },
        }),
      ]),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/status',
    says: 'an operation that expired was notified as a success',
    change: (books, random) =>
      alterNotification(books, random, ['EXPIRED'], (sent) => [
        withOperation({ ...sent, type: sent.type.replace('expired', 'succeeded') }, { status: 'SUCCEEDED' }),
      ]),
  }),
  defineFault({
    name: 'EVENT_CONTRADICTS_OPERATION/body',
    says: 'the notification of a success carries the operation as failed',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent) => [withOperation(sent, { status: 'FAILED' })]),
  }),
  defineFault({
    name: 'EVENT_ID_REUSED',
    says: 'the notification of a later operation bears the id of an earlier one',
    change: (books, random) => {
      const { notifications } = books;
      const own = notifications.filter(
        ({ data, createdAt }) => data.operation !== undefined && isOld(books, createdAt),
      );
      if (own.length < 2) return null;
      const later = drawInteger(random, { from: 1, to: own.length - 1 });
      const earlier = drawInteger(random, { from: 0, to: later - 1 });
      const bearing = { ...own[later]!, id: own[earlier]!.id };
      const changed = notifications.map((one) => (one === own[later] ? bearing : one));
      return atOperation({ ...books, notifications: changed }, own[earlier]!.data.operation!.reference);
    },
  }),
  defineFault({
    name: 'EVENT_ID_REUSED/content',
    says: 'a notification is delivered twice, the second time with other metadata',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent) => [
        sent,
        withOperation(sent, { metadata: { redelivered: true } }),
      ]),
  }),
  defineFault({
    name: 'EVENT_UNKNOWN_OPERATION',
    says: 'a success is notified of an operation that never was',
    change: (books, random) => {
      const sent = oldCases(books, ['SUCCEEDED']).flatMap(
        ({ reference }) => notificationFor(books, reference, 'SUCCEEDED') ?? [],
      );
      if (sent.length === 0) return null;
      const like = drawFrom(random, sent);
      const prefix = like.data.operation!.reference.slice(0, 7);
      const reference = `${prefix}${drawLetters(random, 11)}`;
      const extra = { ...withOperation(like, { reference }), id: `evt_${drawLetters(random, 20).toLowerCase()}` };
      return atOperation({ ...books, notifications: inOrder([...books.notifications, extra]) }, reference);
    },
  }),
  defineFault({
    name: 'EVENT_TYPE_MISMATCH',
    says: 'the success of an operation is notified under the other side’s type',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent) => {
        const [from, to] = sent.type.startsWith('cashin') ? ['cashin', 'cashout'] : ['cashout', 'cashin'];
        return [{ ...sent, type: sent.type.replace(from!, to!) }];
      }),
  }),
  defineFault({
    name: 'EVENT_TYPE_MISMATCH/status',
    says: 'the success of an operation is notified under the type of a failure',
    change: (books, random) =>
      alterNotification(books, random, ['SUCCEEDED'], (sent) => [
        { ...sent, type: sent.type.replace('succeeded', 'failed') },
      ]),
  }),
];

/** A small credit before the line at `index`, and of its time, which is notified. */
function adjust(books: Books, random: Random, index: number): Books {
  const posts = [credit('ADJUSTMENT_CREDIT', drawInteger(random, { from: 50, to: 500 }))];
  const like = { ...books.entries[index]!, operationReference: null, description: 'Geste commercial' };
  return insertLines(books, random, { index, posts, like });
}

/** Long enough ago that no delivery is still on its way. */
function isOld({ asOf }: Books, instant: string): boolean {
  return Date.parse(instant) < asOf - 2 * DAY;
}

function oldCases(books: Books, statuses: readonly OperationStatus[]): readonly ServedOperation[] {
  const both = (['CASHIN', 'CASHOUT'] as const).flatMap((type) => casesOf(books, { type, statuses }));
  return both.map(({ operation }) => operation).filter(({ updatedAt }) => isOld(books, updatedAt));
}

function notificationFor(
  { notifications }: Books,
  reference: string,
  status: OperationStatus,
): ServedNotification | null {
  const isIt = ({ data }: ServedNotification) =>
    data.operation?.reference === reference && data.operation.status === status;
  return notifications.find(isIt) ?? null;
}

/** Puts others in the place of the notification of an operation's present state. */
function alterNotification(
  books: Books,
  random: Random,
  statuses: readonly OperationStatus[],
  alter: (sent: ServedNotification, operation: ServedOperation) => readonly ServedNotification[],
): Change | null {
  const cases = oldCases(books, statuses).flatMap((operation) => {
    const sent = notificationFor(books, operation.reference, operation.status);
    return sent === null ? [] : [{ operation, sent }];
  });
  if (cases.length === 0) return null;
  const { operation, sent } = drawFrom(random, cases);
  const others = alter(sent, operation);
  const notifications = books.notifications.flatMap((one) => (one === sent ? others : [one]));
  return atOperation({ ...books, notifications }, operation.reference);
}

function withOperation(sent: ServedNotification, changes: Partial<ServedOperation>): ServedNotification {
  return { ...sent, data: { operation: { ...sent.data.operation!, ...changes } } };
}

function inOrder(notifications: readonly ServedNotification[]): readonly ServedNotification[] {
  return notifications.toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0));
}
