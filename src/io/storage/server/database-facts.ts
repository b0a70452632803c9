// What a database says of itself: its version, its clock, and whether the queue has its tables there.

import { sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import { ask, build } from './ask.ts';
import type { Store } from './store.ts';

export interface DatabaseFacts {
  /** `18.1`. */
  readonly version: string;
  readonly now: Instant;
  /** Of the queue's own schema; null where there is none. */
  readonly queueVersion: number | null;
}

export async function askDatabase(store: Store): Promise<DatabaseFacts> {
  const facts = build.selectNoFrom([
    sql<string>`split_part(current_setting('server_version'), ' ', 1)`.as('version'),
    sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`.as('now'),
    sql<boolean>`to_regclass('pgboss.version') is not null`.as('queue'),
  ]);
  const { version, now, queue } = (await ask(store.pool, facts)).rows[0]!;
  if (!queue) return { version, now, queueVersion: null };
  const ofQueue = build.selectFrom(sql<{ version: number }>`pgboss.version`.as('queue')).select('queue.version');
  return { version, now, queueVersion: (await ask(store.pool, ofQueue)).rows[0]?.version ?? null };
}
