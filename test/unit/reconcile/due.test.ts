// What a root makes of the recorded figures, and what is due, on ledgers small enough to add up by
// hand.

import { expect, test } from 'vitest';
import { unexplainedNote } from '../../../src/core/kernel/reconcile/figures.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { wordNote } from '../../../src/core/words/names.ts';
import { handBooks } from '../../support/hand-books.ts';
import { auditBooks } from '../../support/month-of-books.ts';

/**
 * Returns, as `balance/reserved`, every root with money in it, what is due, and what nothing
 * explains.
 */
function toldOf(ledger: string) {
  const { findings, due, notChecked } = reconcileSample(ledger);
  const items = findings.flatMap(({ kind, item }) =>
    item === null || (item.balance === '0' && item.reserved === '0')
      ? []
      : [`${kind} ${item.balance}/${item.reserved}`],
  );
  const rest = due === null ? null : `${due.unexplained.balance}/${due.unexplained.reserved}`;
  const why = notChecked.find(({ what }) => what === 'due')?.why ?? null;
  return { items, due: due === null ? null : `${due.balance}/${due.reserved}`, rest, why };
}

const opening = `
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    op CI-1 SUCCEEDED 5000`;

test.each([
  [
    'a second credit is too much, a fee that is missing too',
    `${opening}
    line 2 CASHIN_CREDIT 1000 6000/0 CI-2
    line 3 CASHIN_FEE 20 5980/0 CI-2
    op CI-2 SUCCEEDED 1000 fees=20
    line 4 CASHIN_CREDIT 1000 6980/0 CI-4
    line 5 CASHIN_CREDIT 1000 7980/0 CI-4
    line 6 CASHIN_FEE 20 7960/0 CI-4
    op CI-4 SUCCEEDED 1000 fees=20
    line 7 CASHIN_CREDIT 2000 9960/0 CI-7
    op CI-7 SUCCEEDED 2000 fees=40
    wallet 9960/0`,
    ['CREDIT_DUPLICATED 1000/0', 'FEE_MISSING 40/0'],
    '8920/0',
  ],
  [
    'a hold that was never released is reserved too much',
    `${opening}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    op CO-2 FAILED 1000
    wallet 5000/1000`,
    ['HOLD_NOT_RELEASED 0/1000'],
    '5000/0',
  ],
  [
    'a hold in flight is required, also one that is partly released',
    `${opening}
    line 2 CASHOUT_HOLD 1000 5000/1000 CO-2
    line 3 CASHOUT_RELEASE 400 5000/600 CO-2
    op CO-2 PENDING 1000
    wallet 5000/600
    at +1h`,
    [],
    '5000/600',
  ],
  [
    'a line of no operation, and a line of one that is not there',
    `${opening}
    line 2 CASHIN_CREDIT 70 5070/0 -
    line 3 CASHIN_CREDIT 900 5970/0 CI-3
    wallet 5970/0`,
    ['REFERENCE_MISSING 70/0', 'OPERATION_UNKNOWN 900/0'],
    '5000/0',
  ],
  [
    'a credit that moved the balance down is twice too low',
    `${opening}
    line 2 CASHIN_CREDIT 1000 4000/0 CI-2 direction=DEBIT
    op CI-2 SUCCEEDED 1000
    wallet 4000/0`,
    ['KIND_DIRECTION_MISMATCH -2000/0'],
    '6000/0',
  ],
  [
    'the wallet misstates itself, and a drift stays',
    `${opening}
    line 2 CASHIN_CREDIT 500 5547/0 CI-2
    op CI-2 SUCCEEDED 500
    wallet 5600/0`,
    ['BALANCE_DRIFT 47/0', 'WALLET_BALANCE_MISMATCH 53/0'],
    '5500/0',
  ],
  [
    'a line that another operation has is in no item',
    `${opening}
    line 2 CASHIN_CREDIT 500 5500/0 CI-3
    line 3 CASHIN_CREDIT 700 6200/0 CI-3
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 700
    wallet 6200/0`,
    [],
    '6200/0',
  ],
  [
    'an adjustment stays as it is',
    `${opening}
    line 2 ADJUSTMENT_DEBIT 300 4700/0 - description=correction
    wallet 4700/0`,
    [],
    '4700/0',
  ],
])('%s', (_, ledger, items, due) => {
  expect(toldOf(ledger)).toEqual({ items, due, rest: '0/0', why: null });
});

const priced = `
    profile cashinFeeBps=200 cashoutFeeBps=100
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    line 2 CASHIN_FEE 100 4900/0 CI-1
    op CI-1 SUCCEEDED 5000 fees=100`;

test.each([
  [
    'a commission beyond the price is owed',
    `line 3 CASHIN_CREDIT 1000 5900/0 CI-3
    line 4 CASHIN_FEE 33 5867/0 CI-3
    op CI-3 SUCCEEDED 1000 fees=33
    wallet 5867/0`,
    ['FEE_NOT_AS_PRICED -13/0'],
    '5880/0',
  ],
  [
    'while the cash-out is in flight it is held',
    `line 3 CASHOUT_HOLD 1010 4900/1010 CO-3
    line 4 CASHOUT_DEBIT 1000 3900/10 CO-3
    line 5 CASHOUT_FEE 10 3890/0 CO-3
    op CO-3 SUCCEEDED 1000 fees=10
    line 6 CASHOUT_HOLD 1025 3890/1025 CO-6
    op CO-6 PENDING 1000 fees=25
    wallet 3890/1025
    at +1h`,
    ['FEE_NOT_AS_PRICED 0/15'],
    '3890/1010',
  ],
  [
    'and when it failed it is nothing',
    `op CI-3 FAILED 1000 fees=33
    wallet 4900/0`,
    [],
    '4900/0',
  ],
])('%s', (_, ledger, items, due) => {
  expect(toldOf(`${priced}\n    ${ledger}`)).toEqual({ items, due, rest: '0/0', why: null });
});

