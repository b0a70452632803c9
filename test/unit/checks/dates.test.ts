// Dates of lines compared with those of the lines around them, at the edges: a day, twenty lines,
// the bounds, a month.

import { describe, expect, test } from 'vitest';
import type { FindingDraft } from '../../../src/core/domain/finding.ts';
import { DAY, formatInstant, HOUR, type Instant } from '../../../src/core/domain/instant.ts';
import {
  beginDates,
  type DateBounds,
  type DatesSeen,
  finishDates,
  judgeOpening,
  movedLines,
  noteDate,
} from '../../../src/core/kernel/checks/lines/dates.ts';

const NOON = Date.UTC(2026, 9, 15, 12);
const WIDE: DateBounds = { earliest: NOON - 300 * DAY, latest: NOON + 300 * DAY };

interface Seen {
  readonly dates: DatesSeen;
  readonly lineDrafts: FindingDraft[];
}

/** Takes lines 1, 2, … of these dates. */
function take(dates: readonly Instant[], bounds = WIDE): Seen {
  const books: Seen = { dates: beginDates(), lineDrafts: [] };
  dates.forEach((createdAt, i) => {
    noteDate(books, { sequence: i + 1, operationReference: `CI-${i + 1}`, createdAt }, bounds);
  });
  return books;
}

const day = (draft: FindingDraft): string =>
  draft.figures.statedAt === null ? 'unknown' : String(draft.figures.statedAt).slice(5, 16);
const shown = (draft: FindingDraft): string =>
  `${draft.sequence} ${draft.figures.why} ${day(draft)} ${draft.severity}`;

/**
 * Returns what is found once the ledger has ended: sequence, reason, the date at which the line is
 * stated.
 */
function found(dates: readonly Instant[], bounds = WIDE): readonly string[] {
  const books = take(dates, bounds);
  finishDates(books, bounds);
  expect(books.dates.doubted).toEqual([]);
  return books.lineDrafts.map(shown);
}

const hours = (count: number, from = NOON): readonly Instant[] =>
  Array.from({ length: count }, (_, i) => from + i * HOUR);

/** Dates of forty lines in step, after which the ledger has a level. The last is 10-17T03:00. */
const SETTLED = hours(40);
const LEVEL = SETTLED.at(-1)!;

describe('a step back', () => {
  test('of a day is lawful, of a millisecond more it is not', () => {
    expect(found([...SETTLED, LEVEL - DAY, LEVEL - 2 * DAY])).toEqual([]);
    expect(found([...SETTLED, LEVEL - DAY - 1])).toEqual(['41 step 10-17T03:00 warning']);
  });

  test('is measured from the line before, and many small ones are lawful', () => {
    expect(found(Array.from({ length: 60 }, (_, i) => NOON - i * 20 * HOUR))).toEqual([]);
  });

  test('is stated at the line before it, and where that is of another month, it is an error', () => {
    const before = hours(40, Date.UTC(2026, 10, 1) - 39 * HOUR);
    expect(found([...before, Date.UTC(2026, 9, 30, 23)])).toEqual(['41 step 11-01T00:00 error']);
    expect(found([...SETTLED, LEVEL - 10 * DAY])).toEqual(['41 step 10-17T03:00 warning']);
  });

  test('is stated at the line before it also where a line of another month follows', () => {
    const after = Date.UTC(2026, 10, 1);
    expect(found([...SETTLED, LEVEL - 2 * DAY, after, after])).toEqual([
      '41 step 10-17T03:00 error',
    ]);
  });

  test('of as many lines as are before them leaves open which are wrong', () => {
    const later = hours(2, NOON - 9 * DAY);
    const books = take([...hours(2), ...later]);
    finishDates(books, WIDE);
    expect(books.lineDrafts.map(({ newestEvidence }) => newestEvidence)).toEqual(later);
    expect(found([...hours(2), ...later])).toEqual([
      '3 step unknown error',
      '4 step unknown error',
    ]);
    expect(found([...hours(2), ...later, later[1]! + HOUR])).toEqual([
      '1 step 10-06T12:00 warning',
      '2 step 10-06T12:00 warning',
    ]);
  });
});

