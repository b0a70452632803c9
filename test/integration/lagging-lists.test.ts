// Lists of the direct API that lag behind each other, or are in another order than the document's.
// What is not proven is not accused, and a list that does not change is read whole.

import { expect, test } from 'vitest';
import { DAY, formatInstant, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import { makeHttpBooks, makeLine, makeOperation } from '../support/http-books.ts';
import { EVENING, JUDGED, outcomeOf, runOver } from '../support/nightly-run.ts';
import { nightlyService } from '../support/nightly-service.ts';

const LINES = 400;
const nights = nightlyService(LINES);

async function night(graceMinutes = 10) {
  const optionsFor = (_: string, asOf: number) => ({
    ...JUDGED,
    asOf,
    grace: graceMinutes * MINUTE,
  });
  const { report } = outcomeOf(
    await runOver(nights.store, nights.service, {}, { optionsFor }),
    'M001',
  );
  const roots = report.findings.filter(({ causedBy }) => causedBy === null);
  return {
    verdict: report.verdict,
    roots: roots.map(({ kind, status }) => `${kind} ${status}`),
    lines: report.entries,
  };
}

/** Posts one more cash-in, `ago` before the reading. `serve` shows its operation. */
function postLine(ago: number) {
  const books = nights.books();
  const createdAt = formatInstant(EVENING - ago);
  const balance = (LINES + 1) * 1_000;
  books.ledger.push({ ...makeLine(LINES + 1), createdAt });
  books.wallet = {
    ...books.wallet,
    balance,
    available: balance,
    totalCollected: balance,
    updatedAt: createdAt,
  };
  const times = { createdAt, updatedAt: createdAt, completedAt: createdAt, expiresAt: null };
  return { serve: () => void books.operations.push({ ...makeOperation(LINES + 1), ...times }) };
}

test('a line whose operation is not served yet accuses nothing while no operation served is as new', async () => {
  const { serve } = postLine(3 * HOUR);
  expect(await night()).toMatchObject({
    verdict: 'incomplete',
    roots: ['OPERATION_UNKNOWN provisional'],
  });
  serve();
  expect(await night()).toMatchObject({ verdict: 'clean', roots: [] });
});

test('a day later it is unknown', async () => {
  postLine(DAY + HOUR);
  expect(await night()).toMatchObject({
    verdict: 'broken',
    roots: ['OPERATION_UNKNOWN confirmed'],
  });
});

test('beside an operation that is as new it is unknown', async () => {
  postLine(3 * HOUR);
  const { operations } = nights.books();
  operations[LINES - 1] = {
    ...operations[LINES - 1]!,
    updatedAt: formatInstant(EVENING - 2 * HOUR),
  };
  expect(await night()).toMatchObject({
    verdict: 'broken',
    roots: ['OPERATION_UNKNOWN confirmed'],
  });
});

test('lists that lag behind the wallet need as long a grace', async () => {
  const books = nights.books();
  const balance = (LINES + 1) * 1_000;
  const updatedAt = formatInstant(EVENING - 3 * HOUR);
  books.wallet = {
    ...books.wallet,
    balance,
    available: balance,
    totalCollected: balance,
    updatedAt,
  };
  expect((await night(240)).verdict).toBe('incomplete');
  expect((await night()).verdict).toBe('broken');
});

/**
 * Sorts the ledger by time, after one line in forty has got the time of the line `back` lines
 * before it.
 */
function sortByTime(back: number): void {
  const books = nights.books();
  const dated = books.ledger.map((row, i) => {
    const at =
      Date.parse(String(row.createdAt)) - (i > back && i % 40 === 13 ? back * MINUTE + 1 : 0);
    return { ...row, createdAt: formatInstant(at) };
  });
  books.ledger = dated.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

test.each([
  ['ascending', 5],
  ['ascending', 300],
  ['ascending', 1_300],
  ['descending', 5],
  ['descending', 300],
  ['descending', 1_300],
] as const)(
  'a ledger that is sorted by time, %s, with lines %s places from their number, is read whole',
  async (order, back) => {
    const count = Math.max(LINES, back + 900);
    nights.service.order = order;
    nights.service.books.M001 = makeHttpBooks('M001', count);
    sortByTime(back);
    for (let i = 0; i < 2; i++) {
      const { verdict, lines } = await night();
      expect([verdict, lines]).toEqual(['clean', count]);
    }
  },
);
