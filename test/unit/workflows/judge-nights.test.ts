// When a night is worth an alert, judged only from what is known of nights and of the schedule.

import { expect, test } from 'vitest';
import { HOUR, type Instant, MINUTE } from '../../../src/core/domain/instant.ts';
import type { NightRecord } from '../../../src/io/storage/nights/nights.ts';
import { judgeNights } from '../../../src/service/workflows/nightly/watch-nights.ts';

const DUE: Instant = Date.UTC(2026, 10, 20, 2);
const settings = { late: 30 * MINUTE, longest: 6 * HOUR, lookBack: 48 * HOUR };

function night(runId: number, parts: Partial<NightRecord>): NightRecord {
  return { runId, plannedFor: DUE, startedAt: DUE, finishedAt: DUE + HOUR, expected: 0, ...parts };
}

function kindsAt(now: Instant, nights: readonly NightRecord[], due: readonly Instant[] = [DUE]) {
  return judgeNights({ now, due, nights, settings }).map(({ kind, night: of, runId }) => [
    kind,
    of,
    runId,
  ]);
}

test('a night that has not begun is late only after the minutes that are granted', () => {
  expect(kindsAt(DUE + 30 * MINUTE, [])).toEqual([]);
  expect(kindsAt(DUE + 30 * MINUTE + 1, [])).toEqual([['NOT_BEGUN', DUE, null]]);
});

test('a night that began in time stays in time, and one that began late stays late', () => {
  expect(kindsAt(DUE + 40 * HOUR, [night(7, { startedAt: DUE + 30 * MINUTE })])).toEqual([]);
  expect(kindsAt(DUE + 40 * HOUR, [night(7, { startedAt: DUE + HOUR })])).toEqual([
    ['NOT_BEGUN', DUE, null],
  ]);
});

test('a night that was begun by hand does not stand for the one that was due', () => {
  const byHand = night(8, { plannedFor: null, startedAt: DUE + MINUTE });
  expect(kindsAt(DUE + HOUR, [byHand])).toEqual([['NOT_BEGUN', DUE, null]]);
  expect(kindsAt(DUE + HOUR, [byHand], [])).toEqual([]);
});

test('a night that goes on is an alert after its time, one that has ended is none', () => {
  const open = night(9, { startedAt: DUE + MINUTE, finishedAt: null, expected: 3 });
  expect(kindsAt(DUE + MINUTE + 6 * HOUR, [open])).toEqual([]);
  expect(kindsAt(DUE + MINUTE + 6 * HOUR + 1, [open])).toEqual([['NOT_ENDED', DUE, 9]]);
  expect(kindsAt(DUE + 40 * HOUR, [{ ...open, finishedAt: DUE + 20 * HOUR }])).toEqual([]);
  const byHand = { ...open, plannedFor: null };
  expect(kindsAt(DUE + 7 * HOUR, [byHand], [])).toEqual([['NOT_ENDED', DUE + MINUTE, 9]]);
});

test('each missed night is an alert of its own', () => {
  const before = DUE - 24 * HOUR;
  expect(kindsAt(DUE + HOUR, [night(1, {})], [before, DUE])).toEqual([['NOT_BEGUN', before, null]]);
});
