// Whatever lines one operation has, in whatever order and state: what its findings do not explain
// is 0, books are clean only when they are what the operations require, and the naive model says
// the same. Every line is put beside every wallet, and every two lines beside one wallet after
// another; with TEST_POLICIES=all beside all of them.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSample, reconcileSample } from '../../src/core/samples/read-sample.ts';
import { assertProperty } from '../support/assert-property.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { interpretationsOf, saidByEngine, saidByNaive } from '../support/naive-comparison.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/** A line: its kind, its amount, and what it adds to the balance and to the reserved amount. */
type Post = readonly [kind: string, amount: number, balance: number, reserved: number];

const CASHOUT: readonly Post[] = [
  ['CASHOUT_HOLD', 1020, 0, 1020],
  ['CASHOUT_HOLD', 1000, 0, 1000],
  ['CASHOUT_RELEASE', 1020, 0, -1020],
  ['CASHOUT_RELEASE', 20, 0, -20],
  ['CASHOUT_DEBIT', 1000, -1000, -1000],
  ['CASHOUT_DEBIT', 1000, -1000, 0],
  ['CASHOUT_DEBIT', 1000, -1000, -1020],
  ['CASHOUT_FEE', 20, -20, -20],
  ['CASHOUT_FEE', 20, -20, 0],
  ['REVERSAL_CREDIT', 1000, 1000, 0],
  ['REVERSAL_CREDIT', 20, 20, 0],
  ['REVERSAL_CREDIT', 1020, 1020, 0],
];
const CASHIN: readonly Post[] = [
  ['CASHIN_CREDIT', 1000, 1000, 0],
  ['CASHIN_CREDIT', 980, 980, 0],
  ['CASHIN_FEE', 20, -20, 0],
  ['REVERSAL_DEBIT', 1000, -1000, 0],
  ['REVERSAL_DEBIT', 980, -980, 0],
  ['REVERSAL_CREDIT', 20, 20, 0],
];

/**
 * The ways to keep the wallet: sound lines that leave 90,000, of which a cash-out in flight holds
 * some.
 */
const WALLETS = {
  'debits that consume their hold': `
    line 1 CASHIN_CREDIT 96000 96000/0 CI-1
    line 2 CASHIN_FEE 1920 94080/0 CI-1
    op CI-1 SUCCEEDED 96000 fees=1920
    line 3 CASHOUT_HOLD 3060 94080/3060 CO-3
    line 4 CASHOUT_DEBIT 3000 91080/60 CO-3
    line 5 CASHOUT_FEE 60 91020/0 CO-3
    op CO-3 SUCCEEDED 3000 fees=60
    line 6 CASHOUT_HOLD 1020 91020/1020 CO-6
    line 7 CASHOUT_DEBIT 1000 90020/20 CO-6
    line 8 CASHOUT_FEE 20 90000/0 CO-6
    op CO-6 SUCCEEDED 1000 fees=20
    line 9 CASHOUT_HOLD 15300 90000/15300 CO-9
    op CO-9 PENDING 15000 fees=300`,
  'holds released before the debit': `
    line 1 CASHIN_CREDIT 96000 96000/0 CI-1
    line 2 CASHIN_FEE 1920 94080/0 CI-1
    op CI-1 SUCCEEDED 96000 fees=1920
    line 3 CASHOUT_HOLD 4080 94080/4080 CO-3
    line 4 CASHOUT_RELEASE 4080 94080/0 CO-3
    line 5 CASHOUT_DEBIT 4000 90080/0 CO-3
    line 6 CASHOUT_FEE 80 90000/0 CO-3
    op CO-3 SUCCEEDED 4000 fees=80
    line 7 CASHOUT_HOLD 15300 90000/15300 CO-7
    op CO-7 PENDING 15000 fees=300`,
  'net credits, and debits that take the whole hold': `
    line 1 CASHIN_CREDIT 93080 93080/0 CI-1
    op CI-1 SUCCEEDED 94980 fees=1900
    line 2 CASHOUT_HOLD 2040 93080/2040 CO-2
    line 3 CASHOUT_DEBIT 2000 91080/0 CO-2
    line 4 CASHOUT_FEE 40 91040/0 CO-2
    op CO-2 SUCCEEDED 2000 fees=40
    line 5 CASHOUT_HOLD 1040 91040/1040 CO-5
    line 6 CASHOUT_DEBIT 1020 90020/0 CO-5
    line 7 CASHOUT_FEE 20 90000/0 CO-5
    op CO-5 SUCCEEDED 1020 fees=20
    line 8 CASHOUT_HOLD 15300 90000/15300 CO-8
    op CO-8 PENDING 15000 fees=300`,
  'holds of the amount alone': `
    line 1 CASHIN_CREDIT 96000 96000/0 CI-1
    line 2 CASHIN_FEE 1920 94080/0 CI-1
    op CI-1 SUCCEEDED 96000 fees=1920
    line 3 CASHOUT_HOLD 3000 94080/3000 CO-3
    line 4 CASHOUT_DEBIT 3000 91080/0 CO-3
    line 5 CASHOUT_FEE 60 91020/0 CO-3
    op CO-3 SUCCEEDED 3000 fees=60
    line 6 CASHOUT_HOLD 1000 91020/1000 CO-6
    line 7 CASHOUT_DEBIT 1000 90020/0 CO-6
    line 8 CASHOUT_FEE 20 90000/0 CO-6
    op CO-6 SUCCEEDED 1000 fees=20
    line 9 CASHOUT_HOLD 15000 90000/15000 CO-9
    op CO-9 PENDING 15000 fees=300`,
};
type Wallet = keyof typeof WALLETS;
const WALLET_NAMES = Object.keys(WALLETS) as Wallet[];

