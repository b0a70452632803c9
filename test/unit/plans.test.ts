// When the service's schedules are due, in their zones and across a change of the clocks.

import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { nextInstants, plansOf } from '../../src/service/compose/plans.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { lastPlanned, plannedBetween } from '../../src/service/queue/planned-instants.ts';

const NOON = Date.UTC(2026, 10, 20, 12);

test('the last instant of a plan is at or before now, however rare it is', () => {
  const at = (cron: string, zone = 'UTC') => lastPlanned({ cron, zone }, NOON);
  expect(at('* * * * *')).toBe(NOON);
  expect(at('0 2 * * *')).toBe(NOON - 10 * HOUR);
  expect(at('0 2 * * *', 'Africa/Douala')).toBe(NOON - 11 * HOUR);
  expect(at('0 13 * * *')).toBe(NOON - 23 * HOUR);
  expect(at('0 5 1 * *')).toBe(Date.UTC(2026, 10, 1, 5));
  expect(at('0 0 1 1 *')).toBe(Date.UTC(2026, 0, 1));
});

test('instants between two are after the first and up to the second', () => {
  const daily = { cron: '0 2 * * *', zone: 'UTC' };
  const two = Date.UTC(2026, 10, 18, 2);
  expect(plannedBetween(daily, { from: two, to: two + 2 * DAY })).toEqual([
    two + DAY,
    two + 2 * DAY,
  ]);
  expect(plannedBetween(daily, { from: two, to: two + DAY - MINUTE })).toEqual([]);
  expect(
    plannedBetween({ cron: '* * * * *', zone: 'UTC' }, { from: NOON, to: NOON + DAY }).length,
  ).toBe(1_440);
});

test('an hour that the clocks leave out, or go through twice, makes one night a day', () => {
  const paris = { cron: '30 2 * * *', zone: 'Europe/Paris' };
  const spring = plannedBetween(paris, { from: Date.UTC(2026, 2, 27), to: Date.UTC(2026, 2, 31) });
  const autumn = plannedBetween(paris, { from: Date.UTC(2026, 9, 23), to: Date.UTC(2026, 9, 27) });
  expect([spring.length, autumn.length]).toEqual([4, 4]);
});

test('months are planned once for each zone in which some may begin', async () => {
  const configuration = await loadConfiguration({}, {});
  const zonesIn = (changed: Partial<Configuration>) =>
    plansOf({ ...configuration, ...changed }).flatMap(({ kind, data }) =>
      kind === 'month-start' ? [(data as { zone: string }).zone] : [],
    );
  expect(zonesIn({})).toEqual(['UTC']);
  const inLagos = { accountants: [], zone: 'Africa/Lagos' };
  expect(zonesIn({ merchants: { M001: inLagos, M002: inLagos } })).toEqual(['Africa/Lagos', 'UTC']);
  expect(zonesIn({ zone: 'local' })).toEqual(
    expect.arrayContaining(['Africa/Abidjan', 'Africa/Douala', 'UTC']),
  );
  const { night, months } = nextInstants({ ...configuration, zone: 'local' }, NOON);
  expect(night).toBe(NOON + 14 * HOUR);
  expect(months.map(({ at }) => at)).toEqual([Date.UTC(2026, 11, 1, 4), Date.UTC(2026, 11, 1, 5)]);
  expect(months[0]!.zones).toEqual(['Africa/Douala', 'Africa/Niamey', 'Africa/Porto-Novo']);
});
