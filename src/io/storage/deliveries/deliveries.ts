// Deliveries as people see them: a list, one with its attempts, and the retry that a person asks
// for. Refuses to send again what was delivered or is being sent.

import type { InferResult, SqlBool } from 'kysely';
import type { DeliveryContent, DeliveryState } from '../../../core/domain/delivery/delivery.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { anyOf, ask, askPage, build, jsonText, type Page } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { type Store, StoreFailed } from '../server/store.ts';

export interface DeliveryFilter extends Page {
  readonly state?: DeliveryState | undefined;
  readonly merchant?: string | undefined;
  /** Written at or after this instant. */
  readonly since?: Instant | undefined;
  readonly target?: string | undefined;
  /** Only statements of this month, YYYY-MM. */
  readonly period?: string | undefined;
}

const EACH = build
  .selectFrom('deliveries as d')
  .select(({ selectFrom }) => [
    'd.delivery_id as id',
    'd.channel',
    'd.topic',
    'd.announces',
    'd.target',
    'd.merchant',
    'd.state',
    'd.attempts',
    'd.created_at as createdAt',
    'd.next_attempt_at as nextAttemptAt',
    selectFrom('delivery_attempts as a')
      .select('a.detail')
      .whereRef('a.delivery_id', '=', 'd.delivery_id')
      .orderBy('a.attempt_number', 'desc')
      .limit(1)
      .as('lastDetail'),
  ]);

/**
 * `attempts` counts the attempts since the delivery was written, or since a person last retried it.
 * `nextAttemptAt` is `null` when no attempt is planned. `lastDetail` is the detail of the last
 * attempt; `null` before the first.
 */
export type StoredDelivery = InferResult<typeof EACH>[number];

/** `number` counts from 1 and goes on over retries by people. */
const ATTEMPTS = build
  .selectFrom('delivery_attempts')
  .select([
    'attempt_number as number',
    'started_at as startedAt',
    'finished_at as finishedAt',
    'outcome',
    'detail',
  ]);

export type DeliveryAttempt = InferResult<typeof ATTEMPTS>[number];

/** Lists a page of deliveries, newest first, with the number of all that match. */
export function listDeliveries(
  store: Store,
  { state, merchant, since, target, period, ...page }: DeliveryFilter,
) {
  const list = EACH.$if(state !== undefined, (some) => some.where('d.state', '=', state!))
    .$if(merchant !== undefined, (some) => some.where('d.merchant', '=', merchant!))
    .$if(since !== undefined, (some) => some.where('d.created_at', '>=', since!))
    .$if(target !== undefined, (some) =>
      some.where(({ eb, fn, val }) =>
        eb(fn('lower', ['d.target']), '=', fn('lower', [val(target!)])),
      ),
    )
    .$if(period !== undefined, (some) =>
      some.where('d.topic', '=', 'statement').where(jsonText('d.content', 'period'), '=', period!),
    );
  return askPage(store.pool, list.orderBy('d.created_at', 'desc').orderBy('d.delivery_id'), page);
}

/**
 * The one delivery whose id begins with `prefix`, and its attempts, oldest first. Throws
 * `StoreFailed` (UNKNOWN_DELIVERY, AMBIGUOUS_DELIVERY).
 */
export async function loadDelivery(
  store: Store,
  prefix: string,
): Promise<
  StoredDelivery & {
    readonly content: DeliveryContent;
    readonly history: readonly DeliveryAttempt[];
  }
> {
  const find = EACH.select(({ ref }) => ref('d.content').$castTo<DeliveryContent>().as('content'))
    .where(({ cast, fn, val }) =>
      fn<SqlBool>('starts_with', [cast('d.delivery_id', 'text'), val(prefix)]),
    )
    .orderBy('d.delivery_id')
    .limit(2);
  const [delivery, other] = (await ask(store.pool, find)).rows;
  if (delivery === undefined)
    throw new StoreFailed('UNKNOWN_DELIVERY', `There is no delivery that begins with ${prefix}.`);
  if (other !== undefined)
    throw new StoreFailed(
      'AMBIGUOUS_DELIVERY',
      `Several deliveries begin with ${prefix}: give more of the id.`,
    );
  const attempts = ATTEMPTS.where('delivery_id', '=', delivery.id).orderBy('attempt_number');
  return { ...delivery, history: (await ask(store.pool, attempts)).rows };
}

export interface RetryWish {
  /** Whole ids, not prefixes. */
  readonly ids: readonly string[];
  /**
   * States in which a delivery waits for a person; every delivery in one of them is retried too.
   */
  readonly states: readonly ('IN_DOUBT' | 'ABANDONED')[];
}

/**
 * Sets deliveries back to PENDING, due at once: "attempt counter reset; the whole retry ladder is
 * available again" (dashboard document, States). Does so for all or for none, and returns their
 * number. Throws `StoreFailed` (DELIVERY_REFUSED) when a named delivery was delivered, is held,
 * went out in its night's mail, or is being sent. A delivery that is PENDING already may be retried
 * too.
 */
export async function retryDeliveries(
  store: Store,
  { ids, states }: RetryWish,
  now: Instant,
): Promise<number> {
  return inTransaction(store, async (client) => {
    const lock = build
      .selectFrom('deliveries as d')
      .select(({ selectFrom }) => [
        'd.delivery_id as id',
        'd.state',
        selectFrom('delivery_attempts as a')
          .select(({ fn }) => fn.max('a.finished_at').as('at'))
          .whereRef('a.delivery_id', '=', 'd.delivery_id')
          .where('a.outcome', '=', 'SUCCESS')
          .as('delivered'),
      ])
      .where('d.delivery_id', '=', anyOf('uuid', ids))
      .orderBy('d.delivery_id')
      .forUpdate();
    for (const { id, state, delivered } of (await ask(client, lock)).rows) {
      const refusal = refusalOf(state, delivered);
      if (refusal !== null) throw new StoreFailed('DELIVERY_REFUSED', `Delivery ${id} ${refusal}`);
    }
    const putBack = build
      .updateTable('deliveries')
      .set({ state: 'PENDING', attempts: 0, next_attempt_at: now });
    const named = await ask(client, putBack.where('delivery_id', '=', anyOf('uuid', ids)));
    return (
      named.count + (await ask(client, putBack.where('state', '=', anyOf('text', states)))).count
    );
  });
}

function refusalOf(state: DeliveryState, delivered: Instant | null): string | null {
  if (state === 'SUCCESS')
    return `was delivered at ${formatInstant(delivered!)}; it is not sent again.`;
  if (state === 'HELD')
    return "is held: 'pointage statement release' lets a statement go, and a night's end an alert.";
  if (state === 'GATHERED') return "went out in the mail at a night's end; it is not sent again.";
  return state === 'SENDING' ? 'is being sent at this moment; look again in a few minutes.' : null;
}
