// Books that are kept in another currency than the wallet's: the FEC of a year and of its months in
// euros, each amount computed here a second way, with whole numbers alone; hledger and ledger read
// the plain-text form, Sage's and Odoo's forms by their rules.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalSettings } from '../../src/core/statements/journal.ts';
import { monthsToYear } from '../../src/core/statements/months-to-year.ts';
import type { StatementFormatName } from '../../src/core/statements/statement.ts';
import { withEntryChanges } from '../../src/io/formats/bookkeeping/entry-changes.ts';
import { odooFormat, sageFormat } from '../../src/io/formats/bookkeeping/entry-layouts.ts';
import { deltasOf } from '../../src/io/formats/deltas.ts';
import { formatNamed, readerOf } from '../../src/io/formats/register.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import {
  type BookedRow,
  readFecRows,
  readOdooRows,
  readSageRows,
} from '../support/bookkeeping-readers.ts';
import { inCurrency } from '../support/books-in-currency.ts';
import { freeBooks, handBooks } from '../support/hand-books.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf, squeezed } from '../support/pdf-tools.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

const formNamed = (name: StatementFormatName) => formatNamed(name)!;
const run = promisify(execFile);

const CASH = Array.from({ length: 24 }, (_, i) => {
  const [day, amount] = [String(i + 2).padStart(2, '0'), 1_000 + i * 777];
  const fee = Math.floor(amount / 50);
  const month = i % 2 === 0 ? '11' : '12';
  return `
  ${month}-${day}T08:00 CASHIN_CREDIT ${amount} GUI-CI-${i + 1}
  ${month}-${day}T08:00 CASHIN_FEE ${fee} GUI-CI-${i + 1}
  op GUI-CI-${i + 1} SUCCEEDED ${amount} fees=${fee} created=${month}-${day}T07:59 completed=${month}-${day}T08:00`;
});
const TEXT = [
  ...CASH.toSorted(),
  `
  12-27T08:00 CASHIN_CREDIT 5000 GUI-CI-90
  12-28T08:00 REVERSAL_DEBIT 5000 GUI-CI-90
  op GUI-CI-90 REVERSED 5000 created=12-27T07:59 completed=12-27T08:00 updated=12-28T08:00
  op GUI-CI-91 SUCCEEDED 7000 fees=140 created=12-31T23:50 completed=12-31T23:59
  2027-01-01T00:01 CASHIN_CREDIT 7000 GUI-CI-91
  2027-01-01T00:01 CASHIN_FEE 140 GUI-CI-91
  2027-02-03T08:00 CASHIN_CREDIT 2003 GUI-CI-92
  2027-02-03T08:00 CASHIN_FEE 40 GUI-CI-92
  op GUI-CI-92 SUCCEEDED 2003 fees=40 created=2027-02-03T07:59 completed=2027-02-03T08:00`,
].join('');
const OPENING = { balance: 12_345, reserved: 0 };
const BOOKS = handBooks(TEXT, '2028-01-02T00:00', OPENING.balance);

function settingsOf(books: object, feeTaxBps = 1800): JournalSettings {
  const given = { journal: { feeTaxBps }, merchants: { A_LA_MAIN: { journal: { books } } } };
  return journalFor(checkConfiguration(given, 'test'), 'A_LA_MAIN');
}

const EUR = settingsOf({ currency: 'EUR' });

function state(
  period: string,
  journal: JournalSettings = EUR,
  books: DecodedBooks = BOOKS,
): Promise<StatedMonth> {
  return stateBooks(books, {
    period,
    report: auditBooks(books, OPENING),
    month: { opening: OPENING, journal },
  });
}

const fecOf = async (stated: StatedMonth): Promise<readonly BookedRow[]> =>
  readFecRows(await bytesOf(formNamed('fec'), documentOf(stated)));

