// Every fault that there is can be rehearsed, or is named with the reason.

import { expect, test } from 'vitest';
import { ALL_FAULTS } from '../../../src/sandbox/faults/register.ts';
import { obstacleTo } from '../../../src/service/cli/rehearsal/rehearse-command.ts';

const left = (load: Parameters<typeof obstacleTo>[1]): readonly string[] =>
  ALL_FAULTS.map(({ name }) => name).filter((name) => obstacleTo(name, load) !== null);

test('all but an operation that is gone, which takes two nights', () => {
  expect(left({ hours: 6, calls: 3 })).toEqual(['OPERATION_VANISHED']);
});

test('under many calls a night need not read again what operations were', () => {
  expect(left({ hours: 9, calls: 9 })).toEqual(['OPERATION_FIELD_CHANGED', 'OPERATION_VANISHED', 'STATUS_REGRESSION']);
});
