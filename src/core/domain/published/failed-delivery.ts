// A notification that the service itself lists as not delivered (dashboard API, `webhooks/failed`;
// direct API, `/merchants/me/webhooks`): why a receiver lacks it, and when it is tried again.

import type { Instant } from '../instant.ts';
import type { DeliveryStatus } from '../notification.ts';
import type { Note, RejectedRow } from '../snapshot.ts';

export interface FailedDelivery {
  readonly id: string;
  readonly status: DeliveryStatus;
  /**
   * Reference of the payment or operation; `null` when neither the row nor its payload names one.
   */
  readonly reference: string | null;
  /** The state that the payload states; `null` when it states none. */
  readonly outcome: string | null;
  /** The amount that the payload states, in whole units; `null` when it states none. */
  readonly amount: number | null;
  readonly attempts: number | null;
  /**
   * HTTP status of the receiver's last answer; `null` when there was no answer, or the row does not
   * state one.
   */
  readonly lastStatus: number | null;
  readonly nextRetryAt: Instant | null;
  readonly createdAt: Instant | null;
}

/** The list of a service's failed deliveries, read once. */
export interface DeliveryList {
  readonly deliveries: readonly FailedDelivery[];
  readonly rejected: readonly RejectedRow[];
  /**
   * True when the list was read to its end: the service then lists no delivery that is not here.
   */
  readonly isWhole: boolean;
  /** Why no list was read; `null` when one was. */
  readonly absent: Note | null;
}