/** Returns an amount of XOF in cents of a euro, rounded half away from 0, in whole numbers. */
function cents(amount: number): number {
  const size = BigInt(Math.abs(amount)) * 100_000n;
  return Math.sign(amount) * Number((2n * size + 655_957n) / (2n * 655_957n));
}

const inCents = ({ debit, credit }: Pick<BookedRow, 'debit' | 'credit'>): number =>
  Math.round(debit * 100) - Math.round(credit * 100);

const sum = <Row>(rows: readonly Row[], pick: (row: Row) => number): number =>
  rows.reduce((total, row) => total + pick(row), 0);

function balances(
  rows: readonly BookedRow[],
  pick: (row: BookedRow) => number = inCents,
): Readonly<Record<string, number>> {
  const of = Map.groupBy(rows, ({ account }) => account);
  return Object.fromEntries([...of].map(([account, own]) => [account, sum(own, pick)]));
}

/**
 * Whether a row has no amount of its own: it holds the cents by which rows were rounded, or what
 * rates bring.
 */
const isOfCents = ({ entry }: BookedRow): boolean => /-D(?:-[AR]2)?$|^AN-/.test(entry);

/**
 * Checks that every entry balances, and that every row is its amount at the parity, to the cent.
 * The row of the wallet, or the largest row, may differ.
 */
function expectConverted(rows: readonly BookedRow[], currency = 'XOF', worth = cents): void {
  for (const own of Map.groupBy(rows, ({ entry }) => entry).values()) {
    expect(sum(own, inCents), own[0]!.entry).toBe(0);
    expect(own.map(inCents), own[0]!.entry).not.toContain(0);
    if (isOfCents(own[0]!)) continue;
    // Rows that are worth nothing are left out of the entry.
    expect(Math.abs(sum(own, ({ foreign }) => foreign!))).toBeLessThanOrEqual(100);
    const most = Math.max(...own.map(({ foreign }) => Math.abs(foreign!)));
    const wallet = own.find(({ account }) => account === '552');
    for (const row of own) {
      const mayBeOff = wallet === undefined ? Math.abs(row.foreign!) === most : row === wallet;
      const off = Math.abs(inCents(row) - worth(row.foreign!));
      expect(off, `${row.entry} ${row.account}`).toBeLessThanOrEqual(mayBeOff ? 1 : 0);
      expect(row.currency).toBe(currency);
    }
  }
}

describe('a FEC in euros, of a wallet in XOF', () => {
  test.each(['2026-11', '2026-12', '2027-01', '2027-02', '2026', '2027'])(
    'has the amount and its currency beside each row: %s',
    async (period) => {
      const stated = await state(period);
      const rows = await fecOf(stated);
      expect(rows.length).toBeGreaterThan(4);
      expectConverted(rows);
      const { opening, closing } = stated.statement.journal.wallet;
      const moved = balances(rows, ({ foreign }) => foreign || 0)['552']!;
      const isYear = stated.statement.journal.carried !== undefined;
      expect((isYear ? 0 : opening) + moved).toBe(closing);
      expect((isYear ? 0 : cents(opening)) + balances(rows)['552']!).toBe(cents(closing));
    },
  );

  test('rounds to the cent what is on each row, and leaves the cents of an entry to the wallet', async () => {
    const rows = await fecOf(await state('2026-12'));
    const odd = rows.filter((row) => !isOfCents(row) && inCents(row) !== cents(row.foreign!));
    expect(odd.length).toBeGreaterThan(0);
    expect(new Set(odd.map(({ account }) => account))).toEqual(new Set(['552']));
  });

  test('is empty in both columns where the books are in the wallet’s currency, as without a setting', async () => {
    const plain = await bytesOf(
      formNamed('fec'),
      documentOf(await state('2026-12', settingsOf({ currency: 'XOF' }))),
    );
    const { books: _, ...without } = EUR;
    expect(
      plain.equals(await bytesOf(formNamed('fec'), documentOf(await state('2026-12', without)))),
    ).toBe(true);
    expect(
      readFecRows(plain).every(({ currency, foreign }) => currency === '' && Number.isNaN(foreign)),
    ).toBe(true);
  });
});

