// What a worker does about notifications and overdue operations: refreshes, of a merchant one after the other, and a sweep every
// quarter of an hour.

import { MINUTE } from '../../core/domain/instant.ts';
import { toleranceOf } from '../config/for-merchant.ts';
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
  const inTurn = takeTurns();
  return ({ data, signal }) =>
    inTurn(data.merchant, async () => {
      const limited = limitSource(source, { signal, longest: LONGEST_REFRESH });
      await refresh({ store, source: limited, dashboard: published?.dashboard ?? null, log }, data);
    });
}

/** Those of one merchant would contend for its lock, and all but one be put back. */
function takeTurns(): (merchant: string, work: () => Promise<void>) => Promise<void> {
  const last = new Map<string, Promise<void>>();
  return async (merchant, work) => {
    const turn = (last.get(merchant) ?? Promise.resolve()).then(work, work);
    last.set(merchant, turn);
    try {
      await turn;
    } finally {
      if (last.get(merchant) === turn) last.delete(merchant);
    }
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
