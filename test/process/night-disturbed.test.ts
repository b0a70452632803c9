// Nights with everything that can go wrong with them: damaged books, one of them behind a clock of 2001, a list that comes empty
// twice, two workers begun together, processes that are killed, statements and requests that fail, clocks that jump, full disks,
// an old backup. Nothing is clean that is not, nothing sound is accused, no mail is lost, no command hangs, and what is left is what
// an undisturbed night leaves. `npm run disturb` does more of it, from any seed; POINTAGE_KILLS=n kills n times.

import { describe, expect, test } from 'vitest';
import { type Disturbed, disturb, PART_NAMES } from '../support/disturbed/disturb.ts';
import { ownPrograms } from '../support/own-postgres.ts';

const KILLS = Number(process.env.POINTAGE_KILLS ?? 2);
const SEED = process.env.POINTAGE_TEST_SEED ?? '7';
/** All but two: `nights-overlap` is a test of its own, and a write fails as a query does. */
const PARTS = PART_NAMES.filter((part) => part !== 'overlap' && part !== 'writes');
const programs = ownPrograms();

describe.skipIf(programs === null)('a night with everything', () => {
  test(
    'ends as one with none of it',
    async () => {
      const all: Disturbed[] = [];
      for await (const one of disturb({ programs: programs!, seed: SEED, parts: PARTS, kills: KILLS, faults: 1 })) {
        expect(one.wrong, `npm run disturb -- --seed ${SEED} --kills ${KILLS} --faults 1: ${one.what}`).toEqual([]);
        all.push(one);
      }
      const done = new Set(all.map(({ part }) => part));
      expect(PARTS.filter((part) => !done.has(part))).toEqual([]);
    },
    Math.max(600_000, KILLS * 30_000),
  );
});