test.each(['fec', 'sage', 'odoo', 'journal'] as const)(
  'what %s writes is read back, and a changed cent is named',
  async (name: StatementFormatName) => {
    for (const period of ['2026-12', '2027']) {
      const stated = await state(period);
      const text = (await bytesOf(formNamed(name), documentOf(stated))).toString('latin1');
      const readBack = (bytes: string) =>
        readerOf({ name })(pieces(Buffer.from(bytes, 'latin1')), {
          statement: stated.statement,
          language: 'fr',
        });
      expect(await readBack(text), `${name} ${period}`).toEqual([]);
      const changed = text.replace(/ ?\b[1-9]\d*[.,]\d\d(?!\d)/, (amount) =>
        amount.replace(/ ?([1-9])/, '9$1'),
      );
      if (name !== 'journal') expect(await readBack(changed), name).not.toEqual([]);
    }
  },
);

test('every other form of a month and of a year is read back as well', async () => {
  for (const period of ['2026-12', '2027']) {
    const stated = await state(period);
    for (const name of ['json', 'xlsx', 'pdf', 'csv'] as const) {
      const bytes = await bytesOf(formNamed(name), documentOf(stated));
      const read = readerOf({ name })(pieces(bytes), {
        statement: stated.statement,
        language: 'fr',
      });
      expect(await read, `${name} ${period}`).toEqual([]);
    }
  }
});

describe.skipIf(!areInstalled('pdftotext'))('on paper', () => {
  test.each([
    ['fr', 'Comptabilité tenue en EUR, portefeuille en GNF : 10 000 GNF = 1,02 EUR', '10/12/2026'],
    ['en', 'Books kept in EUR, wallet in GNF: 10,000 GNF = 1.02 EUR', '2026-12-10'],
  ] as const)(
    'the accounts stand in both currencies, with the rates of the month: %s',
    async (language, named, day) => {
      const rates = [
        { of: 'GNF', from: '2026-01-01', units: 10_000, worth: 1.02 },
        { of: 'GNF', from: '2026-12-10', units: 10_000, worth: 1.07 },
      ];
      const stated = await state(
        '2026-12',
        settingsOf({ currency: 'EUR', rates }),
        inCurrency(BOOKS, 'GNF'),
      );
      const pages = openPdfFolder();
      const file = await pages.write(documentOf(stated), { language });
      const lines = pagesOf(file).flatMap((page) => page.split('\n'));
      pages.remove();
      const text = squeezed(lines.join(' '));
      for (const one of [named, day]) expect(text).toContain(squeezed(one));
      const { accounts, booked } = stated.statement.journal;
      const fec = balances(await fecOf(stated));
      expect(booked!.accounts.length).toBeGreaterThan(3);
      for (const { account, opening, debit, credit } of booked!.accounts) {
        expect(debit - credit, account).toBe(fec[account] ?? 0);
        const own = accounts.find((one) => one.account === account)!;
        const row = lines.find((line) => new RegExp(`^ *${account} `).test(line));
        const figures = [own.balance, ((opening ?? 0) + debit - credit) / 100];
        for (const figure of figures)
          expect(
            squeezed(row ?? '').replaceAll(',', language === 'fr' ? '.' : ''),
            `${account} ${figure}`,
          ).toContain(String(Math.abs(figure)));
      }
    },
  );
});