describe('a step forward', () => {
  test('of any length is lawful: the wallet was quiet', () => {
    expect(found([...SETTLED, LEVEL + 200 * DAY, LEVEL + 200 * DAY + HOUR])).toEqual([]);
    expect(take([...SETTLED, LEVEL + DAY]).dates.doubted).toEqual([]);
    expect(take([...SETTLED, LEVEL + DAY + 1]).dates.doubted).toHaveLength(1);
  });

  test('that the lines after it do not follow was wrong, once they are more', () => {
    const wrong = LEVEL + 5 * DAY;
    expect(found([...SETTLED, wrong])).toEqual([]);
    // One date stands against one other, so that nobody knows which is wrong.
    expect(found([...SETTLED, wrong, LEVEL + HOUR])).toEqual(['42 step unknown error']);
    expect(found([...SETTLED, wrong, LEVEL + HOUR, LEVEL + 2 * HOUR])).toEqual([
      '41 step 10-17T03:00 warning',
    ]);
  });

  test('of eighteen lines is wrong where nineteen do not follow it', () => {
    const books = (after: number) =>
      found([...SETTLED, ...hours(18, LEVEL + 5 * DAY), ...hours(after, LEVEL)]);
    expect(books(19)).toEqual(
      Array.from({ length: 18 }, (_, i) => `${41 + i} step 10-17T03:00 warning`),
    );
    expect(books(17)).toEqual(
      Array.from({ length: 17 }, (_, i) => `${59 + i} step 10-22T20:00 warning`),
    );
  });
});

describe('lines that wait', () => {
  const far = LEVEL + 10 * DAY;

  test('are forty at most, and all are decided where the last twenty-one are calm', () => {
    const calm = take([...SETTLED, ...hours(19, far), ...hours(21, far + 9 * DAY)]);
    expect([calm.dates.doubted, calm.lineDrafts]).toEqual([[], []]);
    expect(calm.dates.level).toBe(far + 9 * DAY + 20 * HOUR);
    expect(take([...SETTLED, ...hours(39, far)]).dates.doubted).toHaveLength(39);
    const half = take([...SETTLED, ...hours(20, far), ...hours(20, far + 9 * DAY)]);
    expect(half.dates.doubted).toHaveLength(20);
  });

  test('are half decided where one of the last twenty is more than a day from the one before', () => {
    const dayApart = take([...SETTLED, ...hours(39, far), far + 38 * HOUR + DAY]);
    expect(dayApart.dates.doubted).toEqual([]);
    const more = take([...SETTLED, ...hours(39, far), far + 38 * HOUR + DAY + 1]);
    expect(more.dates.doubted).toHaveLength(20);
    expect(more.dates.level).toBe(far + 19 * HOUR);
  });

  test('keep the next ones waiting, near as they are', () => {
    const { doubted, level } = take([...SETTLED, far, LEVEL + HOUR]).dates;
    expect(doubted.map(({ sequence }) => sequence)).toEqual([41, 42]);
    expect(level).toBe(LEVEL);
  });
});

describe('a date outside the bounds', () => {
  const bounds = { earliest: NOON - HOUR, latest: LEVEL + 6 * HOUR };

  test('is wrong, and the bounds themselves are within', () => {
    expect(found([bounds.earliest, ...SETTLED, bounds.latest], bounds)).toEqual([]);
    expect(found([bounds.earliest, bounds.earliest + DAY, bounds.latest], bounds)).toEqual([]);
    expect(found([...SETTLED, bounds.latest + 2 * DAY, LEVEL, LEVEL], bounds)).toEqual([
      '41 ahead 10-17T03:00 warning',
    ]);
    expect(found([...SETTLED, bounds.earliest - DAY, LEVEL, LEVEL], bounds)).toEqual([
      '41 early 10-17T03:00 warning',
    ]);
  });

  test('is later or unopened where it is in step, and takes the date of a good line before it', () => {
    expect(found([...SETTLED, bounds.latest + 1, bounds.latest + 2], bounds)).toEqual([
      '41 later 10-17T03:00 warning',
      '42 later 10-17T03:00 warning',
    ]);
    expect(found([NOON, bounds.earliest - 1, NOON + HOUR], bounds)).toEqual([
      '2 unopened 10-15T12:00 warning',
    ]);
  });

  test('takes the date of the next good line where no good one is before it', () => {
    expect(found([bounds.earliest - 1, NOON, NOON + HOUR], bounds)).toEqual([
      '1 unopened 10-15T12:00 warning',
    ]);
    expect(found([bounds.earliest - 1], bounds)).toEqual(['1 unopened unknown error']);
  });

  test('weighs half of one within', () => {
    const ahead = bounds.latest + 2 * DAY;
    expect(found([...SETTLED, ahead, ahead, LEVEL], bounds)).toEqual([
      '41 later 10-17T03:00 warning',
      '42 later 10-17T03:00 warning',
      '43 step unknown error',
    ]);
    expect(found([...SETTLED, ahead, LEVEL], bounds)).toEqual(['41 ahead 10-17T03:00 warning']);
  });
});

