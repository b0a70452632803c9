// Sends jobs for the statement of the month that ended last, for each merchant whose books are
// known past its end and that has no report for it. Refuses older months, which only a person may
// request.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import {
  boundsOf,
  formatPeriod,
  type Period,
  periodBefore,
  periodOf,
} from '../../../core/domain/period.ts';
import type { Zone } from '../../../core/domain/zone.ts';
import {
  loadMonthReadiness,
  type MonthReadiness,
} from '../../../io/storage/issued/month-readiness.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { Jobs } from '../jobs.ts';
import type { MerchantPlace } from './open-month.ts';
import { canBeStated } from './state-month.ts';

export interface EndedMonthsTask {
  readonly store: Store;
  readonly jobs: Jobs;
  readonly zoneFor: (merchant: MerchantPlace) => Zone;
  /**
   * Returns the grace in milliseconds: rows younger than this may still be incomplete, for example
   * an operation without its last line.
   */
  readonly graceFor: (merchant: string) => number;
  readonly now: Instant;
}

/**
 * Sends jobs for those of these merchants whose month is ready. Called twice, it still makes one
 * job for each.
 */
export async function askForMonthsOf(
  task: EndedMonthsTask,
  merchants: readonly string[],
): Promise<void> {
  await askFor(task, merchants, () => true);
}

/** Sends jobs for every merchant of this zone whose month is ready. Returns the number of jobs. */
export async function askForMonthsIn(task: EndedMonthsTask, zone: string): Promise<number> {
  return askFor(task, null, ({ name }) => name === zone);
}

async function askFor(
  task: EndedMonthsTask,
  merchants: readonly string[] | null,
  isMeant: (zone: Zone) => boolean,
): Promise<number> {
  const periods = possibleMonths(task.now).map(formatPeriod);
  const known = await loadMonthReadiness(task.store, { merchants, periods });
  const wanted = known.flatMap((one) => {
    const zone = task.zoneFor({ reference: one.merchant, country: one.country });
    const period = isMeant(zone)
      ? monthWanted(one, { zone, now: task.now, grace: task.graceFor(one.merchant) })
      : null;
    return period === null ? [] : [{ merchant: one.merchant, period: formatPeriod(period) }];
  });
  await task.jobs.send(wanted.map((data) => ({ kind: 'statement', data }) as const));
  return wanted.length;
}

/** Returns the months that may be the last ended one somewhere in the world at this instant. */
function possibleMonths(now: Instant): readonly Period[] {
  const utc: Zone = { name: 'UTC', offsetAt: () => 0 };
  return [now - DAY, now, now + DAY].map((instant) => periodBefore(periodOf(instant, utc)));
}

/**
 * Returns the month that ended last on the merchant's calendar; `null` when it is issued already,
 * or cannot be stated yet.
 */
export function monthWanted(
  merchant: MonthReadiness,
  { zone, now, grace }: { readonly zone: Zone; readonly now: Instant; readonly grace: number },
): Period | null {
  const period = periodBefore(periodOf(now, zone));
  if (!merchant.hasLines || merchant.knownUntil === null) return null;
  if (merchant.issued.includes(formatPeriod(period))) return null;
  return canBeStated(boundsOf(period, zone), merchant.knownUntil, grace) ? period : null;
}
