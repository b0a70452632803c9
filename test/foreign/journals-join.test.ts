// The plain-text journals of all months of one merchant are one journal together: hledger checks
// every assertion over them, and both hledger and ledger come to the balance that the payment
// service confirms, also where the books have a fault. A program that is not installed is skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { journalFormat } from '../../src/io/formats/bookkeeping/journal.ts';
import { DEMO_SEED, DEMO_START } from '../../src/sandbox/plans/demo-plans.ts';
import { advanceAccount, openAccount } from '../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../src/sandbox/simulation/simulate.ts';
import { demoSample } from '../support/demo-sample.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, stateMonths } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

const PERIODS = ['2026-07', '2026-08', '2026-09', '2026-10'];
const run = promisify(execFile);

interface Joined {
  readonly merchant: string;
  /**
   * The file that includes those of the months, because programs check files that are named one by
   * one each by itself.
   */
  readonly whole: string;
  readonly statements: readonly Statement[];
  readonly books: DecodedBooks;
  /** Journals that also have an account for each operator; `null`: not made for these books. */
  readonly byOperator: Pick<Joined, 'whole' | 'statements'> | null;
  /**
   * Journals that have one account of the wallet up to August, and from September on accounts of
   * the operators and other accounts of suspense; `null`: not made for these books.
   */
  readonly changed: Pick<Joined, 'whole' | 'statements'> | null;
}

/**
 * Accounts of the wallet by operator. A rule looks at the operator alone, so that other code can
 * say which lines belong to which account.
 */
const WALLETS = { ORANGE: '5521', WAVE: '5522', MTN: '5523' } as const;
const BY_OPERATOR: JournalSettings = {
  ...DEFAULT_JOURNAL,
  rules: Object.entries(WALLETS).map(([operator, number]) => {
    return {
      role: 'wallet',
      when: { operator: [operator] },
      account: { number, label: operator },
      auxiliary: null,
    };
  }),
};

const CHANGED: JournalSettings = {
  ...BY_OPERATOR,
  accounts: {
    ...DEFAULT_JOURNAL.accounts,
    suspenseDebit: { number: '4711001', label: 'Attente, débiteurs' },
    suspenseCredit: { number: '4712001', label: 'Attente, créditeurs' },
  },
};

/**
 * Merchants whose journals are also made by operator: a sound one, and one whose recorded balance
 * does not follow.
 */
const WITH_OPERATORS = ['ONG_PUITS_INVENTES', 'MARCHE_LAGUNE_FICTIF'];

const merchants: Joined[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-joined-'));
  for (const plan of demoSample()) {
    const account = openAccount(plan, { seed: DEMO_SEED, start: DEMO_START });
    advanceAccount(account, DEMO_START + DAY);
    const books = decodeBooks(booksOf(account.simulation));
    const report = auditBooks(books);
    const joined = (name: string, journalOf: (period: string) => JournalSettings) =>
      joinMonths(books, { name: `${plan.reference}${name}`, report, journalOf });
    const { whole, statements } = await joined('', () => DEFAULT_JOURNAL);
    const isBoth = WITH_OPERATORS.includes(plan.reference);
    const byOperator = isBoth ? await joined('-by-operator', () => BY_OPERATOR) : null;
    const changed = isBoth
      ? await joined('-changed', (period) => (period < '2026-09' ? DEFAULT_JOURNAL : CHANGED))
      : null;
    merchants.push({ merchant: plan.reference, books, whole, statements, byOperator, changed });
  }
}, 300_000);

async function joinMonths(
  books: DecodedBooks,
  {
    name,
    report,
    journalOf,
  }: {
    readonly name: string;
    readonly report: AuditReport;
    readonly journalOf: (period: string) => JournalSettings;
  },
) {
  const files: string[] = [];
  const months = await stateMonths(books, PERIODS, (period) => ({
    report,
    month: { journal: journalOf(period) },
  }));
  const statements = months.map(({ statement }) => statement);
  for (const month of months) {
    const file = join(folder, `${name}-${month.statement.period.period}.journal`);
    await writeFile(file, await bytesOf(journalFormat, documentOf(month)));
    files.push(file);
  }
  const whole = join(folder, `${name}.journal`);
  await writeFile(whole, files.map((file) => `include ${file}\n`).join(''));
  return { whole, statements };
}
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns what each account has moved over all months. */
function totalsOf(statements: readonly Statement[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { account, label, debit, credit } of statements.flatMap(
    ({ journal }) => journal.accounts,
  )) {
    const name = `${account} ${label}`;
    totals.set(name, (totals.get(name) ?? 0) + debit - credit);
  }
  return totals;
}

test('only the first month posts what it opens with', () => {
  expect(merchants.length).toBeGreaterThanOrEqual(5);
  for (const { statements, merchant } of merchants) {
    const opened = statements.findIndex(({ summary }) => summary.entryCount > 0);
    expect(
      statements.map(({ journal }) => journal.opening),
      merchant,
    ).toEqual(PERIODS.map((_, i) => (i <= opened ? 'posted' : 'asserted')));
  }
});