test('what is found of a line names it, its operation, and since when it is known', () => {
  const books = take([...SETTLED, NOON - 5 * DAY]);
  finishDates(books, WIDE);
  const [draft] = books.lineDrafts;
  expect(draft).toMatchObject({
    kind: 'ENTRY_TIME_IMPOSSIBLE',
    sequence: 41,
    operationReference: 'CI-41',
    newestEvidence: LEVEL,
    about: { amount: null, createdAt: LEVEL },
  });
  expect(draft!.evidence.map(({ what, reference }) => [what, reference])).toEqual([
    ['line', null],
    ['operation', 'CI-41'],
  ]);
});

describe('lines older than the account', () => {
  const opened = { earliest: NOON, latest: NOON + 300 * DAY };
  const drafts = (count: number) => {
    const books = take([...hours(count, NOON - 40 * DAY), ...hours(2)], opened);
    finishDates(books, opened);
    return books.lineDrafts;
  };
  const none = (): boolean => false;

  test('are wrong up to twenty, and stated when the account begins', () => {
    const judged = judgeOpening(drafts(20), none);
    expect(judged.map(shown)).toEqual(
      Array.from({ length: 20 }, (_, i) => `${i + 1} early 10-15T12:00 error`),
    );
  });

  test('keep their dates where they are more: the day of opening is wrong', () => {
    const judged = judgeOpening(drafts(21), none);
    expect(judged.map(shown)).toEqual(
      Array.from({ length: 21 }, (_, i) => `${i + 1} unopened unknown warning`),
    );
    expect(judged[2]!.about).toEqual({
      amount: null,
      currency: null,
      createdAt: NOON - 40 * DAY + 2 * HOUR,
    });
  });

  test('count for nothing where they are behind the cut', () => {
    const isLast = ({ sequence }: FindingDraft): boolean => sequence === 21;
    expect(judgeOpening(drafts(21), isLast).map(({ figures }) => figures.why)).toEqual(
      Array(21).fill('early'),
    );
  });

  test('lend their dates to one among them that is out of step', () => {
    const dates = [...hours(30, NOON - 40 * DAY), ...hours(2)];
    const books = take(dates.toSpliced(15, 0, NOON - 200 * DAY), opened);
    finishDates(books, opened);
    const judged = judgeOpening(books.lineDrafts, none);
    const odd = judged.find(({ sequence }) => sequence === 16)!;
    expect(shown(odd)).toBe(
      `16 early ${formatInstant(NOON - 40 * DAY + 14 * HOUR).slice(5, 16)} error`,
    );
    expect(judged.filter(({ figures }) => figures.why === 'unopened')).toHaveLength(30);
  });
});

test('a line is moved where a finding has another date for it', () => {
  const at = formatInstant(NOON);
  const row = { kind: 'ENTRY_TIME_IMPOSSIBLE' as const, sequence: '7' };
  const own = formatInstant(NOON - DAY);
  const moved = movedLines([
    { ...row, figures: { createdAt: own, statedAt: at } },
    { ...row, sequence: '8', figures: { createdAt: own, statedAt: null } },
    {
      ...row,
      sequence: '9',
      kind: 'SEQUENCE_GAP' as never,
      figures: { createdAt: own, statedAt: at },
    },
  ]);
  expect([...moved]).toEqual([[7, { createdAt: NOON - DAY, at: NOON }]]);
});
