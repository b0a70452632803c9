// A year closed from the files alone, by programs that are not ours: the journals of its months
// joined, the journal of the year, and their FEC. The books are sound, broken and put right in the
// next year, or revised with a delta. Where a program is not installed, its tests are skipped.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundsOf, parsePeriod, parseYear } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { booksLeftBy } from '../../src/core/statements/books-before.ts';
import { openYear } from '../../src/core/statements/entries/year-opening.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { withEntryChanges } from '../../src/io/formats/bookkeeping/entry-changes.ts';
import { openingJournal } from '../../src/io/formats/bookkeeping/journal.ts';
import { deltasOf } from '../../src/io/formats/deltas.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { openFileDashboard } from '../../src/io/sources/file/open-file-dashboard.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { NOTHING_KNOWN, readLinks } from '../../src/service/workflows/month/read-links.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { type BookedRow, readFecRows, sumsByAccount } from '../support/bookkeeping-readers.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import {
  auditBooks,
  documentOf,
  type MonthWish,
  type StatedMonth,
  stateBooks,
} from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks, reportOnBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);
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
/**
 * Rules for payments by link: an account of their own, customers by order, and sales that are
 * booked with their invoice.
 */
const BY_RULES: JournalSettings = {
  ...DEFAULT_JOURNAL,
  taxes: [
    { name: 'TVA', bps: 1925, from: null, countries: null, account: null, isRecoverable: true },
  ],
  rules: [
    {
      ...{ role: 'linkReceivable', when: { operator: ['ORANGE'] }, auxiliary: null },
      account: { number: '51881', label: 'Orange, par lien' },
    },
    {
      ...{
        role: 'customers',
        when: { kind: ['PAYMENT_BY_LINK'], operator: ['MTN'] },
        account: null,
        auxiliary: null,
      },
      counterpart: { number: '7061', label: 'Services vendus' },
    },
    {
      ...{ role: 'customers', when: { kind: ['PAYMENT_BY_LINK'], operator: ['MOOV'] } },
      ...{ account: { number: '4111', label: 'Boutique' }, auxiliary: 'externalReference' },
    },
  ],
};
const UNTIL = Date.UTC(2027, 0, 20);
const BEFORE = monthsOf(2025, 11);
const MONTHS = monthsOf(2026);

interface Year {
  readonly name: string;
  /** The months from the first of the books on, those of the year included. */
  readonly months: readonly StatedMonth[];
  readonly year: StatedMonth;
  /** Rows of the months before the year. */
  readonly before: readonly BookedRow[];
  readonly delta: readonly BookedRow[];
  /** Rows of all months as they are stated now. */
  readonly since: readonly BookedRow[];
  /** Rows of the twelve months as they were first issued. */
  readonly fec: readonly BookedRow[];
  /** `opened`: the twelve months of the year behind their opening. */
  readonly files: Readonly<Record<'months' | 'year' | 'opened', string>>;
}

