// Lines that come late. What was wrong until they came stays known, and is said to be put right by
// them. Nothing else changes: the money is right, so the verdict is clean and nothing is due beyond
// what is recorded.

import { expect, test } from 'vitest';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks } from '../../support/month-of-books.ts';

const SOUND = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
  10-02T09:00 CASHOUT_HOLD 1010 GUI-CO-1
  10-02T09:01 CASHOUT_DEBIT 1000 GUI-CO-1
  10-02T09:01 CASHOUT_FEE 10 GUI-CO-1
  op GUI-CO-1 SUCCEEDED 1000 fees=10 created=10-02T09:00 completed=10-02T09:01`;

/** Returns books with the gross totals that a wallet states; free of charge with `bps` 0. */
function booksOf(text: string, bps = 200) {
  const books = handBooks(text);
  const succeeded = books.operations.filter(
    ({ status }) => status === 'SUCCEEDED' || status === 'REVERSED',
  );
  const sum = (type: string) =>
    succeeded.reduce((all, one) => all + (one.type === type ? one.amount : 0), 0);
  const totals = {
    totalCollected: sum('CASHIN'),
    totalDisbursed: sum('CASHOUT'),
    totalFees: succeeded.reduce((all, { fees }) => all + fees, 0),
  };
  const pricing = { cashin: { bps, flat: 0 }, cashout: { bps: bps / 2, flat: 0 } };
  return {
    ...books,
    profile: { ...books.profile, pricing },
    wallet: { ...books.wallet, ...totals },
  };
}

function standOf(text: string) {
  const { verdict, due, recorded, findings } = auditBooks(booksOf(`${SOUND}\n${text}`));
  expect(due!.unexplained).toEqual({ balance: '0', reserved: '0' });
  const roots = findings.filter(
    ({ item }) => item !== null && (item.balance !== '0' || item.reserved !== '0'),
  );
  return {
    verdict,
    rest: `${Number(recorded.balance) - Number(due!.balance)}/${Number(recorded.reserved) - Number(due!.reserved)}`,
    roots: roots.map(({ kind, item, settledBy }) => {
      const off = `${kind} ${item!.balance}/${item!.reserved}`;
      return settledBy === null
        ? off
        : `${off} settled by ${settledBy.lines.join(' ')} at ${settledBy.at.slice(5, 16)}`;
    }),
  };
}

const CASHIN = 'op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-31T21:59 completed=10-31T22:00';
const CASHOUT = 'op GUI-CO-2 SUCCEEDED 500 fees=5 created=10-31T21:00 completed=10-31T22:00';

test.each([
  [
    'a credit and its commission',
    `${CASHIN}\n11-02T08:00 CASHIN_CREDIT 7000 GUI-CI-2\n11-02T08:01 CASHIN_FEE 140 GUI-CI-2`,
    'CREDIT_MISSING -6860/0 settled by 6 7 at 11-02T08:01',
  ],
  [
    'the commission alone',
    `10-31T22:00 CASHIN_CREDIT 7000 GUI-CI-2\n${CASHIN}\n11-05T08:01 CASHIN_FEE 140 GUI-CI-2`,
    'FEE_MISSING 140/0 settled by 7 at 11-05T08:01',
  ],
  [
    'the rest of a credit',
    `10-31T22:00 CASHIN_CREDIT 6000 GUI-CI-2\n10-31T22:00 CASHIN_FEE 140 GUI-CI-2\n${CASHIN}
     11-05T08:01 CASHIN_CREDIT 1000 GUI-CI-2`,
    'CREDIT_AMOUNT_MISMATCH -1000/0 settled by 8 at 11-05T08:01',
  ],
  [
    'a debit and its commission, which consume the hold',
    `10-31T21:00 CASHOUT_HOLD 505 GUI-CO-2\n${CASHOUT}
     11-05T08:00 CASHOUT_DEBIT 500 GUI-CO-2\n11-05T08:00 CASHOUT_FEE 5 GUI-CO-2`,
    'DEBIT_MISSING 505/505 settled by 7 8 at 11-05T08:00',
  ],
  [
    'a release',
    `10-31T21:00 CASHOUT_HOLD 505 GUI-CO-2\n${CASHOUT.replace('SUCCEEDED', 'FAILED')}
     11-05T08:00 CASHOUT_RELEASE 505 GUI-CO-2`,
    'HOLD_NOT_RELEASED 0/505 settled by 7 at 11-05T08:00',
  ],
  [
    'a reversal',
    `10-31T22:00 CASHIN_CREDIT 7000 GUI-CI-2\n10-31T22:00 CASHIN_FEE 140 GUI-CI-2
     ${CASHIN.replace('SUCCEEDED', 'REVERSED')} updated=11-01T08:00
     11-05T08:00 REVERSAL_DEBIT 7000 GUI-CI-2\n11-05T08:00 REVERSAL_CREDIT 140 GUI-CI-2`,
    'REVERSAL_MISSING 6860/0 settled by 8 9 at 11-05T08:00',
  ],
])('%s', (_, text, said) => {
  expect(standOf(text)).toEqual({ verdict: 'clean', rest: '0/0', roots: [said] });
});

test('up to a day it is a delay and no finding', () => {
  const at = (time: string) =>
    `${CASHIN}\n${time} CASHIN_CREDIT 7000 GUI-CI-2\n${time} CASHIN_FEE 140 GUI-CI-2`;
  expect(standOf(at('11-01T22:00')).roots).toEqual([]);
  expect(standOf(at('11-01T22:01')).roots).toHaveLength(1);
});

test('a second credit is none that was missing', () => {
  const twice = `10-31T22:00 CASHIN_CREDIT 7000 GUI-CI-2\n10-31T22:00 CASHIN_FEE 140 GUI-CI-2\n${CASHIN}
     11-05T08:01 CASHIN_CREDIT 7000 GUI-CI-2`;
  expect(standOf(twice)).toEqual({
    verdict: 'broken',
    rest: '7000/0',
    roots: ['CREDIT_DUPLICATED 7000/0'],
  });
});

test('a reversal weeks after the success is not late', () => {
  const reversed = `10-05T22:00 CASHIN_CREDIT 7000 GUI-CI-2\n10-05T22:00 CASHIN_FEE 140 GUI-CI-2
     op GUI-CI-2 REVERSED 7000 fees=140 created=10-05T21:59 completed=10-05T22:00 updated=11-01T08:00
     11-01T08:00 REVERSAL_DEBIT 7000 GUI-CI-2\n11-01T08:00 REVERSAL_CREDIT 140 GUI-CI-2`;
  expect(standOf(reversed)).toEqual({ verdict: 'clean', rest: '0/0', roots: [] });
  // Where both instants are the same, nobody knows when the operation succeeded.
  expect(standOf(reversed.replace('completed=10-05T22:00', 'completed=11-01T08:00')).roots).toEqual(
    [],
  );
});

test('where more than a thousand have late lines, that is how the service posts', () => {
  const rows = Array.from({ length: 1_001 }, (_, i) => [
    `op GUI-CI-L${i} SUCCEEDED 100 created=10-03T08:00 completed=10-03T08:01`,
    `10-05T08:01 CASHIN_CREDIT 100 GUI-CI-L${i}`,
  ]);
  const free = (count: number) => {
    const { findings, verdict } = auditBooks(booksOf(rows.slice(0, count).flat().join('\n'), 0));
    return [verdict, findings.filter(({ settledBy }) => settledBy !== null).length];
  };
  expect(free(1_000)).toEqual(['clean', 1_000]);
  expect(free(1_001)).toEqual(['clean', 0]);
});
