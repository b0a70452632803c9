// Where books are dated later than the reading, either one line or the clock of the reading is
// wrong: which of the two is suspected.

import { expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

/** Returns so many sound cash-ins, a minute apart. */
function soundBooks(count: number, lineDates: (number: number) => string = () => ''): string {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const lines = numbers.map(
    (n) => `line ${n} CASHIN_CREDIT 100 ${n * 100}/0 CI-${n} ${lineDates(n)}`,
  );
  return [...lines, ...numbers.map((n) => `op CI-${n} SUCCEEDED 100`)].join('\n');
}

function saidOf(ledger: string) {
  const { verdict, notChecked, findings } = reconcileSample(ledger);
  const codes = notChecked.flatMap(({ code, incomplete }) => (incomplete ? [code] : []));
  return { verdict, codes, kinds: findings.map(({ kind, status }) => `${kind} ${status}`) };
}

test('a line that is dated after the reading is accused, where the wallet is not', () => {
  const ledger = `${soundBooks(30, (n) => (n === 30 ? 'at=+900d' : ''))}\nwallet 3000/0`;
  // Its own date would put the line into another month.
  expect(saidOf(ledger)).toEqual({
    verdict: 'broken',
    codes: [],
    kinds: ['ENTRY_TIME_IMPOSSIBLE confirmed'],
  });
});

test('a wallet that is dated after the reading puts its clock in doubt, and no line is accused', () => {
  const ledger = `${soundBooks(60)}\nwallet 6000/0 updatedAt=+60m\nat +50m`;
  expect(saidOf(ledger)).toEqual({ verdict: 'incomplete', codes: ['CLOCK_BEHIND'], kinds: [] });
});

test('within the tolerance of the clocks nothing is in doubt', () => {
  const ledger = `${soundBooks(60)}\nwallet 6000/0 updatedAt=+60m\nat +56m`;
  expect(saidOf(ledger)).toEqual({ verdict: 'clean', codes: [], kinds: [] });
});

test('more than twenty lines after the reading are one statement about its clock, also where no wallet was read', () => {
  const some = (count: number) =>
    soundBooks(60, (n) => (n % 2 === 0 && n <= count * 2 ? 'at=+900d' : ''));
  expect(saidOf(some(21))).toEqual({ verdict: 'incomplete', codes: ['CLOCK_BEHIND'], kinds: [] });
  expect(saidOf(some(20)).kinds).toHaveLength(20);
});

test('what is found beyond a clock in doubt is provisional, and what lies before it is confirmed', () => {
  const off = (n: number) => `line ${n} CASHIN_CREDIT 100 ${n * 100 + 7}/0 CI-${n}`;
  const ledger = (at: string) =>
    `${soundBooks(59)}\n${off(60)}\nop CI-60 SUCCEEDED 100\nwallet 6007/0 updatedAt=+60m\n${at}`;
  expect(saidOf(ledger('at +2h')).kinds).toEqual(['BALANCE_DRIFT confirmed']);
  expect(saidOf(ledger('at +30m')).kinds).toEqual(['BALANCE_DRIFT provisional']);
});

test('books of which most could not be judged are not clean', () => {
  const young = (at: string) => saidOf(`${soundBooks(4)}\nwallet 400/0\nat ${at}`).codes;
  expect(young('+3m')).toEqual([]);
  expect(young('+2m')).toEqual(['OPERATIONS_TOO_NEW']);
});

test('an operation that is dated far beyond its reading is never judged, and never passes for sound', () => {
  const ledger = (completed: string) =>
    `${soundBooks(9)}\nop CI-10 EXPIRED 100 completedAt=${completed}\nwallet 900/0`;
  expect(saidOf(ledger('+400d'))).toMatchObject({
    verdict: 'incomplete',
    codes: ['OPERATIONS_AHEAD'],
  });
  expect(saidOf(ledger('+30d')).codes).toEqual([]);
});
