// What lies across a cut-off: holds, operations, reversals, lines out of step. Also what is too
// late to matter to a month.

import { describe, expect, test } from 'vitest';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { verdictInWords } from '../../../src/io/formats/sentences/verdict-reasons.ts';
import { freeBooks, handBooks, instant } from '../../support/hand-books.ts';
import { auditBooks, stateBooks } from '../../support/month-of-books.ts';
import { type DecodedBooks, settingsOf } from '../../support/sandbox-books.ts';

const october = { period: '2026-10' };
const november = { period: '2026-11' };

describe('a hold that is open at the cut-off', () => {
  const books = handBooks(`
    10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
    10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
    10-31T23:58 CASHOUT_HOLD 10100 GUI-CO-2
    11-01T00:00 CASHOUT_DEBIT 10000 GUI-CO-2
    11-01T00:00 CASHOUT_FEE 100 GUI-CO-2
    op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
    op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-31T23:58 completed=11-01T00:00 operator=MTN`);

  test('is named in the month that it began in, and reserved money goes over to the next', async () => {
    const { statement } = await stateBooks(books, october);
    expect(statement.summary).toMatchObject({
      closingBalance: 49_000,
      closingReserved: 10_100,
      availableAtClose: 38_900,
      disbursed: 0,
      byStatus: { OPEN: 1, SUCCEEDED: 1 },
    });
    const hold = {
      operationReference: 'GUI-CO-2',
      held: 10_100,
      operator: 'MTN',
      since: instant('10-31T23:58'),
    };
    expect(statement.openHolds).toMatchObject({ rows: [hold], count: 1, total: 10_100 });
    expect(statement.openOperations.rows).toMatchObject([
      { reference: 'GUI-CO-2', statusAsRead: 'SUCCEEDED' },
    ]);
  });

  test('is settled in the month of its debit: a line dated on the cut-off itself belongs to the next month', async () => {
    const { statement } = await stateBooks(books, november);
    const { summary, openHolds, openOperations } = statement;
    expect(summary).toMatchObject({
      openingBalance: 49_000,
      openingReserved: 10_100,
      disbursed: 10_000,
      fees: 100,
    });
    expect([openHolds.count, openOperations.count, summary.closingReserved]).toEqual([0, 0, 0]);
    // The operation was created in October, so that it is not counted again by status; but it
    // became final in November.
    expect(Object.values(summary.byStatus)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(statement.operators.total.success).toEqual({ succeeded: 1, final: 1, percent: '100.0' });
  });
});

describe('a reversal in a later month', () => {
  const original = `
    10-05T10:00 CASHIN_CREDIT 20000 GUI-CI-1
    10-05T10:00 CASHIN_FEE 400 GUI-CI-1`;
  const reversal = `
    11-03T10:00 REVERSAL_DEBIT 20000 GUI-CI-1
    11-03T10:00 REVERSAL_CREDIT 400 GUI-CI-1`;
  const before = handBooks(
    `${original}\n op GUI-CI-1 SUCCEEDED 20000 fees=400 created=10-05T09:58 completed=10-05T10:00`,
    '11-02T00:00',
  );
  const reversed = 'op GUI-CI-1 REVERSED 20000 fees=400 created=10-05T09:58 updated=11-03T10:00';
  const kept = handBooks(`${original}${reversal}\n${reversed} completed=10-05T10:00`);
  const moved = handBooks(`${original}${reversal}\n${reversed} completed=11-03T10:00`);

  test('leaves the month of the collection as it was, whichever of its two final states completedAt is of', async () => {
    const first = await stateBooks(before, october);
    expect(first.statement.summary).toMatchObject({
      paymentCount: 1,
      totalAmount: 20_000,
      byStatus: { SUCCEEDED: 1 },
    });
    for (const books of [kept, moved]) {
      const again = await stateBooks(books, october);
      expect(again.statement.summary).toEqual(first.statement.summary);
      expect(again.statement.integrity).toEqual(first.statement.integrity);
    }
  });

  test('is in the month of its lines, with the operation that it undoes', async () => {
    for (const books of [kept, moved]) {
      const { statement, lines } = await stateBooks(books, november);
      expect(statement.summary).toMatchObject({
        paymentCount: 0,
        totalAmount: 0,
        reversals: -19_600,
        closingBalance: 0,
      });
      const { rows, total } = statement.earlierReversals;
      expect(rows.map(({ operationReference, amount }) => [operationReference, amount])).toEqual([
        ['GUI-CI-1', -20_000],
        ['GUI-CI-1', 400],
      ]);
      expect(total).toBe(-19_600);
      const accounts = lines.map((line) =>
        line.entry!.rows.map((row) => [row.account, row.debit - row.credit]),
      );
      expect(accounts).toEqual([
        [
          ['411', 20_000],
          ['552', -20_000],
        ],
        [
          ['552', 400],
          ['6317', -400],
        ],
      ]);
      expect(lines.map((line) => line.entry!.piece)).toEqual(['GUI-CI-1', 'GUI-CI-1']);
    }
  });
});

describe('a line whose date disagrees with its place', () => {
  const books = handBooks(`
    10-30T10:00 CASHIN_CREDIT 1000 GUI-CI-1
    11-01T00:00:05 CASHIN_CREDIT 2000 GUI-CI-2
    10-31T23:59:58 CASHIN_CREDIT 4000 GUI-CI-3
    11-02T10:00 CASHIN_CREDIT 8000 GUI-CI-4
    op GUI-CI-1 SUCCEEDED 1000 created=10-30T09:59 completed=10-30T10:00
    op GUI-CI-2 SUCCEEDED 2000 created=10-31T23:59 completed=11-01T00:00:05
    op GUI-CI-3 SUCCEEDED 4000 created=10-31T23:59 completed=10-31T23:59:58
    op GUI-CI-4 SUCCEEDED 8000 created=11-02T09:59 completed=11-02T10:00`);

  test('belongs to the month of its date, is listed, and is an item between what is recorded and what is due', async () => {
    const { statement, lines } = await stateBooks(books, october);
    expect(statement.summary).toMatchObject({
      closingBalance: 5_000,
      entryCount: 2,
      paymentCount: 2,
    });
    expect(statement.reconciliation.balance).toMatchObject({
      recordedAtHead: 7_000,
      headSequence: 3,
      crossing: 2_000,
      recorded: 7_000,
      remainder: 0,
      recomputed: 5_000,
    });
    expect(statement.summary).toMatchObject({
      recorded: { balance: 7_000 },
      due: { balance: 5_000 },
      ahead: { balance: 2_000, reserved: 0 },
      verdict: { state: 'clean' },
    });
    expect(statement.due.items).toMatchObject([
      { kind: null, sequence: 3, balance: 2_000, state: 'transit' },
    ]);
    expect(statement.journal.wallet).toMatchObject({ opening: 0, closing: 7_000 });
    expect(statement.crossing.rows).toMatchObject([
      { sequence: 3, bound: 'end', datedBefore: true },
    ]);
    expect(
      lines.map((line) => [line.sequence, line.balance, line.recordedBalance, line.flags]),
    ).toEqual([
      [1, 1_000, 1_000, []],
      [3, 5_000, 7_000, ['CROSSES_BOUND']],
    ]);
    const next = await stateBooks(books, november);
    expect(next.statement.summary).toMatchObject({
      openingBalance: 5_000,
      closingBalance: 15_000,
      entryCount: 2,
    });
    expect(next.lines.map((line) => line.balance)).toEqual([7_000, 15_000]);
    expect(next.statement.journal.wallet).toMatchObject({ opening: 7_000, closing: 15_000 });
    expect(next.statement.summary).toMatchObject({
      recorded: { balance: 15_000 },
      due: { balance: 15_000 },
    });
    expect('ahead' in next.statement.summary).toBe(false);
    expect(next.statement.crossing.rows).toMatchObject([{ sequence: 3, bound: 'start' }]);
  });

  test('is the one line that is out of step, not the many that are not', async () => {
    const early = await stateBooks(
      handBooks(`
      10-31T10:00 CASHIN_CREDIT 1 GUI-CI-1
      11-01T10:00 CASHIN_CREDIT 2 GUI-CI-2
      10-31T10:01 CASHIN_CREDIT 4 GUI-CI-3
      10-31T10:02 CASHIN_CREDIT 8 GUI-CI-4
      10-31T10:03 CASHIN_CREDIT 16 GUI-CI-5`),
      october,
    );
    expect(early.statement.crossing).toMatchObject({
      rows: [{ sequence: 2, datedBefore: false }],
      count: 1,
    });
    const late = await stateBooks(
      handBooks(`
      10-31T10:00 CASHIN_CREDIT 1 GUI-CI-1
      11-01T10:00 CASHIN_CREDIT 2 GUI-CI-2
      11-01T10:01 CASHIN_CREDIT 4 GUI-CI-3
      10-31T10:02 CASHIN_CREDIT 8 GUI-CI-4
      11-01T10:03 CASHIN_CREDIT 16 GUI-CI-5`),
      october,
    );
    expect(late.statement.crossing).toMatchObject({
      rows: [{ sequence: 4, datedBefore: true }],
      count: 1,
    });
    expect(late.statement.reconciliation.balance.crossing).toBe(6);
  });
});

describe('an operation', () => {
  test('that was open at the cut-off is so stated, whatever became of it', async () => {
    const line =
      '10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1\n op GUI-CI-1 SUCCEEDED 50000 created=10-02T07:59 completed=10-02T08:00';
    const waiting = `${line}\n op GUI-CI-2 PENDING 700 created=10-31T23:50`;
    const ends = ['EXPIRED', 'SUCCEEDED', 'FAILED'].map((status) =>
      waiting.replace('PENDING', status),
    );
    const first = await stateBooks(handBooks(waiting, '11-01T00:00'), october);
    expect(first.statement.openOperations.rows).toMatchObject([
      { statusAsRead: 'PENDING', completedAt: null },
    ]);
    for (const text of ends) {
      const { statement } = await stateBooks(
        handBooks(`${text} completed=11-01T00:20`, '11-20T00:00'),
        october,
      );
      expect(statement.openOperations.rows).toMatchObject([
        { completedAt: instant('11-01T00:20') },
      ]);
      expect(statement.summary.byStatus).toEqual({ ...first.statement.summary.byStatus, OPEN: 1 });
      expect(statement.integrity).toEqual(first.statement.integrity);
    }
  });

  test('that succeeds or not makes a rate, exact and rounded half up', async () => {
    const operations = (succeeded: number, failed: number): string =>
      Array.from({ length: succeeded + failed }, (_, i) => {
        const status = i < succeeded ? 'SUCCEEDED' : 'FAILED';
        return `op GUI-CO-${i} ${status} 10 created=10-02T07:59 completed=10-02T08:00`;
      }).join('\n');
    for (const [succeeded, failed, percent] of [
      [1, 2, '33.3'],
      [2, 1, '66.7'],
      [1, 15, '6.3'],
      [0, 3, '0.0'],
    ] as const) {
      const { statement } = await stateBooks(handBooks(operations(succeeded, failed)), october);
      expect(statement.operators.total.success).toEqual({
        succeeded,
        final: succeeded + failed,
        percent,
      });
    }
  });

  test('that moved last before the month is looked up when a line of the month names it', async () => {
    const books = handBooks(`
      09-05T10:00 CASHIN_CREDIT 20000 GUI-CI-1
      10-05T10:00 REVERSAL_DEBIT 20000 GUI-CI-1
      10-06T10:00 REVERSAL_DEBIT 1 GUI-CI-9
      op GUI-CI-1 SUCCEEDED 20000 created=09-05T09:58 completed=09-05T10:00 operator=MOOV`);
    const { statement, lines } = await stateBooks(books, october);
    expect(statement.earlierReversals.rows).toMatchObject([
      { operationReference: 'GUI-CI-1', operator: 'MOOV' },
    ]);
    expect(lines.map((line) => [line.operator, line.flags])).toEqual([
      ['MOOV', []],
      [null, ['OPERATION_UNKNOWN']],
    ]);
    expect(statement.operators.rows.map((row) => [row.operator, row.net])).toEqual([
      ['MOOV', -20_000],
      [null, -1],
    ]);
  });

  test('without a completedAt counts on the day of the line that settled it', async () => {
    const books = handBooks(`
      09-30T23:59 CASHIN_CREDIT 500 GUI-CI-1
      10-07T10:00 CASHIN_CREDIT 700 GUI-CI-2
      op GUI-CI-1 SUCCEEDED 500 created=09-30T23:58 updated=10-09T10:00
      op GUI-CI-2 SUCCEEDED 700 created=10-07T09:58 updated=11-09T10:00`);
    const { statement } = await stateBooks(books, october);
    expect(statement.summary.byDay).toEqual([
      { day: '2026-10-07', count: 1, amount: 700, fees: 0 },
    ]);
  });
});

describe('a month without a line', () => {
  const books = handBooks(`
    09-05T10:00 CASHIN_CREDIT 20000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 20000 created=09-05T09:58 completed=09-05T10:00`);

  test('between others carries the figures on, day by day', async () => {
    const { statement, lines } = await stateBooks(books, october);
    expect(lines).toEqual([]);
    expect(statement.summary).toMatchObject({
      openingBalance: 20_000,
      closingBalance: 20_000,
      entryCount: 0,
      firstSequence: null,
    });
    expect(statement.days.length).toBe(31);
    expect(statement.days.every((day) => day.opening === 20_000 && day.closing === 20_000)).toBe(
      true,
    );
    expect(statement.journal).toMatchObject({
      entryCount: 0,
      firstNumber: null,
      debit: 0,
      wallet: { closing: 20_000 },
    });
    expect(statement.operators.total.success).toEqual({ succeeded: 0, final: 0, percent: null });
  });

  test('before all others is all 0', async () => {
    const { statement } = await stateBooks(books, { period: '2026-08' });
    expect(statement.summary).toMatchObject({
      openingBalance: 0,
      closingBalance: 0,
      control: { recordedMinusRecomputed: 0 },
    });
    expect(statement.reconciliation.balance.headSequence).toBeNull();
  });
});

describe('a declared opening', () => {
  test('is where the first month begins', async () => {
    const books = handBooks(
      `
      10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1
      op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00`,
      '12-01T00:00',
      9_000,
    );
    const opening = { balance: 9_000, reserved: 0 };
    const report = auditBooks(books, opening);
    expect([report.recomputed.balance, report.unexplained.balance]).toEqual(['9500', '0']);
    const { statement } = await stateBooks(books, { ...october, report, month: { opening } });
    expect(statement.circumstances.walletAsRead!.balance).toMatchObject({
      difference: 0,
      unexplained: '0',
    });
    expect(statement.summary).toMatchObject({ openingBalance: 9_000, closingBalance: 9_500 });
    expect(statement.reconciliation.balance).toMatchObject({
      recorded: 9_500,
      remainder: 0,
      items: [],
    });
    const undeclared = await stateBooks(books, october);
    expect(undeclared.statement.summary).toMatchObject({ openingBalance: 0, closingBalance: 500 });
    expect(undeclared.statement.reconciliation.balance.items).toMatchObject([
      { amount: 9_000, findingKind: 'OPENING_BALANCE_UNEXPLAINED' },
    ]);
    expect(undeclared.statement.summary.verdict.state).toBe('broken');
  });
});

describe('what is not this month’s', () => {
  const books = freeBooks(`
    10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1
    11-05T10:00 CASHIN_CREDIT 700 GUI-CI-2 drift=40
    op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00
    op GUI-CI-2 SUCCEEDED 700 created=11-05T09:58 completed=11-05T10:00`);

  test('a finding of a later month is not shown, and does not break the month', async () => {
    const { statement } = await stateBooks(books, october);
    expect(auditBooks(books).verdict).toBe('broken');
    expect(statement.findings.rows.filter((row) => row.kind === 'BALANCE_DRIFT')).toEqual([]);
    expect(statement.reconciliation.balance).toMatchObject({
      items: [],
      remainder: 0,
      recorded: 500,
    });
    const later = await stateBooks(books, november);
    expect(later.statement.summary.verdict.state).toBe('broken');
    expect(statement.summary.verdict.state).toBe('clean');
    expect(later.statement.reconciliation.balance.items).toMatchObject([
      { amount: 40, findingKind: 'BALANCE_DRIFT' },
    ]);
    expect(later.statement.summary.control.recordedMinusRecomputed).toBe(40);
  });

  test('a finding that is not confirmed is not shown: its difference stays in the remainder', async () => {
    const report = auditBooks(books);
    const findings = report.findings.map((finding) => ({
      ...finding,
      status: 'provisional' as const,
    }));
    const { statement } = await stateBooks(books, { ...november, atCut: { ...report, findings } });
    expect(statement.findings.rows).toEqual([]);
    expect(statement.summary.findings.total).toBe(0);
    expect(statement.reconciliation.balance).toMatchObject({ items: [], remainder: 40 });
    expect(JSON.stringify(statement)).not.toContain('BALANCE_DRIFT');
  });
});

describe('there is no statement', () => {
  const books = handBooks(`
    10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00`);

  test('of a month that has not ended, nor from books read before its end', async () => {
    await expect(stateBooks(books, { period: '2026-12' })).rejects.toMatchObject({
      code: 'PERIOD_NOT_ENDED',
    });
    await expect(stateBooks({ ...books, asOf: instant('10-31T23:59') }, october)).rejects.toThrow(
      /has not ended/,
    );
    await expect(
      stateBooks({ ...books, asOf: instant('11-01T00:00') }, october),
    ).resolves.toBeDefined();
  });

  test('of nothing', async () => {
    await expect(
      stateBooks({ ...books, entries: [], operations: [] }, october),
    ).rejects.toMatchObject({
      code: 'NOTHING_READ',
    });
  });

  test('of a month that was over before the account was opened, unless there is a line all the same', async () => {
    const { profile } = books;
    const opened = (text: string) => ({
      ...books,
      profile: { ...profile, createdAt: instant(text) },
    });
    const before = stateBooks(opened('10-02T00:00'), { period: '2026-09' });
    await expect(before).rejects.toMatchObject({ code: 'BEFORE_ACCOUNT' });
    await expect(before).rejects.toThrow(/the account was opened at 2026-10-02T00:00/);
    await expect(stateBooks(opened('09-30T00:00'), { period: '2026-09' })).resolves.toBeDefined();
    await expect(stateBooks(opened('11-02T00:00'), october)).resolves.toBeDefined();
  });

  test('whose sums cannot be stated exactly', async () => {
    const large = handBooks(`
      10-05T10:00 CASHIN_CREDIT ${2 ** 53 - 1} GUI-CI-1
      10-06T10:00 CASHIN_CREDIT ${2 ** 53 - 1} GUI-CI-2
      op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00`);
    await expect(stateBooks(large, october)).rejects.toMatchObject({ code: 'AMOUNTS_TOO_LARGE' });
  });
});

test('a line that came too late for a closed month is stated at the beginning of the next, and named', async () => {
  const text = `
    10-30T08:00 ADJUSTMENT_CREDIT 1000 - says=premiere
    11-01T08:00 ADJUSTMENT_CREDIT 500 - says=novembre`;
  const late = `${text}\n    10-31T09:00 ADJUSTMENT_CREDIT 70 - says=tardive`;
  const closed = [{ period: '2026-10', end: instant('11-01T00:00'), lastSequence: 1 }];
  const of = (period: string, books: string) =>
    stateBooks(handBooks(books, '12-02T00:00'), { period, month: { closed } });
  const [before, october, november] = [
    await of('2026-10', text),
    await of('2026-10', late),
    await of('2026-11', late),
  ];
  expect(october.statement.integrity).toEqual(before.statement.integrity);
  expect(november.statement.summary).toMatchObject({
    openingBalance: 1_000,
    closingBalance: 1_570,
    entryCount: 2,
  });
  expect(november.lines.map(({ sequence, flags }) => [sequence, flags])).toEqual([
    [2, []],
    [3, ['LATE']],
  ]);
  expect(november.lines[1]!.entry).toMatchObject({
    number: 'MM-2026-11-000003',
    date: '2026-11-01',
  });
});

describe('what was found after a month', () => {
  const lines = `
    08-20T10:00 CASHIN_CREDIT 1000 GUI-CI-1
    09-20T10:00 CASHIN_CREDIT 2000 GUI-CI-2
    10-20T10:00 CASHIN_CREDIT 4000 GUI-CI-3
    op GUI-CI-1 SUCCEEDED 1000 created=08-20T09:59 completed=08-20T10:00
    op GUI-CI-2 SUCCEEDED 2000 created=09-20T09:59 completed=09-20T10:00
    op GUI-CI-3 SUCCEEDED 4000 created=10-20T09:59 completed=10-20T10:00`;
  const novembers = (line: string) => freeBooks(`${lines}\n${line}`, '11-09T10:00');
  const credit = '11-09T09:59 CASHIN_CREDIT 8000 GUI-CI-4';
  const cashin = 'op GUI-CI-4 SUCCEEDED 8000 created=11-09T09:58 completed=11-09T09:59';
  /** Audits the books. What is younger than `grace` before the reading is provisional. */
  const auditWith = (read: DecodedBooks, grace = 10 * 60_000) => {
    const { entries, operations, wallet } = read;
    const settings = { ...settingsOf(read), grace };
    return reconcileInMemory({ entries, operations, wallet, rejected: [], absent: [] }, settings);
  };
  const sound = novembers(`${credit}\n${cashin}`);
  const walletOff = (updatedAt: string) => {
    const { balance, available } = sound.wallet;
    const off = { balance: balance + 47, available: available + 47, updatedAt: instant(updatedAt) };
    return { ...sound, wallet: { ...sound.wallet, ...off } };
  };

  test.each([
    [
      'a line, provisionally',
      novembers(`${credit} drift=47\n${cashin}`),
      'BALANCE_DRIFT provisional',
    ],
    ['the wallet, provisionally', walletOff('11-09T10:00'), 'WALLET_BALANCE_MISMATCH provisional'],
    ['the wallet, for certain', walletOff('11-08T10:00'), 'WALLET_BALANCE_MISMATCH confirmed'],
  ])('of %s leaves August to October as they were', async (_, books, found) => {
    const report = auditWith(books);
    expect(report.verdict).not.toBe('clean');
    expect(report.findings.map(({ kind, status }) => `${kind} ${status}`)).toContain(found);
    for (const period of ['2026-08', '2026-09', '2026-10']) {
      const before = await stateBooks(sound, { period });
      const { statement } = await stateBooks(books, { period, report });
      expect(statement.summary, period).toEqual(before.statement.summary);
      expect(statement.summary.verdict, period).toEqual({ state: 'clean', missing: [] });
      expect(statement.integrity.contentHash, period).toBe(before.statement.integrity.contentHash);
      expect(statement.due, period).toEqual(before.statement.due);
    }
  });

  test('and a provisional one of the month itself leaves it incomplete, in words that a reader knows', async () => {
    const late = '10-31T23:59 CASHIN_CREDIT 8000 GUI-CI-4 drift=47';
    const own = 'op GUI-CI-4 SUCCEEDED 8000 created=10-31T23:58 completed=10-31T23:59';
    const books = freeBooks(`${lines}\n${late}\n${own}`, '11-01T00:05');
    const { statement } = await stateBooks(books, { period: '2026-10', atCut: auditWith(books) });
    expect(statement.summary.verdict).toEqual({
      state: 'incomplete',
      missing: ['provisional findings'],
    });
    expect(verdictInWords(statement).fr.verdict[0]).toContain(
      'Manque : des écarts relevés, pas encore confirmés par une nouvelle lecture.',
    );
  });
});
