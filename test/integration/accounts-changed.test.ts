// Months stated one after the other into one folder while the accountant changes accounts in
// between. What the books hold is moved or said, and what cannot be joined is refused before
// anything is written.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Statement } from '../../src/core/statements/statement.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { type Ended, pointage } from '../support/command.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { testFolder } from '../support/test-folder.ts';

const MERCHANT = 'KIOSQUE';
const CHANGED = {
  accounts: { customers: { number: '4111', label: 'Clients, mobile' } },
  rules: [
    {
      role: 'wallet',
      when: { operator: 'ORANGE' },
      account: { number: '5521', label: 'Orange Money' },
    },
  ],
};
const suppliersOn = (number: string) => ({
  rules: [
    { role: 'suppliers', when: { operator: 'ORANGE' }, account: { number, label: 'Orange' } },
  ],
});
const IN_EUROS = {
  books: {
    currency: 'EUR',
    decimals: 2,
    rates: [{ of: 'XOF', from: '2026-01-01', units: 655_957, worth: 1_000 }],
  },
};

async function makeBooks(): Promise<string> {
  const books = testFolder('accounts-changed-books-');
  const plan = planMerchant({
    reference: MERCHANT,
    policy: LAWFUL_POLICIES[0]!,
    opensAt: Date.UTC(2026, 8, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 3 },
  });
  await writeBundle(
    join(books, MERCHANT),
    simulateBooks(plan, { seed: MERCHANT, until: Date.UTC(2026, 9, 15) }),
  );
  return books;
}

async function make(books: string, out: string, period: string, journal: object): Promise<Ended> {
  const config = join(out, 'pointage.json');
  writeFileSync(config, JSON.stringify({ journal }));
  const words = [
    'statement',
    'make',
    MERCHANT,
    period,
    '--source',
    `file:${books}`,
    '--out',
    out,
    '--format',
    'json',
  ];
  return pointage([...words, '--config', config], { clock: () => Date.UTC(2027, 0, 10) });
}

function readMade(out: string, period: string): Statement {
  return JSON.parse(readFileSync(join(out, `RELEVE_${MERCHANT}_${period}_r1.json`), 'utf8'))
    .statement;
}

test('an account of the wallet is moved on the first day, other accounts are named, and the year names what differs', async () => {
  const [books, out] = [await makeBooks(), testFolder('accounts-changed-')];
  for (const [period, journal] of [
    ['2026-09', {}],
    ['2026-10', CHANGED],
    ['2026-11', CHANGED],
    ['2026-12', CHANGED],
  ] as const)
    expect((await make(books, out, period, journal)).status, period).toBe(0);
  const [september, october] = [readMade(out, '2026-09'), readMade(out, '2026-10')];
  const held = september.journal.accounts.find(({ role }) => role === 'wallet')!;
  const opening = october.journal.accounts.filter(
    ({ role, opening }) => role === 'wallet' && opening !== 0,
  );
  expect(opening.map(({ account, opening: balance }) => [account, balance])).toEqual([
    ['552', held.balance],
  ]);
  const [moved] = october.journal.others.filter(({ source }) => source === 'joining');
  expect([moved!.number, moved!.date, moved!.rows.map(({ account }) => account).sort()]).toEqual([
    'MM-2026-10-J',
    '2026-10-01',
    ['552', '5521'],
  ]);
  const said = (statement: Statement) =>
    statement.circumstances.notChecked.flatMap(({ what, why }) =>
      /before|issued/.test(what) ? [why] : [],
    );
  expect(said(october)).toEqual([
    'since 2026-09 they are others (411 → 4111): what is open on those of before stays there until the books move it',
  ]);
  expect(said(readMade(out, '2026-11'))).toEqual([]);
  expect((await make(books, out, '2026', CHANGED)).status).toBe(0);
  const [why] = said(readMade(out, '2026'));
  expect(why).toMatch(/^by account they come to otherwise .*: 411: -\d+ ≠ 0; 4111: -\d+ ≠ -\d+$/);
}, 120_000);

