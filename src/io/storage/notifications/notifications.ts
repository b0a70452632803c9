// What the service notified, as it came, byte for byte. Insert-only: the same body under the same id adds nothing, another
// body is kept beside the first. Refuses nothing that is signed; of what is not, no more than a few a minute.

import { createHash } from 'node:crypto';
import { type Instant, MINUTE } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import { addHeads, enterMerchant, findMerchantId, merchantIdOf } from '../merchants/merchants.ts';
import { ask, build } from '../server/ask.ts';
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
    const load = build
      .selectFrom('notifications')
      .select('digest')
      .where('merchant_id', '=', merchantId)
      .where('channel', '=', channel)
      .where('event_id', '=', eventId)
      .orderBy('variant');
    const known = await ask(store.pool, load);
    if (known.rows.some((row) => row.digest === digest)) return 'known';
    const since = receivedAt - MINUTE;
    if (channel === 'payments' && (await countSignals(store, { merchantId, since })) >= most) return 'refused';
    const variant = known.rows.length;
    const add = build
      .insertInto('notifications')
      .values({
        merchant_id: merchantId,
        event_id: eventId,
        variant,
        channel,
        digest,
        type,
        operation_reference: operationReference,
        created_at: createdAt,
        received_at: receivedAt,
        fault,
        body,
      })
      .onConflict((conflict) => conflict.doNothing());
    if ((await ask(store.pool, add)).count === 1) return variant === 0 ? 'new' : 'variant';
  }
  invariant(false, 'the next variant of a notification is free sooner or later');
}

async function countSignals(
  store: Store,
  of: { readonly merchantId: number; readonly since: Instant },
): Promise<number> {
  const count = build
    .selectFrom('notifications')
    .select(({ fn }) => fn.countAll<number>().as('signals'))
    .where('merchant_id', '=', of.merchantId)
    .where('received_at', '>', of.since)
    .where('channel', '=', 'payments');
  return (await ask(store.pool, count)).rows[0]!.signals;
}

async function enterNew(store: Store, reference: string): Promise<number> {
  const merchantId = await enterMerchant(store, reference);
  await addHeads(store.pool, [merchantId]);
  return merchantId;
}

/** The bodies of unsigned notifications about one payment, the newest first. */
export async function loadSignals(
  store: Store,
  of: { readonly merchant: string; readonly reference: string },
): Promise<readonly Uint8Array[]> {
  const load = build
    .selectFrom('notifications as n')
    .select('n.body')
    .where('n.merchant_id', '=', merchantIdOf(of.merchant))
    .where('n.operation_reference', '=', of.reference)
    .where('n.channel', '=', 'payments')
    .orderBy('n.received_at', 'desc')
    .orderBy('n.event_id')
    .limit(20);
  return (await ask(store.pool, load)).rows.map(({ body }) => body);
}
