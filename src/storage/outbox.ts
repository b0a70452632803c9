// The outbox: deliveries written in the transaction of what they tell. Refuses to write the same one twice.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { NewDelivery } from '../domain/delivery.ts';
import type { Instant } from '../domain/instant.ts';
import { storableJson } from './storable.ts';

/** Within the caller's transaction. What was announced before to the same target adds nothing. */
export async function addDeliveries(
  client: pg.ClientBase,
  deliveries: readonly NewDelivery[],
  now: Instant,
): Promise<void> {
  for (const { channel, announces, target, merchant, content } of deliveries) {
    await client.query(
      `insert into deliveries
        (delivery_id, channel, topic, announces, target, merchant, content, created_at, next_attempt_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
      on conflict (announces, channel, target) do nothing`,
      [randomUUID(), channel, content.topic, announces, target, merchant, storableJson(content), now],
    );
  }
}
