// The documents of one year, of any traffic with operations on their way at both of its ends: the
// certificate of its closing, the journals and the FEC of its months have the same figures on each
// account, and the annual statement and its FEC have them too, or differ by the printed bridge.

import { expect, test } from 'vitest';
import { booksLeftBy, differingAccounts } from '../../src/core/statements/books-before.ts';
import { certifyMonths } from '../../src/core/statements/certificate.ts';
import { openYear } from '../../src/core/statements/entries/year-opening.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import { monthsToYear } from '../../src/core/statements/months-to-year.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { drawFrom, drawUnit, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import { runsOf } from '../support/assert-property.ts';
import { type BookedRow, readFecRows } from '../support/bookkeeping-readers.ts';
import { handBooks } from '../support/hand-books.ts';
import {
  auditBooks,
  documentOf,
  type StatedMonth,
  stateBooks,
  stateMonths,
} from '../support/month-of-books.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { bytesOf } from '../support/written-document.ts';

const BEFORE = ['2026-11', '2026-12'];
const MONTHS = Array.from({ length: 12 }, (_, i) => `2027-${String(i + 1).padStart(2, '0')}`);
const MINUTE = 60_000;
const [FIRST, LAST] = [Date.UTC(2026, 10, 2), Date.UTC(2028, 0, 10)];
const ENDS = [Date.UTC(2027, 0, 1), Date.UTC(2027, 6, 1), Date.UTC(2028, 0, 1)];
const TAXED = {
  taxes: [
    { name: 'TVA', bps: 1_800, from: null, countries: null, account: null, isRecoverable: true },
  ],
} as const;
const SETTINGS: readonly Partial<JournalSettings>[] = [
  {},
  TAXED,
  { ...TAXED, entries: 'day' },
  {
    rules: [
      {
        ...{ role: 'wallet', when: { operator: ['WAVE'] }, auxiliary: null },
        account: { number: '5521', label: 'Wave' },
      },
    ],
  },
];

const textOf = (at: number): string => new Date(at).toISOString().slice(0, 19);
const between = (random: Random, low: number, high: number): number =>
  low + Math.floor(drawUnit(random) * (high - low));

/** Some end in the last minute of a year or of June; some are reversed, credited twice or adjusted. */
function drawBooks(random: Random): DecodedBooks {
  const lines: { readonly at: number; readonly text: string }[] = [];
  const operations: string[] = [];
  const post = (at: number, text: string): void =>
    void lines.push({ at, text: `${textOf(at)} ${text}` });
  const first = FIRST - 60 * MINUTE;
  post(first, 'CASHIN_CREDIT 5000000 GUI-CI-0');
  post(first + 1_000, 'CASHIN_FEE 100000 GUI-CI-0');
  const at = `created=${textOf(first - MINUTE)} completed=${textOf(first)}`;
  operations.push(`op GUI-CI-0 SUCCEEDED 5000000 fees=100000 operator=ORANGE ${at}`);
  for (let i = 1; i <= 30; i++) {
    const isIn = drawUnit(random) < 0.7;
    const isAtEnd = i <= 6;
    const ended = isAtEnd
      ? ENDS[i % 3]! - 20_000 - i * 100
      : between(random, FIRST, LAST - 2 * MINUTE);
    const posted = ended + (isAtEnd ? MINUTE : 1_000);
    const reference = `GUI-${isIn ? 'CI' : 'CO'}-${i}`;
    const operator = drawFrom(random, ['ORANGE', 'WAVE']);
    const amount = between(random, 100, drawFrom(random, [3_000, 90_000]));
    const fees = Math.floor(amount / (isIn ? 50 : 100));
    if (!isIn) post(ended - 5 * MINUTE, `CASHOUT_HOLD ${amount + fees} ${reference}`);
    const kind = isIn ? 'CASHIN_CREDIT' : 'CASHOUT_DEBIT';
    post(posted, `${kind} ${amount} ${reference}`);
    if (isIn && drawUnit(random) < 0.08) post(posted + 3_000, `${kind} ${amount} ${reference}`);
    if (fees > 0) post(posted + 1, `${isIn ? 'CASHIN' : 'CASHOUT'}_FEE ${fees} ${reference}`);
    const created = textOf(ended - 6 * MINUTE);
    const facts = `${amount} fees=${fees} operator=${operator} created=${created} completed=${textOf(ended)}`;
    const isBack = drawUnit(random) < 0.3 && posted < LAST - 10 * 1_440 * MINUTE;
    const back = between(random, posted + 10 * MINUTE, LAST);
    if (isBack) {
      post(back, `${isIn ? 'REVERSAL_DEBIT' : 'REVERSAL_CREDIT'} ${amount} ${reference}`);
      if (fees > 0) post(back + 1, `REVERSAL_CREDIT ${fees} ${reference}`);
    }
    const state = isBack ? 'REVERSED' : 'SUCCEEDED';
    operations.push(
      `op ${reference} ${state} ${facts}${isBack ? ` updated=${textOf(back + 2_000)}` : ''}`,
    );
  }
  for (const at of [between(random, FIRST, LAST), between(random, FIRST, LAST)])
    post(at, `ADJUSTMENT_CREDIT ${between(random, 10, 900)} - says=geste`);
  lines.sort((a, b) => a.at - b.at);
  const text = [...lines.map((line) => line.text), ...operations].join('\n');
  return handBooks(text, '2028-02-01T00:00');
}

async function stateAll(random: Random) {
  const books = drawBooks(random);
  const journal = { ...DEFAULT_JOURNAL, ...drawFrom(random, SETTINGS) };
  const report = auditBooks(books);
  const month = { journal };
  const months = await stateMonths(books, [...BEFORE, ...MONTHS], () => ({ report, month }));
  const year = await stateBooks(books, { period: '2027', report, month });
  const left = months.map(({ statement: { period, journal: own } }) =>
    booksLeftBy(period.period, own),
  );
  const before = openYear(left.slice(0, 2), journal.accounts.openingResult)!;
  const closed = { at: 0, by: 'awa', reason: null };
  const own = months.slice(2);
  const certificate = certifyMonths(
    '2027',
    own.map(({ statement }) => ({ statement, closed, lateLines: 0 })),
    { late: [], opening: before.rows },
  );
  const asIssued = differingAccounts(left.slice(2), year.statement.journal);
  return { months: own, year, certificate, asIssued, before };
}

type Sums = Readonly<Record<string, number>>;

/** Debit − credit by account; without those at 0. */
function sumsOf(rows: readonly (readonly [account: string, amount: number])[]): Sums {
  const sums: Record<string, number> = {};
  for (const [account, amount] of rows) sums[account] = (sums[account] ?? 0) + amount;
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}
const ofRows = (rows: readonly BookedRow[]): Sums =>
  sumsOf(rows.map(({ account, debit, credit }) => [account, debit - credit]));

async function fecOf(stated: StatedMonth): Promise<readonly BookedRow[]> {
  return readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));
}

