// Nights with everything that can go wrong: damaged books, one of them behind a clock of 2001, a
// list that comes empty twice, two workers begun together, processes that are killed, statements
// and requests that fail, clocks that jump, full disks, an old backup. No broken books are called
// clean, no sound books are accused, no mail is lost, no command hangs, and what is left is what an
// undisturbed night leaves. `npm run disturb` does more of it, with more merchants, each night a
// process, from any seed. POINTAGE_KILLS=n kills n times.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Disturbed,
  disturbBy,
  PART_NAMES,
  type Stage,
  startStage,
} from '../support/disturbed/disturb.ts';
import { ownPrograms } from '../support/own-postgres.ts';

const KILLS = Number(process.env.POINTAGE_KILLS ?? 2);
const SEED = process.env.POINTAGE_TEST_SEED ?? '7';
/** All parts but two: `nights-overlap` is a test of its own, and a write fails as a query does. */
const PARTS = PART_NAMES.filter((part) => part !== 'overlap' && part !== 'writes');
/**
 * A merchant whose list comes empty, one whose books are broken, and one behind a clock of 2001.
 */
const MERCHANTS = ['EMPTIED', 'MISSING', 'WOUND_BACK'] as const;
const programs = ownPrograms();

describe.skipIf(programs === null)('a night with everything', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({
      programs: programs!,
      seed: SEED,
      merchants: MERCHANTS,
      here: true,
      kills: KILLS,
      faults: 1,
    });
  });
  afterAll(() => stage?.close());

  // The parts are in the order of PART_NAMES, because the last one moves the service's time on.
  test.each(PARTS)(
    'ends as one with none of it: %s',
    async (part) => {
      const all: Disturbed[] = [];
      for await (const one of disturbBy(stage, part)) {
        expect(
          one.wrong,
          `npm run disturb -- --seed ${SEED} --kills ${KILLS} --faults 1 ${part}: ${one.what}`,
        ).toEqual([]);
        all.push(one);
      }
      expect(all.map((one) => one.part)).toContain(part);
    },
    Math.max(600_000, KILLS * 30_000),
  );
});