const years: Year[] = [];
let folder: string;
let paid: Paid;
let begun: StatedMonth;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-year-files-'));
  const plan = planMerchant({
    reference: 'ANNEE',
    opensAt: Date.UTC(2025, 10, 10),
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 0.6,
      reversalRate: 0.06,
      adjustmentsPerMonth: 1,
    },
  });
  const sound = simulateBooks(plan, { seed: 'year from files', until: UNTIL });
  const broken = ['CREDIT_MISSING', 'CREDIT_DUPLICATED', 'FEE_AMOUNT_MISMATCH'].reduce(
    planted,
    sound,
  );
  const corrected = applyProposals(broken, reportOnBooks(broken)).books;
  await keepYear('sound', decodeBooks(sound));
  await keepYear('with accounts by operator', decodeBooks(sound), { journal: BY_OPERATOR });
  await keepYear('put right in the next year', decodeBooks(corrected));
  const whole = decodeBooks(sound);
  const until = Date.UTC(2026, 11, 20);
  const entries = whole.entries.filter(({ createdAt }) => createdAt < until);
  await keepYear('revised', whole, { first: { ...whole, entries } });
  paid = { payments: sound.payments as unknown as Paid['payments'], payouts: payoutsOf(sound) };
  const links = await linksOf('whole', sound);
  await keepYear('with payments by link', decodeBooks(sound), { journal: BY_RULES, links });
  // Customers paid by link before there was a wallet.
  const { payments, payouts } = sound;
  const later = simulateBooks(
    { ...plan, opensAt: Date.UTC(2026, 2, 3) },
    { seed: 'later', until: UNTIL },
  );
  const before = await linksOf('later', { ...later, payments, payouts });
  begun = await stateBooks(decodeBooks(later), await before('2026'));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Paid {
  readonly payments: readonly {
    readonly reference: string;
    readonly amount: number;
    readonly status: string;
    readonly createdAt: string;
  }[];
  readonly payouts: readonly {
    readonly id: string;
    readonly reference: string;
    readonly amount: number;
    readonly fees: number;
    readonly status: string;
    readonly completedAt: string;
  }[];
}

const payoutsOf = ({ payouts }: Books) => payouts!['list-disbursements'] as Paid['payouts'];

/**
 * Returns the commission as a notification tells it. Every fourth commission is not known, as if no
 * notification had told it.
 */
const feesOf = ({
  reference,
  amount,
}: {
  readonly reference: string;
  readonly amount: number;
}): string | null =>
  reference.charCodeAt(reference.length - 1) % 4 === 0 ? null : String(amount / 64);

/**
 * Computes the figures by the payments' own instants. The day in Douala begins an hour before that
 * of UTC.
 */
function reckoned(until: string) {
  const end = Date.parse(`${until}T00:00:00+01:00`);
  const payments = paid.payments.filter(
    (one) => one.status === 'SUCCESS' && Date.parse(one.createdAt) < end,
  );
  const payouts = paid.payouts.filter(
    (one) => one.status === 'SUCCESS' && Date.parse(one.completedAt) < end,
  );
  const sum = (figures: readonly number[]) => figures.reduce((total, one) => total + one, 0);
  // The sum is rounded once, because sums of sixty-fourths are exact.
  const commissions = Math.round(sum(payments.map((one) => Number(feesOf(one) ?? 0))));
  const paidOut = sum(payouts.map(({ amount }) => amount));
  const owed =
    sum(payments.map(({ amount }) => amount)) -
    commissions -
    paidOut -
    sum(payouts.map(({ fees }) => fees));
  return { payments, payouts, paidOut, owed };
}

type AskLinks = (period: string) => Promise<Omit<MonthWish, 'month'>>;

/**
 * Returns what asks a dashboard's files for the payments by link of a period, from the first on.
 */
async function linksOf(name: string, books: Books): Promise<AskLinks> {
  await writeBundle(join(folder, name, 'ANNEE'), books);
  const snapshot = await openFileDashboard(join(folder, name)).open('ANNEE');
  const zone = openZone(ZONE)!;
  return async (period) => {
    const bounds = boundsOf(parsePeriod(period) ?? parseYear(period)!, zone);
    const known = { ...NOTHING_KNOWN, feesOf };
    const wanted = { bounds, zone, currency: 'XAF', withoutReport: true, now: UNTIL, known };
    return {
      period,
      zone: ZONE,
      links: await readLinks(snapshot, wanted, { ofMonth: [], summaryKeys: {} }),
    };
  };
}

function planted(books: Books, kind: string): Books {
  return FAULTS.find(({ name }) => name === kind)!.plant(books, seedRandom(`year ${kind}`))!.books;
}

