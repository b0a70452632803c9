// A notification on its way: what is sent, to whom, and how far it has come. Both APIs send through the same courier; what
// they do otherwise (headers, final statuses) stands in the parcel.

import type { Instant } from '../../core/domain/instant.ts';

/** `FAILED` waits for `nextRetryAt`; `ABANDONED`: attempts exhausted, or an answer that is final. */
export const DELIVERY_STATES = ['PENDING', 'SUCCESS', 'FAILED', 'ABANDONED'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export type Channel = 'direct' | 'dashboard';

/** What is to be sent. The body is the same in every attempt, byte for byte. */
export interface Parcel {
  /** Of the delivery, not of the notification; unique in the sandbox. */
  readonly id: string;
  readonly channel: Channel;
  /** The merchant's reference. */
  readonly account: string;
  readonly url: string;
  /** What it is about: two parcels of one subject are never on their way at once. */
  readonly subject: string;
  readonly type: string;
  readonly body: Buffer;
  readonly createdAt: Instant;
  /** Made anew for each attempt. `signedAt` is the time that a receiver compares with its own. */
  readonly headers: (signedAt: Instant) => Readonly<Record<string, string>>;
  /** Answers after which nothing is sent any more. */
  readonly finalStatuses: readonly number[];
}

export interface Delivery extends Omit<Parcel, 'url'> {
  url: string;
  state: DeliveryState;
  /** Since it was sent off, or since it was replayed. */
  attempts: number;
  /** Of the last answer; null: nobody answered, or nothing was sent yet. */
  lastStatus: number | null;
  /** Simulated time; null where no further attempt is planned. */
  nextRetryAt: Instant | null;
  updatedAt: Instant;
  /** How often it was replayed. */
  round: number;
}
