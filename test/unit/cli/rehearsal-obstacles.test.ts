// Every fault that exists can be rehearsed, or is named with the reason why not.

import { expect, test } from 'vitest';
import { obstacleTo, rehearseByWords } from '../../../bench/rehearsal/command.ts';
import { ALL_FAULTS } from '../../../src/sandbox/faults/register.ts';
import { runHere } from '../../support/command.ts';

const left = (load: Parameters<typeof obstacleTo>[1]): readonly string[] =>
  ALL_FAULTS.map(({ name }) => name).filter((name) => obstacleTo(name, load) !== null);

test('all but an operation that is gone, which takes two nights', () => {
  expect(left({ hours: 6, calls: 3 })).toEqual(['OPERATION_VANISHED']);
});

test('under many calls a night need not read again what operations were', () => {
  expect(left({ hours: 9, calls: 9 })).toEqual([
    'OPERATION_FIELD_CHANGED',
    'OPERATION_VANISHED',
    'STATUS_REGRESSION',
  ]);
});

test.each([
  [
    ['--merchants', '0', '--faults', 'none'],
    'There is no merchant to rehearse with: give --merchants or --faults.',
  ],
  [['--hours', '241'], "'241' is invalid. It must be a whole number from 0 to 240."],
])('%j is refused before anything is opened', async (words, says) => {
  const { status, err } = await runHere(rehearseByWords, words);
  expect({ status, err }).toEqual({ status: 3, err: expect.stringContaining(says) });
});
