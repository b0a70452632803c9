// Code that spells out, for speed, what a loop over a list would do. Nothing of the list may be
// forgotten.

import { expect, test } from 'vitest';
import {
  cast,
  emptyVotes,
  NO_FITS,
  QUESTIONS,
  type Question,
  type Votes,
  vote,
} from '../../../src/core/domain/assumptions.ts';
import {
  DIRECTIONS,
  directionOf,
  ENTRY_KINDS,
  isDirection,
  isEntryKind,
} from '../../../src/core/domain/ledger-entry.ts';
import { factsOf } from '../../../src/core/kernel/replay/operation-facts.ts';
import { line } from '../../support/database-books.ts';

function voteOn(votes: Votes, question: Question, count: 1 | -1): void {
  if (question === 'feeRounding') cast(votes[question], 1, count);
  else vote(votes, { ...NO_FITS, [question]: 1 }, count);
}

test.each(QUESTIONS)('a vote on %s is counted, and can be taken back', (question) => {
  const votes = emptyVotes();
  voteOn(votes, question, 1);
  expect(votes[question][1]).toBe(1);
  expect(
    Object.values(votes)
      .flat()
      .reduce((sum, count) => sum + count, 0),
  ).toBe(1);
  voteOn(votes, question, -1);
  expect(votes).toEqual(emptyVotes());
});

test.each(ENTRY_KINDS)(
  '%s has a direction, and a place among the facts of its operation',
  (kind) => {
    expect(isEntryKind(kind)).toBe(true);
    expect(DIRECTIONS).toContain(directionOf(kind));
    const facts = factsOf([{ entry: line(1, { kind }), reservedMove: 0, heldMove: 0 }]);
    expect(facts.unknown.lines).toEqual([]);
    expect(
      Object.values(facts)
        .map(({ sum }) => sum)
        .filter((sum) => sum !== 0),
    ).toEqual([1_000]);
  },
);

test.each(['', 'cashin_credit', 'CASHIN', 'constructor', '__proto__'])('%j is no kind', (kind) => {
  expect(isEntryKind(kind)).toBe(false);
  expect(factsOf([{ entry: line(1, { kind }), reservedMove: 0, heldMove: 0 }]).unknown.sum).toBe(
    1_000,
  );
});

test.each(DIRECTIONS)('%s is a direction', (direction) => {
  expect(isDirection(direction)).toBe(true);
});

test.each(['', 'credit', 'TRANSFER', 'constructor'])('%j is no direction', (direction) => {
  expect(isDirection(direction)).toBe(false);
});