test.skipIf(!areInstalled('pdftotext'))(
  'a year prints what leads from its months to it, by account',
  async () => {
    const { books: _, ...plain } = EUR;
    const months = await Promise.all(['2026-11', '2026-12'].map((period) => state(period, plain)));
    const year = await state('2026', plain);
    const pages = openPdfFolder();
    const text = pagesOf(await pages.write(documentOf(year))).join('\n');
    pages.remove();
    const table = text.slice(text.indexOf('Des mois à l’année')).split('\n');
    const rows = monthsToYear(year.statement);
    expect(rows.map(({ account }) => account)).toEqual(['411', '4454', '518', '6317']);
    for (const { account, months: ofMonths, transitAfter, year: ofYear } of rows) {
      const moved = months.flatMap(({ statement }) => statement.journal.accounts);
      const own = moved.filter((one) => one.account === account);
      expect(ofMonths, account).toBe(sum(own, ({ debit, credit }) => debit - credit));
      const row = squeezed(table.find((line) => line.trim().startsWith(`${account} `))!);
      for (const amount of [ofMonths, transitAfter, ofYear])
        expect(row, account).toContain(String(amount).replace('-', '−'));
    }
  },
);

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

test('Odoo has the amount in the wallet’s currency beside the euros; Sage has the euros alone', async () => {
  const stated = await state('2026-12');
  const fec = await fecOf(stated);
  const bytes = await bytesOf(odooFormat, documentOf(stated));
  expect(balances(readOdooRows(bytes))).toEqual(balances(fec));
  const [header, ...rows] = bytes.toString('utf8').trim().split('\r\n');
  expect(header).toMatch(/,line_ids\/currency_id,line_ids\/amount_currency$/);
  expect(rows.map((row) => row.split(',').slice(-2).join(' ').trim())).toEqual(
    fec.map(({ currency, foreign }) => (currency === '' ? '' : `${currency} ${foreign}`)),
  );
  const sage = (await bytesOf(sageFormat, documentOf(stated)))
    .toString('latin1')
    .trimEnd()
    .split('\r\n')
    .slice(1);
  const amounts = sage.map(
    (row) => Math.round(Number(row.slice(84, 104)) * 100) * (row[83] === 'D' ? 1 : -1),
  );
  expect(amounts.map((amount) => amount + 0)).toEqual(fec.map((row) => inCents(row) + 0));
});

describe('rates', () => {
  const rates = [
    { of: 'GNF', from: '2026-11-01', units: 10_000, worth: 1.02 },
    { of: 'GNF', from: '2026-12-10', units: 100, worth: 0.0103 },
    { of: 'USD', from: '2026-01-01', units: 1, worth: 0.9 },
  ];
  const books = inCurrency(BOOKS, 'GNF');

  test('of a currency without parity come from the configuration, by day', async () => {
    const stated = await state('2026-12', settingsOf({ currency: 'EUR', rates }), books);
    const rows = await fecOf(stated);
    const first = (amount: number) =>
      Math.sign(amount) * Math.floor((Math.abs(amount) * 102 + 5_000) / 10_000);
    const later = (amount: number) =>
      Math.sign(amount) * Math.floor((Math.abs(amount) * 103 + 5_000) / 10_000);
    expectConverted(
      rows.filter(({ date }) => date < '2026-12-10'),
      'GNF',
      first,
    );
    expectConverted(
      rows.filter(({ date }) => date >= '2026-12-10'),
      'GNF',
      later,
    );
    expect(stated.statement.journal.books!.rates.map(({ from }) => from)).toEqual([
      '2026-11-01',
      '2026-12-10',
    ]);
  });

  test('of XAF and XOF are one to one through the euro', async () => {
    const rows = await fecOf(
      await state('2026-12', settingsOf({ currency: 'XOF' }), inCurrency(BOOKS, 'XAF')),
    );
    expect(rows.every((row) => row.currency === 'XAF' && inCents(row) === row.foreign! * 100)).toBe(
      true,
    );
  });

  test('are asked for from the first line on, and not before there was one', async () => {
    const text = `
      11-05T08:00 CASHIN_CREDIT 50000 GUI-CI-1
      op GUI-CI-1 SUCCEEDED 50000 created=11-05T07:59 completed=11-05T08:00`;
    const young = inCurrency(freeBooks(text, '2027-01-02T00:00'), 'GNF');
    const stated = (from: string) => {
      const journal = settingsOf({ currency: 'EUR', rates: [{ ...rates[0]!, from }] });
      return stateBooks(young, { period: '2026', month: { journal } });
    };
    expect((await fecOf(await stated('2026-11-05'))).map(inCents)).toEqual([510, -510]);
    await expect(stated('2026-11-06')).rejects.toThrow('no rate of GNF is in force on 2026-11-05');
  });

  test('that are missing refuse the statement, and say what to configure', async () => {
    const missing = state('2026-11', settingsOf({ currency: 'EUR', rates: rates.slice(1) }), books);
    await expect(missing).rejects.toMatchObject({
      code: 'NO_RATE',
      message: expect.stringContaining(
        'journal.books.rates, { "of": "GNF", "from": "2026-11-01", "units": …, "worth": … }',
      ),
    });
  });
});

