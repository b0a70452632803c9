// A notification that the service itself lists as not delivered (dashboard API, `webhooks/failed`;
// direct API, `/merchants/me/webhooks`): why a receiver lacks it, and when it is tried again.

import type { Instant } from '../instant.ts';
import type { DeliveryStatus } from '../notification.ts';
import type { Note, RejectedRow } from '../snapshot.ts';

export interface FailedDelivery {
  readonly id: string;
  readonly status: DeliveryStatus;
  /** Of its payment or operation; null where neither the row nor its payload names one. */
  readonly reference: string | null;
  /** The state in its payload; null where it has none. */
  readonly outcome: string | null;
  /** The amount that its payload states. */
  readonly amount: number | null;
  readonly attempts: number | null;
  /** HTTP status of the last answer; null where there was none, or the row has none. */
  readonly lastStatus: number | null;
  readonly nextRetryAt: Instant | null;
  readonly createdAt: Instant | null;
}

/** One look at a service's list of them. */
export interface DeliveryList {
  readonly deliveries: readonly FailedDelivery[];
  readonly rejected: readonly RejectedRow[];
  /** What is not in it, the service does not list. */
  readonly isWhole: boolean;
  /** Why there is none where there is none. */
  readonly absent: Note | null;
}