const LIMITS = [
  'minCashinAmount=1',
  'maxCashinAmount=100000',
  'minCashoutAmount=1',
  'maxCashoutAmount=100000',
];
const PROFILE = `    profile cashinFeeBps=200 cashoutFeeBps=200 ${LIMITS.join(' ')}`;

const STATUSES = ['SUCCEEDED', 'REVERSED', 'FAILED', 'CANCELLED', 'PENDING', 'CREATED'] as const;

interface Told {
  readonly wallet: Wallet;
  readonly posts: readonly Post[];
  readonly reference: string;
  readonly status: (typeof STATUSES)[number];
}

function ledgerOf({ wallet, posts, reference, status }: Told): string {
  const before = WALLETS[wallet].trim().split('\n');
  const sequence = before.filter((row) => row.trim().startsWith('line')).length + 1;
  let [balance, reserved] = /(\d+)\/(\d+)/.exec(before.at(-2)!)!.slice(1).map(Number) as [
    number,
    number,
  ];
  const lines = posts.map(([kind, amount, ofBalance, ofReserved], i) => {
    balance += ofBalance;
    reserved += ofReserved;
    return `    line ${sequence + i} ${kind} ${amount} ${balance}/${reserved} ${reference}`;
  });
  const operation = `    op ${reference} ${status} 1000 fees=20`;
  return [
    WALLETS[wallet],
    ...lines,
    operation,
    `    wallet ${balance}/${reserved}`,
    PROFILE,
    '    at +20m',
  ].join('\n');
}

function expectUnderstood(told: Told): void {
  const ledger = ledgerOf(told);
  const report = reconcileSample(ledger);
  const { recorded, due, verdict } = report;
  expect(due!.unexplained, ledger).toEqual({ balance: '0', reserved: '0' });
  if (verdict === 'clean') {
    expect([due!.balance, due!.reserved], ledger).toEqual([recorded.balance, recorded.reserved]);
  }
  const { books, profiles, asOf } = readSample(ledger);
  const { entries, operations, wallet } = books;
  const naive = {
    lines: entries,
    operations,
    wallet: wallet!,
    profile: profiles[0]!,
    adjustedAt: [],
    notifications: null,
    asOf,
  };
  expect(saidByEngine(report), ledger).toEqual(saidByNaive(naive, interpretationsOf(report)));
}

/** Yields all sequences of up to two lines, each with the wallets beside which it is put. */
function* sequencesOf(
  posts: readonly Post[],
  turn: number,
): Generator<readonly [readonly Post[], readonly Wallet[]]> {
  yield [[], WALLET_NAMES];
  for (const [i, first] of posts.entries()) {
    yield [[first], WALLET_NAMES];
    for (const [j, second] of posts.entries()) {
      // The wallet is chosen by the sum, so that every line is first, and second, beside every
      // wallet.
      const inTurn = WALLET_NAMES[(i + j + turn) % WALLET_NAMES.length]!;
      yield [[first, second], ALL_POLICIES ? WALLET_NAMES : [inTurn]];
    }
  }
}

describe(`the findings of one operation beside wallets in turn (TEST_SEED=${TEST_SEED})`, () => {
  test.each(STATUSES)('every two lines of a cash-out that is %s', (status) => {
    for (const [posts, wallets] of sequencesOf(CASHOUT, STATUSES.indexOf(status))) {
      for (const wallet of wallets) expectUnderstood({ wallet, posts, reference: 'CO-10', status });
    }
  });

  test.each(STATUSES)('every two lines of a cash-in that is %s', (status) => {
    for (const [posts, wallets] of sequencesOf(CASHIN, STATUSES.indexOf(status))) {
      for (const wallet of wallets) expectUnderstood({ wallet, posts, reference: 'CI-10', status });
    }
  });
});

describe.each(WALLET_NAMES)(
  `the findings of one operation beside %s (TEST_SEED=${TEST_SEED})`,
  (wallet) => {
    test('any lines of either', () => {
      const sequence = (reference: string, posts: readonly Post[]) =>
        fc.record({
          posts: fc.array(fc.constantFrom(...posts), { maxLength: 6 }),
          reference: fc.constant(reference),
          status: fc.constantFrom(...STATUSES),
        });
      const told = fc.oneof(sequence('CO-10', CASHOUT), sequence('CI-10', CASHIN));
      assertProperty(
        fc.property(told, (one) => expectUnderstood({ wallet, ...one })),
        { runs: 50 },
      );
    });
  },
);
