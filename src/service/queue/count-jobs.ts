// How much is queued, counted in the table of jobs itself: the figures that pg-boss keeps aside are minutes old.

import type { Store } from '../../io/storage/server/store.ts';
import { JOB_KINDS, type QueueDepth } from '../workflows/jobs.ts';

/** Every kind, also those that have none. */
export async function countJobs(store: Store): Promise<readonly QueueDepth[]> {
  const answer = await store.pool.query<QueueDepth & { readonly name: string }>(
    `select name,
      count(*) filter (where state in ('created', 'retry')) as waiting,
      count(*) filter (where state = 'active') as active,
      count(*) filter (where state = 'failed') as failed
    from pgboss.job
    where name = any ($1)
    group by name`,
    [JOB_KINDS],
  );
  const counted = new Map(answer.rows.map((row) => [row.name, row]));
  return JOB_KINDS.map((kind) => {
    const { waiting = 0, active = 0, failed = 0 } = counted.get(kind) ?? {};
    return { kind, waiting, active, failed };
  });
}