/** States and writes a year. `first`: the books as they were when the months were issued. */
async function keepYear(
  name: string,
  books: DecodedBooks,
  {
    first = books,
    journal = DEFAULT_JOURNAL,
    links = async (period) => ({ period, zone: ZONE }),
  }: {
    readonly first?: DecodedBooks;
    readonly journal?: JournalSettings;
    readonly links?: AskLinks;
  } = {},
): Promise<void> {
  const month = { journal };
  const report = auditBooks(books);
  const months: StatedMonth[] = [];
  const [before, fec, delta, since]: BookedRow[][] = [[], [], [], []];
  for (const period of [...BEFORE, ...MONTHS]) {
    const wish = { ...(await links(period)), month };
    const issued = await stateBooks(first, first === books ? { ...wish, report } : wish);
    const now =
      first === books
        ? issued
        : await stateBooks(books, { ...wish, report, issued: issued.statement });
    months.push(now);
    since!.push(...(await fecOf(now)));
    if (BEFORE.includes(period)) before!.push(...(await fecOf(now)));
    if (!MONTHS.includes(period)) continue;
    fec!.push(...(await fecOf(issued)));
    if (now === issued) continue;
    const json = await bytesOf(jsonFormat, documentOf(issued));
    const readJson = async function* () {
      yield json;
    };
    const revised = await withEntryChanges(documentOf(now), { issued: issued.statement, readJson });
    for (const format of deltasOf(revised, ['fec']))
      delta!.push(...readFecRows(await bytesOf(format, revised)));
  }
  const year = await stateBooks(books, { ...(await links('2026')), month, report });
  const fileOf = (name: string): string => join(folder, `${years.length}-${name}.journal`);
  for (const stated of [...months, year])
    await writeFile(fileOf(stated.statement.period.period), await journalOf(stated));
  const files = { year: fileOf('2026'), months: fileOf('joined'), opened: fileOf('opened') };
  const including = (periods: readonly string[]) =>
    periods.map((period) => `include ${fileOf(period)}\n`).join('');
  await writeFile(files.months, including([...BEFORE, ...MONTHS]));
  await writeFile(fileOf('opening'), openingOf(months, journal));
  await writeFile(files.opened, including(['opening', ...MONTHS]));
  years.push({
    name,
    months,
    year,
    before: before!,
    fec: fec!,
    delta: delta!,
    since: since!,
    files,
  });
}

/** What the months before the year leave to it. */
function openingOf(months: readonly StatedMonth[], journal: JournalSettings): string {
  const before = months.slice(0, BEFORE.length).map(({ statement }) => statement);
  const left = before.map(({ period, journal: own }) => booksLeftBy(period.period, own));
  const { merchant, currency } = before[0]!;
  const opening = openYear(left, journal.accounts.openingResult)!;
  return openingJournal({ merchant, currency, year: '2026', last: '2025-12', ...opening }, 'fr');
}

const journalOf = (stated: StatedMonth) => bytesOf(formatNamed('journal')!, documentOf(stated));
/** The rows of each FEC, so that each is written and read once. */
const fecs = new WeakMap<StatedMonth, Promise<readonly BookedRow[]>>();

function fecOf(stated: StatedMonth): Promise<readonly BookedRow[]> {
  const known =
    fecs.get(stated) ?? bytesOf(formatNamed('fec')!, documentOf(stated)).then(readFecRows);
  fecs.set(stated, known);
  return known;
}

/** Returns debit − credit by account, without accounts at 0. */
function balancesOf(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  const sums = [...sumsByAccount(rows)].map(
    ([account, [debit, credit]]) => [account, debit - credit] as const,
  );
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0));
}

/** Returns debit − credit of customers and suppliers, by auxiliary account. */
function partiesOf(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { account, auxiliary, debit, credit } of rows)
    if (auxiliary !== '')
      sums[`${account} ${auxiliary}`] = (sums[`${account} ${auxiliary}`] ?? 0) + debit - credit;
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

/** Returns debit − credit by account and auxiliary account, without those at 0. */
function byParty(rows: readonly BookedRow[]): Readonly<Record<string, number>> {
  return balancesOf(
    rows.map((row) => ({ ...row, account: `${row.account} ${row.auxiliary}`.trim() })),
  );
}

