// Whether the plans of a configuration can be reckoned, by the library that the queue reckons them with: what is wrong with one is
// said when it is read, and not by the worker on its first evening.

import { CronExpressionParser } from 'cron-parser';
import type { Configuration } from './check-configuration.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';

/** Throws `ConfigurationInvalid`. */
export function checkCrons({ worker: { night, monthStart } }: Configuration): void {
  for (const [key, cron] of [
    ['worker.night.cron', night.cron],
    ['worker.monthStart', monthStart],
  ] as const) {
    try {
      CronExpressionParser.parse(cron, { tz: 'UTC', currentDate: new Date(0) }).next();
    } catch (cause) {
      const why = (cause as Error).message;
      throw new ConfigurationInvalid(
        `${key}: '${cron}' is no plan (${why}); write five fields, like '0 2 * * *' for 02:00 each day.`,
      );
    }
  }
}
