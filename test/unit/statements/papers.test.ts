// Working papers: a sample that others can draw, whole numbers, unusual entries, cut-off,
// comparatives and accounts of a year.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../../src/core/domain/operation.ts';
import { sumAccounts } from '../../../src/core/statements/certificate.ts';
import {
  beginLineTests,
  certifySequences,
  ENTRY_FLAGS,
  type EntryFlag,
  linesAbout,
  testCutOff,
  testEntries,
  testLine,
  uncorrectedOf,
} from '../../../src/core/statements/papers/audit-papers.ts';
import type {
  StatementLine,
  StatementOperation,
} from '../../../src/core/statements/statement-line.ts';
import { papersOf, quarterOfBooks } from '../../support/papers-of-months.ts';
import { sampleLines } from '../../support/sample-lines.ts';

const months = await quarterOfBooks();
const [first, , last] = months;

describe('a sample', () => {
  /** Draws the sample as docs/STATEMENTS.md describes it, with lists in place of streams. */
  function drawNaively(seed: string, size: number) {
    const population: StatementOperation[] = months.flatMap(
      ({ statement: { period }, operations }) =>
        operations.filter(
          ({ status, completedLocal }) =>
            (status === 'SUCCEEDED' || status === 'REVERSED') &&
            completedLocal!.startsWith(period.period),
        ),
    );
    const number = (series: string, i: number, below: number): number => {
      const digest = createHash('sha256').update(`${seed}\n${series}\n${i}`).digest();
      return Number(digest.readBigUInt64BE() % BigInt(below));
    };
    const random: number[] = [];
    for (let i = 1; random.length < size; i++) {
      const place = number('random', i, population.length);
      if (!random.includes(place)) random.push(place);
    }
    const units = population.flatMap(({ amount }, place) =>
      Array.from({ length: amount }, () => place),
    );
    const interval = Math.floor(units.length / size);
    const monetary = new Set<number>();
    for (let unit = number('monetary', 1, interval); unit < units.length; unit += interval)
      monetary.add(units[unit]!);
    const named = (places: Iterable<number>) =>
      [...places].sort((a, b) => a - b).map((i) => population[i]!.reference);
    return {
      monetary: named(monetary),
      random: named(random),
      count: population.length,
      amount: units.length,
    };
  }

  test.each(['graine', 'autre graine'])(
    'is drawn once more by independent code: %s',
    async (seed) => {
      const { items, draw } = await papersOf(months, { seed });
      const naive = drawNaively(seed, 25);
      expect([draw.count, draw.amount]).toEqual([naive.count, naive.amount]);
      for (const method of ['monetary', 'random'] as const)
        expect(
          items.filter((item) => item.method === method).map(({ reference }) => reference),
        ).toEqual(naive[method]);
      expect(naive.random).toHaveLength(25);
      expect(naive.monetary.length).toBeGreaterThan(20);
    },
  );

  test('is of the collections and payouts that the statements count', async () => {
    const { draw } = await papersOf(months);
    const collected = months.reduce((sum, { statement }) => sum + statement.summary.totalAmount, 0);
    const paidOut = months.reduce(
      (sum, { statement }) => sum + statement.reconciliation.disbursements.operations!,
      0,
    );
    expect(draw.amount).toBe(collected + paidOut);
  });

  test('holds what is as large as the interval whatever the seed, and such an item stands for itself', async () => {
    const sizes = { monetary: 400, random: 0 };
    const { draw, items } = await papersOf(months, { sizes });
    const large = items.filter(({ stratum }) => stratum === 'certain');
    expect(large.length).toBeGreaterThan(3);
    for (const { amount, represents } of large) {
      expect(amount).toBeGreaterThanOrEqual(draw.interval);
      expect(represents).toBe(amount);
    }
    const another = await papersOf(months, { sizes, seed: 'une autre' });
    const others = another.items.filter(({ stratum }) => stratum === 'certain');
    expect(others.map(({ place }) => place)).toEqual(large.map(({ place }) => place));
  });

  test('has the lines of each item, also those of a later month', async () => {
    const { items } = await papersOf(months, { sizes: { monetary: 0, random: 100_000 } });
    expect(items.length).toBe((await papersOf(months)).draw.count);
    const counted = items.reduce((sum, { lines }) => sum + lines.length, 0);
    const drawn = new Set(items.map(({ reference }) => reference));
    const all = months
      .flatMap(({ lines }) => lines)
      .filter((line) => drawn.has(line.operationReference ?? ''));
    expect(counted).toBe(all.length);
    expect(counted).toBeGreaterThan(items.length);
  });

  test('refuses operations that are not those of the statements', async () => {
    const short = { ...last, operations: last.operations.slice(0, -20) };
    await expect(papersOf([first, short])).rejects.toThrow('a sample is of the whole population');
  });
});