type Program = 'hledger' | 'ledger';

/** What each program said of each file, so that it is asked once. */
const answers = new Map<string, Promise<Readonly<Record<string, number>>>>();

/** Returns the balances by the number of the account. */
function balancesBy(program: Program, file: string): Promise<Readonly<Record<string, number>>> {
  const key = `${program} ${file}`;
  const known = answers.get(key) ?? askBalances(program, file);
  answers.set(key, known);
  return known;
}

async function askBalances(
  program: Program,
  file: string,
): Promise<Readonly<Record<string, number>>> {
  const form = ['bal', '--flat'];
  const shape =
    program === 'hledger'
      ? ['-N', '-O', 'csv']
      : ['--balance-format', '"%(account)","%(amount)"\n', '--no-total'];
  const { stdout } = await run(program, ['-f', file, ...form, ...shape], IN_UTF8);
  const rows = [...stdout.matchAll(/^"(\S+)[^"]*","([^"]*)"/gm)].filter(
    ([, account]) => account !== 'account',
  );
  const amounts = rows.map(([, account, amount]) => [account!, amountIn(amount!)] as const);
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0));
}

/**
 * Returns the balance of the wallet's accounts together, at the end of each month in which they
 * moved, by `YYYY-MM`.
 */
async function walletByMonth(program: Program, file: string): Promise<ReadonlyMap<string, number>> {
  if (program === 'hledger') {
    const { stdout } = await run(
      'hledger',
      ['-f', file, 'bal', '^552', '-H', '-M', '--flat', '-O', 'csv'],
      IN_UTF8,
    );
    const rows = stdout.trim().split('\n').map(cellsOf);
    const [head, total] = [rows[0]!, rows.find(([name]) => /^total:?$/i.test(name!))!];
    return new Map(head.slice(1).map((month, i) => [month, amountIn(total[i + 1]!)]));
  }
  const shape = [
    '--monthly',
    '--format',
    '%(format_date(date, "%Y-%m")) %(quantity(display_total))\n',
  ];
  const { stdout } = await run('ledger', ['-f', file, 'register', '^552', ...shape], IN_UTF8);
  return new Map(
    [...stdout.matchAll(/^(\d{4}-\d\d) (-?\d+)$/gm)].map(([, month, sum]) => [month!, Number(sum)]),
  );
}

const cellsOf = (row: string): readonly string[] =>
  [...row.matchAll(/"([^"]*)"/g)].map(([, cell]) => cell!);
const amountIn = (text: string): number => Number(/-?\d+/.exec(text.replaceAll(',', ''))![0]);

const ofBalanceSheet = (
  balances: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(balances).filter(([account]) => !/^(?:130|À|[678])/.test(account)),
  );
const ofWallet = (balances: Readonly<Record<string, number>>): number =>
  Object.entries(balances).reduce(
    (sum, [account, balance]) => sum + (account.startsWith('552') ? balance : 0),
    0,
  );
const recordedIn = ({ reconciliation }: Statement): number => reconciliation.balance.recorded;

test('the books begin in the year before, so that the year has balances of all accounts to begin with', () => {
  expect(years.map(({ name }) => name)).toEqual([
    'sound',
    'with accounts by operator',
    'put right in the next year',
    'revised',
    'with payments by link',
  ]);
  for (const { year, name } of years) {
    const accounts = year.statement.journal.carried!.entry.rows.map(({ account }) => account);
    expect(accounts.toSorted(), name).toEqual(expect.arrayContaining(['130', '401', '411', '552']));
    expect(
      accounts.filter((account) => /^[67]/.test(account)),
      name,
    ).toEqual([]);
  }
});

test('the year begins with each account as the months before leave it, by auxiliary account', async () => {
  for (const { year, name, before } of years) {
    const carried = (await fecOf(year)).filter(({ journal }) => journal === 'AN');
    expect(byParty(carried.filter(({ account }) => account !== '130')), name).toEqual(
      byParty(before.filter(({ account }) => !/^[67]/.test(account))),
    );
  }
});

