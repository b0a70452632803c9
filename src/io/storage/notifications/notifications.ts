// Notifications of the payment service, stored byte for byte. Insert-only: the same body under the
// same id adds nothing, and another body is stored beside the first. Accepts every signed
// notification, and a few unsigned ones a minute. Reads signed ones back for the comparison with
// the books: all of a merchant, those since an instant, or those that name certain operations.

import { createHash } from 'node:crypto';
import { type InferResult, sql } from 'kysely';
import { type Instant, MINUTE } from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { OPERATION_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import { askTogether } from '../../together/ask-together.ts';
import { addHeads, enterMerchant, findMerchantId, merchantIdOf } from '../merchants/merchants.ts';
import { operationOf } from '../mirror/copy/rows.ts';
import { newestVersion } from '../mirror/read/recall.ts';
import { digestNotification } from '../mirror/row-digests.ts';
import {
  anyOf,
  ask,
  build,
  by,
  columnsOf,
  countOf,
  prepare,
  type Slots,
  unnest,
} from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableNullable } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

export type NotificationChannel = 'direct' | 'payments';

export interface NewNotification {
  readonly merchant: string;
  readonly channel: NotificationChannel;
  /** The id of the event; `null` when the notification has none, or none that can be read. */
  readonly eventId: string | null;
  /** `null` only when `fault` says why. */
  readonly type: string | null;
  readonly operationReference: string | null;
  readonly createdAt: Instant | null;
  readonly receivedAt: Instant;
  /** Why a signed body could not be read, in one clause; null when it could. */
  readonly fault: string | null;
  readonly body: Uint8Array;
}

/**
 * What became of a notification. `known`: the same body was stored already. `variant`: another body
 * was stored under this id. `refused`: more than `most` unsigned ones came within a minute.
 */
export type SavedNotification = 'new' | 'variant' | 'known' | 'refused';

/**
 * How often to try another variant number, because other bodies under the same id may take it
 * first. No sender sends so many at once.
 */
const MOST_RACES = 20;

/**
 * Stores a notification. A merchant that is new to the store is entered. `most` is the number of
 * unsigned notifications that are stored per minute and merchant; a few more may get in when many
 * come at the same time. Signed ones have no limit. A notification that is stored already is never
 * `refused`.
 */
export async function saveNotification(
  store: Store,
  notification: NewNotification,
  most: number = Number.POSITIVE_INFINITY,
): Promise<SavedNotification> {
  const { merchant } = notification;
  const merchantId =
    (await findMerchantId(store.pool, merchant)) ?? (await enterNew(store, merchant));
  const digest = createHash('sha256').update(notification.body).digest('hex');
  const { channel, type, operationReference, createdAt, receivedAt, body } = notification;
  const fault = storableNullable(notification.fault);
  const eventId =
    notification.eventId ?? (channel === 'payments' ? digest : `unreadable:${digest}`);
  for (let race = 0; race < MOST_RACES; race += 1) {
    const load = build
      .selectFrom('notifications')
      .select('digest')
      .where(({ and }) => and({ merchant_id: merchantId, channel, event_id: eventId }))
      .orderBy('variant');
    const known = await ask(store.pool, load);
    if (known.rows.some((row) => row.digest === digest)) return 'known';
    const since = receivedAt - MINUTE;
    if (channel === 'payments' && (await countSignals(store, { merchantId, since })) >= most)
      return 'refused';
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
    const isAdded = await inTransaction(store, async (client) => {
      if ((await ask(client, add)).count === 0) return false;
      await digestNotification(client, merchantId, { channel, eventId, variant });
      return true;
    });
    if (isAdded) return variant === 0 ? 'new' : 'variant';
  }
  invariant(false, 'the next variant of a notification is free sooner or later');
}

function countSignals(
  store: Store,
  of: { readonly merchantId: number; readonly since: Instant },
): Promise<number> {
  const signals = build
    .selectFrom('notifications')
    .where('merchant_id', '=', of.merchantId)
    .where('received_at', '>', of.since)
    .where('channel', '=', 'payments');
  return countOf(store.pool, signals);
}

async function enterNew(store: Store, reference: string): Promise<number> {
  const merchantId = await enterMerchant(store, reference);
  await addHeads(store.pool, [merchantId]);
  return merchantId;
}

/** Loads the bodies of the last 20 unsigned notifications about a payment, the newest first. */
export async function loadSignals(
  store: Store,
  of: { readonly merchant: string; readonly reference: string },
): Promise<readonly Uint8Array[]> {
  const load = build
    .selectFrom('notifications as n')
    .select('n.body')
    .where('n.merchant_id', '=', merchantIdOf(of.merchant))
    .where(({ and }) => and({ 'n.operation_reference': of.reference, 'n.channel': 'payments' }))
    .$call(by('n.received_at desc', 'n.event_id'))
    .limit(20);
  return (await ask(store.pool, load)).rows.map(({ body }) => body);
}

