// What only shows over all notifications: an operation of which none names the end, and an id that two of them share.

import type { Amount } from '../../domain/amount.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Notification } from '../../domain/notification.ts';
import type { Operation, OperationStatus, OperationType } from '../../domain/operation.ts';
import type { DeliveryList } from '../../domain/published/failed-delivery.ts';
import { draftOf, operationEvidence } from '../check.ts';
import { notificationEvidence } from './judge-notification.ts';
import { eventIdReused, eventMissing } from './notification-pages.ts';
import { deliveriesBy, deliveryEvidence, listedFigures } from './undelivered.ts';

/** An operation in a final state that no notification names. */
export interface Unnotified {
  readonly reference: string;
  readonly type: OperationType;
  readonly status: OperationStatus;
  readonly amount: Amount;
  readonly createdAt: Instant;
  readonly since: Instant;
}

/** Of more operations than this, one finding speaks for all. */
const MOST_NAMED = 100;
const MOST_EVIDENCE = 20;

/** When the operation took the final state that it is in. */
export function finalSince({ status, updatedAt, completedAt }: Operation): Instant {
  return status === 'REVERSED' ? updatedAt : (completedAt ?? updatedAt);
}

export function compareUnnotified(a: Unnotified, b: Unnotified): number {
  return a.since - b.since || (a.reference < b.reference ? -1 : a.reference > b.reference ? 1 : 0);
}

/**
 * `unnotified` in the order of `compareUnnotified`, all past the delivery window. `more`: there are others besides. `list`: what the
 * service has failed to deliver; null: that is not known.
 */
export function describeMissing(
  unnotified: readonly Unnotified[],
  more: boolean,
  list: DeliveryList | null,
): readonly FindingDraft[] {
  const findDelivery = deliveriesBy(list);
  if (unnotified.length <= MOST_NAMED) {
    return unnotified.map((one) => {
      const delivery = findDelivery(one);
      const figures = { of: 'one', ...shown(one), ...listedFigures(list, delivery) } as const;
      const evidence = [operationEvidence(one.reference, one.status)];
      return draftOf(eventMissing, figures, {
        operationReference: one.reference,
        evidence: delivery === null ? evidence : [...evidence, deliveryEvidence(delivery)],
        newestEvidence: one.since,
      });
    });
  }
  const [first] = unnotified;
  const undelivered = unnotified.filter((one) => findDelivery(one) !== null).length;
  const known = list?.absent === null ? { undelivered } : { undelivered: null };
  const figures = { of: 'many', ...shown(first!), count: unnotified.length, isMore: more, ...known } as const;
  return [
    draftOf(eventMissing, figures, {
      operationReference: first!.reference,
      evidence: unnotified.slice(0, MOST_EVIDENCE).map((one) => operationEvidence(one.reference, one.status)),
      newestEvidence: first!.since,
    }),
  ];
}

function shown({ reference, status, since }: Unnotified) {
  return { reference, status, since: formatInstant(since) };
}

/** An id and the notifications that share it: at least two of different content, in the order of time. */
export interface SharedId {
  readonly id: string;
  readonly notifications: readonly Notification[];
}

/** One finding for each operation that is the first to bear shared ids, and one for each id that no operation bears. */
export function describeReused(shared: readonly SharedId[]): readonly FindingDraft[] {
  const byPlace = Map.groupBy(shared, ({ id, notifications }) => {
    const first = notifications.find(({ operation }) => operation !== null);
    return first === undefined ? `id ${id}` : `operation ${first.operation!.reference}`;
  });
  return [...byPlace.values()].map((some) => {
    const inOrder = some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [{ id, notifications }] = inOrder as [SharedId, ...SharedId[]];
    const operation = notifications.find((one) => one.operation !== null)?.operation ?? null;
    const figures = { id: id.slice(0, 80), contents: notifications.length, more: inOrder.length - 1 };
    return draftOf(eventIdReused, figures, {
      operationReference: operation?.reference ?? null,
      inputPlace: operation === null ? `notification ${id}` : null,
      evidence: inOrder.flatMap((one) => one.notifications.map(notificationEvidence)).slice(0, MOST_EVIDENCE),
      newestEvidence: Math.max(...inOrder.map((one) => Math.max(...one.notifications.map(({ at }) => at)))),
    });
  });
}
