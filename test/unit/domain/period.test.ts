// Months and days in zones: those of the service's countries, and some that are difficult.

import { describe, expect, test } from 'vitest';
import { DAY, formatInstant, HOUR } from '../../../src/core/domain/instant.ts';
import {
  boundsOf,
  daysWithin,
  endOfReport,
  formatPeriod,
  labelOf,
  parseDay,
  parsePeriod,
  parseYear,
  periodAfter,
  periodOf,
  type StatedPeriod,
} from '../../../src/core/domain/period.ts';
import { localText, openZone } from '../../../src/core/domain/zone.ts';

const october = { year: 2026, month: 10 };
const zone = (name: string) => openZone(name)!;
const boundsIn = (name: string, period = october) => {
  const { start, end } = boundsOf(period, zone(name));
  return [formatInstant(start), formatInstant(end)];
};

describe('a period', () => {
  test('is read from YYYY-MM and from nothing else', () => {
    expect(parsePeriod('2026-10')).toEqual(october);
    const wrong = [
      '2026-1',
      '2026-13',
      '2026-00',
      '26-10',
      '2026/10',
      '2026-10-01',
      ' 2026-10',
      '2026-10\n',
      '1969-12',
      '',
    ];
    for (const text of wrong) expect(parsePeriod(text), text).toBeNull();
  });

  test('may be a year, or a month up to a day that there is', () => {
    expect(parseYear('2026')).toEqual({ year: 2026, month: null });
    for (const text of ['26', '2026-', '1969', '20261', ''])
      expect(parseYear(text), text).toBeNull();
    expect(parseDay('2028-02-29')).toEqual({ year: 2028, month: 2, day: 29 });
    for (const text of [
      '2026-02-29',
      '2026-10-32',
      '2026-10-00',
      '2026-13-01',
      '2026-10',
      '2026-10-1',
      '',
    ])
      expect(parseDay(text), text).toBeNull();
    expect([parseYear('2026')!, october, parseDay('2026-10-01')!].map(formatPeriod)).toEqual([
      '2026',
      '2026-10',
      '2026-10-01',
    ]);
    expect(labelOf(parseYear('2026')!, 'fr')).toBe('2026');
    expect([
      labelOf(parseDay('2026-10-01')!, 'fr'),
      labelOf(parseDay('2026-10-31')!, 'en'),
    ]).toEqual(['1er octobre 2026', '31 October 2026']);
    const boundsText = (period: StatedPeriod) =>
      Object.values(boundsOf(period, zone('Africa/Douala'))).map((at) => formatInstant(at));
    expect(boundsText(parseYear('2026')!)).toEqual([
      '2025-12-31T23:00:00.000Z',
      '2026-12-31T23:00:00.000Z',
    ]);
    expect(boundsText(parseDay('2026-10-31')!)).toEqual([
      '2026-09-30T23:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ]);
  });

  test('is written as it was read, and is followed by the next', () => {
    expect(formatPeriod({ year: 2027, month: 1 })).toBe('2027-01');
    expect(periodAfter({ year: 2026, month: 12 })).toEqual({ year: 2027, month: 1 });
    expect(periodAfter(october)).toEqual({ year: 2026, month: 11 });
  });

  test('has a label in both languages', () => {
    expect([labelOf(october, 'fr'), labelOf(october, 'en')]).toEqual([
      'octobre 2026',
      'October 2026',
    ]);
    expect(labelOf({ year: 2027, month: 8 }, 'fr')).toBe('août 2027');
  });
});

describe('the bounds of a month', () => {
  test('are those of the zone', () => {
    expect(boundsIn('UTC')).toEqual(['2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z']);
    for (const name of ['Africa/Douala', 'Africa/Porto-Novo', 'Africa/Niamey']) {
      expect(boundsIn(name), name).toEqual([
        '2026-09-30T23:00:00.000Z',
        '2026-10-31T23:00:00.000Z',
      ]);
    }
    for (const name of ['Abidjan', 'Ouagadougou', 'Bamako', 'Dakar', 'Lome', 'Conakry']) {
      expect(boundsIn(`Africa/${name}`), name).toEqual([
        '2026-10-01T00:00:00.000Z',
        '2026-11-01T00:00:00.000Z',
      ]);
    }
  });

  test('follow clocks that are put back in the month', () => {
    expect(boundsIn('Europe/Paris')).toEqual([
      '2026-09-30T22:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ]);
    expect(boundsIn('Asia/Kathmandu')).toEqual([
      '2026-09-30T18:15:00.000Z',
      '2026-10-31T18:15:00.000Z',
    ]);
  });

  test('begin when the clocks jump, where they jump over midnight', () => {
    // In Greenland clocks change on the night to the last Sunday of March 2026, by then at 22:00;
    // in Beirut they jump from 00:00 to 01:00.
    const samoa = zone('Pacific/Apia');
    const ofSamoa = daysWithin(boundsOf({ year: 2011, month: 12 }, samoa), samoa).map(
      ({ day }) => day,
    );
    expect([ofSamoa.length, ofSamoa.slice(-2)]).toEqual([30, ['2011-12-29', '2011-12-31']]);
    const days = daysWithin(
      boundsOf({ year: 2026, month: 3 }, zone('Asia/Beirut')),
      zone('Asia/Beirut'),
    );
    const jump = days.find(({ day }) => day === '2026-03-29')!;
    expect(localText(zone('Asia/Beirut'), jump.start)).toBe('2026-03-29 01:00:00');
    expect(localText(zone('Asia/Beirut'), jump.start - 1)).toBe('2026-03-28 23:59:59');
  });

  test('meet: one month ends where the next begins, in every zone and for many years', () => {
    for (const name of [
      'UTC',
      'Africa/Douala',
      'Africa/Casablanca',
      'America/Sao_Paulo',
      'Pacific/Apia',
      'Asia/Beirut',
    ]) {
      let period = { year: 2008, month: 1 };
      let { end } = boundsOf(period, zone(name));
      for (let i = 0; i < 240; i++) {
        period = periodAfter(period);
        const bounds = boundsOf(period, zone(name));
        expect(bounds.start, `${name} ${formatPeriod(period)}`).toBe(end);
        expect(periodOf(bounds.start, zone(name))).toEqual(period);
        expect(periodOf(bounds.end - 1, zone(name))).toEqual(period);
        end = bounds.end;
      }
    }
  });

  test('of a published report are taken as stated, with an end inside or after the month', () => {
    const after = Date.UTC(2026, 10, 1);
    for (const periodEnd of [after, after - 1, after - 1_000]) {
      expect(endOfReport(periodEnd)).toBe(after);
    }
    expect(endOfReport(after - HOUR)).toBe(after - HOUR);
  });
});

describe('the days of a month', () => {
  test('are all there, follow each other and have 24 hours where no clock is changed', () => {
    const bounds = boundsOf({ year: 2028, month: 2 }, zone('Africa/Douala'));
    const days = daysWithin(bounds, zone('Africa/Douala'));
    expect(days.map(({ day }) => day).join()).toMatch(/^2028-02-01,.*,2028-02-29$/);
    expect(days.length).toBe(29);
    expect(days.every(({ start }, i) => start === bounds.start + i * DAY)).toBe(true);
  });

  test('have 25 hours where clocks are put back', () => {
    const days = daysWithin(boundsOf(october, zone('Europe/Paris')), zone('Europe/Paris'));
    expect(days[25]!.start - days[24]!.start).toBe(25 * HOUR);
    expect(days.length).toBe(31);
  });

  test('touch the day in which stated bounds begin', () => {
    const days = daysWithin(
      { start: Date.UTC(2026, 8, 30, 23), end: Date.UTC(2026, 9, 31, 23) },
      zone('UTC'),
    );
    expect([days[0]!.day, days.at(-1)!.day, days.length]).toEqual(['2026-09-30', '2026-10-31', 32]);
  });
});

test('a zone that is not known is refused', () => {
  for (const name of ['Africa/Nowhere', '', 'local', 'UTC+1 '])
    expect(openZone(name), name).toBeNull();
});
