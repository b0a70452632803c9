// A reversal takes back what was charged: taxes and rates change between months, operations are
// reversed in later months, and each file of books in another currency balances by entry, by letter
// and by account. Amounts are computed here a second way, with whole numbers.

import { describe, expect, test } from 'vitest';
import type { JournalSettings, TaxRow } from '../../src/core/statements/journal.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { drawFrom, drawUnit, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import { runsOf } from '../support/assert-property.ts';
import { type BookedRow, readFecRows } from '../support/bookkeeping-readers.ts';
import { inCurrency } from '../support/books-in-currency.ts';
import { freeBooks, handBooks } from '../support/hand-books.ts';
import { createShelf, rowsWithOpenings } from '../support/kept-openings.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { bytesOf } from '../support/written-document.ts';

const MONTHS = ['2026-08', '2026-09', '2026-10', '2026-11', '2026-12'];
const MINUTE = 60_000;
const [FIRST, LAST] = [Date.UTC(2026, 7, 1), Date.UTC(2026, 11, 30)];

interface Line {
  readonly at: number;
  readonly text: string;
  /** Commission and tax of the operation, by the day that decides. */
  readonly fee?: { readonly amount: number; readonly at: number; readonly operator: string };
}
interface Drawn {
  readonly books: DecodedBooks;
  readonly lines: readonly Line[];
  readonly reversed: readonly string[];
  readonly taxes: readonly { readonly bps: number; readonly from?: string }[];
  readonly rates: readonly { readonly from: string; readonly worth: number }[];
  readonly settings: object;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
const textOf = (at: number): string => new Date(at).toISOString().slice(0, 19);
const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(drawUnit(random) * (high - low));

/**
 * Draws cash-ins and cash-outs, some at a month's last minute with their lines in the next month.
 * Every second one is reversed in any later month.
 */
function draw(seed: string): Drawn {
  const random = seedRandom(`${TEST_SEED}/${seed}`);
  const lines: Line[] = [];
  const operations: string[] = [];
  const reversed: string[] = [];
  const post = (at: number, text: string, fee?: Line['fee']): void =>
    void lines.push({ at, text: `${textOf(at)} ${text}`, ...(fee === undefined ? {} : { fee }) });
  for (let i = 1; i <= 24; i++) {
    const isIn = drawUnit(random) < 0.7;
    const isAtBound = drawUnit(random) < 0.2;
    const ended = isAtBound
      ? Date.UTC(2026, 7 + between(random, 1, 4), 1) - 20_000
      : between(random, FIRST, Date.UTC(2026, 11, 1));
    const posted = ended + (isAtBound ? MINUTE : 1_000);
    const reference = `GUI-${isIn ? 'CI' : 'CO'}-${i}`;
    const operator = drawFrom(random, ['ORANGE', 'WAVE']);
    const amount = between(random, 1, drawFrom(random, [200, 3_000, 900_000]));
    const fees = Math.floor(amount / (isIn ? 50 : 100));
    if (!isIn) post(ended - 5 * MINUTE, `CASHOUT_HOLD ${amount + fees} ${reference}`);
    post(posted, `${isIn ? 'CASHIN_CREDIT' : 'CASHOUT_DEBIT'} ${amount} ${reference}`);
    if (fees > 0)
      post(posted + 1, `${isIn ? 'CASHIN_FEE' : 'CASHOUT_FEE'} ${fees} ${reference}`, {
        amount: fees,
        at: posted,
        operator,
      });
    const created = textOf(ended - 6 * MINUTE);
    const facts = `${amount} fees=${fees} operator=${operator} created=${created}`;
    if (drawUnit(random) < 0.5) {
      const back = between(random, posted + 10 * MINUTE, Math.min(posted + 80 * 86_400_000, LAST));
      reversed.push(reference);
      const kind = isIn ? 'REVERSAL_DEBIT' : 'REVERSAL_CREDIT';
      post(back, `${kind} ${amount} ${reference}`);
      if (fees > 0)
        post(back + 1, `REVERSAL_CREDIT ${fees} ${reference}`, {
          amount: -fees,
          at: posted,
          operator,
        });
      operations.push(
        `op ${reference} REVERSED ${facts} completed=${textOf(ended)} updated=${textOf(back + 2_000)}`,
      );
    } else operations.push(`op ${reference} SUCCEEDED ${facts} completed=${textOf(ended)}`);
  }
  lines.sort((a, b) => a.at - b.at);
  const books = handBooks(
    [...lines.map(({ text }) => text), ...operations].join('\n'),
    '2027-01-15T00:00',
    10_000_000,
  );
  const steps = (): string[] =>
    ['2026-01-01', '2026-09-01', '2026-10-01', '2026-10-16', '2026-12-01'].filter(
      (_, i) => i === 0 || drawUnit(random) < 0.6,
    );
  const taxes = steps().map((from, i) => ({
    bps: 5 * between(random, 100, 400) + i,
    ...(i === 0 ? {} : { from }),
  }));
  const rates = steps().map((from) => ({ from, worth: between(random, 80, 130) / 100 }));
  const sale = {
    role: 'customers',
    when: { operator: 'WAVE' },
    counterpart: { number: '7011', label: 'Ventes' },
  };
  const settings = drawFrom(random, [
    {},
    {},
    { entries: 'day' },
    { rules: [sale] },
    { auxiliaries: 'none' },
  ]);
  return { books: inCurrency(books, 'GNF'), lines, reversed, taxes, rates, settings };
}

function journalOf({
  taxes,
  rates,
  settings,
}: Pick<Drawn, 'taxes' | 'rates' | 'settings'>): JournalSettings {
  const books = {
    currency: 'EUR',
    rates: rates.map((rate) => ({ of: 'GNF', units: 10_000, ...rate })),
  };
  const journal = { books, ...settings, taxes: taxes.map((tax) => ({ name: 'TVA', ...tax })) };
  return journalFor(
    checkConfiguration({ merchants: { A_LA_MAIN: { journal } } }, 'test'),
    'A_LA_MAIN',
  );
}

async function stateAll(drawn: Drawn) {
  const { books } = drawn;
  const opening = { balance: 10_000_000, reserved: 0 };
  const report = auditBooks(books, opening);
  const shelf = createShelf();
  const stateOne = (period: string, rows = {}): Promise<StatedMonth> =>
    stateBooks(books, { period, report, month: { journal: journalOf(drawn), opening }, ...rows });
  const months: StatedMonth[] = [];
  for (const period of MONTHS) {
    const month = await stateOne(period);
    // The month is also stated from the opening that the month before left, because what is undone
    // was charged before that.
    const resumed = await stateOne(period, { rows: rowsWithOpenings(books, shelf) });
    expect(resumed.statement.journal, period).toEqual(month.statement.journal);
    expect(resumed.lines, period).toEqual(month.lines);
    months.push(month);
  }
  expect(shelf.taken).toBeGreaterThan(1);
  return { months, year: await stateOne('2026'), report };
}

const fecOf = async (stated: StatedMonth): Promise<readonly BookedRow[]> =>
  readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));

