// A year closed from the files alone, by programs that are not ours: the journals of its months joined, the journal of the year, and
// their FEC. The books are sound, broken and put right in the next year, or revised with a delta. Where a program is not installed,
// its tests are skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { withEntryChanges } from '../../src/io/formats/bookkeeping/entry-changes.ts';
import { deltasOf } from '../../src/io/formats/deltas.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { simulateBooks } from '../../src/sandbox/simulation/simulate.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { type BookedRow, readFecRows, sumsByAccount } from '../support/bookkeeping-readers.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks, reportOnBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);
const UTF8 = { env: { ...process.env, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }, maxBuffer: 64 * 1024 * 1024 };
const ZONE = 'Africa/Douala';
const monthsOf = (year: number, from = 1) =>
  Array.from({ length: 13 - from }, (_, i) => `${year}-${String(i + from).padStart(2, '0')}`);
const BY_OPERATOR: JournalSettings = {
  ...DEFAULT_JOURNAL,
  rules: ['ORANGE', 'MTN'].map((operator, i) => ({
    ...{ role: 'wallet', when: { operator: [operator] }, auxiliary: null },
    account: { number: `552${i + 1}`, label: operator },
  })),
};
const BEFORE = monthsOf(2025, 11);
const MONTHS = monthsOf(2026);

interface Year {
  readonly name: string;
  /** From the first of the books on, and the year. */
  readonly months: readonly StatedMonth[];
  readonly year: StatedMonth;
  readonly delta: readonly BookedRow[];
  /** Of all months as they are stated now. */
  readonly since: readonly BookedRow[];
  /** Of the twelve months as they were first issued. */
  readonly fec: readonly BookedRow[];
  readonly files: { readonly months: string; readonly year: string; readonly upTo: (period: string) => string };
}

const years: Year[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-year-files-'));
  const plan = planMerchant({
    reference: 'ANNEE',
    opensAt: Date.UTC(2025, 10, 10),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 1, reversalRate: 0.06, adjustmentsPerMonth: 1 },
  });
  const sound = simulateBooks(plan, { seed: 'year from files', until: Date.UTC(2027, 0, 20) });
  const broken = ['CREDIT_MISSING', 'CREDIT_DUPLICATED', 'FEE_AMOUNT_MISMATCH'].reduce(planted, sound);
  const corrected = applyProposals(broken, reportOnBooks(broken)).books;
  await keepYear('sound', decodeBooks(sound));
  await keepYear('with accounts by operator', decodeBooks(sound), { journal: BY_OPERATOR });
  await keepYear('put right in the next year', decodeBooks(corrected));
  const whole = decodeBooks(sound);
  const until = Date.UTC(2026, 11, 20);
  const entries = whole.entries.filter(({ createdAt }) => createdAt < until);
  await keepYear('revised', whole, { first: { ...whole, entries } });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

function planted(books: Books, kind: string): Books {
  return FAULTS.find(({ name }) => name === kind)!.plant(books, seedRandom(`year ${kind}`))!.books;
}

/** `first`: the books as they were when the months were issued. */
async function keepYear(
  name: string,
  books: DecodedBooks,
  {
    first = books,
    journal = DEFAULT_JOURNAL,
  }: { readonly first?: DecodedBooks; readonly journal?: JournalSettings } = {},
): Promise<void> {
  const month = { journal };
  const report = auditBooks(books);
  const months: StatedMonth[] = [];
  const [fec, delta, since]: BookedRow[][] = [[], [], []];
  for (const period of [...BEFORE, ...MONTHS]) {
    const issued = await stateBooks(first, { period, zone: ZONE, month });
    const now = await stateBooks(books, { period, zone: ZONE, month, report, issued: issued.statement });
    months.push(now);
    since!.push(...(await fecOf(now)));
    if (!MONTHS.includes(period)) continue;
    fec!.push(...(await fecOf(issued)));
    const json = await bytesOf(jsonFormat, documentOf(issued));
    const revised = await withEntryChanges(documentOf(now), 1, async function* () {
      yield json;
    });
    for (const format of deltasOf(revised, ['fec'])) delta!.push(...readFecRows(await bytesOf(format, revised)));
  }
  const year = await stateBooks(books, { period: '2026', zone: ZONE, month, report });
  const fileOf = (period: string): string => join(folder, `${years.length}-${period}.journal`);
  const at = years.length;
  for (const stated of [...months, year])
    await writeFile(fileOf(stated.statement.period.period), await journalOf(stated));
  const all = [...BEFORE, ...MONTHS];
  for (const [i, period] of all.entries()) {
    const included = all.slice(0, i + 1).map((one) => `include ${fileOf(one)}\n`);
    await writeFile(join(folder, `${at}-to-${period}.journal`), included.join(''));
  }
  const upTo = (period: string): string => join(folder, `${at}-to-${period}.journal`);
  const files = { year: join(folder, `${at}-2026.journal`), months: upTo('2026-12'), upTo };
  years.push({ name, months, year, fec: fec!, delta: delta!, since: since!, files });
}

const journalOf = (stated: StatedMonth) => bytesOf(formatNamed('journal')!, documentOf(stated));
const fecOf = async (stated: StatedMonth) => readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));

