// Operations of the mirror that should have been final by now. Refuses to read history: it goes by an index of the few
// versions that were not final, and reads no further back than it is asked.

import type { Instant } from '../../domain/instant.ts';
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
  const answer = await store.pool.query<OverdueOperation>(
    `select m.reference as merchant, overdue.reference
    from (
      select v.merchant_id, v.reference, v.expires_at,
        row_number() over (partition by v.merchant_id order by v.expires_at desc, v.reference) as place
      from operation_versions v
      where v.status in ('CREATED', 'PENDING', 'AWAITING_PAYER')
        and v.expires_at > $1 and v.expires_at <= $2
        and not exists (
          select 1
          from operation_versions later
          where later.merchant_id = v.merchant_id and later.reference = v.reference and later.version > v.version
        )
    ) overdue
    join merchants m on m.merchant_id = overdue.merchant_id
    where overdue.place <= $3
    order by m.reference, overdue.expires_at desc, overdue.reference`,
    [scope.after, scope.until, scope.mostPerMerchant],
  );
  return answer.rows;
}