describe.skipIf(!areInstalled('hledger'))('hledger', () => {
  test('checks the joined months of each merchant, and has every account as they state it', async () => {
    for (const { merchant, whole, statements } of merchants) {
      await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
      const { stdout } = await run(
        'hledger',
        ['-f', whole, 'bal', '--flat', '-E', '-O', 'csv'],
        IN_UTF8,
      );
      const { currency, journal } = statements.at(-1)!;
      for (const [name, total] of totalsOf(statements))
        expect(stdout, `${merchant} ${name}`).toContain(
          `"${name}","${total === 0 ? '0' : `${total} ${currency}`}"`,
        );
      expect(journal.wallet.closing).toBe(statements.at(-1)!.reconciliation.balance.recorded);
      expect(stdout).toContain(
        `"552 Monnaie électronique, téléphone portable","${journal.wallet.closing} ${currency}"`,
      );
    }
  }, 120_000);
});

/**
 * Sums the raw lines of the wallet's accounts that are dated before the end of the last month, by
 * the operator of their operation.
 */
function balancesByOperator({ entries, operations }: DecodedBooks): ReadonlyMap<string, number> {
  const operatorOf = new Map(operations.map(({ reference, operator }) => [reference, operator]));
  const sums = new Map<string, number>();
  const seen = new Set<string>();
  for (const { sequence, id, direction, amount, createdAt, operationReference } of entries) {
    const key = `${sequence} ${id}`;
    const operator = operatorOf.get(operationReference ?? '') ?? '';
    if (createdAt >= Date.UTC(2026, 10) || !Object.hasOwn(WALLETS, operator) || seen.has(key))
      continue;
    seen.add(key);
    const effect = direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
    const account = `${WALLETS[operator as keyof typeof WALLETS]} ${operator}`;
    sums.set(account, (sums.get(account) ?? 0) + effect);
  }
  return sums;
}

describe.skipIf(!areInstalled('hledger'))(
  'hledger, of a wallet with an account for each operator',
  () => {
    test('checks them all, and has each as its lines come to, together as the service confirms', async () => {
      let accounts = 0;
      for (const { merchant, books, byOperator } of merchants) {
        if (byOperator === null) continue;
        const { whole, statements } = byOperator;
        await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
        const { stdout } = await run(
          'hledger',
          ['-f', whole, 'bal', '--flat', '-E', '-N', '-O', 'csv', '^552'],
          IN_UTF8,
        );
        const shown = new Map(
          [...stdout.matchAll(/^"(.+)","(-?\d+)/gm)].map(([, name, sum]) => [name, Number(sum)]),
        );
        const { wallet } = statements.at(-1)!.journal;
        const own = balancesByOperator(books);
        for (const [account, balance] of own)
          expect(shown.get(account), `${merchant} ${account}`).toBe(balance);
        expect([...shown.values()].reduce((sum, one) => sum + one, 0)).toBe(wallet.closing);
        accounts += own.size;
        for (const [i, { journal }] of statements.entries()) {
          const before = statements[i - 1]?.journal.accounts ?? [];
          const held = new Map(before.map(({ account, balance }) => [account, balance]));
          for (const { role, account, opening } of journal.accounts)
            if (role === 'wallet')
              expect(opening, `${merchant} ${i} ${account}`).toBe(held.get(account) ?? 0);
        }
      }
      expect(accounts).toBeGreaterThan(WITH_OPERATORS.length);
    }, 120_000);
  },
);

describe.skipIf(!areInstalled('hledger'))(
  'hledger, of months whose accounts have changed in between',
  () => {
    test('checks them all, and comes to what the accounts hold that never changed', async () => {
      let moved = 0;
      for (const { merchant, changed, byOperator, statements: plain } of merchants) {
        if (changed === null || byOperator === null) continue;
        await run('hledger', ['-f', changed.whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
        const { stdout } = await run(
          'hledger',
          ['-f', changed.whole, 'bal', '--flat', '-N', '-O', 'csv'],
          IN_UTF8,
        );
        const shown = [...stdout.matchAll(/^"(\d+) .+","(-?\d+)/gm)].map(
          ([, account, sum]) => [account!, Number(sum)] as const,
        );
        const balanceOf = (start: string) =>
          shown.reduce((sum, [account, one]) => (account.startsWith(start) ? sum + one : sum), 0);
        const held = new Map(
          byOperator.statements
            .at(-1)!
            .journal.accounts.map(({ account, balance }) => [account, balance]),
        );
        for (const number of ['552', ...Object.values(WALLETS)])
          expect(
            shown.find(([account]) => account === number)?.[1] ?? 0,
            `${merchant} ${number}`,
          ).toBe(held.get(number) ?? 0);
        const totals = totalsOf(plain);
        for (const start of ['4711', '4712'])
          expect(balanceOf(start), `${merchant} ${start}`).toBe(
            [...totals].reduce(
              (sum, [name, total]) => (name.startsWith(`${start} `) ? sum + total : sum),
              0,
            ),
          );
        const others = changed.statements.flatMap(({ journal }) => journal.others);
        moved += others.filter(({ source }) => source === 'joining').length;
      }
      expect(moved).toBeGreaterThan(1);
    }, 120_000);
  },
);

describe.skipIf(!areInstalled('ledger'))('ledger', () => {
  test('balances the joined months of each merchant to 0, with the wallet as confirmed', async () => {
    for (const { merchant, whole, statements } of merchants) {
      const { stdout } = await run(
        'ledger',
        ['--pedantic', '--strict', '-f', whole, 'bal'],
        IN_UTF8,
      );
      expect(stdout.trimEnd().split('\n').at(-1)!.trim(), merchant).toBe('0');
      const { currency, journal } = statements.at(-1)!;
      expect(stdout, merchant).toContain(`${journal.wallet.closing} ${currency}  552 `);
    }
  }, 120_000);
});
