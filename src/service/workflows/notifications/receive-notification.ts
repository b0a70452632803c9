// Takes what the service notifies: stores it, and asks for a refresh of what it is about. A
// notification is a hint: nothing in it is believed about the books, and nothing of it is lost once
// it is answered with success.

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

/** A notification whose signature is good. */
export interface SignedNotification extends Received {
  /** What the header `Service-Event` says; null when it says nothing. */
  readonly announcedType: string | null;
}

/** `misannounced`: the header names another type than the body; nothing was stored. */
export type SignedOutcome = Exclude<SavedNotification, 'refused'> | 'misannounced';

export type SignalOutcome =
  | SavedNotification
  | 'unknown merchant'
  | { readonly unreadable: string };

export interface SigningSecrets {
  readonly current: string;
  /** Holds good during a rotation. */
  readonly previous?: string | undefined;
}

/** What the routes of notifications need. */
export interface NotificationInbox {
  /**
   * `no secret`: the merchant is known, and what signs its notifications is not. Rejects when that
   * cannot be found out.
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
 * Stores first, then queues the refresh, and resolves when both are done: a process that dies in
 * between has answered nothing, the sender sends again, and the same body queues its refresh again.
 * A body that cannot be read is stored with the reason.
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
 * Unsigned signals stored a minute and merchant: anybody may send them, and one address a part of
 * these alone.
 */
export const MOST_SIGNALS = 300;

/** As `takeSigned`, for what anybody may have sent: a signal about one payment, or nothing. */
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
