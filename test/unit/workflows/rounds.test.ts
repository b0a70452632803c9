// Rounds of many merchants that were all read whole in one night. They begin anew in turns, and
// none later than a round's length.

import { expect, test } from 'vitest';
import { DAY } from '../../../src/core/domain/instant.ts';
import {
  dueOf,
  notesOfRound,
  roundAt,
  roundRead,
} from '../../../src/service/workflows/mirror/rounds.ts';

const unit = { of: 'LINES', page: 200, step: 200 } as const;

test('no night begins the rounds of more than a tenth of all merchants', () => {
  const rotation = { nights: 30, random: () => 0.5 };
  const merchants = Array.from({ length: 600 }, (_, i) => {
    return {
      lease: { merchantId: i + 1 },
      round: { nextPosition: 0, beganAt: 0, earlierBeganAt: 0 },
    };
  });
  const longest = new Map<number, number>();
  for (let night = 1; night <= 90; night += 1) {
    let begun = 0;
    for (const one of merchants) {
      const now = night * DAY;
      const round = roundAt(one.round, { unit, known: 0, now, rotation, lease: one.lease });
      if (round === one.round) continue;
      begun += 1;
      const { merchantId } = one.lease;
      longest.set(merchantId, Math.max(longest.get(merchantId) ?? 0, now - one.round.beganAt));
      one.round = { ...round, earlierBeganAt: round.earlierBeganAt! };
    }
    expect(begun, `night ${night}`).toBeLessThanOrEqual(merchants.length / 10);
  }
  expect([longest.size, Math.max(...longest.values())]).toEqual([merchants.length, 15 * DAY]);
});

test('a round that a clock ahead of its time began is begun anew', () => {
  const task = {
    unit,
    known: 100,
    now: 10 * DAY,
    rotation: { nights: 30, random: () => 0.5 },
    lease: { merchantId: 1 },
  };
  const anew = { nextPosition: 0, beganAt: task.now, earlierBeganAt: null };
  expect(roundAt({ nextPosition: 40, beganAt: 60 * DAY, earlierBeganAt: null }, task)).toEqual(
    anew,
  );
  expect(roundAt({ nextPosition: 40, beganAt: 9 * DAY, earlierBeganAt: 60 * DAY }, task)).toEqual(
    anew,
  );
  const known = { nextPosition: 40, beganAt: 9 * DAY, earlierBeganAt: 2 * DAY };
  expect(roundAt(known, task)).toBe(known);
});

test('a round says to the millisecond when it reads more, begins anew or is late', () => {
  const rotation = { nights: 30, random: () => 0.5 };
  const ofOperations = { of: 'OPERATIONS', page: 150, step: 150 } as const;
  const units = [ofOperations, { of: 'LINES', page: 200, step: 1 } as const];
  for (const unit of units)
    for (let merchantId = 1; merchantId <= 15; merchantId += 1) {
      const lease = { merchantId };
      const at = (now: number) => ({ unit, known: 1_000, rotation, lease, now });
      for (const nextPosition of [0, 149, 150, 300, 899, 900, 1_000]) {
        for (const earlierBeganAt of [null, 0, DAY, 20 * DAY]) {
          const round = { nextPosition, beganAt: 20 * DAY, earlierBeganAt };
          const { dueAt } = roundRead(round, at(21 * DAY));
          const isDue = (now: number) =>
            dueOf(round, at(now)) > nextPosition ||
            roundAt(round, at(now)) !== round ||
            notesOfRound(roundRead(round, at(now)), now).some(({ incomplete }) => incomplete);
          expect([isDue(dueAt - 1), isDue(dueAt)], JSON.stringify([lease, round])).toEqual([
            dueAt <= 20 * DAY,
            true,
          ]);
        }
      }
    }
});