describe('the numbers of lines', () => {
  const certify = (sequences: number[], outside: number[] = []) => {
    const tests = beginLineTests();
    for (const sequence of sequences) testLine(tests, { ...sampleLines(1, 'plain')[0]!, sequence });
    return certifySequences(tests, new Set(outside));
  };

  test('are whole where months cross their bounds', () => {
    expect(certify([1, 2, 3, 5, 4, 6, 7])).toEqual({
      first: 1,
      last: 7,
      lines: 7,
      gaps: [],
      repeated: [],
    });
  });

  test('have their gaps and what is there twice named, but for lines of other periods', () => {
    expect(certify([4, 5, 5, 9, 10, 12, 10, 14], [7, 13, 20])).toEqual({
      first: 4,
      last: 14,
      lines: 8,
      gaps: [
        { first: 6, last: 8, missing: 2 },
        { first: 11, last: 11, missing: 1 },
      ],
      repeated: [5, 10],
    });
  });

  test('of another period fill a gap once, however many lines have one', () => {
    expect(certify([5, 6, 9], [7, 7]).gaps).toEqual([{ first: 7, last: 8, missing: 1 }]);
  });

  test('of a whole quarter have no gap', async () => {
    const { sequences } = await papersOf(months);
    const { firstSequence } = first.statement.summary;
    expect(sequences).toMatchObject({ first: firstSequence, gaps: [], repeated: [] });
    expect(sequences.lines).toBe(months.reduce((sum, { lines }) => sum + lines.length, 0));
  });
});

