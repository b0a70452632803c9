// What a notification states of its operation besides amount and state. Fields that are fixed at
// creation must agree.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const OPERATION = `
  line 1 CASHIN_CREDIT 1000 1000/0 CI-1
  line 2 CASHIN_FEE 20 980/0 CI-1
  op CI-1 SUCCEEDED 1000 fees=20 externalReference=order-1`;
const FAILED = 'op CI-1 FAILED 1000 failureCode=OPERATOR_REFUSED';

function said(sample: string): readonly (string | null)[][] {
  return reconcileSample(sample).findings.map(({ kind, status, expected, actual, message }) => [
    kind,
    status,
    expected,
    actual,
    message.replace(/^Notification \S+ \(\S+\) /, ''),
  ]);
}

describe('a notification that states another', () => {
  test.each([
    [
      'fees',
      OPERATION,
      'fees=25',
      ['20', '25', 'states fees of 25 for GUI-CI-1, whose fees are 20.'],
    ],
    [
      'net amount',
      OPERATION,
      'netAmount=975',
      ['980', '975', 'states a net amount of 975 for GUI-CI-1, whose net amount is 980.'],
    ],
    [
      'currency',
      OPERATION,
      'currency=GNF',
      ['XOF', 'GNF', 'states the currency GNF for GUI-CI-1, which is in XOF.'],
    ],
    [
      'partner’s reference',
      OPERATION,
      'externalReference=order-2',
      [
        'order-1',
        'order-2',
        "states the partner’s reference 'order-2' for GUI-CI-1, whose own is 'order-1'.",
      ],
    ],
    [
      'partner’s reference than none',
      FAILED,
      'status=FAILED externalReference=order-2',
      [null, 'order-2', "states the partner’s reference 'order-2' for GUI-CI-1, which has none."],
    ],
    [
      'failure code of the same failure',
      FAILED,
      'status=FAILED failureCode=INTERNAL_ERROR',
      [
        'OPERATOR_REFUSED',
        'INTERNAL_ERROR',
        'states the failure INTERNAL_ERROR for GUI-CI-1, which failed with OPERATOR_REFUSED.',
      ],
    ],
  ])('%s', (_, operation, fields, figures) => {
    const type = operation === FAILED ? 'cashin.failed' : 'cashin.succeeded';
    expect(said(`${operation}\nevent ${type} CI-1 1000 ${fields}`)).toEqual([
      ['EVENT_CONTRADICTS_OPERATION', 'confirmed', ...figures],
    ]);
  });
});

test.each([
  [
    'the same of everything',
    OPERATION,
    'cashin.succeeded CI-1 1000 fees=20 netAmount=980 currency=XOF externalReference=order-1',
  ],
  ['nothing of it', OPERATION, 'cashin.succeeded CI-1 1000'],
  ['the same failure', FAILED, 'cashin.failed CI-1 1000 failureCode=OPERATOR_REFUSED'],
  [
    'the failure code of before the operation last changed',
    `${FAILED} createdAt=+2m`,
    'cashin.failed CI-1 1000 failureCode=INTERNAL_ERROR updatedAt=+1m',
  ],
])('one that states %s is lawful', (_, operation, event) => {
  expect(said(`${operation}\nevent ${event}`)).toEqual([]);
});
