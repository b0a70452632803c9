// The outbox: deliveries written in the transaction of what they announce, and handed out one by one to the senders.
// Refuses to write the same one twice, and to hand one out to two.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Channel, DeliveryContent, NewDelivery } from '../../domain/delivery/delivery.ts';
import type { Instant } from '../../domain/instant.ts';
import type { MonthKey } from '../../domain/period.ts';
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
    await client.query(
      `insert into deliveries
        (delivery_id, channel, topic, announces, target, merchant, content, created_at, state, next_attempt_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      on conflict (announces, channel, target) do nothing`,
      [
        ...[randomUUID(), channel, content.topic, announces, target, merchant, storableJson(content), now],
        ...(isHeld ? ['HELD', null] : ['PENDING', now]),
      ],
    );
  }
}

/** Within the caller's transaction: what still waits of earlier revisions of a month is not sent any more. */
export async function withdrawHeld(client: pg.ClientBase, month: MonthKey): Promise<void> {
  await client.query(
    `update deliveries
    set state = 'ABANDONED'
    where state = 'HELD' and merchant = $1 and topic = 'statement' and content ->> 'period' = $2`,
    [month.merchant, month.period],
  );
}

/** What waits of a month is sent from now on; returns how many there are. */
export async function releaseHeld(store: Store, month: MonthKey, now: Instant): Promise<number> {
  const released = await store.pool.query(
    `update deliveries
    set state = 'PENDING', next_attempt_at = $3
    where state = 'HELD' and merchant = $1 and topic = 'statement' and content ->> 'period' = $2`,
    [month.merchant, month.period, now],
  );
  return released.rowCount ?? 0;
}

/** What is due at `at`, longest due first. Claims nothing: another process may be given the same. */
export async function listDue(
  store: Store,
  { channel, at, limit }: { readonly channel: Channel; readonly at: Instant; readonly limit: number },
): Promise<readonly DueDelivery[]> {
  const answer = await store.pool.query<DueDelivery>(
    `select delivery_id as id, channel, target, merchant, content, created_at as "createdAt"
    from deliveries
    where channel = $1 and next_attempt_at <= $2
    order by next_attempt_at, delivery_id
    limit $3`,
    [channel, at, limit],
  );
  return answer.rows;
}

/** When the next delivery of a channel is due; null: none is planned. */
export async function loadNextDue(store: Store, channel: Channel): Promise<Instant | null> {
  const answer = await store.pool.query<{ next: Instant | null }>(
    'select min(next_attempt_at) as next from deliveries where channel = $1 and next_attempt_at is not null',
    [channel],
  );
  return answer.rows[0]!.next;
}

/** The right to send one delivery, up to an instant. No two claims of one delivery end at the same instant. */
export interface Claim {
  readonly id: string;
  readonly claimedAt: Instant;
  readonly until: Instant;
}

/**
 * Moves a delivery to SENDING, committed before this returns, so that nobody else sends it. False when it is not due any
 * more, or somebody else is at it.
 */
export async function claimDelivery(store: Store, { id, claimedAt, until }: Claim): Promise<boolean> {
  const claimed = await store.pool.query(
    `with due as (
      select delivery_id
      from deliveries
      where delivery_id = $1 and next_attempt_at <= $2
      for update skip locked
    )
    update deliveries d
    set state = 'SENDING', next_attempt_at = null, claimed_at = $2, claimed_until = $3
    from due
    where d.delivery_id = due.delivery_id`,
    [id, claimedAt, until],
  );
  return claimed.rowCount === 1;
}
