// Deliveries as people see them: listed, one with its attempts, and put back to be tried again. Refuses to send again
// what was delivered, or is being sent.

import type { Channel, DeliveryContent, DeliveryOutcome, DeliveryState } from '../../domain/delivery/delivery.ts';
import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Store } from '../server/store.ts';
import { StoreFailed } from '../server/store-failed.ts';
import { inTransaction } from '../server/transaction.ts';

export interface StoredDelivery {
  /** UUID. */
  readonly id: string;
  readonly channel: Channel;
  readonly topic: DeliveryContent['topic'];
  readonly announces: string;
  readonly target: string;
  readonly merchant: string | null;
  readonly state: DeliveryState;
  /** Since it was written, or last retried by a person. */
  readonly attempts: number;
  readonly createdAt: Instant;
  /** Null: nothing is planned. */
  readonly nextAttemptAt: Instant | null;
  /** Of the last attempt; null before the first. */
  readonly lastDetail: string | null;
}

export interface DeliveryAttempt {
  /** From 1, over all retries. */
  readonly number: number;
  readonly startedAt: Instant;
  readonly finishedAt: Instant;
  readonly outcome: DeliveryOutcome;
  readonly detail: string;
}

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly merchant?: string | undefined;
  /** Written at or after this instant. */
  readonly since?: Instant | undefined;
  readonly limit: number;
}

const COLUMNS = `d.delivery_id as id, d.channel, d.topic, d.announces, d.target, d.merchant, d.state, d.attempts,
      d.created_at as "createdAt", d.next_attempt_at as "nextAttemptAt",
      (
        select a.detail
        from delivery_attempts a
        where a.delivery_id = d.delivery_id
        order by a.attempt_number desc
        limit 1
      ) as "lastDetail"`;

/** Newest first. */
export async function listDeliveries(store: Store, filter: DeliveryFilter): Promise<readonly StoredDelivery[]> {
  const answer = await store.pool.query<StoredDelivery>(
    `select ${COLUMNS}
    from deliveries d
    where ($1::text is null or d.state = $1)
      and ($2::text is null or d.merchant = $2)
      and ($3::bigint is null or d.created_at >= $3)
    order by d.created_at desc, d.delivery_id
    limit $4`,
    [filter.state ?? null, filter.merchant ?? null, filter.since ?? null, filter.limit],
  );
  return answer.rows;
}

/**
 * The one delivery whose id begins with `prefix`, and its attempts, oldest first. Throws `StoreFailed` (UNKNOWN_DELIVERY,
 * AMBIGUOUS_DELIVERY).
 */
export async function loadDelivery(
  store: Store,
  prefix: string,
): Promise<StoredDelivery & { readonly content: DeliveryContent; readonly history: readonly DeliveryAttempt[] }> {
  const found = await store.pool.query<StoredDelivery & { content: DeliveryContent }>(
    `select ${COLUMNS}, d.content
    from deliveries d
    where starts_with(d.delivery_id::text, $1)
    order by d.delivery_id
    limit 2`,
    [prefix],
  );
  const [delivery, other] = found.rows;
  if (delivery === undefined)
    throw new StoreFailed('UNKNOWN_DELIVERY', `There is no delivery that begins with ${prefix}.`);
  if (other !== undefined)
    throw new StoreFailed('AMBIGUOUS_DELIVERY', `Several deliveries begin with ${prefix}: give more of the id.`);
  const attempts = await store.pool.query<DeliveryAttempt>(
    `select attempt_number as number, started_at as "startedAt", finished_at as "finishedAt", outcome, detail
    from delivery_attempts
    where delivery_id = $1
    order by attempt_number`,
    [delivery.id],
  );
  return { ...delivery, history: attempts.rows };
}

/**
 * Puts deliveries back to PENDING, due at once: "attempt counter reset; the whole retry ladder is available again"
 * (dashboard document, States). All or none. Throws `StoreFailed` (DELIVERY_REFUSED) for one that was delivered, or is
 * being sent; what is PENDING stays so. `ids` are whole.
 */
export async function retryDeliveries(store: Store, ids: readonly string[], now: Instant): Promise<number> {
  return inTransaction(store, async (client) => {
    const locked = await client.query<{ id: string; state: DeliveryState; delivered: Instant | null }>(
      `select d.delivery_id as id, d.state,
        (
          select max(a.finished_at)
          from delivery_attempts a
          where a.delivery_id = d.delivery_id and a.outcome = 'SUCCESS'
        ) as delivered
      from deliveries d
      where d.delivery_id = any ($1::uuid[])
      order by d.delivery_id
      for update`,
      [ids],
    );
    for (const { id, state, delivered } of locked.rows) {
      const refusal = refusalOf(state, delivered);
      if (refusal !== null) throw new StoreFailed('DELIVERY_REFUSED', `Delivery ${id} ${refusal}`);
    }
    const put = await client.query(
      `update deliveries
      set state = 'PENDING', attempts = 0, next_attempt_at = $2
      where delivery_id = any ($1::uuid[])`,
      [ids, now],
    );
    return put.rowCount ?? 0;
  });
}

function refusalOf(state: DeliveryState, delivered: Instant | null): string | null {
  if (state === 'SUCCESS') return `was delivered at ${formatInstant(delivered!)}; it is not sent again.`;
  return state === 'SENDING' ? 'is being sent at this moment; look again in a few minutes.' : null;
}

/** As `retryDeliveries`, for every delivery of a state that waits for a person. */
export async function retryAllIn(
  store: Store,
  states: readonly ('IN_DOUBT' | 'ABANDONED')[],
  now: Instant,
): Promise<number> {
  const put = await store.pool.query(
    `update deliveries
    set state = 'PENDING', attempts = 0, next_attempt_at = $2
    where state = any ($1::text[])`,
    [states, now],
  );
  return put.rowCount ?? 0;
}