/** Debit − credit by account; without those at 0. */
function balancesOf(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  const sums = [...sumsByAccount(rows)].map(([account, [debit, credit]]) => [account, debit - credit] as const);
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

/** Of customers and suppliers, by auxiliary account. */
function partiesOf(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { account, auxiliary, debit, credit } of rows)
    if (auxiliary !== '') sums[`${account} ${auxiliary}`] = (sums[`${account} ${auxiliary}`] ?? 0) + debit - credit;
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

/** By the number of the account. */
async function balancesBy(program: 'hledger' | 'ledger', file: string): Promise<Readonly<Record<string, number>>> {
  const form = ['bal', '--flat'];
  const shape =
    program === 'hledger' ? ['-N', '-O', 'csv'] : ['--balance-format', '"%(account)","%(amount)"\n', '--no-total'];
  const { stdout } = await run(program, ['-f', file, ...form, ...shape], UTF8);
  const rows = [...stdout.matchAll(/^"(\S+)[^"]*","([^"]*)"/gm)].filter(([, account]) => account !== 'account');
  const amounts = rows.map(
    ([, account, amount]) => [account!, Number(/-?\d+/.exec(amount!.replaceAll(',', ''))![0])] as const,
  );
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0));
}

const ofBalanceSheet = (balances: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(balances).filter(([account]) => !/^(?:12|À|[678])/.test(account)));
const ofWallet = (balances: Readonly<Record<string, number>>): number =>
  Object.entries(balances).reduce((sum, [account, balance]) => sum + (account.startsWith('552') ? balance : 0), 0);
const recordedIn = ({ reconciliation }: Statement): number => reconciliation.balance.recorded;

test('the books begin in the year before, so that the year has balances of all accounts to begin with', () => {
  expect(years.map(({ name }) => name)).toEqual([
    'sound',
    'with accounts by operator',
    'put right in the next year',
    'revised',
  ]);
  for (const { year, name } of years) {
    const accounts = year.statement.journal.carried!.entry.rows.map(({ account }) => account);
    expect(accounts.toSorted(), name).toEqual(expect.arrayContaining(['12', '401', '411', '552']));
    expect(
      accounts.filter((account) => account.startsWith('6')),
      name,
    ).toEqual([]);
  }
});

test('the FEC of the year is that of its months, their deltas and what is carried into it', async () => {
  for (const { name, year, fec, delta } of years) {
    const rows = await fecOf(year);
    const [carried, own] = [
      rows.filter(({ journal }) => journal === 'AN'),
      rows.filter(({ journal }) => journal !== 'AN'),
    ];
    expect(new Set(carried.map(({ date }) => date)), name).toEqual(new Set(['2026-01-01']));
    expect(
      Object.values(balancesOf(carried)).reduce((sum, one) => sum + one, 0),
      name,
    ).toBe(0);
    expect(balancesOf([...fec, ...delta]), name).toEqual(balancesOf(own));
    expect(delta.length > 0, name).toBe(name === 'revised');
    const { accounts } = year.statement.journal;
    const stated = accounts.filter(({ balance }) => balance !== 0).map(({ account, balance }) => [account, balance]);
    expect(balancesOf(rows), name).toEqual(Object.fromEntries(stated));
  }
});

test('the year has each auxiliary account as the months since the first have it, and says since when suspense is open', async () => {
  for (const { name, year, since } of years) {
    const parties = partiesOf(await fecOf(year));
    expect(Object.keys(parties).length, name).toBeGreaterThan(4);
    expect(parties, name).toEqual(partiesOf(since));
    const { rows, total } = year.statement.journal.suspense!;
    const pieces = new Map<string, number>();
    for (const { account, piece, debit, credit } of since.filter((row) => row.account.startsWith('471')))
      pieces.set(`${account} ${piece}`, (pieces.get(`${account} ${piece}`) ?? 0) + debit - credit);
    const open = [...pieces].filter(([, sum]) => sum !== 0);
    expect(
      Object.fromEntries(rows.map(({ account, piece, balance }) => [`${account} ${piece}`, balance])),
      name,
    ).toEqual(Object.fromEntries(open));
    expect(total.balance, name).toBe(open.reduce((sum, [, balance]) => sum + balance, 0));
    expect(rows.every(({ date, age }) => Date.parse('2026-12-31') - Date.parse(date) === age * 86_400_000)).toBe(true);
  }
});

for (const program of ['hledger', 'ledger'] as const)
  describe.skipIf(!areInstalled(program))(program, () => {
    test('has 552 as the service recorded it at the end of every month, from the months joined', async () => {
      for (const { months, files, name } of years)
        for (const { statement } of months) {
          const balances = await balancesBy(program, files.upTo(statement.period.period));
          expect(ofWallet(balances), `${name} ${statement.period.period}`).toBe(recordedIn(statement));
        }
    }, 120_000);

    test('has every account of the balance sheet as the months since the first have it, from the year alone', async () => {
      for (const { year, files, name } of years) {
        const [joined, alone] = [await balancesBy(program, files.months), await balancesBy(program, files.year)];
        expect(ofBalanceSheet(alone), name).toEqual(ofBalanceSheet(joined));
        expect(ofWallet(alone), name).toBe(recordedIn(year.statement));
        // What the year before has charged is no charge of this one.
        expect(alone['12']! + alone['6317']!, name).toBe(joined['6317']);
      }
    });

    test('has in 6317 what the commissions of the year came to', async () => {
      for (const { year, files, name } of years) {
        const { controls } = year.statement.journal;
        expect((await balancesBy(program, files.year))['6317'], name).toBe(controls!.fees.posted);
      }
    });
  });

describe.skipIf(!areInstalled('hledger'))('hledger', () => {
  test('proves every assertion of the year, and of the months joined', async () => {
    for (const { files } of years)
      for (const file of [files.year, files.months])
        await run('hledger', ['-f', file, 'check', '--strict', 'ordereddates'], UTF8);
  });
});