test('payments by link of the years before are carried by account, customer, rule and tax', async () => {
  const { year, before } = years.find(({ name }) => name === 'with payments by link')!;
  const carried = byParty((await fecOf(year)).filter(({ journal }) => journal === 'AN'));
  const { owed, paidOut, payments } = reckoned('2026-01-01');
  expect([payments.length > 50, owed > 0, paidOut > 0]).toEqual([true, true, true]);
  expect(carried['5188']! + carried['51881']!).toBe(owed);
  expect(carried['585']).toBe(paidOut);
  expect(
    Object.keys(carried).filter((account) => account.startsWith('4111 ')).length,
  ).toBeGreaterThan(3);
  expect(carried['4454']).toBeGreaterThan(0);
  // A month may have an entry that only rounds the tax: none is left out.
  expect(before.some(({ entry }) => /-T1-[A-Z]+$/.test(entry))).toBe(true);
  expect(before.some(({ account }) => account === '7061')).toBe(true);
});

test('payments by link from before the wallet are carried into its first year', () => {
  const rows = begun.statement.journal.carried!.entry.rows;
  const { owed, paidOut } = reckoned('2026-01-01');
  const sums = new Map(rows.map(({ account, debit, credit }) => [account, debit - credit]));
  expect([sums.get('5188'), sums.get('585'), sums.has('552')]).toEqual([owed, paidOut, false]);
  const { account, balance } = begun.statement.journal.accounts.find(
    ({ role }) => role === 'linkReceivable',
  )!;
  expect([account, balance]).toEqual(['5188', begun.statement.paymentsByLink!.account!.closing]);
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
    // Only lines of the year's end came late: the other months were issued once.
    expect(new Set(delta.map(({ date }) => date.slice(0, 7))), name).toEqual(
      new Set(name === 'revised' ? ['2026-12'] : []),
    );
    const { accounts } = year.statement.journal;
    const stated = accounts
      .filter(({ balance }) => balance !== 0)
      .map(({ account, balance }) => [account, balance]);
    expect(balancesOf(rows), name).toEqual(Object.fromEntries(stated));
  }
});

test('rows without a letter, each with its piece, are the open items of customers and suppliers in the year alone', async () => {
  for (const { name, year } of years) {
    const rows = (await fecOf(year)).filter(({ account }) => /^4[01]1/.test(account));
    const open = rows.filter(({ letter }) => letter === '');
    expect(open.length, name).toBeLessThan(rows.length);
    expect(balancesOf(open), name).toEqual(balancesOf(rows));
    const named = open.filter(({ journal }) => journal !== 'AN').map(({ piece }) => piece);
    expect(
      named.filter((piece) => !/^(?:GUI-|PAY)/.test(piece)),
      name,
    ).toEqual([]);
  }
});

test('the year has each auxiliary account as the months since the first have it, and says since when suspense is open', async () => {
  for (const { name, year, since } of years) {
    const parties = partiesOf(await fecOf(year));
    expect(Object.keys(parties).length, name).toBeGreaterThan(4);
    expect(parties, name).toEqual(partiesOf(since));
    const { rows, total } = year.statement.journal.suspense!;
    const pieces = new Map<string, number>();
    for (const { account, piece, debit, credit } of since.filter((row) =>
      row.account.startsWith('471'),
    ))
      pieces.set(`${account} ${piece}`, (pieces.get(`${account} ${piece}`) ?? 0) + debit - credit);
    const open = [...pieces].filter(([, sum]) => sum !== 0);
    expect(
      Object.fromEntries(
        rows.map(({ account, piece, balance }) => [`${account} ${piece}`, balance]),
      ),
      name,
    ).toEqual(Object.fromEntries(open));
    expect(total.balance, name).toBe(open.reduce((sum, [, balance]) => sum + balance, 0));
    expect(
      rows.every(
        ({ date, age }) => Date.parse('2026-12-31') - Date.parse(date) === age * 86_400_000,
      ),
    ).toBe(true);
  }
});