describe('an adjustment or a reversal', () => {
  const SOUND_LINE: StatementLine = {
    ...sampleLines(1, 'plain')[0]!,
    kind: 'ADJUSTMENT_CREDIT',
    amount: 47_310,
    credit: 47_310,
    debit: null,
    operationReference: 'GUI-CI-1',
    label: 'Annulation du double crédit',
    // This day is a Wednesday.
    localTime: '2026-10-14 10:00:00',
    createdAt: Date.UTC(2026, 9, 14, 10),
  };
  const flagsOf = (...lines: Partial<StatementLine>[]): readonly EntryFlag[] => {
    const tests = beginLineTests();
    for (const line of lines) testLine(tests, { ...SOUND_LINE, ...line });
    const [entry] = testEntries(tests, 99_999);
    return ENTRY_FLAGS.filter((flag) => (entry as Partial<Record<EntryFlag, unknown>>)[flag] === 1);
  };
  const undone = { credit: null, debit: 47_310, kind: 'ADJUSTMENT_DEBIT' };

  test.each<[EntryFlag | 'none', Partial<StatementLine>[]]>([
    ['none', [{}]],
    ['none', [{ localTime: '2026-10-14 06:00:00' }]],
    ['night', [{ localTime: '2026-10-14 05:59:59' }]],
    ['night', [{ localTime: '2026-10-14 22:00:00' }]],
    ['none', [{ localTime: '2026-10-16 21:59:59' }]],
    ['weekend', [{ localTime: '2026-10-17 10:00:00' }]],
    ['weekend', [{ localTime: '2026-10-18 10:00:00' }]],
    ['none', [{ amount: 9_000 }]],
    ['round', [{ amount: 10_000 }]],
    ['none', [{ amount: 101_000 }]],
    ['round', [{ amount: 110_000 }]],
    ['near', [{ amount: 99_999 }]],
    ['none', [{ amount: 100_001 }]],
    ['near', [{ amount: 90_001 }]],
    ['none', [{ amount: 89_999 }]],
    ['opposite', [{}, { ...undone, createdAt: SOUND_LINE.createdAt + 7 * DAY }]],
    ['none', [{}, { ...undone, createdAt: SOUND_LINE.createdAt + 7 * DAY + 1 }]],
    ['none', [{}, { createdAt: SOUND_LINE.createdAt + DAY }]],
    ['unreferenced', [{ operationReference: null }]],
    ['unexplained', [{ label: ' ' }]],
    ['unexplained', [{ label: null }]],
  ])('is flagged %s alone: %j', (flag, lines) => {
    expect(flagsOf(...lines)).toEqual(flag === 'none' ? [] : [flag]);
  });

  test('has its opposite found as fast where all are of one amount', () => {
    const tests = beginLineTests();
    for (let i = 0; i < 5_000; i++)
      testLine(tests, {
        ...SOUND_LINE,
        ...(i === 4_999 ? undone : {}),
        createdAt: SOUND_LINE.createdAt + i * HOUR,
      });
    const opposites = testEntries(tests, null).flatMap((entry, i) =>
      'opposite' in entry && entry.opposite === 1 ? [i] : [],
    );
    expect(opposites).toEqual([...Array.from({ length: 168 }, (_, i) => 4_831 + i), 4_999]);
  });

  test('is listed, and no other line is', async () => {
    const { entries, entryCount } = await papersOf(months);
    const corrections = months.flatMap(({ statement }) => statement.corrections.rows);
    expect(entries.map(({ sequence, effect }) => [sequence, effect])).toEqual(
      corrections.map(({ sequence, amount }) => [sequence, amount]),
    );
    expect(entryCount).toBe(corrections.length);
    expect(entryCount).toBeGreaterThan(10);
  });
});

describe('a cut-off test', () => {
  const AT = Date.UTC(2026, 10, 1);
  const line = (operationReference: string, createdAt: number, kind = 'CASHIN_CREDIT') =>
    ({ sequence: createdAt, kind, amount: 5, operationReference, createdAt }) as LedgerEntry;
  const operation = (completedAt: number, status: string, updatedAt = completedAt) =>
    ({ status, createdAt: completedAt - HOUR, completedAt, updatedAt }) as Operation;
  const tested = (lines: readonly LedgerEntry[], operations: Readonly<Record<string, Operation>>) =>
    testCutOff(lines, new Map(Object.entries(operations)), { bound: 'end', at: AT });

  test('names what succeeded on the other side of the bound, and how late', () => {
    const lines = [
      line('A', AT + 2 * MINUTE),
      line('B', AT + MINUTE),
      line('C', AT + MINUTE),
      line('D', AT - 1),
    ];
    const rows = tested(lines, {
      A: operation(AT - MINUTE, 'SUCCEEDED'),
      B: operation(AT + MINUTE, 'SUCCEEDED'),
      C: operation(AT - MINUTE, 'FAILED'),
    });
    expect(
      rows.map(({ side, crosses, toSuccess, toLine }) => [side, crosses, toSuccess, toLine]),
    ).toEqual([
      ['after', 1, 60, 3],
      ['after', null, 60, 0],
      ['after', null, null, null],
      ['before', null, null, null],
    ]);
  });

  test.each([
    ['its success and its reversal are both told', AT - HOUR, [null, null, null]],
    ['the reversal alone is told', AT + HOUR, [null, null, null]],
  ])('does not flag a lawful reversal after the bound: %s', (_, completedAt, crosses) => {
    const own = [
      line('A', AT - HOUR),
      line('A', AT - HOUR, 'CASHIN_FEE'),
      line('A', AT + HOUR, 'REVERSAL_DEBIT'),
    ];
    const rows = tested(own, { A: operation(completedAt, 'REVERSED', AT + HOUR) });
    expect(rows.map((row) => row.crosses)).toEqual(crosses);
  });

  test('flags a reversal whose line is dated on the other side than the reversal', () => {
    const own = [
      line('A', AT - HOUR),
      line('A', AT - MINUTE, 'REVERSAL_DEBIT'),
      line('B', AT + HOUR),
    ];
    const rows = tested(own, {
      A: operation(AT - HOUR, 'REVERSED', AT + HOUR),
      B: operation(AT - HOUR, 'REVERSED', AT + 2 * HOUR),
    });
    expect(rows.map((row) => row.crosses)).toEqual([null, 1, 1]);
  });

  test('takes every line of the last twenty operations before the bound, and of the first twenty after', () => {
    const lines = months.flatMap((month) => month.lines).filter(({ isMemo }) => !isMemo);
    const at = first.statement.period.end;
    const near = linesAbout(lines as readonly object[] as readonly LedgerEntry[], at);
    const operationsOf = (
      some: readonly { readonly operationReference: string | null; readonly sequence: number }[],
    ) => [...new Set(some.map((one) => one.operationReference ?? one.sequence))];
    const [before, after] = [
      lines.filter((one) => one.createdAt < at),
      lines.filter((one) => one.createdAt >= at),
    ];
    const isBefore = ({ createdAt }: { readonly createdAt: number }): boolean => createdAt < at;
    expect(operationsOf(near.filter(isBefore))).toEqual(operationsOf(before).slice(-20));
    expect(operationsOf(near.filter((one) => !isBefore(one)))).toEqual(
      operationsOf(after).slice(0, 20),
    );
    expect(near.length).toBeGreaterThan(40);
  });
});

