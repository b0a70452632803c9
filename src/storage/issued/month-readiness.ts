// What decides whether a merchant's month can be stated: how far its books are known, in which country it is, and which
// months were issued.

import type { Instant } from '../../domain/instant.ts';
import type { Store } from '../server/store.ts';

export interface MonthReadiness {
  readonly merchant: string;
  /** Null when no profile was read. */
  readonly country: string | null;
  /** Up to when the books are known: the newest reading that came to its end in a run. Null: none has. */
  readonly knownUntil: Instant | null;
  /** The mirror holds lines of it. */
  readonly hasLines: boolean;
  /** Of the periods asked about, those with a READY report. */
  readonly issued: readonly string[];
}

/** By merchant reference. `merchants` null: every merchant. `periods` are `YYYY-MM`. */
export async function loadMonthReadiness(
  store: Store,
  asked: { readonly merchants: readonly string[] | null; readonly periods: readonly string[] },
): Promise<readonly MonthReadiness[]> {
  const answer = await store.pool.query<MonthReadiness>({
    // Of some merchants it is asked many times a night.
    ...(asked.merchants === null ? {} : { name: 'month readiness' }),
    text: `select m.reference as merchant, p.country, x.watermark as "knownUntil",
      h.entry_count > 0 as "hasLines", coalesce(r.issued, '{}') as issued
    from merchant_heads h
    join merchants m on m.merchant_id = h.merchant_id
    left join lateral (
      select country
      from profile_versions
      where merchant_id = h.merchant_id
      order by version desc
      limit 1
    ) p on true
    left join lateral (
      select watermark
      from run_members
      where merchant_id = h.merchant_id and state = 'done' and reason is null and watermark is not null
      order by run_id desc
      limit 1
    ) x on true
    left join lateral (
      select array_agg(distinct period) as issued
      from reports
      where merchant_id = h.merchant_id and status = 'READY' and period = any ($2)
    ) r on true
    where ${asked.merchants === null ? '$1::text[] is null' : 'm.reference = any ($1::text[])'}
    order by m.reference`,
    values: [asked.merchants, asked.periods],
  });
  return answer.rows;
}
