// For which month a statement is asked, and when.

import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import { openZone } from '../../../src/core/domain/zone.ts';
import type { MonthReadiness } from '../../../src/io/storage/issued/month-readiness.ts';
import { monthWanted } from '../../../src/service/workflows/month/ended-months.ts';

const NOVEMBER = Date.UTC(2026, 10, 1);
const utc = openZone('UTC')!;
const known: MonthReadiness = {
  merchant: 'M001',
  country: 'CI',
  knownUntil: NOVEMBER + HOUR,
  hasLines: true,
  issued: ['2026-09'],
};
const at = { zone: utc, now: NOVEMBER + 2 * HOUR, grace: 10 * MINUTE };

test('the month that ended last is wanted once the books are known past its end and the grace', () => {
  expect(monthWanted(known, at)).toEqual({ year: 2026, month: 10 });
  expect(monthWanted({ ...known, knownUntil: NOVEMBER + 10 * MINUTE }, at)).toEqual({
    year: 2026,
    month: 10,
  });
  expect(monthWanted({ ...known, knownUntil: NOVEMBER + 10 * MINUTE - 1 }, at)).toBeNull();
  expect(monthWanted({ ...known, knownUntil: null }, at)).toBeNull();
});

test('a month that was issued, or of which there is nothing to say, is not wanted', () => {
  expect(monthWanted({ ...known, issued: ['2026-10'] }, at)).toBeNull();
  expect(monthWanted({ ...known, hasLines: false }, at)).toBeNull();
});

test('a merchant whose clock is ahead has ended its month earlier', () => {
  const douala = openZone('Africa/Douala')!;
  const early = { ...at, now: NOVEMBER - 30 * MINUTE };
  const readTo = { ...known, knownUntil: NOVEMBER - 35 * MINUTE };
  expect(monthWanted(readTo, { ...early, zone: douala })).toEqual({ year: 2026, month: 10 });
  expect(monthWanted(readTo, early)).toBeNull();
});

test('in January it is December of the year before', () => {
  const january = Date.UTC(2027, 0, 1);
  const read = { ...known, knownUntil: january + HOUR };
  expect(monthWanted(read, { ...at, now: january + 2 * HOUR })).toEqual({ year: 2026, month: 12 });
});