test('a revision’s delta is in euros, and brings the first to the second; under another rate nothing is compared', async () => {
  const short = handBooks(
    TEXT.replace(/\n[^\n]*GUI-CI-8(?!\d)[^\n]*/g, ''),
    '2028-01-02T00:00',
    OPENING.balance,
  );
  const first = await state('2026-12', EUR, short);
  const second = documentOf(await state('2026-12'));
  const revision = { ...second.statement.revision, number: 2 };
  const document = { ...second, statement: { ...second.statement, revision } };
  const json = await bytesOf(formNamed('json'), documentOf(first));
  const changed = await withEntryChanges(document, {
    issued: first.statement,
    readJson: () => pieces(json),
  });
  const [delta] = deltasOf(changed, ['fec']);
  const rows = readFecRows(await bytesOf(delta!, changed));
  expectConverted(rows);
  const before = await fecOf(first);
  expect(balances([...before, ...rows])).toEqual(
    balances(readFecRows(await bytesOf(formNamed('fec'), second))),
  );
  const { books: _, ...without } = EUR;
  const plain = await bytesOf(
    formNamed('json'),
    documentOf(await state('2026-12', without, short)),
  );
  const other = { issued: first.statement, readJson: () => pieces(plain) };
  expect((await withEntryChanges(document, other)).statement.revision.entries).toBe(null);
});

/** By their currency: its decimals, and what a wallet's unit is worth in about. */
const OTHERS = [
  ['GNF', 'XAF', 0, 0.0653],
  ['GNF', 'JPY', 0, 0.0171],
  ['GNF', 'EUR', 2, 0.000102],
  ['XAF', 'TND', 3, 0.00513],
] as const;