const cents = ({ debit, credit }: BookedRow): number =>
  Math.round(debit * 100) - Math.round(credit * 100);

function sums(
  rows: readonly BookedRow[],
  keyOf: (row: BookedRow) => string,
): ReadonlyMap<string, number> {
  const groups = Map.groupBy(rows, keyOf);
  return new Map(
    [...groups].map(([key, own]) => [key, own.reduce((sum, row) => sum + cents(row), 0)]),
  );
}
const notZero = (of: ReadonlyMap<string, number>) => [...of].filter(([, sum]) => sum !== 0);

/** Returns a share of an amount, rounded half away from 0. */
function share(amount: number, [part, whole]: readonly [number, number]): number {
  const size = BigInt(Math.abs(amount)) * BigInt(part);
  return Math.sign(amount) * Number((2n * size + BigInt(whole)) / (2n * BigInt(whole))) || 0;
}

function inForce<Rate extends { readonly from?: string }>(
  rates: readonly Rate[],
  day: string,
): Rate {
  return rates.findLast(({ from = '' }) => from <= day)!;
}

/** Returns the taxes in the commissions of a month, by operator and tax, each rounded once. */
function taxesOf({ lines, taxes }: Drawn, month: string): ReadonlyMap<string, number> {
  const own = lines.flatMap(({ at, fee }) =>
    fee === undefined || !dayOf(at).startsWith(month) ? [] : [fee],
  );
  const by = Map.groupBy(own, ({ operator, at }) => `${operator} ${inForce(taxes, dayOf(at)).bps}`);
  return new Map(
    [...by].map(([key, fees]) => {
      const bps = Number(key.split(' ')[1]);
      return [
        key,
        share(
          fees.reduce((sum, { amount }) => sum + amount, 0),
          [bps, 10_000 + bps],
        ),
      ];
    }),
  );
}

