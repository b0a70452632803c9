// When everything is to happen, out of the configuration.

import type { Instant } from '../../core/domain/instant.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { zonesOfMonths } from '../config/for-merchant.ts';
import { nextPlanned } from '../queue/planned-instants.ts';
import type { Plan } from '../workflows/jobs.ts';
import { OVERDUE_PLAN } from './refreshes.ts';

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

/** One for each zone in which some merchant's months begin. */
function monthPlans(configuration: Configuration): readonly Plan<'month-start'>[] {
  const { monthStart } = configuration.worker;
  return zonesOfMonths(configuration).map((zone) => ({ kind: 'month-start', data: { zone }, cron: monthStart, zone }));
}

/** When the next night begins, and when the months of each zone are stated next, ascending. */
export function nextInstants(
  configuration: Configuration,
  now: Instant,
): {
  readonly night: Instant;
  readonly months: readonly { readonly at: Instant; readonly zones: readonly string[] }[];
} {
  const zonesAt = Map.groupBy(monthPlans(configuration), (plan) => nextPlanned(plan, now));
  const months = [...zonesAt]
    .sort(([a], [b]) => a - b)
    .map(([at, plans]) => ({ at, zones: plans.map((one) => one.zone) }));
  return { night: nextPlanned(nightPlan(configuration), now), months };
}
