// Whose bounds a statement has: the payment service's where it stated them for the period's own
// months, else those of the calendar.

import { expect, test } from 'vitest';
import { DAY } from '../../../src/core/domain/instant.ts';
import {
  type Bounds,
  formatPeriod,
  type Period,
  parseDay,
  parsePeriod,
  parseYear,
} from '../../../src/core/domain/period.ts';
import { openZone } from '../../../src/core/domain/zone.ts';
import { planMerchant } from '../../../src/sandbox/model/plan.ts';
import { type MonthTask, withOpenMonth } from '../../../src/service/workflows/month/open-month.ts';
import type { ServiceMonth } from '../../../src/service/workflows/month/service-month.ts';
import { snapshotOf } from '../../support/month-of-books.ts';
import { decodeBooks } from '../../support/sandbox-books.ts';
import { simulateBooks } from '../../support/simulate-books.ts';

const until = Date.UTC(2027, 0, 9);
const books = decodeBooks(
  simulateBooks(planMerchant({ reference: 'M001', country: 'CI', opensAt: until - 20 * DAY }), {
    seed: 'bounds',
    until,
  }),
);

/** Returns the bounds of a period. `stated` holds the bounds that the service states, by month. */
async function boundsOf(period: string, stated: Readonly<Record<string, Bounds>>) {
  const serviceMonthOf = async (_: string, month: Period): Promise<ServiceMonth> => ({
    bounds: stated[formatPeriod(month)] ?? null,
    isUnknown: false,
    compare: () => null,
    links: async () => Promise.reject(new Error('asked for payments')),
    document: async () => null,
    close: async () => {},
  });
  const task = {
    period: parsePeriod(period) ?? parseYear(period) ?? parseDay(period)!,
    repository: { open: async () => ({ snapshot: snapshotOf(books), completeUntil: until }) },
    zoneFor: () => openZone('UTC')!,
    serviceMonthOf,
    now: until,
  } as unknown as MonthTask;
  return withOpenMonth(
    task,
    { merchant: 'M001', issuedBounds: null },
    async ({ bounds, boundsFrom }) => {
      return [bounds.start, bounds.end, boundsFrom] as const;
    },
  );
}

const [start, end] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
const december = { start: Date.UTC(2026, 11, 1), end };

test('of a year they are the calendar’s, unless the report of its first or last month says otherwise', async () => {
  expect(await boundsOf('2026', {})).toEqual([start, end, 'configuration']);
  expect(await boundsOf('2026', { '2026-12': december })).toEqual([start, end, 'configuration']);
  const late = { '2026-12': { ...december, end: end + 3_600_000 } };
  expect(await boundsOf('2026', late)).toEqual([start, end + 3_600_000, 'report']);
});

test('of a month they are those of its report, also where that has the calendar’s; of a day the calendar’s', async () => {
  expect(await boundsOf('2026-12', { '2026-12': december })).toEqual([
    december.start,
    end,
    'report',
  ]);
  expect(await boundsOf('2026-12', {})).toEqual([december.start, end, 'configuration']);
  expect(await boundsOf('2026-12-31', { '2026-12': december })).toEqual([
    december.start,
    end,
    'configuration',
  ]);
});
