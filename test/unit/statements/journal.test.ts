// The accounting entry of each kind of line, as an accountant would write it.

import { expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../../src/statements/journal.ts';
import { handBooks } from '../../support/hand-books.ts';
import { stateBooks } from '../../support/month-of-books.ts';

async function entriesOf(text: string, journal: JournalSettings = DEFAULT_JOURNAL) {
  const { statement, lines } = await stateBooks(handBooks(text), { period: '2026-10', month: { journal } });
  const entries = lines.flatMap((line) => line.entry ?? []);
  const shown = entries.map(({ piece, rows }) => {
    const sides = rows.map(({ account, debit, credit }) =>
      debit > 0 ? `D ${account} ${debit}` : `C ${account} ${credit}`,
    );
    return `${piece}: ${sides.join(' / ')}`;
  });
  return { statement, entries, shown };
}

const CASHIN = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`;

test('a cash-in, a cash-out and their commissions; holds and releases have none', async () => {
  const { shown, entries, statement } = await entriesOf(`${CASHIN}
    10-03T08:00 CASHOUT_HOLD 10100 GUI-CO-2
    10-03T08:01 CASHOUT_DEBIT 10000 GUI-CO-2
    10-03T08:01 CASHOUT_FEE 100 GUI-CO-2
    10-04T08:00 CASHOUT_HOLD 500 GUI-CO-3
    10-04T08:00 CASHOUT_RELEASE 500 GUI-CO-3
    op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-03T08:00 completed=10-03T08:01
    op GUI-CO-3 FAILED 500 created=10-04T08:00 completed=10-04T08:00`);
  expect(shown).toEqual([
    'GUI-CI-1: D 552 50000 / C 411 50000',
    'GUI-CI-1: D 6317 1000 / C 552 1000',
    'GUI-CO-2: D 401 10000 / C 552 10000',
    'GUI-CO-2: D 6317 100 / C 552 100',
  ]);
  expect(entries.map((entry) => entry.number)).toEqual([1, 2, 3, 4].map((rank) => `MM-2026-10-00000${rank}`));
  expect(statement.journal).toMatchObject({ firstNumber: 'MM-2026-10-000001', lastNumber: 'MM-2026-10-000004' });
  expect(statement.journal.accounts.map(({ account, balance }) => [account, balance])).toEqual([
    ['401', 10_000],
    ['411', -50_000],
    ['552', 38_900],
    ['6317', 1_100],
  ]);
  expect(statement.journal.wallet).toMatchObject({ closing: 38_900, isInCredit: false });
});

test('a collection posted net of its commission states both', async () => {
  const { shown } = await entriesOf(`
    10-02T08:00 CASHIN_CREDIT 49000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`);
  expect(shown).toEqual(['GUI-CI-1: D 552 49000 / D 6317 1000 / C 411 50000']);
});

test('a reversal is the inverse under the same piece, in parts or in one line', async () => {
  const parts = await entriesOf(`${CASHIN.replace('SUCCEEDED', 'REVERSED').replace(/$/, ' updated=10-05T08:00')}
    10-05T08:00 REVERSAL_DEBIT 50000 GUI-CI-1
    10-05T08:00 REVERSAL_CREDIT 1000 GUI-CI-1`);
  expect(parts.shown.slice(2)).toEqual(['GUI-CI-1: D 411 50000 / C 552 50000', 'GUI-CI-1: D 552 1000 / C 6317 1000']);
  const once = await entriesOf(`${CASHIN.replace('SUCCEEDED', 'REVERSED').replace(/$/, ' updated=10-05T08:00')}
    10-05T08:00 REVERSAL_DEBIT 49000 GUI-CI-1`);
  expect(once.shown.slice(2)).toEqual(['GUI-CI-1: D 411 50000 / C 552 49000 / C 6317 1000']);
  const paidBack = await entriesOf(`${CASHIN}
    10-03T08:00 CASHOUT_HOLD 10100 GUI-CO-2
    10-03T08:01 CASHOUT_DEBIT 10000 GUI-CO-2
    10-03T08:01 CASHOUT_FEE 100 GUI-CO-2
    10-05T08:01 REVERSAL_CREDIT 10100 GUI-CO-2
    op GUI-CO-2 REVERSED 10000 fees=100 created=10-03T08:00 completed=10-03T08:01 updated=10-05T08:01`);
  expect(paidBack.shown.at(-1)).toBe('GUI-CO-2: D 552 10100 / C 401 10000 / C 6317 100');
  for (const { statement } of [parts, once]) {
    const customers = statement.journal.accounts.find((account) => account.account === '411');
    expect(customers?.balance).toBe(0);
  }
});

test('what nobody explains yet waits in suspense', async () => {
  const { shown } = await entriesOf(`
    10-02T08:00 ADJUSTMENT_CREDIT 300 - says=geste_commercial
    10-02T08:01 ADJUSTMENT_DEBIT 100 - says=correction
    10-02T08:02 BONUS 50 - direction=CREDIT
    10-02T08:03 REVERSAL_DEBIT 10 -`);
  expect(shown).toEqual([
    'LINE-1: D 552 300 / C 4712 300',
    'LINE-2: D 4711 100 / C 552 100',
    'LINE-3: D 552 50 / C 4712 50',
    'LINE-4: D 4711 10 / C 552 10',
  ]);
});

test('accounts and tax are configuration', async () => {
  const journal: JournalSettings = {
    ...DEFAULT_JOURNAL,
    code: 'ME',
    accounts: { ...DEFAULT_JOURNAL.accounts, wallet: { number: '5521', label: 'Portefeuille' } },
    feeTaxBps: 1_800,
  };
  const { shown, entries } = await entriesOf(CASHIN, journal);
  // 1,000 with 18 % tax contains 152.54 of it.
  expect(shown).toEqual(['GUI-CI-1: D 5521 50000 / C 411 50000', 'GUI-CI-1: D 6317 847 / D 4454 153 / C 5521 1000']);
  expect(entries[0]!.number).toBe('ME-2026-10-000001');
});

test('a wallet below zero is in credit, and says so', async () => {
  const { statement } = await entriesOf('10-02T08:00 ADJUSTMENT_DEBIT 100 - says=correction');
  expect(statement.journal.wallet).toMatchObject({ closing: -100, isInCredit: true });
});
