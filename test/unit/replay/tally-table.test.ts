// Tallies in columns are what they are as objects: they are found by their references alone,
// whatever collides in the table, and unchanged by whatever is added and removed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Operation } from '../../../src/core/domain/operation.ts';
import { beginReplay, sweepTallies } from '../../../src/core/kernel/replay/replay-state.ts';
import {
  putTally,
  rowNamed,
  tableOf,
  talliesIn,
  tallyNamed,
} from '../../../src/core/kernel/replay/tallies-seen.ts';
import { beginTally, type TalliedLine, type Tally } from '../../../src/core/kernel/replay/tally.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';
import { assertProperty } from '../../support/assert-property.ts';
import { operation } from '../../support/database-books.ts';

const references = fc.uniqueArray(
  fc
    .oneof(
      fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
      fc.stringMatching(/^GUI-C[IO]-[A-Z]{1,12}$/),
    )
    .map((text) => text.toWellFormed()),
  { maxLength: 200 },
);

const amounts = fc.integer({ min: -(2 ** 52), max: 2 ** 52 });
const lines = fc.array(
  fc.record({
    entry: fc.record({
      sequence: fc.nat(),
      direction: fc.constantFrom('CREDIT', 'HOLD', 'SIDEWAYS'),
      kind: fc.constantFrom('CASHOUT_HOLD', 'CASHOUT_DEBIT', 'NEW_KIND'),
      amount: amounts,
      balanceAfter: amounts,
      reservedAfter: amounts,
      createdAt: fc.nat(),
    }),
    reservedMove: fc.option(amounts),
    heldMove: amounts,
  }),
  { maxLength: 5 },
);

function tallyOf(reference: string, ofLines: TalliedLine[], number: number): Tally {
  const other: Partial<Operation> = {
    operator: `OP ${number}`,
    currency: number % 3 === 0 ? 'XOF' : `C${number}`,
  };
  return {
    ...beginTally(reference),
    operation:
      number % 4 === 0
        ? null
        : {
            ...operation(number + 1),
            reference,
            ...other,
            payerActionUrl: `https://é.example/${number}`,
          },
    previous: number % 5 === 0 ? operation(number + 1) : null,
    lines: ofLines,
    held: number,
    settling: number % 2 === 0 ? 700 : 0,
    availableBefore: number % 3 === 0 ? null : number,
    judgedAt: number - 1,
    lacksEarlierLines: number % 7 === 0,
  };
}

test.each([
  ['hashes that differ', hashOf],
  ['one hash for all', () => 7],
])(
  'a table gives back the tallies that were put in, by reference, also when others have gone: %s',
  (_, hash) => {
    assertProperty(
      fc.property(
        references,
        fc.array(lines, { minLength: 200, maxLength: 200 }),
        (names, ofLines) => {
          const tallies = names.map((reference, i) => tallyOf(reference, ofLines[i]!, i));
          const state = { ...beginReplay(), tallies: tableOf(tallies, hash) };
          expect([...talliesIn(state.tallies).values()]).toEqual(tallies);
          for (const stays of [(i: number) => i % 3 !== 0, (i: number) => i % 2 === 0]) {
            const left = [...talliesIn(state.tallies).keys()].filter((_, i) => stays(i));
            sweepTallies(state, stays);
            expect([...talliesIn(state.tallies).keys()]).toEqual(left);
            for (const tally of tallies) {
              expect(tallyNamed(state.tallies, tally.reference, hash)).toEqual(
                left.includes(tally.reference) ? tally : null,
              );
            }
          }
          expect(rowNamed(state.tallies, 'nobody’s', hash)).toBe(-1);
        },
      ),
      { runs: 8 },
    );
  },
);

test('a tally that is put anew takes the place of the one that was there', () => {
  const table = tableOf([tallyOf('GUI-CI-1', [], 1), tallyOf('GUI-CI-2', [], 2)], hashOf);
  const other = tallyOf('GUI-CI-1', [], 4);
  putTally(table, 0, other);
  expect([...talliesIn(table).values()]).toEqual([other, tallyOf('GUI-CI-2', [], 2)]);
});
