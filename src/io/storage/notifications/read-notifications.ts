// Reads back what was notified of a merchant's operations, as it came, to be compared with the books: all of it, what
// came since, or what names certain operations. Signed notifications only; refuses nothing.

import { sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { OPERATION_TABLE } from '../../../core/rows/operation-fields.ts';
import { askTogether } from '../../together/ask-together.ts';
import { operationOf } from '../mirror/copy/operation-rows.ts';
import { columnsOf } from '../mirror/copy/row-columns.ts';
import { newestVersion } from '../mirror/read/newest-version.ts';
import { anyOf, ask, build, prepare, type Slots, unnest } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/** A signed notification as it was stored: `body` is what counts, byte for byte. */
export interface StoredEvent {
  readonly eventId: string;
  /** 0 for the first body under this id; 1, 2, … for each other one. */
  readonly variant: number;
  readonly operationReference: string | null;
  readonly receivedAt: Instant;
  readonly body: Uint8Array;
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
const ROWS_PER_BATCH = 500;

/** Those received after an instant (null: all), in batches, in the order in which they came; what comes meanwhile may be missing. */
export async function* readEvents(
  store: Store,
  merchantId: number,
  receivedAfter: Instant | null,
): AsyncGenerator<readonly StoredEvent[]> {
  const first = receivedAfter === null ? 0 : receivedAfter + 1;
  let last: Pick<StoredEvent, 'receivedAt' | 'eventId' | 'variant'> = { receivedAt: first, eventId: '', variant: -1 };
  for (;;) {
    const { receivedAt, eventId, variant } = last;
    const read = EVENTS.where('n.merchant_id', '=', merchantId)
      // For the index; what follows goes on behind the last row read.
      .where('n.received_at', '>=', receivedAt)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('n.received_at', 'n.event_id', 'n.variant'), '>', tuple(receivedAt, eventId, variant)),
      )
      .orderBy('n.received_at')
      .orderBy('n.event_id')
      .orderBy('n.variant')
      .limit(ROWS_PER_BATCH);
    const { rows }: { readonly rows: readonly StoredEvent[] } = await ask(store.pool, read);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_BATCH) return;
    last = rows.at(-1)!;
  }
}

/** Those under one of these ids, and those that name one of these operations; few at a time. */
export async function loadEvents(
  store: Store,
  merchantId: number,
  { ids = [], references = [] }: { readonly ids?: readonly string[]; readonly references?: readonly string[] },
): Promise<readonly StoredEvent[]> {
  const ofMerchant = EVENTS.where('n.merchant_id', '=', merchantId);
  const named = ofMerchant
    .where('n.operation_reference', '=', anyOf('text', references))
    .where(({ eb, not }) => not(eb('n.event_id', '=', anyOf('text', ids))));
  return (await ask(store.pool, ofMerchant.where('n.event_id', '=', anyOf('text', ids)).unionAll(named))).rows;
}

export interface NotifiedMerchant {
  readonly merchantId: number;
  /** When the first notification about an operation came; null when there is none. */
  readonly since: Instant | null;
}

/** Null when nothing was ever notified of the merchant. */
export const loadNotifiedMerchant = askTogether<string, NotifiedMerchant | null, Store>(async ({ pool }, merchants) => {
  const { rows } = await ask(pool, notifiedMerchants({ merchants }));
  const notified = new Map(rows.map(({ merchant, ...found }) => [merchant, found]));
  return merchants.map((merchant) => notified.get(merchant) ?? null);
});

const notifiedMerchants = prepare('notified merchant', (at: Slots<{ readonly merchants: readonly string[] }>) =>
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