test('an account that a rule gives and that is another since is named, once', async () => {
  const [books, out] = [await makeBooks(), testFolder('rules-changed-')];
  const said: string[][] = [];
  for (const [period, journal] of [
    ['2026-09', suppliersOn('4011')],
    ['2026-10', suppliersOn('4012')],
    ['2026-11', suppliersOn('4012')],
    ['2026-12', {}],
  ] as const) {
    expect((await make(books, out, period, journal)).status, period).toBe(0);
    const { notChecked } = readMade(out, period).circumstances;
    said.push(
      notChecked.flatMap(({ code, figures }) =>
        code === 'ACCOUNTS_CHANGED' ? [String(figures?.accounts)] : [],
      ),
    );
  }
  expect(said).toEqual([[], ['4011 → 4012'], [], ['4012 → 401']]);
}, 120_000);

test('books of another currency since are refused, and nothing is written', async () => {
  const [books, out] = [await makeBooks(), testFolder('currency-changed-')];
  expect((await make(books, out, '2026-09', {})).status).toBe(0);
  const before = readdirSync(out);
  const ended = await make(books, out, '2026-10', IN_EUROS);
  expect([ended.status, ended.out + ended.err]).toEqual([
    3,
    expect.stringContaining(
      "The books of KIOSQUE were in the wallet's currency in 2026-09 and would be in EUR in 2026-10: the months of a year are in one currency.",
    ),
  ]);
  expect(readdirSync(out)).toEqual(before);
});

test('a rate that is configured otherwise since changes nothing that was issued, and holds from the next day on', async () => {
  const [books, out] = [await makeBooks(), testFolder('rate-changed-')];
  const at = (worth: number) => ({
    books: { ...IN_EUROS.books, rates: [{ of: 'XOF', from: '2026-01-01', units: 100_000, worth }] },
  });
  const heldIn = ({ journal }: Statement) => {
    const own = journal.accounts.filter(({ role }) => role === 'wallet');
    return own.reduce((sum, { account }) => {
      const booked = journal.booked!.accounts.find((one) => one.account === account)!;
      return sum + (booked.opening ?? 0) + booked.debit - booked.credit;
    }, 0);
  };
  const worth = ({ journal }: Statement, rate: number) =>
    Math.round((journal.wallet.closing * rate) / 1_000);
  expect((await make(books, out, '2026-09', at(152))).status).toBe(0);
  const before = readFileSync(join(out, `RELEVE_${MERCHANT}_2026-09_r1.json`), 'utf8');
  expect((await make(books, out, '2026-09', at(167))).status).toBe(0);
  const changed = { ...CHANGED, ...at(167) };
  for (const period of ['2026-10', '2026-11', '2026-12', '2026'])
    expect((await make(books, out, period, changed)).status, period).toBe(0);
  expect(readFileSync(join(out, `RELEVE_${MERCHANT}_2026-09_r1.json`), 'utf8')).toBe(before);
  expect(readdirSync(out).filter((name) => name.includes('_r2'))).toEqual([]);
  const [september, october, year] = ['2026-09', '2026-10', '2026'].map((one) =>
    readMade(out, one),
  );
  expect(heldIn(september!)).toBe(worth(september!, 152));
  expect(heldIn(october!)).toBe(worth(october!, 167));
  expect(heldIn(year!)).toBe(worth(year!, 167));
  const moved = ({ journal }: Statement) =>
    Object.fromEntries(
      journal.booked!.accounts.map((one) => [one.account, one.debit - one.credit]),
    );
  expect(october!.journal.others.filter(({ source }) => source === 'conversion').length).toBe(1);
  const months = ['2026-09', '2026-10', '2026-11', '2026-12'].map((one) =>
    moved(readMade(out, one)),
  );
  const sums: Record<string, number> = {};
  for (const [account, amount] of months.flatMap((one) => Object.entries(one)))
    sums[account] = (sums[account] ?? 0) + amount;
  const { 552: own, 5521: sub, ...others } = moved(year!);
  expect(own! + (sub ?? 0)).toBe(sums[552]! + (sums[5521] ?? 0));
  for (const account of ['6317', '401', '4111'])
    expect([account, others[account]], account).toEqual([
      account,
      (sums[account] ?? 0) + (account === '4111' ? (sums[411] ?? 0) : 0),
    ]);
}, 120_000);
