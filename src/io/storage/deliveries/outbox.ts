// The outbox: deliveries written in the transaction of what they announce, and handed out one by one to the senders.
// Refuses to write the same one twice, and to hand one out to two.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Channel, DeliveryContent, NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { ask, build, jsonText } from '../server/ask.ts';
import { storableJson } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** A delivery whose time has come. */
export interface DueDelivery {
  /** UUID. */
  readonly id: string;
  readonly channel: Channel;
  readonly target: string;
  readonly merchant: string | null;
  readonly content: DeliveryContent;
  readonly createdAt: Instant;
}

/** Within the caller's transaction. What was announced before to the same target adds nothing. */
export async function addDeliveries(
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Instant,
): Promise<void> {
  for (const { channel, announces, target, merchant, content, isHeld = false } of deliveries) {
    const due = isHeld
      ? ({ state: 'HELD', next_attempt_at: null } as const)
      : ({ state: 'PENDING', next_attempt_at: now } as const);
    const add = build
      .insertInto('deliveries')
      .values({
        delivery_id: randomUUID(),
        channel,
        topic: content.topic,
        announces,
        target,
        merchant,
        content: storableJson(content),
        created_at: now,
        ...due,
      })
      .onConflict((conflict) => conflict.columns(['announces', 'channel', 'target']).doNothing());
    await ask(client, add);
  }
}

/** Within the caller's transaction: what still waits of earlier revisions of a month is not sent any more. */
export async function withdrawHeld(client: pg.ClientBase, month: MonthKey): Promise<void> {
  await ask(client, heldOf(month).set({ state: 'ABANDONED' }));
}

/** Within the caller's transaction: what waits of a month is sent from now on; returns how many there are. */
export async function releaseHeld(client: pg.ClientBase, month: MonthKey, now: Instant): Promise<number> {
  return (await ask(client, heldOf(month).set({ state: 'PENDING', next_attempt_at: now }))).count;
}

function heldOf({ merchant, period }: MonthKey) {
  return build
    .updateTable('deliveries')
    .where('state', '=', 'HELD')
    .where('merchant', '=', merchant)
    .where('topic', '=', 'statement')
    .where(jsonText('content', 'period'), '=', period);
}

/** What is due at `at`, longest due first. Claims nothing: another process may be given the same. */
export async function listDue(
  store: Store,
  { channel, at, limit }: { readonly channel: Channel; readonly at: Instant; readonly limit: number },
): Promise<readonly DueDelivery[]> {
  const list = build
    .selectFrom('deliveries')
    .select(({ ref }) => [
      'delivery_id as id',
      'channel',
      'target',
      'merchant',
      ref('content').$castTo<DeliveryContent>().as('content'),
      'created_at as createdAt',
    ])
    .where('channel', '=', channel)
    .where('next_attempt_at', '<=', at)
    .orderBy('next_attempt_at')
    .orderBy('delivery_id')
    .limit(limit);
  return (await ask(store.pool, list)).rows;
}

/** When the next delivery of a channel is due; null: none is planned. */
export async function loadNextDue(store: Store, channel: Channel): Promise<Instant | null> {
  const load = build
    .selectFrom('deliveries')
    .select(({ fn }) => fn.min<Instant | null>('next_attempt_at').as('next'))
    .where('channel', '=', channel)
    .where('next_attempt_at', 'is not', null);
  return (await ask(store.pool, load)).rows[0]!.next;
}

/** The right to send one delivery, up to an instant. No two claims of one delivery end at the same instant. */
export interface Claim {
  readonly id: string;
  readonly claimedAt: Instant;
  readonly until: Instant;
}

/**
 * Moves a delivery to SENDING, committed before this returns, so that no other process sends it. False when it is not due any
 * more, or another process has it.
 */
export async function claimDelivery(store: Store, { id, claimedAt, until }: Claim): Promise<boolean> {
  const claim = build
    .with('due', (from) =>
      from
        .selectFrom('deliveries')
        .select('delivery_id')
        .where('delivery_id', '=', id)
        .where('next_attempt_at', '<=', claimedAt)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('deliveries as d')
    .from('due')
    .set({ state: 'SENDING', next_attempt_at: null, claimed_at: claimedAt, claimed_until: until })
    .whereRef('d.delivery_id', '=', 'due.delivery_id');
  return (await ask(store.pool, claim)).count === 1;
}
