// Operations of the mirror that should have been final by now. Refuses to read history: it goes by an index of the few
// versions that were not final, and reads no further back than requested.

import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

export interface OverdueScope {
  /** Those that expired after the one and up to the other. */
  readonly after: Instant;
  readonly until: Instant;
  /** Of one merchant, at most; those that expired last come first. */
  readonly mostPerMerchant: number;
}

export interface OverdueOperation {
  readonly merchant: string;
  readonly reference: string;
}

/** By merchant, then by expiry, the newest first. */
export async function loadOverdue(store: Store, scope: OverdueScope): Promise<readonly OverdueOperation[]> {
  const overdue = build
    .selectFrom('operation_versions as v')
    .select(({ fn }) => [
      'v.merchant_id',
      'v.reference',
      'v.expires_at',
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('v.merchant_id').orderBy('v.expires_at', 'desc').orderBy('v.reference'))
        .as('place'),
    ])
    .where('v.status', 'in', ['CREATED', 'PENDING', 'AWAITING_PAYER'])
    .where('v.expires_at', '>', scope.after)
    .where('v.expires_at', '<=', scope.until)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('operation_versions as later')
            .select('later.version')
            .whereRef('later.merchant_id', '=', 'v.merchant_id')
            .whereRef('later.reference', '=', 'v.reference')
            .whereRef('later.version', '>', 'v.version'),
        ),
      ),
    );
  const load = build
    .selectFrom(overdue.as('overdue'))
    .innerJoin('merchants as m', 'm.merchant_id', 'overdue.merchant_id')
    .select(['m.reference as merchant', 'overdue.reference'])
    .where('overdue.place', '<=', scope.mostPerMerchant)
    .orderBy('m.reference')
    .orderBy('overdue.expires_at', 'desc')
    .orderBy('overdue.reference');
  return (await ask(store.pool, load)).rows;
}