const byTax = (rows: readonly TaxRow[]) =>
  new Map(rows.map(({ operator, bps, tax }) => [`${operator} ${bps}`, tax]));

describe.each(Array.from({ length: runsOf(6) }, (_, i) => `rates ${i}`))(
  `TEST_SEED=${TEST_SEED}, %s`,
  (seed) => {
    test('what is undone takes back what it was, in each month and in the year', {
      timeout: 60_000,
    }, async () => {
      const drawn = draw(seed);
      const { months, year, report } = await stateAll(drawn);
      // Books by hand have no totals in their wallet.
      expect(
        report.findings.map(({ kind }) => kind).filter((kind) => !kind.startsWith('TOTAL_')),
      ).toEqual([]);
      const files = await Promise.all([...months, year].map(fecOf));
      for (const rows of files) {
        expect(
          rows.filter((row) => cents(row) === 0 || (row.debit !== 0 && row.credit !== 0)),
        ).toEqual([]);
        expect(notZero(sums(rows, ({ entry }) => entry))).toEqual([]);
        const lettered = rows.filter(({ letter }) => letter !== '');
        expect(
          notZero(
            sums(lettered, ({ account, auxiliary, letter }) => `${account} ${auxiliary} ${letter}`),
          ),
        ).toEqual([]);
      }
      const [ofMonths, ofYear] = [files.slice(0, -1).flat(), files.at(-1)!];
      const own = ofYear.filter(({ entry }) => !entry.startsWith('AN-'));
      expect(sums(own, ({ account }) => account)).toEqual(sums(ofMonths, ({ account }) => account));
      // Every piece that was reversed comes to 0 on each of its accounts except the wallet's, and
      // its rows have letters.
      const undone = own.filter(
        ({ piece, account }) => drawn.reversed.includes(piece) && account !== '552',
      );
      const isOfDay = year.statement.journal.entries === 'day';
      if (!isOfDay)
        expect(notZero(sums(undone, ({ piece, account }) => `${piece} ${account}`))).toEqual([]);
      if (!isOfDay)
        expect(
          undone.filter(({ account, letter }) => /^4[01]1/.test(account) && letter === ''),
        ).toEqual([]);
      const worth = (balance: number, day: string) =>
        share(balance, [Math.round(inForce(drawn.rates, day).worth * 100), 10_000]);
      let wallet = worth(10_000_000, '2026-08-01');
      for (const [i, { statement }] of months.entries()) {
        wallet += sums(files[i]!, ({ account }) => account).get('552') ?? 0;
        expect(wallet, MONTHS[i]!).toBe(
          worth(statement.journal.wallet.closing, statement.days.at(-1)!.day),
        );
        const taxes = taxesOf(drawn, MONTHS[i]!);
        expect(byTax(statement.journal.taxes), MONTHS[i]!).toEqual(new Map(taxes));
        const [tax] = statement.journal.accounts.filter(({ account }) => account === '4454');
        expect((tax?.debit ?? 0) - (tax?.credit ?? 0)).toBe(
          [...taxes.values()].reduce((sum, one) => sum + one, 0),
        );
      }
    });
  },
);