/** Of the entries that have a number: the opening has none. */
async function textSums(stated: StatedMonth): Promise<readonly (readonly [string, number])[]> {
  const text = (await bytesOf(formatNamed('journal')!, documentOf(stated))).toString();
  const entries = text.split('\n\n').filter((entry) => entry.includes('; number:'));
  return entries.flatMap((entry) =>
    [...entry.matchAll(/^ {4}(\d+) .*? {2}(-?\d+) XOF/gm)].map(
      ([, account, amount]) => [account!, Number(amount)] as const,
    ),
  );
}

test.each(Array.from({ length: runsOf(8) }, (_, i) => i))(
  `TEST_SEED=${TEST_SEED}, year %i`,
  { timeout: 60_000 },
  async (i) => {
    const { months, year, certificate, asIssued, before } = await stateAll(
      seedRandom(`${TEST_SEED}/year agrees ${i}`),
    );
    const balances = sumsOf(certificate.accounts.map(({ account, balance }) => [account, balance]));
    const openings = sumsOf(certificate.accounts.map((one) => [one.account, one.opening!]));
    expect(openings).toEqual(
      sumsOf(before.rows.map((row) => [row.account, row.debit - row.credit])),
    );
    expect(Object.values(openings).reduce((sum, one) => sum + one, 0)).toBe(0);
    const moved = sumsOf(certificate.accounts.map((one) => [one.account, one.debit - one.credit]));
    const fecs = (await Promise.all(months.map(fecOf))).flat();
    expect(ofRows(fecs)).toEqual(moved);
    expect(sumsOf((await Promise.all(months.map(textSums))).flat())).toEqual(moved);

    const stated = sumsOf(
      year.statement.journal.accounts.map(({ account, balance }) => [account, balance]),
    );
    const fec = await fecOf(year);
    expect(ofRows(fec)).toEqual(stated);
    const carried = fec.filter(({ journal }) => journal === 'AN');
    expect(carried.length).toBeGreaterThan(1);
    expect(Object.values(ofRows(carried)).reduce((sum, one) => sum + one, 0)).toBe(0);

    const { circumstances } = year.statement;
    const bridge = monthsToYear({
      ...year.statement,
      circumstances: { ...circumstances, asIssued },
    });
    expect(bridge.length).toBeGreaterThan(1);
    const rowOf = new Map(bridge.map((row) => [row.account, row]));
    for (const account of new Set([
      ...Object.keys(balances),
      ...Object.keys(stated),
      ...rowOf.keys(),
    ])) {
      const row = rowOf.get(account);
      const [ofMonths, ofYear] = [balances[account] ?? 0, stated[account] ?? 0];
      expect([account, row?.months ?? ofYear], account).toEqual([account, ofMonths]);
      expect([account, row?.year ?? ofMonths], account).toEqual([account, ofYear]);
      if (row === undefined) continue;
      const { transitBefore, transitAfter, otherwise } = row;
      expect(ofMonths + transitBefore + transitAfter + otherwise, account).toBe(ofYear);
    }
    for (const key of ['transitBefore', 'transitAfter'] as const)
      expect(bridge.reduce((sum, row) => sum + row[key], 0)).toBe(0);
  },
);
