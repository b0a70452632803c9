// Local clocks by a second opinion: date-fns-tz, which asks the same tables in another way.

import { formatInTimeZone } from 'date-fns-tz';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { localText, openZone } from '../../src/core/domain/zone.ts';
import { assertProperty } from '../support/assert-property.ts';

// Its answers depend on the machine's own zone around the hours that this zone leaves out; ours must not.
vi.stubEnv('TZ', 'UTC');

const ZONES = [
  'Africa/Abidjan',
  'Africa/Douala',
  'Africa/Conakry',
  'Africa/Casablanca',
  'Europe/Paris',
  'Asia/Kathmandu',
];

test('the local clock is what date-fns-tz says it is, at any second of forty years', () => {
  assertProperty(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: Date.UTC(2000, 0, 1) / 1_000, max: Date.UTC(2040, 0, 1) / 1_000 }),
      (name, seconds) => {
        const instant = seconds * 1_000;
        expect(localText(openZone(name)!, instant)).toBe(formatInTimeZone(instant, name, 'yyyy-MM-dd HH:mm:ss'));
      },
    ),
    { runs: 125 },
  );
});
