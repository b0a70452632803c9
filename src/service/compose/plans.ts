// Derives from the configuration when nights, months and sweeps begin. Also handles notifications,
// by refreshes that take turns for each merchant, and overdue operations, by a sweep every quarter
// of an hour.

import { type Instant, MINUTE } from '../../core/domain/instant.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { toleranceOf, zonesOfMonths } from '../config/for-merchant.ts';
import { nextPlanned } from '../queue/planned-instants.ts';
import type { Handler, Plan } from '../workflows/jobs.ts';
import { refresh, sweepOverdue } from '../workflows/mirror/refresh.ts';
import { limitSource } from '../workflows/nightly/limit-source.ts';
import type { Service } from './service.ts';

export function plansOf(configuration: Configuration): readonly Plan[] {
  return [
    nightPlan(configuration),
    ...monthPlans(configuration),
    OVERDUE_PLAN,
    { kind: 'watchdog', data: {}, cron: '* * * * *', zone: 'UTC' },
  ];
}

export function nightPlan({ worker }: Configuration): Plan<'night'> {
  return { kind: 'night', data: {}, cron: worker.night.cron, zone: worker.night.zone };
}

function monthPlans(configuration: Configuration): readonly Plan<'month-start'>[] {
  const { monthStart } = configuration.worker;
  return zonesOfMonths(configuration).map((zone) => ({
    kind: 'month-start',
    data: { zone },
    cron: monthStart,
    zone,
  }));
}

/** When the next night begins, and when the months of each zone are stated next, ascending. */
export function nextInstants(configuration: Configuration, now: Instant) {
  const zonesAt = Map.groupBy(monthPlans(configuration), (plan) => nextPlanned(plan, now));
  const months = [...zonesAt]
    .sort(([a], [b]) => a - b)
    .map(([at, plans]) => ({ at, zones: plans.map((one) => one.zone) }));
  return { night: nextPlanned(nightPlan(configuration), now), months };
}

/**
 * Milliseconds that a refresh may ask. It holds the merchant's lock meanwhile, for which a night
 * may wait.
 */
const LONGEST_REFRESH = MINUTE;

const OVERDUE_PLAN: Plan<'overdue'> = {
  kind: 'overdue',
  data: {},
  cron: '*/15 * * * *',
  zone: 'UTC',
};

export function refreshHandler({
  store,
  source,
  published,
  runtime,
}: Pick<Service, 'store' | 'source' | 'published' | 'runtime'>): Handler<'refresh'> {
  const { log } = runtime;
  const inTurn = takeTurns();
  return ({ data, signal }) =>
    inTurn(data.merchant, async () => {
      const limited = limitSource(source, { signal, longest: LONGEST_REFRESH });
      await refresh({ store, source: limited, dashboard: published?.dashboard ?? null, log }, data);
    });
}

/**
 * Runs the refreshes of one merchant one after the other. At once they would contend for the
 * merchant's lock, and all but one would be requeued.
 */
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

export function overdueHandler({
  store,
  source,
  queue,
  configuration,
  runtime,
}: Service): Handler<'overdue'> {
  return async () => {
    const { grace } = toleranceOf(configuration);
    const moves = (merchant: string) => !source.isStateless(merchant);
    const operations = await sweepOverdue({
      store,
      jobs: queue,
      moves,
      now: runtime.clock(),
      grace,
    });
    runtime.log({ event: 'overdue operations', operations });
  };
}