const EVENTS = build
  .selectFrom('notifications as n')
  .select([
    'n.event_id as eventId',
    'n.variant',
    'n.operation_reference as operationReference',
    'n.received_at as receivedAt',
    'n.body',
  ])
  .where('n.channel', '=', 'direct');

/**
 * A signed notification as it was stored. Only `body`, byte for byte, is evidence. `variant` is 0
 * for the first body under this id, and 1, 2, … for other bodies.
 */
export type StoredEvent = InferResult<typeof EVENTS>[number];

const ROWS_PER_BATCH = 500;

/**
 * Reads the signed notifications that were received after an instant (`null` for all), in batches,
 * in the order in which they came. Notifications that come during the reading may be missing.
 */
export async function* readEvents(
  store: Store,
  merchantId: number,
  receivedAfter: Instant | null,
): AsyncGenerator<readonly StoredEvent[]> {
  const first = receivedAfter === null ? 0 : receivedAfter + 1;
  let last: Pick<StoredEvent, 'receivedAt' | 'eventId' | 'variant'> = {
    receivedAt: first,
    eventId: '',
    variant: -1,
  };
  for (;;) {
    const { receivedAt, eventId, variant } = last;
    const read = EVENTS.where('n.merchant_id', '=', merchantId)
      // This condition is for the index; the next one excludes the rows up to the last one read.
      .where('n.received_at', '>=', receivedAt)
      .where(({ eb, refTuple, tuple }) =>
        eb(
          refTuple('n.received_at', 'n.event_id', 'n.variant'),
          '>',
          tuple(receivedAt, eventId, variant),
        ),
      )
      .$call(by('n.received_at', 'n.event_id', 'n.variant'))
      .limit(ROWS_PER_BATCH);
    const { rows }: { readonly rows: readonly StoredEvent[] } = await ask(store.pool, read);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_BATCH) return;
    last = rows.at(-1)!;
  }
}

/**
 * Loads the signed notifications under one of these ids, and those that name one of these
 * operations. The lists must be short.
 */
export async function loadEvents(
  store: Store,
  merchantId: number,
  {
    ids = [],
    references = [],
  }: { readonly ids?: readonly string[]; readonly references?: readonly string[] },
): Promise<readonly StoredEvent[]> {
  const ofMerchant = EVENTS.where('n.merchant_id', '=', merchantId);
  const named = ofMerchant
    .where('n.operation_reference', '=', anyOf('text', references))
    .where(({ eb, not }) => not(eb('n.event_id', '=', anyOf('text', ids))));
  return (
    await ask(store.pool, ofMerchant.where('n.event_id', '=', anyOf('text', ids)).unionAll(named))
  ).rows;
}

/**
 * `since` is when the first signed notification about an operation came; `null` when there is none.
 * `newest` is when the last notification of any kind came.
 */
type NotifiedMerchant = Omit<ReturnType<typeof notifiedMerchants>['row'] & object, 'merchant'>;

/** Loads since when a merchant's notifications come; `null` when it has no signed ones. */
export const loadNotifiedMerchant = askTogether<string, NotifiedMerchant | null, Store>(
  async ({ pool }, merchants) => {
    const { rows } = await ask(pool, notifiedMerchants({ merchants }));
    const notified = new Map(rows.map(({ merchant, ...found }) => [merchant, found]));
    return merchants.map((merchant) => notified.get(merchant) ?? null);
  },
);

const notifiedMerchants = prepare(
  'notified merchant',
  (at: Slots<{ readonly merchants: readonly string[] }>) =>
    build
      .selectFrom('merchants as m')
      .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
      .select(({ selectFrom }) => [
        'm.reference as merchant',
        'h.merchant_id as merchantId',
        selectFrom('notifications as n')
          .select('n.received_at')
          .whereRef('n.merchant_id', '=', 'h.merchant_id')
          .where('n.channel', '=', sql.lit('direct'))
          .where('n.operation_reference', 'is not', null)
          .orderBy('n.received_at')
          .limit(sql.lit(1))
          .as('since'),
        selectFrom('notifications as n')
          .select('n.received_at')
          .whereRef('n.merchant_id', '=', 'h.merchant_id')
          .orderBy('n.received_at', 'desc')
          .limit(sql.lit(1))
          .$asScalar()
          .$notNull()
          .as('newest'),
      ])
      .where('m.reference', '=', anyOf('text', at('merchants')))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('notifications as n')
            .select('n.variant')
            .whereRef('n.merchant_id', '=', 'h.merchant_id')
            .where('n.channel', '=', sql.lit('direct')),
        ),
      ),
);

/** The newest version of each of these operations that the mirror has, by reference. */
export async function loadOperations(
  store: Store,
  merchantId: number,
  references: readonly string[],
): Promise<readonly Operation[]> {
  if (references.length === 0) return [];
  const load = build
    .selectFrom(unnest('wanted', { reference: ['text', references] }))
    .crossJoinLateral(newestVersion(merchantId).as('n'))
    .select(columnsOf(OPERATION_TABLE, 'n'))
    .orderBy('n.reference');
  return (await ask(store.pool, load)).rows.map((record) => operationOf(record));
}
