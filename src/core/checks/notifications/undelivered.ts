// Why a notification is missing: what the service itself lists of its delivery.

import type { Evidence } from '../../domain/finding.ts';
import { formatInstant } from '../../domain/instant.ts';
import type { OperationStatus } from '../../domain/operation.ts';
import type { DeliveryList, FailedDelivery } from '../../domain/published/failed-delivery.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { ListedFigures } from './notification-figures.ts';

/** Finds the delivery that would have told of this state of the operation. Of several, the newest. */
export type FindDelivery = (one: {
  readonly reference: string;
  readonly status: OperationStatus;
}) => FailedDelivery | null;

export function deliveriesBy(list: DeliveryList | null): FindDelivery {
  const byReference = Map.groupBy(list?.deliveries ?? [], ({ reference }) => reference);
  return ({ reference, status }) => {
    const some = byReference.get(reference) ?? [];
    const own = some.filter(({ outcome }) => outcome === null || outcome === status);
    return own.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))[0] ?? null;
  };
}

export function listedFigures(list: DeliveryList | null, found: FailedDelivery | null): ListedFigures {
  if (found === null) {
    return { listed: list?.isWhole === true ? 'NONE' : null, attempts: null, lastStatus: null, nextRetryAt: null };
  }
  const { status: listed, attempts, lastStatus, nextRetryAt } = found;
  return { listed, attempts, lastStatus, nextRetryAt: nextRetryAt === null ? null : formatInstant(nextRetryAt) };
}

/** By its id, under which it can be sent again. */
export function deliveryEvidence({ id, status, createdAt }: FailedDelivery): Evidence {
  const note = `delivery ${status}${createdAt === null ? '' : ` of ${formatInstant(createdAt)}`}`;
  return { what: 'notification', sequence: null, reference: id, note };
}

/** What of the list could not be had. */
export function notesOnDeliveries({ absent, rejected }: DeliveryList): readonly NotChecked[] {
  if (absent !== null) return [absent];
  const [first] = rejected;
  if (first === undefined) return [];
  const figures = { count: rejected.length, place: first.place, reason: first.reason };
  const why = `${rejected.length} could not be read exactly, the first at ${first.place}: ${first.reason}`;
  return [{ what: 'failed deliveries', why, incomplete: false, code: 'DELIVERIES_REFUSED', figures }];
}