describe.each(OTHERS)(
  'of a wallet in %s, books in %s, with %i decimals',
  (of, currency, decimals, worth) => {
    const rates = [1, 1.25, 0.9].map((times, i) => {
      return {
        of,
        from: ['2026-01-01', '2026-12-10', '2027-01-01'][i]!,
        units: 1,
        worth: worth * times,
      };
    });
    const journal = settingsOf({ currency, rates });
    const books = inCurrency(BOOKS, of);
    const periods = ['2026-11', '2026-12', '2027-01', '2026', '2027'];
    const smallest = ({ debit, credit }: Pick<BookedRow, 'debit' | 'credit'>): number =>
      Math.round((debit - credit) * 10 ** decimals) || 0;

    test.each(periods)('every reader takes every row, and none is 0: %s', async (period) => {
      const stated = await state(period, journal, books);
      const file = (name: StatementFormatName) => bytesOf(formNamed(name), documentOf(stated));
      const fec = readFecRows(await file('fec'));
      const others = [readOdooRows(await file('odoo')), readSageRows(await file('sage')).rows];
      expect(fec.length).toBeGreaterThan(4);
      for (const rows of [fec, ...others]) {
        expect(rows.map(smallest)).not.toContain(0);
        expect(balances(rows, smallest)).toEqual(balances(fec, smallest));
        const entries = Map.groupBy(rows, ({ entry }) => entry).values();
        expect([...entries].filter((own) => sum(own, smallest) !== 0)).toEqual([]);
      }
      for (const name of ['fec', 'odoo', 'sage', 'journal'] as const) {
        const bytes = await file(name);
        const read = { statement: stated.statement, language: 'fr' } as const;
        expect(await readerOf({ name })(pieces(bytes), read), name).toEqual([]);
      }
    });

    test.skipIf(!areInstalled('hledger'))(
      'hledger has the wallet as its balance at the rate of the end',
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'pointage-decimals-'));
        const files: string[] = [];
        for (const period of periods.slice(0, 3)) {
          const stated = await state(period, journal, books);
          files.push(join(folder, `${period}.journal`));
          await writeFile(files.at(-1)!, await bytesOf(formNamed('journal'), documentOf(stated)));
          const whole = join(folder, 'all.journal');
          await writeFile(whole, files.map((file) => `include ${file}\n`).join(''));
          await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
          const asked = ['bal', '-B', '--flat', '-N', '-O', 'csv', '^552'];
          const { stdout } = await run('hledger', ['-f', whole, ...asked], IN_UTF8);
          const rate = rates.findLast(({ from }) => from <= `${period}-31`)!.worth;
          const due = Math.round(stated.statement.journal.wallet.closing * rate * 10 ** decimals);
          const shown = Number(/"(-?[\d.]+) [A-Z]{3}"/.exec(stdout)![1]);
          expect(Math.round(shown * 10 ** decimals), period).toBe(due);
        }
        await rm(folder, { recursive: true });
      },
    );
  },
);

describe.skipIf(!areInstalled('hledger', 'ledger'))(
  'the plain-text journals of the months, joined',
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'pointage-books-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test.each(['hledger', 'ledger'] as const)(
      '%s checks them, and has each account in XOF and in euros',
      async (program) => {
        const files: string[] = [];
        const rows: BookedRow[] = [];
        const totals: Record<string, number> = {};
        for (const period of ['2026-11', '2026-12', '2027-01']) {
          const stated = await state(period);
          const file = join(folder, `${period}.journal`);
          await writeFile(file, await bytesOf(formNamed('journal'), documentOf(stated)));
          files.push(`include ${file}\n`);
          rows.push(...(await fecOf(stated)));
          for (const { account, debit, credit } of stated.statement.journal.accounts)
            totals[account] = (totals[account] ?? 0) + debit - credit;
        }
        const whole = join(folder, 'all.journal');
        await writeFile(whole, files.join(''));
        if (program === 'hledger')
          await run('hledger', ['-f', whole, 'check', '--strict', 'ordereddates'], IN_UTF8);
        const balanceOf = async (account: string, ...options: string[]) => {
          const { stdout } = await run(
            program,
            ['-f', whole, 'bal', '--flat', '--no-total', ...options, `^${account} `],
            IN_UTF8,
          );
          return stdout
            .split('\n')
            .map((line) => /^ *(-?[\d.]+) ([A-Z]{3})/.exec(line)?.slice(1))
            .filter((one) => one !== undefined);
        };
        for (const account of ['552', '411', '6317', '4454', '676', '776']) {
          const opening = account === '552' ? OPENING.balance : 0;
          const xof = opening + (totals[account] ?? 0);
          const eur = cents(opening) + (balances(rows)[account] ?? 0);
          const cost = await balanceOf(account, '-B');
          expect(
            cost.map(([amount, currency]) => [Math.round(Number(amount) * 100), currency]),
            account,
          ).toEqual(eur === 0 ? [] : [[eur, 'EUR']]);
          if (xof !== 0)
            expect(await balanceOf(account), account).toContainEqual([String(xof), 'XOF']);
        }
      },
    );
  },
);