test('a line that comes when its month is closed takes the rates of its own date', async () => {
  const books = handBooks(`
    09-12T08:00 CASHIN_CREDIT 59000 GUI-CI-1
    10-02T08:00 CASHIN_CREDIT 1000 GUI-CI-2
    09-12T08:01 CASHIN_FEE 1180 GUI-CI-1
    10-02T08:01 CASHIN_FEE 20 GUI-CI-2
    op GUI-CI-1 SUCCEEDED 59000 fees=1180 created=09-12T07:59 completed=09-12T08:00
    op GUI-CI-2 SUCCEEDED 1000 fees=20 created=10-02T07:59 completed=10-02T08:00`);
  const journal = journalOf({
    taxes: [{ bps: 1_800 }, { bps: 1_900, from: '2026-10-01' }],
    rates: [{ from: '2026-01-01', worth: 1.02 }],
    settings: { books: undefined },
  });
  const closed = [{ period: '2026-09', end: Date.UTC(2026, 9, 1), lastSequence: 1 }];
  const { lines } = await stateBooks(books, { period: '2026-10', month: { closed, journal } });
  const { entry } = lines.find(({ sequence }) => sequence === 3)!;
  expect(entry).toMatchObject({
    number: 'MM-2026-10-000003',
    date: '2026-10-01',
    ratesOf: '2026-09-12',
  });
  expect(entry!.rows.map(({ account, debit, credit }) => [account, debit - credit])).toEqual([
    ['6317', 1_000],
    ['4454', 180],
    ['552', -1_180],
  ]);
});

test.each([
  ['whose date is impossible', '2026-01-05T08:00 CASHIN_CREDIT 59000 GUI-CI-3', '2026-10-02'],
  ['that came late', '2026-09-12T08:00 CASHIN_CREDIT 59000 GUI-CI-3', '2026-09-12'],
  [
    'that came late and moves money the wrong way',
    '2026-09-12T08:00 CASHIN_CREDIT 59000 GUI-CI-3 direction=DEBIT',
    '2026-09-12',
  ],
])(
  'a line %s gives what undoes it one day of rates, from the start of the ledger and from an opening',
  async (_, line, day) => {
    const books = handBooks(`
    09-11T08:00 CASHIN_CREDIT 99000 GUI-CI-1
    10-02T08:00 CASHIN_CREDIT 1000 GUI-CI-2
    ${line}
    10-02T08:03 CASHIN_FEE 1180 GUI-CI-3
    10-03T08:00 CASHIN_CREDIT 1000 GUI-CI-4
    11-05T08:00 REVERSAL_DEBIT 59000 GUI-CI-3
    11-05T08:01 REVERSAL_CREDIT 1180 GUI-CI-3
    op GUI-CI-3 REVERSED 59000 fees=1180 created=10-02T07:59 completed=10-02T08:02 updated=11-05T08:00`);
    const taxes = [
      { bps: 1_800 },
      { bps: 1_900, from: '2026-10-01' },
      { bps: 2_000, from: '2026-11-01' },
    ];
    const journal = journalOf({
      taxes,
      rates: [{ from: '2026-01-01', worth: 1.02 }],
      settings: { books: undefined },
    });
    const closed = [{ period: '2026-09', end: Date.UTC(2026, 9, 1), lastSequence: 1 }];
    const shelf = createShelf();
    const rows = rowsWithOpenings(books, shelf);
    const stated = () => stateBooks(books, { period: '2026-11', month: { closed, journal }, rows });
    const [whole, resumed] = [await stated(), await stated()];
    expect(shelf.taken).toBe(1);
    expect(whole.lines.map(({ entry }) => entry!.ratesOf)).toEqual([day, day]);
    expect(resumed.lines).toEqual(whole.lines);
  },
);

