// What the service notified, as it came, byte for byte. Insert-only: the same body under the same id adds nothing, another
// body is kept beside the first. Refuses nothing that is signed; of what is not, no more than a few a minute.

import { createHash } from 'node:crypto';
import { type Instant, MINUTE } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import { enterMerchant, findMerchantId } from '../merchants/merchants.ts';
import { storableNullable } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export type NotificationChannel = 'direct' | 'payments';

export interface NewNotification {
  readonly merchant: string;
  readonly channel: NotificationChannel;
  /** The key under which equal bodies are one; null: it has none, or none that can be read. */
  readonly eventId: string | null;
  /** Null only where `fault` says why. */
  readonly type: string | null;
  readonly operationReference: string | null;
  readonly createdAt: Instant | null;
  readonly receivedAt: Instant;
  /** Why a signed body could not be read, in one clause; null when it could. */
  readonly fault: string | null;
  readonly body: Uint8Array;
}

/**
 * `known`: the same body was there. `variant`: another body was there under this id. `refused`: more unsigned ones came
 * within a minute than `most`.
 */
export type SavedNotification = 'new' | 'variant' | 'known' | 'refused';

/** A race for the next variant is lost to another body under the same id; nobody sends so many at once. */
const MOST_RACES = 20;

/**
 * A merchant that is new is entered. `most`: unsigned notifications stored a minute and merchant, signed ones without end;
 * a few more may slip in when many come at the same time. One that is already known is never `refused`.
 */
export async function saveNotification(
  store: Store,
  notification: NewNotification,
  most: number = Number.POSITIVE_INFINITY,
): Promise<SavedNotification> {
  const { merchant } = notification;
  const merchantId = (await findMerchantId(store.pool, merchant)) ?? (await enterNew(store, merchant));
  const digest = createHash('sha256').update(notification.body).digest('hex');
  const { channel, type, operationReference, createdAt, receivedAt, body } = notification;
  const fault = storableNullable(notification.fault);
  const eventId = notification.eventId ?? (channel === 'payments' ? digest : `unreadable:${digest}`);
  for (let race = 0; race < MOST_RACES; race += 1) {
    const known = await store.pool.query<{ digest: string }>(
      `select digest
      from notifications
      where merchant_id = $1 and channel = $2 and event_id = $3
      order by variant`,
      [merchantId, channel, eventId],
    );
    if (known.rows.some((row) => row.digest === digest)) return 'known';
    const since = receivedAt - MINUTE;
    if (channel === 'payments' && (await countSignals(store, { merchantId, since })) >= most) return 'refused';
    const variant = known.rows.length;
    const added = await store.pool.query(
      `insert into notifications
        (merchant_id, event_id, variant, channel, digest, type, operation_reference, created_at, received_at, fault, body)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict do nothing`,
      [merchantId, eventId, variant, channel, digest, type, operationReference, createdAt, receivedAt, fault, body],
    );
    if (added.rowCount === 1) return variant === 0 ? 'new' : 'variant';
  }
  invariant(false, 'the next variant of a notification is free sooner or later');
}

async function countSignals(
  store: Store,
  of: { readonly merchantId: number; readonly since: Instant },
): Promise<number> {
  const counted = await store.pool.query<{ signals: number }>(
    `select count(*)::int as signals
    from notifications
    where merchant_id = $1 and received_at > $2 and channel = 'payments'`,
    [of.merchantId, of.since],
  );
  return counted.rows[0]!.signals;
}

async function enterNew(store: Store, reference: string): Promise<number> {
  const merchantId = await enterMerchant(store, reference);
  await store.pool.query('insert into merchant_heads (merchant_id) values ($1) on conflict (merchant_id) do nothing', [
    merchantId,
  ]);
  return merchantId;
}

/** The bodies of unsigned notifications about one payment, the newest first. */
export async function loadSignals(
  store: Store,
  of: { readonly merchant: string; readonly reference: string },
): Promise<readonly Uint8Array[]> {
  const answer = await store.pool.query<{ body: Uint8Array }>(
    `select n.body
    from notifications n
    where n.merchant_id = (select m.merchant_id from merchants m where m.reference = $1)
      and n.operation_reference = $2 and n.channel = 'payments'
    order by n.received_at desc, n.event_id
    limit 20`,
    [of.merchant, of.reference],
  );
  return answer.rows.map(({ body }) => body);
}
