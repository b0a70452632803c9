// A delivery as it is listed. The document names the states FAILED and ABANDONED and the field `payload`; the other names are
// the sandbox's own.

import { formatInstant } from '../../core/domain/instant.ts';
import type { Delivery } from '../courier/delivery.ts';

/** `payload` is what was sent. */
export function showDelivery(delivery: Delivery) {
  const { id, type, url, state, attempts, lastStatus, nextRetryAt, createdAt, updatedAt, body } = delivery;
  return {
    id,
    type,
    url,
    state,
    attempts,
    lastStatus,
    nextRetryAt: nextRetryAt === null ? null : formatInstant(nextRetryAt),
    createdAt: formatInstant(createdAt),
    updatedAt: formatInstant(updatedAt),
    payload: JSON.parse(body.toString()),
  };
}
