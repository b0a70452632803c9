// Local clocks compared with second opinions: what date-fns-tz writes for an instant, and the
// offset that the runtime itself names.

import { formatInTimeZone, getTimezoneOffset } from 'date-fns-tz';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { DAY, formatInstant, HOUR } from '../../src/core/domain/instant.ts';
import { localText, openZone, zoneNamesOfCountries } from '../../src/core/domain/zone.ts';
import { assertProperty } from '../support/assert-property.ts';

const ZONES = [
  'Africa/Abidjan',
  'Africa/Douala',
  'Africa/Conakry',
  'Africa/Casablanca',
  'Europe/Paris',
  'Asia/Kathmandu',
];

afterEach(() => void vi.unstubAllEnvs());

test('the local clock is what date-fns-tz says it is, at any second of forty years', () => {
  // The answers of date-fns-tz depend on the machine's own zone around the hours that the tested
  // zone leaves out.
  vi.stubEnv('TZ', 'UTC');
  assertProperty(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(2000, 0, 1) / 1_000, max: Date.UTC(2040, 0, 1) / 1_000 }),
      (name, seconds) => {
        const instant = seconds * 1_000;
        expect(localText(openZone(name)!, instant)).toBe(
          formatInTimeZone(instant, name, 'yyyy-MM-dd HH:mm:ss'),
        );
      },
    ),
    { runs: 125 },
  );
});

/** Returns the function that gives the offset as the runtime names it, like `GMT+05:45`. */
function namedOffset(name: string): (instant: number) => number {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return (instant) => {
    const text = clock.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value;
    const [, sign, hours, minutes] = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(text)!;
    return sign === undefined
      ? 0
      : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  };
}

/**
 * Returns the hours around each change of a zone's clocks between two years, and one hour of each
 * month.
 */
function hoursAsked(
  offsetAt: (instant: number) => number,
  from: number,
  to: number,
): readonly number[] {
  const hours: number[] = [];
  for (let day = Date.UTC(from, 0, 1); day < Date.UTC(to, 0, 1); day += DAY) {
    if (new Date(day).getUTCDate() === 1) hours.push(day);
    if (offsetAt(day) !== offsetAt(day + DAY))
      for (let hour = -30; hour < 54; hour += 1) hours.push(day + hour * HOUR);
  }
  return hours;
}

// Each machine has a year of its own, because a zone keeps its answers.
test.each([
  ['UTC', 2024],
  ['America/St_Johns', 2023],
  ['Pacific/Kiritimati', 2022],
] as const)(
  'the clocks of every zone are those of the runtime, on a machine in %s',
  { timeout: 120_000 },
  (machine, year) => {
    vi.stubEnv('TZ', machine);
    const zones = Intl.supportedValuesOf('timeZone');
    let asked = 0;
    const wrong = zones.flatMap((name) => {
      const offsetAt = namedOffset(name);
      const hours = hoursAsked(offsetAt, year, year + 1);
      asked += hours.length;
      return hours
        .filter((hour) => openZone(name)!.offsetAt(hour) !== offsetAt(hour))
        .map((hour) => `${name} ${formatInstant(hour)}`);
    });
    expect(asked).toBeGreaterThan(10_000);
    expect(wrong).toEqual([]);
  },
);

/** Returns the hours of twenty years at which the runtime and date-fns-tz differ. */
function differences(name: string, step: number): readonly string[] {
  const offsetAt = namedOffset(name);
  const found: string[] = [];
  for (let instant = Date.UTC(2010, 0, 1); instant < Date.UTC(2030, 0, 1); instant += step) {
    const [runtime, library] = [offsetAt(instant), getTimezoneOffset(name, new Date(instant))];
    if (runtime !== library)
      found.push(`${formatInstant(instant).slice(0, 16)} ${runtime / HOUR} ${library / HOUR}`);
  }
  return found;
}

test('date-fns-tz alone agrees with the runtime in every zone of the service', {
  timeout: 120_000,
}, () => {
  vi.stubEnv('TZ', 'UTC');
  const zones = zoneNamesOfCountries();
  expect(zones.length).toBe(10);
  expect(zones.filter((name) => differences(name, 7 * HOUR).length > 0)).toEqual([]);
});

test('date-fns-tz alone reads the hours around a change of clocks as local time', () => {
  vi.stubEnv('TZ', 'UTC');
  const changes = ['Europe/Paris', 'Africa/Casablanca', 'America/New_York'].flatMap((name) => {
    const offsetAt = namedOffset(name);
    return hoursAsked(offsetAt, 2024, 2025)
      .filter((hour) => getTimezoneOffset(name, new Date(hour)) !== offsetAt(hour))
      .map((hour) => `${name} ${formatInstant(hour)}`);
  });
  expect(changes).toMatchInlineSnapshot(`
    [
      "Europe/Paris 2024-03-31T01:00:00.000Z",
      "Europe/Paris 2024-10-27T01:00:00.000Z",
      "America/New_York 2024-03-10T02:00:00.000Z",
      "America/New_York 2024-03-10T03:00:00.000Z",
      "America/New_York 2024-03-10T04:00:00.000Z",
      "America/New_York 2024-03-10T05:00:00.000Z",
      "America/New_York 2024-03-10T06:00:00.000Z",
      "America/New_York 2024-11-03T02:00:00.000Z",
      "America/New_York 2024-11-03T03:00:00.000Z",
      "America/New_York 2024-11-03T04:00:00.000Z",
      "America/New_York 2024-11-03T05:00:00.000Z",
    ]
  `);
});
