// What a database says of itself: its version, its clock, and whether the queue has its tables there.

import type { Instant } from '../../domain/instant.ts';
import type { Store } from './store.ts';

export interface DatabaseFacts {
  /** `18.1`. */
  readonly version: string;
  readonly now: Instant;
  /** Of the queue's own schema; null where there is none. */
  readonly queueVersion: number | null;
}

export async function askDatabase(store: Store): Promise<DatabaseFacts> {
  const { rows } = await store.pool.query<{ version: string; now: number; queue: boolean }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
      (extract(epoch from clock_timestamp()) * 1000)::bigint as now,
      to_regclass('pgboss.version') is not null as queue`,
  );
  const { version, now, queue } = rows[0]!;
  if (!queue) return { version, now, queueVersion: null };
  const found = await store.pool.query<{ version: number }>('select version from pgboss.version');
  return { version, now, queueVersion: found.rows[0]?.version ?? null };
}
