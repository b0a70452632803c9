// Takes a notification of the service: stores it, and queues a refresh of the operation or payment
// it names. A notification is only a hint: nothing in it is believed about the books. Nothing of it
// is lost once it was answered with success.

import type { Instant } from '../../../core/domain/instant.ts';
import {
  decodeNotification,
  decodePaymentClaim,
} from '../../../io/sources/decode/notifications.ts';
import {
  type NewNotification,
  type SavedNotification,
  saveNotification,
} from '../../../io/storage/notifications/notifications.ts';
import { storeOfMerchant } from '../../../io/storage/server/merchant-store.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Jobs } from '../jobs.ts';

export type Received = Pick<NewNotification, 'merchant' | 'receivedAt' | 'body'>;

/** A notification whose signature was verified. */
export interface SignedNotification extends Received {
  /** The type in the header `Service-Event`; `null` when the header is missing. */
  readonly announcedType: string | null;
}

/** `misannounced` means that the header names another type than the body; nothing was stored. */
export type SignedOutcome = Exclude<SavedNotification, 'refused'> | 'misannounced';

export type SignalOutcome =
  | SavedNotification
  | 'unknown merchant'
  | { readonly unreadable: string };

export interface SigningSecrets {
  readonly current: string;
  /** The secret before a rotation, which stays valid during it. */
  readonly previous?: string | undefined;
}

/** What the routes of notifications call. */
export interface NotificationInbox {
  /**
   * Returns the secrets that sign a merchant's notifications. `no secret` means that the merchant
   * is known and no secret is configured. Rejects when that cannot be found out.
   */
  secretsOf(merchant: string): Promise<SigningSecrets | 'no secret' | 'unknown merchant'>;
  takeSigned(notification: SignedNotification): Promise<SignedOutcome>;
  takeSignal(signal: Received): Promise<SignalOutcome>;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
  readonly maxSignedBytes: number;
  readonly maxUnsignedBytes: number;
}

export interface ReceiveTask {
  readonly store: Store;
  readonly jobs: Jobs;
}

/**
 * Stores the notification, then queues the refresh, and resolves when both are done. If the process
 * dies in between, the sender got no answer and sends the same body again, which queues the refresh
 * again. A body that cannot be read is stored with the reason.
 */
export async function takeSigned(
  { store, jobs }: ReceiveTask,
  { merchant, receivedAt, body, announcedType }: SignedNotification,
): Promise<SignedOutcome> {
  const decoded = decodeNotification(body);
  const notified = decoded.ok ? decoded.value : null;
  const event = notified?.event ?? null;
  if (event !== null && announcedType !== null && announcedType !== event.type)
    return 'misannounced';
  const isForeign = event !== null && event.merchantReference !== merchant;
  const fault = decoded.ok
    ? isForeign
      ? 'merchantReference is not that of this merchant'
      : null
    : decoded.reason;
  const reference = notified?.operationReference ?? null;
  const saved = await saveNotification(storeOfMerchant(store, merchant), {
    merchant,
    channel: 'direct',
    eventId: event?.id ?? null,
    type: event?.type ?? null,
    operationReference: reference,
    createdAt: event?.createdAt ?? null,
    receivedAt,
    fault,
    body,
  });
  if (fault === null && reference !== null)
    await jobs.send([{ kind: 'refresh', data: { merchant, reference } }]);
  return saved as Exclude<SavedNotification, 'refused'>;
}

/**
 * Most unsigned signals that are stored for one merchant in a minute. Anybody may send them; a
 * single address may send only part of this number.
 */
export const MOST_SIGNALS = 300;

/**
 * Does what `takeSigned` does for an unsigned body, which anybody may have sent. A body that is no
 * signal about one payment is not stored.
 */
export async function takeSignal(
  {
    store,
    jobs,
    isKnown,
  }: ReceiveTask & { readonly isKnown: (merchant: string) => Promise<boolean> },
  { merchant, receivedAt, body }: Received,
): Promise<SignalOutcome> {
  const decoded = decodePaymentClaim(body);
  if (!decoded.ok) return { unreadable: decoded.reason };
  if (!(await isKnown(merchant))) return 'unknown merchant';
  const { reference, status, createdAt } = decoded.value;
  const saved = await saveNotification(
    storeOfMerchant(store, merchant),
    {
      merchant,
      channel: 'payments',
      eventId: null,
      type: status,
      operationReference: reference,
      createdAt,
      receivedAt,
      fault: null,
      body,
    },
    MOST_SIGNALS,
  );
  if (saved !== 'refused') await jobs.send([{ kind: 'refresh', data: { merchant, reference } }]);
  return saved;
}
