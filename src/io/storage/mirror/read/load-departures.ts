// Operations that are served otherwise than they were, against the document: as they stood before it, and as they stand now.

import type pg from 'pg';
import { type Departure, hasDeparted } from '../../../../core/domain/operation.ts';
import { OPERATION_TABLE } from '../../../../core/rows/operation-fields.ts';
import { anyOf, ask, build, prepare, type Slots } from '../../server/ask.ts';
import { operationOf } from '../copy/operation-rows.ts';
import { columnsOf } from '../copy/row-columns.ts';

/** By number of the merchant, then by reference. One that is again what it was before has not departed. */
export async function loadDepartures(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Departure[]>> {
  if (merchantIds.length === 0) return new Map();
  const { rows } = await ask(client, departuresOf({ merchantIds }));
  const byMerchant = new Map<number, Departure[]>();
  for (const record of rows) {
    const departure = { before: operationOf(record, 'before_'), now: operationOf(record, 'now_') };
    if (!hasDeparted(departure)) continue;
    const known = byMerchant.get(record.merchant_id) ?? [];
    byMerchant.set(record.merchant_id, [...known, departure]);
  }
  return byMerchant;
}

const departuresOf = prepare('departures', (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
  build
    .selectFrom((from) =>
      from
        .selectFrom('departed_operation_versions')
        .select(({ fn }) => ['merchant_id', 'reference', fn.min('version').as('version')])
        .where('merchant_id', '=', anyOf('bigint', at('merchantIds')))
        .groupBy(['merchant_id', 'reference'])
        .as('d'),
    )
    .innerJoin('operation_versions as b', (join) =>
      join
        .onRef('b.merchant_id', '=', 'd.merchant_id')
        .onRef('b.reference', '=', 'd.reference')
        .on(({ eb }) => eb('b.version', '=', eb('d.version', '-', eb.lit(1)))),
    )
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('operation_versions as v')
          .selectAll()
          .whereRef('v.merchant_id', '=', 'd.merchant_id')
          .whereRef('v.reference', '=', 'd.reference')
          .orderBy('v.version', 'desc')
          .limit(1)
          .as('n'),
      (join) => join.onTrue(),
    )
    .select([
      'd.merchant_id',
      ...columnsOf(OPERATION_TABLE, 'b', 'before_'),
      ...columnsOf(OPERATION_TABLE, 'n', 'now_'),
    ])
    .orderBy('d.merchant_id')
    .orderBy('d.reference'),
);