test('what moved after the instant of judgement counts as it is recorded', () => {
  const late = `${opening}
    line 2 CASHIN_CREDIT 900 5900/0 CI-2 at=+60m
    op CI-2 FAILED 1000 createdAt=+50m completedAt=+60m updatedAt=+60m
    wallet 5900/0`;
  expect(toldOf(`${late}\n    at +60m`)).toEqual({
    items: [],
    due: '5900/0',
    rest: '0/0',
    why: null,
  });
  const items = ['CREDIT_WITHOUT_SUCCESS 900/0'];
  expect(toldOf(`${late}\n    at +61m`)).toEqual({ items, due: '5000/0', rest: '0/0', why: null });
});

test('without a wallet nothing is due, with a note', () => {
  const { due, why } = toldOf(opening);
  expect(due).toBeNull();
  expect(why).toContain('the wallet');
});

test('what operations lack fills a gap, and what else is wrong beside it keeps its item', () => {
  const ledger = `${opening}
    line 2 CASHIN_CREDIT 900 5900/0 CI-2
    op CI-2 SUCCEEDED 900
    op CI-3 SUCCEEDED 200
    line 4 CASHIN_CREDIT 900 7000/0 CI-2
    wallet 7000/0`;
  expect(toldOf(ledger)).toEqual({
    items: ['LINES_MISSING 900/0'],
    due: '6100/0',
    rest: '0/0',
    why: null,
  });
});

test('what is released of a hold that a debit consumes all the same is not there for the others', () => {
  const ledger = `
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    op CI-1 SUCCEEDED 5000
    line 2 CASHOUT_HOLD 800 5000/800 CO-2
    op CO-2 PENDING 800 createdAt=+2m
    line 3 CASHOUT_HOLD 600 5000/1400 CO-3
    line 4 CASHOUT_RELEASE 600 5000/800 CO-3
    line 5 CASHOUT_DEBIT 600 4400/200 CO-3
    op CO-3 SUCCEEDED 600
    line 6 CASHOUT_HOLD 100 4400/300 CO-6
    line 7 CASHOUT_DEBIT 100 4300/200 CO-6
    op CO-6 SUCCEEDED 100
    wallet 4300/200
    at +1h`;
  expect(toldOf(ledger)).toEqual({
    items: ['RELEASE_EXCEEDS_HOLD 0/-600'],
    due: '4300/800',
    rest: '0/0',
    why: null,
  });
});

test('what no finding is about leaves nothing clean', () => {
  const due = { balance: '5000', reserved: '200', available: '4800' };
  expect(unexplainedNote({ ...due, unexplained: { balance: '0', reserved: '0' } })).toBe(null);
  const { why, incomplete } = wordNote(
    unexplainedNote({ ...due, unexplained: { balance: '0', reserved: '-600' } })!,
  );
  expect(why).toContain('reserved by −600');
  expect(incomplete).toBe(true);
});

test('what a declared opening holds is named to be justified, and breaks nothing', () => {
  const books = handBooks(
    `10-05T10:00 CASHIN_CREDIT 1000 GUI-CI-1
     10-05T10:00 CASHIN_FEE 20 GUI-CI-1
     op GUI-CI-1 SUCCEEDED 1000 fees=20 created=10-05T09:59 completed=10-05T10:00`,
    '12-01T00:00',
    500,
  );
  const entries = books.entries.map((entry) => ({ ...entry, reservedAfter: 300 }));
  const totals = { totalCollected: 1_000, totalFees: 20 };
  const wallet = {
    ...books.wallet,
    ...totals,
    reserved: 300,
    available: books.wallet.balance - 300,
  };
  const { verdict, findings, due, notChecked } = auditBooks(
    { ...books, entries, wallet },
    { balance: 500, reserved: 300 },
  );
  expect({ verdict, findings }).toEqual({ verdict: 'clean', findings: [] });
  expect(due).toMatchObject({
    balance: '1480',
    reserved: '300',
    unexplained: { balance: '0', reserved: '0' },
  });
  expect(notChecked).toContainEqual(
    expect.objectContaining({ code: 'OPENING_RESERVED', incomplete: false }),
  );
});

test('a finding that is caused by another has no item of its own', () => {
  const { findings } = reconcileSample(`${opening}
    line 3 CASHIN_CREDIT 500 5700/0 CI-3
    op CI-2 SUCCEEDED 200
    op CI-3 SUCCEEDED 500
    wallet 5700/0`);
  expect(findings.map(({ kind, causedBy, item }) => [kind, causedBy === null, item])).toEqual([
    ['LINES_MISSING', true, { balance: '0', reserved: '0' }],
    ['CREDIT_MISSING', false, null],
  ]);
});
