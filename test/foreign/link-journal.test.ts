// The journals of three months of a merchant that is paid by link, made from files: hledger joins
// them, and comes to the sums of the payments and payouts of the raw files. A program that is not
// installed is skipped.

import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { planMerchant } from '../../src/sandbox/model/plan.ts';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import {
  readFecRows,
  readOdooRows,
  readSageRows,
  sumsByAccount,
} from '../support/bookkeeping-readers.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const run = promisify(execFile);
const PERIODS = ['2026-08', '2026-09', '2026-10'];
const READ_AT = Date.UTC(2026, 10, 3);

interface RawPayment {
  readonly reference: string;
  readonly amount: number;
  readonly status: string;
  readonly createdAt: string;
}

interface RawPayout {
  readonly id: string;
  readonly amount: number;
  readonly fees: number;
  readonly status: string;
  readonly completedAt: string;
}

const folder = mkdtempSync(join(tmpdir(), 'pointage-link-journal-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
let payments: readonly RawPayment[];
let payouts: readonly RawPayout[];
let balance: string;

async function make(out: string, period: string, config: object = {}): Promise<void> {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const terminal = {
    out: say,
    note: say,
    colour: false,
    width: null,
    progress: () => ({ update: () => {}, stop: () => {} }),
  };
  const file = join(folder, `${out}.json`);
  await writeFile(file, JSON.stringify(config));
  const words = [
    'statement',
    'make',
    'M001',
    period,
    '--source',
    `file:${join(folder, 'books')}`,
    '--config',
    file,
  ];
  const formats = ['--format', 'journal,fec,sage,odoo', '--out', join(folder, out)];
  const stage = { ...stageOf(terminal, {}), clock: () => READ_AT };
  expect(await runCommand([...words, ...formats], stage), said.join('')).toBe(0);
}

const fileOf = (out: string, period: string, extension: string) =>
  join(folder, out, `RELEVE_M001_${period}_r1.${extension}`);

async function statementOf(out: string, period: string): Promise<Statement> {
  const [, line] = (await readFile(fileOf(out, period, 'json'), 'utf8')).split('\n');
  return JSON.parse(line!.slice('"statement":'.length, -1)) as Statement;
}

/** Computes the figures from the raw files alone. */
function reckoned(until: string) {
  const paid = payments.filter(
    ({ status, createdAt }) => status === 'SUCCESS' && createdAt < until,
  );
  const out = payouts.filter(
    ({ status, completedAt }) => status === 'SUCCESS' && completedAt < until,
  );
  const sum = (figures: readonly number[]) => figures.reduce((total, one) => total + one, 0);
  const collected = sum(paid.map(({ amount }) => amount));
  const paidOut = sum(out.map(({ amount }) => amount));
  const fees = sum(out.map((one) => one.fees));
  return { collected, paidOut, fees, owed: collected - paidOut - fees };
}

const endOf = (period: string) =>
  `${period.slice(0, 5)}${String(Number(period.slice(5)) + 1).padStart(2, '0')}-01`;

beforeAll(async () => {
  const plan = planMerchant({ reference: 'M001', country: 'CI', opensAt: Date.UTC(2026, 7, 10) });
  const books = simulateBooks(plan, { seed: 'link journal', until: READ_AT - DAY });
  await writeBundle(join(folder, 'books', 'M001'), books);
  payments = books.payments as unknown as RawPayment[];
  const raw = books.payouts as unknown as Record<string, unknown>;
  payouts = raw['list-disbursements'] as RawPayout[];
  balance = (raw['get-balance'] as { balance: string }).balance;
  for (const period of PERIODS) await make('line', period);
}, 120_000);

test('each month goes from what the service owed to what it owes, by the raw payments and payouts', async () => {
  expect(payments.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(100);
  expect(payouts.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(3);
  let before = 0;
  for (const period of PERIODS) {
    const { account } = (await statementOf('line', period)).paymentsByLink!;
    const [start, end] = [reckoned(period), reckoned(endOf(period))];
    expect(account).toMatchObject({
      opening: before,
      collected: end.collected - start.collected,
      commissions: 0,
      paidOut: end.paidOut - start.paidOut,
      payoutFees: end.fees - start.fees,
      closing: end.owed,
    });
    before = end.owed;
  }
});

test('the service’s balance is ours at the time of the reading, less commissions that no notification told', async () => {
  const { account } = (await statementOf('line', '2026-10')).paymentsByLink!;
  const now = reckoned('2027');
  const pending = payouts
    .filter(({ status }) => status === 'PENDING')
    .reduce((sum, one) => sum + one.amount, 0);
  expect(account!.service).toMatchObject({
    balance,
    ours: now.owed,
    pending,
    unknown: payments.filter(({ status }) => status === 'SUCCESS').length,
    isExplained: true,
  });
  expect((await statementOf('line', '2026-08')).paymentsByLink!.account!.service).toBeNull();
});

test('files for programs have a second journal, whose entries are the payments and payouts under their references', async () => {
  const period = '2026-10';
  const fec = readFecRows(
    await readFile(join(folder, 'line', 'RELEVE_M001_2026-10_r1', 'M001FEC20261031.txt')),
  );
  const own = fec.filter(({ journal }) => journal === 'PL');
  const inMonth = (at: string) => at.startsWith(period);
  const paid = payments.filter(
    ({ status, createdAt }) => status === 'SUCCESS' && inMonth(createdAt),
  );
  const out = payouts.filter(
    ({ status, completedAt }) => status === 'SUCCESS' && inMonth(completedAt),
  );
  expect(
    own
      .filter(({ account }) => account === '411')
      .map(({ entry, piece, date, credit }) => [entry, piece, date, credit])
      .sort(),
  ).toEqual(
    paid
      .map(({ reference, amount, createdAt }) => [
        `PL-2026-10-${reference}`,
        reference,
        createdAt.slice(0, 10),
        amount,
      ])
      .sort(),
  );
  expect(
    own
      .filter(({ account }) => account === '585')
      .map(({ entry, date, debit }) => [entry, date, debit])
      .sort(),
  ).toEqual(
    out
      .map(({ id, amount, completedAt }) => [`PL-2026-10-${id}`, completedAt.slice(0, 10), amount])
      .sort(),
  );
  expect(own.some(({ account }) => account === '552')).toBe(false);
  const sage = readSageRows(await readFile(fileOf('line', period, 'pnm'))).rows;
  const odoo = readOdooRows(await readFile(fileOf('line', period, 'odoo.csv')));
  for (const rows of [sage, odoo]) {
    expect(sumsByAccount(rows.filter(({ journal }) => journal === 'PL'))).toEqual(
      sumsByAccount(own),
    );
    expect(new Set(rows.map(({ journal }) => journal))).toEqual(new Set(['MM', 'PL']));
  }
});

test('entries of days have the same accounts, in fewer entries', async () => {
  await make('day', '2026-10', { journal: { entries: 'day' } });
  const [line, day] = [await statementOf('line', '2026-10'), await statementOf('day', '2026-10')];
  expect(day.journal.accounts).toEqual(line.journal.accounts);
  expect(day.journal.entryCount).toBeLessThan(line.journal.entryCount / 2);
  expect(day.journal.others.some(({ number }) => /^PL-2026-10-\d\d-ORANGE$/.test(number))).toBe(
    true,
  );
});

describe.skipIf(!areInstalled('hledger', 'ledger'))('hledger', () => {
  test('joins the months: 5188 is what payments and payouts leave, and 552 what the wallet holds', async () => {
    const whole = join(folder, 'whole.journal');
    await writeFile(
      whole,
      PERIODS.map((period) => `include ${fileOf('line', period, 'journal')}\n`).join(''),
    );
    await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
    const { wallet } = (await statementOf('line', '2026-10')).journal;
    const { owed, paidOut, fees } = reckoned('2026-11');
    for (const program of ['hledger', 'ledger']) {
      const flags = program === 'hledger' ? ['-N'] : ['--no-total'];
      const { stdout } = await run(program, ['-f', whole, 'bal', ...flags], IN_UTF8);
      const found = [...stdout.matchAll(/(-?\d+) XOF +(\d+)/g)].map(
        ([, sum, account]) => [account, Number(sum)] as const,
      );
      expect(Object.fromEntries(found)).toMatchObject({
        5188: owed,
        552: wallet.closing,
        585: paidOut,
      });
    }
    const { stdout } = await run(
      'hledger',
      ['-f', whole, 'reg', '6317', 'desc:Commission de versement'],
      IN_UTF8,
    );
    expect(fees).toBeGreaterThan(0);
    expect(Number(/(-?\d+) XOF\s*$/.exec(stdout)![1])).toBe(fees);
  });
});
