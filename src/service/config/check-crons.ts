// Checks the schedules of a configuration with the library that the queue computes them with, so
// that a mistake shows when the configuration is read, and not on the worker's first evening.

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
