// An adjustment of the wallet is notified. Its notification is missed where others are known to
// arrive.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

const LINES = `
  line 1 ADJUSTMENT_CREDIT 1000 1000/0 - description=opening at=+1d
  line 2 ADJUSTMENT_CREDIT 50 1050/0 - description=bonus at=+3d
  line 3 ADJUSTMENT_DEBIT 20 1030/0 - description=correction at=+5d`;
const [FIRST, SECOND, THIRD] = [1, 3, 5].map(
  (day) => `event wallet.adjusted at=+${day}d id=evt_${day}`,
);

function said(...rows: readonly (string | undefined)[]): readonly (string | null)[][] {
  const { findings } = reconcileSample([LINES, ...rows].join('\n'));
  return findings.map(({ kind, sequence, causedBy, message }) => [
    kind,
    sequence,
    causedBy,
    message,
  ]);
}

const MISSING = [
  'EVENT_MISSING',
  '2',
  null,
  'No notification says that line 2 adjusted the wallet by 50 (CREDIT).',
];

test('a missing one is a finding at its line', () => {
  expect(said(FIRST, THIRD)).toEqual([MISSING]);
});

describe('nothing is missing', () => {
  test.each([
    ['where all came', [FIRST, SECOND, THIRD]],
    ['where one came within an hour', [FIRST, 'event wallet.adjusted at=+4330m id=evt_3', THIRD]],
    ['where nothing is notified', []],
    ['where such a notification never came', ['op CI-9 CANCELLED 5', 'event ping at=+2d']],
    ['before the first that came', [THIRD]],
    ['while a delivery may still be on its way', [FIRST, SECOND, 'at +6d']],
  ])('%s', (_, rows) => {
    expect(said(...rows)).toEqual([]);
  });
});

test('it follows from the adjustment that nothing else explains either', () => {
  const findings = reconcileSample(
    `${LINES.replace('description=bonus ', '')}\n${FIRST}\n${THIRD}`,
  ).findings;
  expect(findings.map(({ kind, causedBy }) => [kind, causedBy === null])).toEqual([
    ['ADJUSTMENT_UNEXPLAINED', true],
    ['EVENT_MISSING', false],
  ]);
});