describe('months against months', () => {
  test('have the figures of their statements, and of the month before where it is known', async () => {
    const { months: compared } = await papersOf(months);
    expect(compared.map(({ month }) => month)).toEqual(['2026-09', '2026-10', '2026-11']);
    expect(compared.map(({ monthBefore, yearBefore }) => [monthBefore, yearBefore])).toEqual([
      [null, null],
      [first.statement.summary.totalAmount, null],
      [compared[1]!.collected, null],
    ]);
    const [{ feeRate, collected, count, fees, mean }] = compared as [(typeof compared)[0]];
    expect(feeRate).toBe(Math.round((fees / collected) * 10_000));
    expect(Math.abs(mean * count - collected)).toBeLessThanOrEqual(count);
  });
});

describe('the accounts of several months', () => {
  const accounts = sumAccounts(months.map(({ statement }) => statement));

  test('go from the first opening of the wallet to what is recorded at the end, and balance', () => {
    const wallet = accounts.find(
      ({ account }) => account === first.statement.journal.wallet.account,
    )!;
    expect(wallet.opening).toBe(first.statement.journal.wallet.opening);
    expect(wallet.balance).toBe(last.statement.due.recorded.balance);
    const sum = (pick: (one: (typeof accounts)[0]) => number) =>
      accounts.reduce((all, one) => all + pick(one), 0);
    expect(sum(({ debit }) => debit)).toBe(sum(({ credit }) => credit));
    expect(sum(({ balance }) => balance)).toBe(wallet.opening);
  });

  test('have the debits and credits of the months', () => {
    for (const { account, debit, credit } of accounts) {
      const own = months.flatMap(({ statement }) =>
        statement.journal.accounts.filter((one) => one.account === account),
      );
      expect([debit, credit]).toEqual([
        own.reduce((all, one) => all + one.debit, 0),
        own.reduce((all, one) => all + one.credit, 0),
      ]);
    }
    expect(accounts.length).toBeGreaterThan(3);
  });
});

test('uncorrected misstatements are the open items of the last month with their age, and sum to recorded less due', () => {
  const uncorrected = uncorrectedOf(last.statement);
  const { recorded, due } = last.statement.due;
  expect(uncorrected.length).toBeGreaterThan(0);
  expect(uncorrected.reduce((sum, { balance }) => sum + balance, 0)).toBe(
    recorded.balance - due!.balance,
  );
  for (const { at, age } of uncorrected) {
    const days = (last.statement.period.end - at!) / DAY;
    expect(age! <= days && age! > days - 1).toBe(true);
  }
});
