// Instants and days as people and documents write them.

import { expect, test } from 'vitest';
import { parseDay, parseInstant, parseInstantOrDay } from '../../../src/core/domain/instant.ts';

test('a day is its midnight in UTC, and only a day of the calendar is one', () => {
  expect(parseDay('2024-02-29')).toBe(Date.UTC(2024, 1, 29));
  for (const text of [
    '2026-02-29',
    '2026-13-01',
    '2026-1-1',
    '2026-11-15T00:00:00Z',
    ' 2026-11-15',
    '',
  ])
    expect(parseDay(text), text).toBeNull();
});

test('where people may give either, both are read', () => {
  expect(parseInstantOrDay('2026-11-15')).toBe(Date.UTC(2026, 10, 15));
  expect(parseInstantOrDay('2026-11-15T12:00:00+01:00')).toBe(Date.UTC(2026, 10, 15, 11));
  for (const text of ['2026-11-31', '2026-11-15T12:00:00', 'soon'])
    expect(parseInstantOrDay(text), text).toBeNull();
});

test.each([
  ['2026-11-15T23:59:59Z', Date.UTC(2026, 10, 15, 23, 59, 59)],
  ['2026-11-15T23:59:59.9876Z', Date.UTC(2026, 10, 15, 23, 59, 59, 987)],
  ['2026-11-15t00:00:00-23:59', Date.UTC(2026, 10, 15, 23, 59)],
  ['2026-11-15 00:00:00+0130', Date.UTC(2026, 10, 14, 22, 30)],
  ['2026-11-15T24:00:00Z', null],
  ['2026-11-15T00:60:00Z', null],
  ['2026-11-15T00:00:60Z', null],
  ['2026-11-15T00:00:00+24:00', null],
  ['2026-11-15T00:00:00+00:60', null],
])('%s is read as its documents write it', (text, instant) => {
  expect(parseInstant(text)).toBe(instant);
});
