import { expect, test } from 'vitest';
import { COUNTRIES } from '../../../src/core/domain/amount.ts';
import { namePolicy } from '../../../src/sandbox/model/policy.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../../src/sandbox/plans/demo-plans.ts';
import {
  advanceAccount,
  expectedOf,
  openAccount,
} from '../../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../../src/sandbox/simulation/simulate.ts';
import { lookAtLines } from './naive-lines.ts';
import { lookAtOperations } from './naive-operations.ts';
import { lookAtWallet } from './naive-wallet.ts';

const DAY = 86_400_000;
const opening = { seed: DEMO_SEED, start: DEMO_START };

test('the demonstration has a dozen merchants, all nine countries, three currencies, and a policy each', () => {
  const plans = demoPlans();
  const accounts = plans.map((plan) => openAccount(plan, opening));
  expect(plans.length).toBe(12);
  expect(new Set(plans.flatMap((plan) => plan.country))).toEqual(new Set(COUNTRIES));
  expect(new Set(accounts.map((account) => account.simulation.currency))).toEqual(
    new Set(['XOF', 'XAF', 'GNF']),
  );
  for (const one of [
    plans.map((plan) => plan.reference),
    plans.map((plan) => namePolicy(plan.policy)),
  ]) {
    expect(new Set(one).size).toBe(12);
  }
  expect(new Set(accounts.flatMap((account) => [account.apiKey, account.apiSecret])).size).toBe(24);
  const sizes = accounts.map((account) => account.simulation.entries.length);
  expect(Math.min(...sizes)).toBeGreaterThan(300);
  expect(Math.max(...sizes)).toBeLessThan(3_200);
});

test('six merchants are sound, six have the one fault of their plan, which one of them has put right, and the day after brings four more', () => {
  const accounts = demoPlans().map((plan) => openAccount(plan, opening));
  const faulty = accounts.filter((account) => expectedOf(account).length > 0);
  expect(faulty.flatMap((account) => expectedOf(account).map(({ kind }) => kind))).toEqual([
    'BALANCE_DRIFT',
    'HOLD_NOT_RELEASED',
    'CREDIT_DUPLICATED',
    'FEE_AMOUNT_MISMATCH',
    'LINES_MISSING',
    'CREDIT_DUPLICATED',
  ]);
  for (const account of accounts) {
    const books = booksOf(account.simulation);
    const seen = [...lookAtLines(books), ...lookAtOperations(books), ...lookAtWallet(books)];
    const priced = seen.filter(
      ({ kind }) => kind !== 'FEE_NOT_AS_PRICED' || account.plan.priceChange === null,
    );
    const telling = priced.filter(
      ({ kind }) => kind !== 'SEQUENCE_GAP' || account.plan.traffic.sequenceGapRate === 0,
    );
    if (faulty.includes(account)) expect(telling).toContainEqual(expectedOf(account)[0]);
    else expect(telling, account.plan.reference).toEqual([]);
  }
  const before = accounts.map((account) => expectedOf(account).length);
  for (const account of accounts) advanceAccount(account, DEMO_START + DAY);
  const news = accounts.flatMap((account, i) =>
    expectedOf(account)
      .slice(before[i])
      .map(({ kind }) => kind),
  );
  expect(news.sort()).toEqual([
    'CREDIT_DUPLICATED',
    'CREDIT_MISSING',
    'DEBIT_DUPLICATED',
    'ENTRY_REWRITTEN',
  ]);
});