for (const program of ['hledger', 'ledger'] as const)
  describe.skipIf(!areInstalled(program))(program, () => {
    test('has 552 as the service recorded it at the end of every month, from the months joined', async () => {
      for (const { months, files, name } of years) {
        const ends = await walletByMonth(program, files.months);
        // The account moves in every month, so that each month has an end of its own.
        const recorded = months.map(({ statement }) => [
          statement.period.period,
          recordedIn(statement),
        ]);
        expect([...ends], name).toEqual(recorded);
      }
    }, 300_000);

    test('has every account of the balance sheet as the months since the first have it, from the year alone', async () => {
      for (const { year, files, name } of years) {
        const [joined, alone] = [
          await balancesBy(program, files.months),
          await balancesBy(program, files.year),
        ];
        expect(ofBalanceSheet(alone), name).toEqual(ofBalanceSheet(joined));
        expect(ofWallet(alone), name).toBe(recordedIn(year.statement));
        // What the year before has charged and sold is on no account of this year.
        const { 6317: charged = 0, 7061: sold = 0 } = joined;
        expect(alone['130']! + alone['6317']! + (alone['7061'] ?? 0), name).toBe(charged + sold);
      }
    });

    test('has every account of the balance sheet as the months since the first have it, from the twelve months behind their opening', async () => {
      for (const { files, name } of years) {
        const [joined, opened] = [
          await balancesBy(program, files.months),
          await balancesBy(program, files.opened),
        ];
        expect(ofBalanceSheet(opened), name).toEqual(ofBalanceSheet(joined));
        const { 6317: charged = 0, 7061: sold = 0 } = joined;
        expect(opened['130']! + opened['6317']! + (opened['7061'] ?? 0), name).toBe(charged + sold);
      }
    });

    test('has in 6317 what the commissions of the year came to', async () => {
      for (const { year, files, name } of years.filter((one) => !one.name.includes('by link'))) {
        const { controls } = year.statement.journal;
        expect((await balancesBy(program, files.year))['6317'], name).toBe(controls!.fees.posted);
      }
    });
  });

describe.skipIf(!areInstalled('hledger'))('hledger', () => {
  test('closes a year with payments by link from the year alone: what is owed of them, and payouts on their way', async () => {
    const { files, year, since } = years.find(({ name }) => name === 'with payments by link')!;
    const alone = await balancesBy('hledger', files.year);
    const { owed, paidOut, payouts } = reckoned('2027-01-01');
    expect(alone['5188']! + alone['51881']!).toBe(owed);
    expect(year.statement.paymentsByLink!.account!.closing).toBe(owed);
    // Until the bank has the payouts, each is an open item under its own name.
    expect(alone['585']).toBe(paidOut);
    const onTheirWay = since
      .filter(({ account }) => account === '585')
      .map(({ piece, debit }) => [piece, debit]);
    expect(onTheirWay.sort()).toEqual(
      payouts.map(({ reference, amount }) => [reference, amount]).sort(),
    );
    // Customers by reference: an item that a reversal of another month has cleared is not open.
    for (const account of ['411', '4111']) {
      const ofParty = since.filter((row) => row.account === account && row.letter === '');
      const open = balancesOf(
        ofParty.map(({ piece, ...row }) => ({ ...row, piece, account: piece })),
      );
      expect(Object.values(open).reduce((sum, one) => sum + one, 0)).toBe(alone[account]);
      expect(Object.keys(open).filter((piece) => !/^(?:GUI-|PAY)/.test(piece))).toEqual([]);
    }
  });

  test('proves every assertion of the year, and of the months joined', async () => {
    for (const { files } of years)
      for (const file of [files.year, files.months, files.opened])
        await run('hledger', ['-f', file, 'check', '--strict', 'ordereddates'], IN_UTF8);
  });
});
