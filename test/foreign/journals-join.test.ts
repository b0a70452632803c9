// The plain-text journals of all months of one merchant are one journal: hledger checks every assertion over them, and both
// hledger and ledger come to the balance that the service confirms, also where the books have a fault. A program that is not
// installed is skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { journalFormat } from '../../src/io/formats/bookkeeping/journal.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../src/sandbox/plans/demo-plans.ts';
import { advanceAccount, openAccount } from '../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../src/sandbox/simulation/simulate.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

const PERIODS = ['2026-07', '2026-08', '2026-09', '2026-10'];
const run = promisify(execFile);
const UTF8 = { env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }, maxBuffer: 64 * 1024 * 1024 };

interface Joined {
  readonly merchant: string;
  /** The file that includes those of the months: programs check files that are named one by one each by itself. */
  readonly whole: string;
  readonly statements: readonly Statement[];
}

const merchants: Joined[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-joined-'));
  for (const plan of demoPlans()) {
    const account = openAccount(plan, { seed: DEMO_SEED, start: DEMO_START });
    advanceAccount(account, DEMO_START + DAY);
    const books = decodeBooks(booksOf(account.simulation));
    const report = auditBooks(books);
    const files: string[] = [];
    const statements: Statement[] = [];
    for (const period of PERIODS) {
      const stated = await stateBooks(books, { period, report });
      const file = join(folder, `${plan.reference}-${period}.journal`);
      await writeFile(file, await bytesOf(journalFormat, documentOf(stated)));
      files.push(file);
      statements.push(stated.statement);
    }
    const whole = join(folder, `${plan.reference}.journal`);
    await writeFile(whole, files.map((file) => `include ${file}\n`).join(''));
    merchants.push({ merchant: plan.reference, whole, statements });
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What each account has moved over all months. */
function totalsOf(statements: readonly Statement[]): ReadonlyMap<string, number> {
  const totals = new Map<string, number>();
  for (const { account, label, debit, credit } of statements.flatMap(({ journal }) => journal.accounts)) {
    const name = `${account} ${label}`;
    totals.set(name, (totals.get(name) ?? 0) + debit - credit);
  }
  return totals;
}

test('only the first month posts what it opens with', () => {
  expect(merchants.length).toBe(12);
  for (const { statements, merchant } of merchants) {
    const opened = statements.findIndex(({ summary }) => summary.entryCount > 0);
    expect(
      statements.map(({ journal }) => journal.opening),
      merchant,
    ).toEqual(PERIODS.map((_, i) => (i <= opened ? 'posted' : 'asserted')));
  }
});

describe.skipIf(!areInstalled('hledger'))('hledger', () => {
  test('checks the joined months of every merchant, and has every account as they state it', async () => {
    for (const { merchant, whole, statements } of merchants) {
      await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], UTF8);
      const { stdout } = await run('hledger', ['-f', whole, 'bal', '--flat', '-E', '-O', 'csv'], UTF8);
      const { currency, journal } = statements.at(-1)!;
      for (const [name, total] of totalsOf(statements))
        expect(stdout, `${merchant} ${name}`).toContain(`"${name}","${total === 0 ? '0' : `${total} ${currency}`}"`);
      expect(journal.wallet.closing).toBe(statements.at(-1)!.reconciliation.balance.recorded);
      expect(stdout).toContain(
        `"552 Monnaie électronique, téléphone portable","${journal.wallet.closing} ${currency}"`,
      );
    }
  }, 120_000);
});

describe.skipIf(!areInstalled('ledger'))('ledger', () => {
  test('balances the joined months of every merchant to 0, with the wallet as confirmed', async () => {
    for (const { merchant, whole, statements } of merchants) {
      const { stdout } = await run('ledger', ['--pedantic', '--strict', '-f', whole, 'bal'], UTF8);
      expect(stdout.trimEnd().split('\n').at(-1)!.trim(), merchant).toBe('0');
      const { currency, journal } = statements.at(-1)!;
      expect(stdout, merchant).toContain(`${journal.wallet.closing} ${currency}  552 `);
    }
  }, 120_000);
});
