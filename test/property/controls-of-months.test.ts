// What a month's journal posts to commissions, collections and payouts is what the operations
// state, except for lawful differences, which are named. In a clean month nothing is left over,
// however its operations were posted, also where the month begins from a kept opening.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { assertProperty } from '../support/assert-property.ts';
import { createShelf, rowsWithOpenings } from '../support/kept-openings.ts';
import { stateBooks } from '../support/month-of-books.ts';
import {
  type StraddlingWorld,
  straddlingBooks,
  straddlingWorlds,
} from '../support/straddling-books.ts';

/**
 * Worlds in which every other operation is settled in parts, and every other service credits net of
 * its commission.
 */
const inParts = fc
  .tuple(
    straddlingWorlds,
    fc.boolean(),
    fc.constantFrom(...LAWFUL_POLICIES.filter((one) => one.cashinCredit === 'NET')),
  )
  .map(([world, isInParts, policy]): StraddlingWorld => {
    if (!isInParts) return world;
    const odd = world.odd.map((one) => ({
      ...one,
      settling: { ...one.settling, how: 'split' } as const,
    }));
    return { ...world, policy, odd };
  });

test('the controls of a clean month leave nothing, and are the same from an opening', async () => {
  let taken = 0;
  await assertProperty(
    fc.asyncProperty(inParts, async (world) => {
      const { books } = straddlingBooks(world);
      const shelf = createShelf();
      for (const period of ['2026-10', '2026-11']) {
        const { statement } = await stateBooks(books, {
          period,
          rows: rowsWithOpenings(books, shelf),
        });
        const { journal, summary } = statement;
        const alone = (await stateBooks(books, { period })).statement.journal;
        expect(journal.controls, period).toEqual(alone.controls);
        expect(journal.accounts, period).toEqual(alone.accounts);
        if (summary.verdict.state !== 'clean') continue;
        const rests = Object.entries(journal.controls ?? {}).map(([role, { rest }]) => [
          role,
          rest,
        ]);
        expect(rests, period).toEqual([
          ['fees', 0],
          ['customers', 0],
          ['suppliers', 0],
          ['suspended', 0],
        ]);
      }
      taken += shelf.taken;
    }),
    { runs: 150 },
  );
  expect(taken).toBeGreaterThan(0);
}, 300_000);

test('the commission of a credit in parts is booked once, with the first, also where that stands before the opening', async () => {
  const right = { how: 'right', late: 0, later: 0 } as const;
  const odd = {
    type: 'CASHIN',
    ending: 'SUCCEEDED',
    lasts: MINUTE,
    reversedAfter: 0,
    isOneDate: false,
    touchedAfter: 0,
    reversal: right,
  } as const;
  const inTwo = { how: 'split', late: 0, later: 20 * HOUR } as const;
  const policy = LAWFUL_POLICIES.find((one) => one.cashinCredit === 'NET')!;
  const { books } = straddlingBooks({
    policy,
    sound: 4,
    odd: [
      { ...odd, thousands: 50, endsAt: -2 * HOUR, settling: inTwo },
      // The opening of November lies between the parts, after the first.
      { ...odd, thousands: 7, endsAt: -HOUR, settling: right },
      { ...odd, thousands: 8, endsAt: -HOUR / 2, settling: right },
    ],
  });
  const fees: number[] = [];
  const shelf = createShelf();
  for (const period of ['2026-10', '2026-11']) {
    const { statement } = await stateBooks(books, { period, rows: rowsWithOpenings(books, shelf) });
    expect([
      period,
      statement.summary.verdict.state,
      statement.journal.controls?.fees.rest,
    ]).toEqual([period, 'clean', 0]);
    fees.push(statement.journal.controls!.fees.posted);
  }
  expect(shelf.taken).toBe(1);
  const charged = books.operations
    .filter(({ status }) => status === 'SUCCEEDED')
    .reduce((sum, one) => sum + one.fees, 0);
  expect(fees[0]! + fees[1]!).toBe(charged);
});