test('what was charged on the first day of the only tax takes it back, from an opening as well', async () => {
  const books = handBooks(`
    09-01T00:00:10 CASHIN_CREDIT 59000 GUI-CI-1
    09-01T00:00:11 CASHIN_FEE 1180 GUI-CI-1
    09-20T08:00 CASHIN_CREDIT 1000 GUI-CI-2
    10-05T08:00 REVERSAL_DEBIT 59000 GUI-CI-1
    10-05T08:01 REVERSAL_CREDIT 1180 GUI-CI-1
    op GUI-CI-1 REVERSED 59000 fees=1180 created=08-31T23:58 completed=08-31T23:59:50 updated=10-05T08:01`);
  const taxes = [{ bps: 1_800, from: '2026-09-01' }];
  const journal = journalOf({
    taxes,
    rates: [{ from: '2026-01-01', worth: 1.02 }],
    settings: { books: undefined },
  });
  const shelf = createShelf();
  const rows = rowsWithOpenings(books, shelf);
  const stated = () => stateBooks(books, { period: '2026-10', month: { journal }, rows });
  const [whole, resumed] = [await stated(), await stated()];
  expect(shelf.taken).toBe(1);
  expect(whole.statement.journal.taxes).toMatchObject([{ net: -1_000, tax: -180 }]);
  expect(resumed.statement.journal).toEqual(whole.statement.journal);
});

test('a year begins with what its accounts are worth, also where only their worth is left', async () => {
  const books = freeBooks(
    `
    2026-02-01T08:00 CASHIN_CREDIT 1000000 GUI-CI-1
    2027-01-05T08:00 ADJUSTMENT_CREDIT 1000 - says=essai
    op GUI-CI-1 SUCCEEDED 1000000 created=2026-02-01T07:59 completed=2026-02-01T08:00`,
    '2028-01-15T00:00',
  );
  const rates = [
    { from: '2026-01-01', worth: 1 },
    { from: '2026-06-01', worth: 1.2 },
  ];
  const journal = journalOf({ taxes: [], rates, settings: {} });
  const stated = await stateBooks(inCurrency(books, 'GNF'), { period: '2027', month: { journal } });
  const rows = await fecOf(stated);
  expect(
    rows.filter(({ entry }) => entry.startsWith('AN-')).map((row) => [row.account, cents(row)]),
  ).toEqual([
    ['552', 12_000],
    ['130', -2_000],
    ['411', -10_000],
  ]);
  expect(notZero(sums(rows, ({ entry }) => entry))).toEqual([]);
});

test('a line that puts a fault right takes the rates of the fault, also where that came late', async () => {
  const books = freeBooks(`
    09-11T08:00 CASHIN_CREDIT 1000000 GUI-CI-1
    10-02T08:00 CASHIN_CREDIT 1000 GUI-CI-2
    09-12T08:00 CASHIN_CREDIT 1000000 GUI-CI-1
    10-03T08:00 CASHIN_CREDIT 1000 GUI-CI-3
    10-05T08:00 ADJUSTMENT_DEBIT 1000000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 1000000 created=09-11T07:59 completed=09-11T08:00
    op GUI-CI-2 SUCCEEDED 1000 created=10-02T07:59 completed=10-02T08:00
    op GUI-CI-3 SUCCEEDED 1000 created=10-03T07:59 completed=10-03T08:00`);
  const rates = [
    { from: '2026-01-01', worth: 1 },
    { from: '2026-10-01', worth: 1.2 },
  ];
  const journal = journalOf({ taxes: [], rates, settings: {} });
  const closed = [{ period: '2026-09', end: Date.UTC(2026, 9, 1), lastSequence: 1 }];
  const stated = await stateBooks(inCurrency(books, 'GNF'), {
    period: '2026-10',
    month: { closed, journal },
  });
  const named = stated.lines.flatMap(({ entry, sequence }) =>
    sequence === 3 || sequence === 5 ? [entry!] : [],
  );
  expect(named.map(({ ratesOf }) => ratesOf)).toEqual(['2026-09-12', '2026-09-12']);
  expect(
    named.flatMap(({ rows }) =>
      rows.flatMap(({ role, letter }) => (role === 'suspenseCredit' ? [letter?.code] : [])),
    ),
  ).toEqual(['AAD', 'AAD']);
});
