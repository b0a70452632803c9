// Faults that only all notifications together show: an operation whose end none of them names, and
// an id that two of them share.

import type { Evidence, FindingDraft } from '../../../domain/finding.ts';
import type { ListedFigures } from '../../../domain/finding-kind.ts';
import { formatInstant, formatKnown, type Instant } from '../../../domain/instant.ts';
import type { Notification } from '../../../domain/notification.ts';
import type { Operation, OperationStatus } from '../../../domain/operation.ts';
import type { DeliveryList, FailedDelivery } from '../../../domain/published/failed-delivery.ts';
import type { Note, RejectedRow } from '../../../domain/snapshot.ts';
import { draftOf, operationEvidence } from '../port/check.ts';
import { notificationEvidence } from './judge-notification.ts';

/** An operation in a final state that no notification names. */
export type Unnotified = Pick<
  Operation,
  'reference' | 'type' | 'status' | 'amount' | 'createdAt'
> & {
  readonly since: Instant;
};

/**
 * Up to this many missing notifications have a finding each; with more, one finding speaks for all.
 */
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
 * Drafts the missing notifications. `unnotified` must be in the order of `compareUnnotified`, and
 * all past the delivery window. `more` says that there are further ones. `list` has what the
 * service has failed to deliver; `null` where that is not known.
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
      return draftOf('EVENT_MISSING', figures, {
        operationReference: one.reference,
        evidence: delivery === null ? evidence : [...evidence, deliveryEvidence(delivery)],
        newestEvidence: one.since,
        about: one,
      });
    });
  }
  const [first] = unnotified;
  const undelivered = unnotified.filter((one) => findDelivery(one) !== null).length;
  const known = list?.absent === null ? { undelivered } : { undelivered: null };
  const figures = {
    of: 'many',
    ...shown(first!),
    count: unnotified.length,
    isMore: more,
    ...known,
  } as const;
  return [
    draftOf('EVENT_MISSING', figures, {
      operationReference: first!.reference,
      evidence: unnotified
        .slice(0, MOST_EVIDENCE)
        .map((one) => operationEvidence(one.reference, one.status)),
      newestEvidence: first!.since,
      about: first!,
    }),
  ];
}

function shown({ reference, status, since }: Unnotified) {
  return { reference, status, since: formatInstant(since) };
}

/** An id, and the notifications that share it: at least two of different content, oldest first. */
export interface SharedId {
  readonly id: string;
  readonly notifications: readonly Notification[];
}

/**
 * Drafts ids that several notifications share. Shared ids are gathered by the first operation that
 * one of their notifications names, with one finding each; an id that names no operation has its
 * own.
 */
export function describeReused(shared: readonly SharedId[]): readonly FindingDraft[] {
  const byPlace = Map.groupBy(shared, ({ id, notifications }) => {
    const first = notifications.find(({ operation }) => operation !== null);
    return first === undefined ? `id ${id}` : `operation ${first.operation!.reference}`;
  });
  return [...byPlace.values()].map((some) => {
    const inOrder = some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [{ id, notifications }] = inOrder as [SharedId, ...SharedId[]];
    const operation = notifications.find((one) => one.operation !== null)?.operation ?? null;
    const figures = {
      id: id.slice(0, 80),
      contents: notifications.length,
      more: inOrder.length - 1,
    };
    return draftOf('EVENT_ID_REUSED', figures, {
      operationReference: operation?.reference ?? null,
      inputPlace: operation === null ? `notification ${id}` : null,
      evidence: inOrder
        .flatMap((one) => one.notifications.map(notificationEvidence))
        .slice(0, MOST_EVIDENCE),
      about: operation,
      newestEvidence: Math.max(
        ...inOrder.map((one) => Math.max(...one.notifications.map(({ at }) => at))),
      ),
    });
  });
}

// Why a notification is missing: what the service itself lists of its delivery.

/** Finds the failed delivery that is about this state of the operation; of several, the newest. */
type FindDelivery = (one: {
  readonly reference: string;
  readonly status: OperationStatus;
}) => FailedDelivery | null;

function deliveriesBy(list: DeliveryList | null): FindDelivery {
  const byReference = Map.groupBy(list?.deliveries ?? [], ({ reference }) => reference);
  return ({ reference, status }) => {
    const some = byReference.get(reference) ?? [];
    const own = some.filter(({ outcome }) => outcome === null || outcome === status);
    return own.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))[0] ?? null;
  };
}

function listedFigures(list: DeliveryList | null, found: FailedDelivery | null): ListedFigures {
  if (found === null) {
    return {
      listed: list?.isWhole === true ? 'NONE' : null,
      attempts: null,
      lastStatus: null,
      nextRetryAt: null,
    };
  }
  const { status: listed, attempts, lastStatus, nextRetryAt } = found;
  return { listed, attempts, lastStatus, nextRetryAt: formatKnown(nextRetryAt) };
}

/** The evidence of a failed delivery. `reference` is its id, by which it can be sent again. */
function deliveryEvidence({ id, status, createdAt }: FailedDelivery): Evidence {
  const note = `delivery ${status}${createdAt === null ? '' : ` of ${formatInstant(createdAt)}`}`;
  return { what: 'notification', sequence: null, reference: id, note };
}

/** Returns a note on the list of deliveries, or on its rows, that could not be read. */
export function notesOnDeliveries({ absent, rejected }: DeliveryList): readonly Note[] {
  if (absent !== null) return [absent];
  const [first] = rejected;
  if (first === undefined) return [];
  const { place, reason } = first;
  return [
    {
      what: 'failed deliveries',
      code: 'DELIVERIES_REFUSED',
      figures: { count: rejected.length, place, reason },
    },
  ];
}

// What the bytes of an unreadable notification still show. Nothing is guessed beyond these
// patterns.

const NAMES_OPERATION = /GUI-C[IO]-/;
const OF_OPERATION = /"(?:cashin|cashout|operation)\.[a-z_]+"/;
const OF_WALLET = /"(?:wallet\.adjusted|ping)"/;

/**
 * Says what an unreadable notification is about. `about` is `null` where its text shows neither or
 * both.
 */
export function whatUnreadSays({ raw }: RejectedRow) {
  const [ofOperation, ofWallet] = [OF_OPERATION.test(raw), OF_WALLET.test(raw)];
  const about = ofOperation === ofWallet ? null : ofOperation ? 'operation' : 'wallet';
  return { namesOperation: NAMES_OPERATION.test(raw), about } as const;
}
