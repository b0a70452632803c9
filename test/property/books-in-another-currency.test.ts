// Books that are kept in another currency, of any traffic, faults, rates and accounts of the wallet:
// at each month's end what the issued FEC have posted on the wallet's accounts is its balance at the
// rate of that day. Entries and letters balance, no row is 0, and a rate that is configured
// otherwise later changes nothing that was issued. Worth is computed here in whole numbers.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JournalSettings } from '../../src/core/statements/journal.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import { assertProperty, runsOf } from '../support/assert-property.ts';
import { type BookedRow, readFecRows } from '../support/bookkeeping-readers.ts';
import { inCurrency } from '../support/books-in-currency.ts';
import { documentOf, type StatedMonth, stateMonths } from '../support/month-of-books.ts';
import { straddlingBooks, straddlingWorlds } from '../support/straddling-books.ts';
import { bytesOf } from '../support/written-document.ts';

const PERIODS = ['2026-10', '2026-11', '2026-12'] as const;
const LAST_DAYS = ['2026-10-31', '2026-11-30', '2026-12-31'];
const READ_AT = Date.UTC(2027, 0, 10);

/** What 10,000 units of the wallet are worth, in thousandths of the currency. */
const BOOKS = {
  JPY: { decimals: 0, about: 170_000 },
  EUR: { decimals: 2, about: 1_020 },
  TND: { decimals: 3, about: 3_500 },
} as const;

interface Rate {
  readonly from: string;
  /** Of 10,000 units, in thousandths. */
  readonly worth: number;
}

/** As they are configured when each month is issued: later words may be of days before. */
const rates = (about: number) =>
  fc.array(
    fc.record({
      from: fc.constantFrom('2026-01-01', '2026-10-16', '2026-11-01', '2026-11-20', '2026-12-31'),
      worth: fc.integer({ min: Math.floor(about / 2), max: about * 2 }),
    }),
    { minLength: 1, maxLength: 4 },
  );

const drawn = fc.constantFrom(...(Object.keys(BOOKS) as (keyof typeof BOOKS)[])).chain((currency) =>
  fc.record({
    currency: fc.constant(currency),
    wallet: fc.constantFrom('GNF', 'XAF'),
    world: straddlingWorlds,
    configured: fc.array(rates(BOOKS[currency].about), { minLength: 3, maxLength: 3 }),
    settings: fc.constantFrom(
      {},
      { entries: 'day' },
      { taxes: [{ name: 'TVA', bps: 1_800 }] },
      {
        rules: ['CASHIN', 'CASHOUT'].map((type, i) => ({
          role: 'wallet',
          when: { kind: [`${type}_*`] },
          account: { number: `552${i + 1}`, label: type },
        })),
      },
    ),
  }),
);
type Drawn = typeof drawn extends fc.Arbitrary<infer One> ? One : never;

/** The last word of a day counts; there is one of the first. */
function wordsOf(given: readonly Rate[], about: number): readonly Rate[] {
  const words = new Map([
    ['2026-01-01', about],
    ...given.map(({ from, worth }) => [from, worth] as const),
  ]);
  return [...words]
    .map(([from, worth]) => ({ from, worth }))
    .sort((a, b) => (a.from < b.from ? -1 : 1));
}

function journalOf(
  { currency, wallet: of, configured, settings }: Drawn,
  place: number,
): JournalSettings {
  const { decimals, about } = BOOKS[currency];
  const own = wordsOf(configured[place]!, about).map(({ from, worth }) => ({
    of,
    from,
    units: 10_000,
    worth: worth / 1_000,
  }));
  const journal = { books: { currency, decimals, rates: own }, ...settings } as object;
  return journalFor(checkConfiguration({ merchants: { M: { journal } } }, 'test'), 'M');
}

/** In the smallest unit of the books, half away from 0. */
function worthOf(amount: number, { worth }: Rate, decimals: number): number {
  const size = BigInt(Math.abs(amount)) * BigInt(worth) * 10n ** BigInt(decimals);
  const whole = 10_000n * 1_000n;
  return Math.sign(amount) * Number((2n * size + whole) / (2n * whole)) || 0;
}

const fecOf = async (stated: StatedMonth): Promise<readonly BookedRow[]> =>
  readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));

function sumBy(
  rows: readonly BookedRow[],
  keyOf: (row: BookedRow) => string,
  amountOf: (row: BookedRow) => number,
): ReadonlyMap<string, number> {
  const groups = Map.groupBy(rows, keyOf);
  return new Map(
    [...groups].map(([key, own]) => [key, own.reduce((sum, row) => sum + amountOf(row), 0)]),
  );
}
const notZero = (sums: ReadonlyMap<string, number>) => [...sums].filter(([, sum]) => sum !== 0);

test('the wallet’s accounts are its balance at the rate of each month’s end', {
  timeout: 300_000,
}, async () => {
  let differences = 0;
  await assertProperty(
    fc.asyncProperty(drawn, async (one) => {
      const { currency, wallet, world, configured } = one;
      const { decimals, about } = BOOKS[currency];
      const books = { ...inCurrency(straddlingBooks(world).books, wallet as 'GNF'), asOf: READ_AT };
      const months = await stateMonths(books, PERIODS, (period) => ({
        month: { journal: journalOf(one, PERIODS.indexOf(period as never)) },
      }));
      const amountOf = ({ debit, credit }: BookedRow) =>
        Math.round(debit * 10 ** decimals) - Math.round(credit * 10 ** decimals);
      let held = 0;
      for (const [i, month] of months.entries()) {
        const rows = await fecOf(month);
        const { wallet: own, accounts } = month.statement.journal;
        expect(rows.filter((row) => amountOf(row) === 0)).toEqual([]);
        expect(notZero(sumBy(rows, ({ entry }) => entry, amountOf))).toEqual([]);
        const lettered = rows.filter(({ letter }) => letter !== '');
        const letterOf = ({ account, auxiliary, letter }: BookedRow) =>
          `${account} ${auxiliary} ${letter}`;
        expect(notZero(sumBy(lettered, letterOf, amountOf))).toEqual([]);
        const wallets = accounts
          .filter(({ role }) => role === 'wallet')
          .map(({ account }) => account);
        for (const row of rows) if (wallets.includes(row.account)) held += amountOf(row);
        const rate = wordsOf(configured[i]!, about).findLast(({ from }) => from <= LAST_DAYS[i]!)!;
        expect([PERIODS[i], held]).toEqual([PERIODS[i], worthOf(own.closing, rate, decimals)]);
        const ofMonth = new Set(rows.flatMap(({ entry }) => (entry.endsWith('-D') ? [entry] : [])));
        expect(ofMonth.size).toBeLessThanOrEqual(1);
        differences += ofMonth.size;
      }
    }),
    { runs: 24 },
  );
  expect(differences).toBeGreaterThan(runsOf(10));
});
