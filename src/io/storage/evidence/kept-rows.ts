// Reads a merchant's rows of one table as JSON Lines: instants in milliseconds, bytes as text where
// they are UTF-8 and in hexadecimal where not. Refuses to hold a table in memory. Its SQL is text,
// because Kysely has no cursors.

import { isUtf8 } from 'node:buffer';
import { sql } from 'kysely';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Bounds } from '../../../core/domain/period.ts';
import { findMerchantId } from '../merchants/merchants.ts';
import { ask, build } from '../server/ask.ts';
import { openDatabaseSnapshot } from '../server/database-snapshot.ts';
import type { Store } from '../server/store.ts';

export interface KeptTable {
  /**
   * A table, or `readings`: the pages of lines, each with the first run whose chain includes the
   * page.
   */
  readonly table: keyof Database | 'readings';
  /** Columns whose values together are unique for a merchant. */
  readonly order: readonly string[];
  /** Limits the rows to those whose instant in `column` lies within `bounds`. */
  readonly within?: { readonly column: string; readonly bounds: Bounds };
}

const READINGS = sql`(
  select p.*, r.run_id, m.started_at, m.finished_at, r.run_lines, r.chain_head
  from (
    select merchant_id, intake as page, min(sequence) as first_sequence, max(sequence) as last_sequence, count(*) as lines,
      sum(count(*)) over (partition by merchant_id order by intake) as chain_lines
    from entries
    group by merchant_id, intake
  ) p
  left join lateral (
    select run_id, chain_lines as run_lines, chain_head
    from run_merchants s
    where s.merchant_id = p.merchant_id and s.chain_lines >= p.chain_lines
    order by run_id
    limit 1
  ) r on true
  left join run_members m on m.merchant_id = p.merchant_id and m.run_id = r.run_id
)`;

const AT_ONCE = 500;

/** Yields the rows in the given order, several lines of JSON at a time. */
export async function* keptRows(
  store: Store,
  merchant: string,
  { table, order, within }: KeptTable,
): AsyncGenerator<string> {
  const moment = await openDatabaseSnapshot(store);
  try {
    const merchantId = await findMerchantId(moment.client, merchant);
    const bounded =
      within === undefined
        ? sql``
        : sql`and ${sql.ref(within.column)} >= ${sql.lit(within.bounds.start)} and ${sql.ref(within.column)} < ${sql.lit(within.bounds.end)}`;
    const declare = sql`declare kept no scroll cursor for
      select to_jsonb(t) - 'merchant_id' as row
      from ${table === 'readings' ? READINGS : sql.table(table)} t
      where merchant_id = ${sql.lit(merchantId)} ${bounded}
      order by ${sql.join(order.map((name) => sql.ref(name)))}`;
    await ask(moment.client, { compile: () => declare.compile(build) });
    for (;;) {
      const fetch = sql<{ readonly row: object }>`fetch ${sql.lit(AT_ONCE)} from kept`;
      const { rows } = await ask(moment.client, { compile: () => fetch.compile(build) });
      if (rows.length === 0) return;
      yield rows.map(({ row }) => `${JSON.stringify(row, bytesAsText)}\n`).join('');
    }
  } finally {
    await moment.close();
  }
}

/**
 * Gives the column `body` as text where it is UTF-8. PostgreSQL writes bytes as `\x` and
 * hexadecimal digits.
 */
function bytesAsText(key: string, value: unknown): unknown {
  if (key !== 'body' || typeof value !== 'string') return value;
  const bytes = Buffer.from(value.slice(2), 'hex');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
