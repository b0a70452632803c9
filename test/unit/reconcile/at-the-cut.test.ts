// Single cases of the law of the cut: rows just around the end of October, and rows after it that
// must not count.

import { describe, expect, test } from 'vitest';
import { handBooks } from '../../support/hand-books.ts';
import { judgeAtCut, stateBooks } from '../../support/month-of-books.ts';
import type { DecodedBooks } from '../../support/sandbox-books.ts';

const october = { period: '2026-10' };
const end = Date.UTC(2026, 10, 1);

async function stateOf(books: DecodedBooks) {
  const { statement } = await stateBooks(books, october);
  const { report } = judgeAtCut(books, { end, closed: [], withWallet: false, opening: null });
  return { ...statement, kinds: statement.findings.rows.map(({ kind }) => kind), report };
}

const SOUND = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00`;

describe('of sound books whose clocks disagree by seconds October says nothing', () => {
  const cases = {
    'a fee that is dated before the end, of a credit behind it': `
      11-01T00:00:01 CASHIN_CREDIT 20000 GUI-CI-2
      10-31T23:59:59 CASHIN_FEE 400 GUI-CI-2
      op GUI-CI-2 SUCCEEDED 20000 fees=400 created=10-31T23:58 completed=11-01T00:00:02`,
    'a hold that is dated behind the end, of a cash-out before it': `
      11-01T00:00:01 CASHOUT_HOLD 10100 GUI-CO-2
      11-01T00:00:30 CASHOUT_DEBIT 10000 GUI-CO-2
      11-01T00:00:30 CASHOUT_FEE 100 GUI-CO-2
      op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-31T23:59:59 completed=11-01T00:00:30`,
    'the same of a cash-out that is open to this day': `
      11-01T00:00:01 CASHOUT_HOLD 10100 GUI-CO-2
      op GUI-CO-2 PENDING 10000 fees=100 created=10-31T23:59:59 updated=11-01T00:00:01`,
  };
  test.each(Object.entries(cases))('%s', async (_, rows) => {
    const { kinds, summary } = await stateOf(handBooks(SOUND + rows));
    expect([kinds, summary.verdict.state]).toEqual([[], 'clean']);
  });

  test('but a cash-out that had been asked for minutes before, and holds nothing, is named', async () => {
    const rows = `
      11-01T00:01 CASHOUT_DEBIT 10000 GUI-CO-2
      11-01T00:01 CASHOUT_FEE 100 GUI-CO-2
      op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-31T23:50 completed=11-01T00:01`;
    expect((await stateOf(handBooks(SOUND + rows))).kinds).toEqual(['HOLD_MISSING']);
  });
});

test('an order that was tried again behind the end is in October not even where a line of it is among those on their way', async () => {
  // The reversal does not count: its operation was near the end, so that the lines up to it are
  // passed.
  const books = handBooks(`${SOUND}
    10-31T20:00 CASHIN_CREDIT 20000 GUI-CI-2
    10-31T20:00 CASHIN_FEE 400 GUI-CI-2
    11-01T09:00 CASHIN_CREDIT 7000 GUI-CI-3
    11-01T10:00 CASHIN_CREDIT 7000 GUI-CI-4
    11-01T10:00 CASHIN_FEE 140 GUI-CI-4
    11-01T11:00 REVERSAL_DEBIT 20000 GUI-CI-2
    11-01T11:00 REVERSAL_CREDIT 400 GUI-CI-2
    op GUI-CI-2 REVERSED 20000 fees=400 created=10-31T19:59 completed=10-31T20:00 updated=11-01T11:00
    op GUI-CI-3 FAILED 7000 fees=140 created=11-01T08:59 completed=11-01T09:00 external=ORDER-9
    op GUI-CI-4 SUCCEEDED 7000 fees=140 created=11-01T09:59 completed=11-01T10:00 external=ORDER-9`);
  const { kinds, summary } = await stateOf(books);
  expect([kinds, summary.verdict.state]).toEqual([[], 'clean']);
});

test('a reversal behind the end leaves the success at its own instant, wherever a line of it is dated', async () => {
  const books = handBooks(`${SOUND}
    10-05T10:00 CASHIN_CREDIT 20000 GUI-CI-2
    10-20T10:00 CASHIN_FEE 400 GUI-CI-2
    10-20T11:00 CASHIN_CREDIT 5000 GUI-CI-3
    10-20T11:00 CASHIN_FEE 100 GUI-CI-3
    11-01T00:00:01 REVERSAL_DEBIT 20000 GUI-CI-2
    11-01T00:00:01 REVERSAL_CREDIT 400 GUI-CI-2
    op GUI-CI-2 REVERSED 20000 fees=400 created=10-20T09:59 completed=10-20T10:00 updated=11-01T00:00:02
    op GUI-CI-3 SUCCEEDED 5000 fees=100 created=10-20T10:59 completed=10-20T11:00`);
  expect((await stateOf(books)).kinds).toEqual(['ENTRY_BEFORE_OPERATION']);
});

describe('of two lines with one number', () => {
  const rows = `
    10-31T20:00 CASHIN_CREDIT 20000 GUI-CI-2
    10-31T20:00 CASHIN_FEE 400 GUI-CI-2
    11-03T10:00 CASHIN_CREDIT 5000 GUI-CI-3
    11-03T10:00 CASHIN_FEE 100 GUI-CI-3
    op GUI-CI-2 SUCCEEDED 20000 fees=400 created=10-31T19:59 completed=10-31T20:00
    op GUI-CI-3 SUCCEEDED 5000 fees=100 created=11-03T09:59 completed=11-03T10:00`;
  const books = handBooks(SOUND + rows);
  const numbered = (numbers: readonly number[]): DecodedBooks => ({
    ...books,
    entries: books.entries.map((entry, i) => ({ ...entry, sequence: numbers[i]! })),
  });

  test('October recorded what the one before its end says, though both are of the chain', async () => {
    const { due, report } = await stateOf(numbered([1, 2, 3, 4, 4, 6]));
    expect(due.recorded).toEqual({ balance: 68_600, reserved: 0, available: 68_600 });
    expect([report.recorded.balance, report.due?.balance]).toEqual(['68600', '68600']);
  });

  test('the one that the chain leaves out is stated where the other is, if it is dated days apart', async () => {
    // The credit of October is among the lines of November, and has a number of theirs.
    const { due, findings, report } = await stateOf(numbered([1, 2, 5, 3, 5, 6]));
    expect([due.recorded.balance, report.recorded.balance]).toEqual([68_600, '68600']);
    expect(findings.rows.every(({ sequence }) => sequence === null || sequence <= 3)).toBe(true);
  });
});
