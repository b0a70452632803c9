// What a worker does about notifications and overdue operations: one refresh at a time, and a sweep every quarter of an hour.

import { toleranceOf } from '../config/for-merchant.ts';
import { MINUTE } from '../domain/instant.ts';
import type { Handler, Plan } from '../workflows/jobs.ts';
import { refresh } from '../workflows/mirror/refresh.ts';
import { sweepOverdue } from '../workflows/mirror/sweep-overdue.ts';
import { limitSource } from '../workflows/nightly/limit-source.ts';
import type { Service } from './service.ts';

/** A refresh holds the merchant's lock while it asks, which a night may wait for. */
const LONGEST_REFRESH = MINUTE;

export const OVERDUE_PLAN: Plan<'overdue'> = { kind: 'overdue', data: {}, cron: '*/15 * * * *', zone: 'UTC' };

export function refreshHandler({
  store,
  source,
  published,
  surroundings,
}: Pick<Service, 'store' | 'source' | 'published' | 'surroundings'>): Handler<'refresh'> {
  const { log } = surroundings;
  return async ({ data, signal }) => {
    const limited = limitSource(source, { signal, longest: LONGEST_REFRESH });
    await refresh({ store, source: limited, dashboard: published?.dashboard ?? null, log }, data);
  };
}

export function overdueHandler({ store, source, queue, configuration, surroundings }: Service): Handler<'overdue'> {
  return async () => {
    const { grace } = toleranceOf(configuration);
    const moves = (merchant: string) => !source.isStateless(merchant);
    const operations = await sweepOverdue({ store, jobs: queue, moves, now: surroundings.clock(), grace });
    surroundings.log({ event: 'overdue operations', operations });
  };
}
