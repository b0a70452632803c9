// Searches the operations of all merchants by what people know: a reference, the partner's
// reference, a phone number, or an amount and a time. Refuses a search that the indexes cannot
// answer within two seconds. Phone numbers and partner references are indexed by a hash, which
// differs from merchant to merchant.

import {
  type ExpressionBuilder,
  type ExpressionWrapper,
  type InferResult,
  type SqlBool,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { OperationStatus, OperationType } from '../../../core/domain/operation.ts';
import { profiled } from '../merchants/merchants.ts';
import { newestVersion } from '../mirror/read/recall.ts';
import { ask, build, by } from '../server/ask.ts';
import { inTransaction, WITHIN_TWO_SECONDS } from '../server/connections.ts';
import { BY_INDEX } from '../server/database-snapshot.ts';
import { type Store, StoreFailed } from '../server/store.ts';

export type OperationWish =
  | { readonly by: 'reference' | 'externalReference'; readonly text: string }
  | { readonly by: 'phoneNumber'; readonly numbers: readonly string[] }
  /** The amount or the net amount; created at `start` or later, and before `end`. */
  | {
      readonly by: 'amount';
      readonly amount: number;
      readonly start: Instant;
      readonly end: Instant;
    };

/**
 * An operation as it was last read. `profileCountry` is the merchant's country; `null` when no
 * profile was read.
 */
export type FoundOperation = InferResult<ReturnType<typeof operationsWhere>>[number];

/** Finds operations, newest first. Throws `StoreFailed` (SEARCH_CUT). */
export async function searchOperations(
  store: Store,
  wish: OperationWish,
  { merchant, most }: { readonly merchant: string | undefined; readonly most: number },
): Promise<readonly FoundOperation[]> {
  const find = operationsWhere(wish, most).$if(merchant !== undefined, (some) =>
    some.where('m.reference', '=', merchant!),
  );
  return withinTwoSeconds(store, async (client) => (await ask(client, find)).rows);
}

const MOST_HOLDERS = 200;

/**
 * Returns the merchants, sorted, that have an operation with this reference: a version, a line, or
 * a notification of it. Throws `StoreFailed` (SEARCH_CUT).
 */
export async function findHolders(store: Store, reference: string): Promise<readonly string[]> {
  const find = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .select('m.reference')
    .where(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom('operation_versions as v')
            .select('v.version')
            .whereRef('v.merchant_id', '=', 'h.merchant_id')
            .where('v.reference', '=', reference),
        ),
        exists(
          selectFrom('entries as e')
            .select('e.variant')
            .whereRef('e.merchant_id', '=', 'h.merchant_id')
            .where('e.operation_reference', '=', reference),
        ),
        exists(
          selectFrom('notifications as n')
            .select('n.variant')
            .whereRef('n.merchant_id', '=', 'h.merchant_id')
            .where('n.operation_reference', '=', reference),
        ),
      ]),
    )
    .orderBy('m.reference')
    .limit(MOST_HOLDERS);
  return withinTwoSeconds(store, async (client) =>
    (await ask(client, find)).rows.map((row) => row.reference),
  );
}

/**
 * Runs queries in one transaction. Throws `StoreFailed` (SEARCH_CUT) when a query takes longer than
 * two seconds.
 */
async function withinTwoSeconds<T>(
  store: Store,
  work: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(store, work, `${BY_INDEX};${WITHIN_TWO_SECONDS}`);
  } catch (cause) {
    // The code is that of query_canceled.
    if ((cause as { readonly code?: unknown }).code !== '57014') throw cause;
    const why =
      'The search took more than two seconds and was cut off: name a merchant, or give a whole reference.';
    throw new StoreFailed('SEARCH_CUT', why, cause);
  }
}

function operationsWhere(wish: OperationWish, most: number) {
  return build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .crossJoinLateral((from) =>
      from
        .selectFrom('operation_versions as v')
        .select('v.reference')
        .distinct()
        .whereRef('v.merchant_id', '=', 'h.merchant_id')
        .where((version) => conditionOf(wish, version))
        .limit(most)
        .as('wanted'),
    )
    .crossJoinLateral(newestVersion(sql.ref<number>('h.merchant_id')).as('n'))
    .select(({ ref }) => [
      'm.reference as merchant',
      'n.reference',
      ref('n.type').$castTo<OperationType>().as('type'),
      ref('n.status').$castTo<OperationStatus>().as('status'),
      'n.amount',
      'n.currency',
      'n.created_at as createdAt',
      'n.external_reference as externalReference',
      profiled('country', 'h').as('profileCountry'),
    ])
    .$call(by('n.created_at desc', 'm.reference', 'n.reference'))
    .limit(most);
}

type Versions = Database & {
  readonly m: Database['merchants'];
  readonly v: Database['operation_versions'];
};

function conditionOf(
  wish: OperationWish,
  { and, eb, or }: ExpressionBuilder<Versions, 'v'>,
): ExpressionWrapper<Versions, 'v', SqlBool> {
  const hashed = (column: 'v.external_reference' | 'v.counterparty_number', text: string) =>
    and([
      sql<SqlBool>`hashtextextended(${sql.ref(column)}, v.merchant_id) = hashtextextended(${text}, v.merchant_id)`,
      eb(column, '=', text),
    ]);
  switch (wish.by) {
    case 'reference':
      return eb('v.reference', '=', wish.text);
    case 'externalReference':
      return hashed('v.external_reference', wish.text);
    case 'phoneNumber':
      return or(wish.numbers.map((number) => hashed('v.counterparty_number', number)));
    case 'amount':
      return and([
        eb('v.created_at', '>=', wish.start),
        eb('v.created_at', '<', wish.end),
        or([eb('v.amount', '=', wish.amount), eb('v.net_amount', '=', wish.amount)]),
      ]);
  }
}
