// What an operation says of its own course, one case for each rule: the rule fires alone, and an
// operation that just keeps it is not reported.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

function said(sample: string): readonly (string | null)[][] {
  return reconcileSample(sample)
    .findings.filter(({ causedBy }) => causedBy === null)
    .map(({ kind, sequence, operationReference, message }) => [
      kind,
      sequence,
      operationReference,
      message,
    ]);
}

const CREDIT = 'line 1 CASHIN_CREDIT 1000 1000/0 CI-1';

describe('an operation against its expiry', () => {
  test.each([
    [
      'EXPIRED a minute after its creation',
      'op CI-1 EXPIRED 1000 completedAt=+2m',
      /is EXPIRED since .*00:02:00.000Z, before its expiry at .*00:31:00.000Z\.$/,
    ],
    [
      'SUCCEEDED a day after',
      `${CREDIT}\nop CI-1 SUCCEEDED 1000 completedAt=+1d`,
      /succeeded at .*, long after its expiry at /,
    ],
  ])('%s', (_, sample, message) => {
    expect(said(sample)).toEqual([
      ['COMPLETION_TIME_INCONSISTENT', null, 'GUI-CI-1', expect.stringMatching(message)],
    ]);
  });

  test.each([
    ['EXPIRED at its expiry', 'op CI-1 EXPIRED 1000 completedAt=+31m'],
    ['EXPIRED within what two clocks may disagree by', 'op CI-1 EXPIRED 1000 completedAt=+27m'],
    ['EXPIRED late', 'op CI-1 EXPIRED 1000 completedAt=+1d'],
    ['SUCCEEDED within an hour after', `${CREDIT}\nop CI-1 SUCCEEDED 1000 completedAt=+90m`],
    ['FAILED long after', 'op CI-1 FAILED 1000 completedAt=+1d'],
    [
      'REVERSED, whose completedAt may be that of the reversal',
      `${CREDIT}\nline 2 REVERSAL_DEBIT 1000 0/0 CI-1\nop CI-1 REVERSED 1000 completedAt=+1d`,
    ],
    ['without an expiry', `${CREDIT}\nop CI-1 SUCCEEDED 1000 expiresAt=null completedAt=+1d`],
  ])('%s is lawful', (_, sample) => {
    expect(said(sample)).toEqual([]);
  });
});

describe('the payer’s part', () => {
  const waiting = 'op CI-1 AWAITING_PAYER 1000';
  test.each([
    ['AWAITING_PAYER without a URL', `${waiting}\nat +10m`, /waits for its payer without a URL/],
    [
      'AWAITING_PAYER, and the flag is not set',
      `${waiting} payerActionUrl=u\nat +10m`,
      /does not say that it requires/,
    ],
    [
      'SUCCEEDED, and the flag is still set',
      `${CREDIT}\nop CI-1 SUCCEEDED 1000 payerActionUrl=u requiresPayerAction=true`,
      /is SUCCEEDED, a final state, and still requires/,
    ],
  ])('%s', (_, sample, message) => {
    expect(said(sample)).toEqual([
      ['PAYER_ACTION_INCONSISTENT', null, 'GUI-CI-1', expect.stringMatching(message)],
    ]);
  });

  test.each([
    ['waiting, with both', `${waiting} payerActionUrl=u requiresPayerAction=true\nat +10m`],
    ['over, with the URL alone', `${CREDIT}\nop CI-1 SUCCEEDED 1000 payerActionUrl=u`],
    ['PENDING, with the URL alone', 'op CI-1 PENDING 1000 payerActionUrl=u\nat +10m'],
    [
      'PENDING, with both',
      'op CI-1 PENDING 1000 payerActionUrl=u requiresPayerAction=true\nat +10m',
    ],
  ])('%s is lawful', (_, sample) => {
    expect(said(sample)).toEqual([]);
  });
});

describe('a country outside the document', () => {
  const abroad = `${CREDIT}\nop CI-1 SUCCEEDED 1000 country=ZZ`;

  test('is a finding, with and without a profile', () => {
    const found = [
      [
        'COUNTRY_NOT_ALLOWED',
        null,
        'GUI-CI-1',
        'Operation GUI-CI-1 is in ZZ, which the document does not know.',
      ],
    ];
    expect(said(abroad)).toEqual(found);
    expect(said(`profile allowedCountries=CI,SN\n${abroad}`)).toEqual(found);
  });

  test('is lawful where the account lists it', () => {
    expect(said(`profile allowedCountries=CI,ZZ\n${abroad}`)).toEqual([]);
  });
});

test('an operator outside the document is named beside the verdict, and judged as any other', () => {
  const report = reconcileSample(`${CREDIT}\nop CI-1 SUCCEEDED 1000 operator=NEWBANK`);
  expect([report.verdict, report.findings]).toEqual(['clean', []]);
  const note = { what: 'operators of other names', why: 'the document does not know NEWBANK' };
  expect(report.notChecked).toContainEqual(expect.objectContaining(note));
  expect(
    reconcileSample(`${CREDIT}\nop CI-1 SUCCEEDED 1000 operator=WAVE`).notChecked,
  ).not.toContainEqual(expect.objectContaining({ what: note.what }));
});

describe('a cash-out is taken on when amount and fees are available', () => {
  /**
   * Lines in which the first cash-out settles a hold of its amount alone, so that this is how the
   * wallet holds.
   */
  const settled = `
    line 1 ADJUSTMENT_CREDIT 2010 2010/0 - description=opening
    line 2 CASHOUT_HOLD 1000 2010/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 1010/0 CO-2
    line 4 CASHOUT_FEE 10 1000/0 CO-2
    op CO-2 SUCCEEDED 1000 fees=10`;

  test('a hold that fits while its fees do not is a finding at its line', () => {
    const found = said(`${settled}
    line 5 CASHOUT_HOLD 990 1000/990 CO-5
    op CO-5 PENDING 990 fees=20
    at +1h`);
    expect(found).toEqual([
      [
        'HOLD_EXCEEDS_AVAILABLE',
        '5',
        'GUI-CO-5',
        'Line 5 holds 990 for GUI-CO-5, which needs 1 010 with its fees of 20, while only 1 000 was available.',
      ],
    ]);
  });

  test('what it is exactly enough for is lawful', () => {
    expect(
      said(`${settled}
    line 5 CASHOUT_HOLD 980 1000/980 CO-5
    op CO-5 PENDING 980 fees=20
    at +1h`),
    ).toEqual([]);
  });

  test('so it is where another’s hold, debited already, is about to be released', () => {
    expect(
      said(`
    line 1 ADJUSTMENT_CREDIT 3000 3000/0 - description=opening
    line 2 CASHOUT_HOLD 1000 3000/1000 CO-2
    line 3 CASHOUT_DEBIT 1000 2000/1000 CO-2
    line 4 CASHOUT_FEE 10 1990/1000 CO-2
    line 5 CASHOUT_HOLD 980 1990/1980 CO-5
    line 6 CASHOUT_RELEASE 1000 1990/980 CO-2
    op CO-2 SUCCEEDED 1000 fees=10
    op CO-5 PENDING 980 fees=20
    at +1h`),
    ).toEqual([]);
  });
});
