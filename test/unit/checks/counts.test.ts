// A payment that the statistics leave out is left out of its day, its month and the whole. It is
// told once, where it is narrowest, by the clocks of either zone.

import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/core/domain/instant.ts';
import type { PaymentStatistics } from '../../../src/core/domain/published/payout.ts';
import { NOTHING_KEPT } from '../../../src/core/domain/published/payout-place.ts';
import { DAYS, judge } from '../../support/payout-nights.ts';
import { lookAt, makeWorld, OPENED, ORDINARY, type World } from '../../support/payout-world.ts';
import { numericSeed } from '../../support/test-seed.ts';

/** An instant by which all that was begun has ended. */
const AT = OPENED + (DAYS + 4) * DAY;
const SEED = Math.abs(numericSeed());

type Link = World['links'][number];

/** Returns what is said of statistics that leave `left` out, and that `change` alters. */
function toldOf(
  world: World,
  left: readonly Link[],
  change: (read: PaymentStatistics) => PaymentStatistics = (read) => read,
) {
  const look = lookAt(world, AT);
  const counted = lookAt(
    { ...world, links: world.links.filter((link) => !left.includes(link)) },
    AT,
  );
  const read = { ...look.read, statistics: change(counted.read.statistics!) };
  const { drafts } = judge({ ...look, read }, NOTHING_KEPT);
  return drafts.map(({ kind, inputPlace }) =>
    kind === 'PAYMENT_COUNT_MISMATCH' ? inputPlace : kind,
  );
}

describe.each([0, 1] as const)(
  'of a service whose day begins %i hours before that of UTC',
  (hoursAhead) => {
    const world = makeWorld({ ...ORDINARY, hoursAhead }, SEED, DAYS);
    const dayOf = ({ createdAt }: Link) =>
      new Date(createdAt + hoursAhead * HOUR).toISOString().slice(0, 10);
    const [succeeded, failed] = (['SUCCESS', 'FAILED'] as const).map((some) =>
      world.links.filter(({ status }) => status === some),
    );
    // The payment is far from midnight, where another zone's day may look right; and others
    // succeeded on that day, so that the day is listed without it, too.
    const paid = succeeded!
      .filter(({ createdAt }) => (createdAt % DAY) / HOUR > 2 && (createdAt % DAY) / HOUR < 22)
      .filter((link) => succeeded!.filter((one) => dayOf(one) === dayOf(link)).length > 2);

    test.each(Array.from({ length: 25 }, (_, i) => i))(
      'a payment that succeeded is left out of its day: %i',
      (i) => {
        const link = paid[(SEED + i * 7) % paid.length]!;
        expect(toldOf(world, [link])).toEqual([`statistics of ${dayOf(link)}`]);
      },
    );

    test('two payments of two days are two, and those of one day are one', () => {
      const [first] = paid;
      const other = paid.find((link) => dayOf(link).slice(0, 7) !== dayOf(first!).slice(0, 7))!;
      const beside = paid.find((link) => link !== first && dayOf(link) === dayOf(first!))!;
      expect(toldOf(world, [first!, other])).toEqual(
        [first!, other].map((link) => `statistics of ${dayOf(link)}`),
      );
      expect(toldOf(world, [first!, beside])).toEqual([`statistics of ${dayOf(first!)}`]);
    });

    test('one that failed is counted by no day: it is left out of its month', () => {
      const link = failed![SEED % failed!.length]!;
      expect(toldOf(world, [link])).toEqual([`statistics of ${dayOf(link).slice(0, 7)}`]);
    });

    test('where the service states no days, or no months either', () => {
      const link = paid[SEED % paid.length]!;
      expect(toldOf(world, [link], (read) => ({ ...read, days: null }))).toEqual([
        `statistics of ${dayOf(link).slice(0, 7)}`,
      ]);
      expect(toldOf(world, [link], (read) => ({ ...read, months: null }))).toEqual([
        `statistics of ${dayOf(link)}`,
      ]);
      expect(toldOf(world, [link], (read) => ({ ...read, days: null, months: null }))).toEqual([
        'statistics of all',
      ]);
    });

    test('a day that is not listed any more is found by its month', () => {
      const link = paid[SEED % paid.length]!;
      const ofDay = succeeded!.filter((one) => dayOf(one) === dayOf(link));
      expect(toldOf(world, ofDay)).toEqual([`statistics of ${dayOf(link).slice(0, 7)}`]);
    });

    test('a difference beyond that of the days is one more finding, of the month or of the whole', () => {
      const link = paid[SEED % paid.length]!;
      const [day, month] = [dayOf(link), dayOf(link).slice(0, 7)];
      const failedMore = (read: PaymentStatistics) => ({
        ...read,
        months: read.months!.map((one) =>
          one.month === month ? { ...one, failed: one.failed + 3 } : one,
        ),
      });
      expect(toldOf(world, [link], failedMore).sort()).toEqual(
        [`statistics of ${day}`, `statistics of ${month}`].sort(),
      );
      const more = (read: PaymentStatistics) => ({
        ...read,
        counts: { ...read.counts!, total: read.counts!.total + 40 },
      });
      expect(toldOf(world, [link], more).sort()).toEqual(
        [`statistics of ${day}`, 'statistics of all'].sort(),
      );
    });
  },
);
