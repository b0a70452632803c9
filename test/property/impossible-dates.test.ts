// Sound books in which one line, or a few in a row, have a date of the future, the past, the month
// after, the month before or the year before. Each month records what the service recorded after
// the month's last line by sequence, and says that a date is wrong where the date would have
// changed the month. Books whose dates are a little out of step are clean.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { assertProperty } from '../support/assert-property.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks, recordedAt } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const MONTHS = ['2026-08', '2026-09', '2026-10'];
const SHIFTS = {
  future: 1_800 * DAY,
  past: -1_800 * DAY,
  'month after': 30 * DAY,
  'month before': -30 * DAY,
  'year before': -365 * DAY,
};
type Shift = keyof typeof SHIFTS;

function soundBooks(i: number): DecodedBooks {
  const plan = planMerchant({
    reference: 'DATES',
    policy: LAWFUL_POLICIES[i % LAWFUL_POLICIES.length]!,
    opensAt: Date.UTC(2026, 7, 12),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 3, reversalRate: 0.1 },
  });
  const books = simulateBooks(plan, {
    seed: `${TEST_SEED}/${i}`,
    until: Date.UTC(2026, 10, 1) - 8 * HOUR,
  });
  return { ...decodeBooks(books), asOf: Date.UTC(2026, 10, 2) };
}

function shifted(
  books: DecodedBooks,
  { from, count, by }: { readonly from: number; readonly count: number; readonly by: number },
): DecodedBooks {
  const entries = books.entries.map((line, i) =>
    i >= from && i < from + count ? { ...line, createdAt: line.createdAt + by } : line,
  );
  return { ...books, entries };
}

/**
 * Returns, for each month, whether the recorded figure is that of its last line by sequence, and
 * what the month says of its dates.
 */
async function statedOf(books: DecodedBooks, sound: DecodedBooks) {
  const report = auditBooks(books);
  return Promise.all(
    MONTHS.map(async (period) => {
      const { statement } = await stateBooks(books, { period, report });
      const { summary, findings, due, journal } = statement;
      const { balance, reserved } = recordedAt(books, sound, statement.period.end);
      expect(journal.wallet.closing).toBe(due.recorded.balance);
      return {
        period,
        summary,
        isRecorded: summary.recorded.balance === balance && summary.recorded.reserved === reserved,
        impossible: findings.rows.filter(
          ({ kind, when }) => kind === 'ENTRY_TIME_IMPOSSIBLE' && when === 'month',
        ),
      };
    }),
  );
}

describe(`impossible dates (TEST_SEED=${TEST_SEED})`, () => {
  const shops = [0, 101, 202, 303].map(soundBooks);
  const shifts = Object.keys(SHIFTS) as readonly Shift[];

  test('one line, wherever it is, leaves every month at what the service recorded', {
    timeout: 120_000,
  }, async () => {
    const worlds = fc.record({
      shop: fc.nat(shops.length - 1),
      rank: fc.nat(9_999),
      shift: fc.constantFrom(...shifts),
    });
    await assertProperty(
      fc.asyncProperty(worlds, async ({ shop, rank, shift }) => {
        const sound = shops[shop]!;
        const from = Math.floor((rank * sound.entries.length) / 10_000);
        const books = shifted(sound, { from, count: 1, by: SHIFTS[shift] });
        const stated = await statedOf(books, sound);
        const monthOf = (i: number, { entries }: DecodedBooks) =>
          new Date(entries[i]!.createdAt).toISOString().slice(0, 7);
        const month = monthOf(Math.abs(from - 1), sound);
        const after = monthOf(Math.min(from + 1, sound.entries.length - 1), sound);
        const severity = monthOf(from, books) === month && after === month ? 'warning' : 'error';
        for (const { period, isRecorded, summary, impossible } of stated) {
          expect(isRecorded || summary.verdict.state === 'broken', period).toBe(true);
          // No line stands before the first one to show that it came long before the second.
          if (from === 0 && SHIFTS[shift] < 0) continue;
          expect(summary.verdict.state, period).toBe(
            severity === 'error' && period >= month ? 'broken' : 'clean',
          );
          expect(
            impossible.map((row) => row.severity),
            period,
          ).toEqual(period === month ? [severity] : []);
        }
      }),
      { runs: 6 },
    );
  });

  test('several in a row, under every policy, leave no month clean that records another figure', {
    timeout: 300_000,
  }, async () => {
    const step = process.env.TEST_POLICIES === 'all' ? 1 : 41;
    for (let i = 0; i < LAWFUL_POLICIES.length; i += step) {
      const sound = soundBooks(i);
      const count = 1 + (i % 30);
      const from = (i * 7_919) % sound.entries.length;
      for (const shift of [shifts[i % shifts.length]!, shifts[(i + 2) % shifts.length]!]) {
        const context = `${namePolicy(LAWFUL_POLICIES[i]!)} ${shift} ${from}+${count}`;
        const stated = await statedOf(shifted(sound, { from, count, by: SHIFTS[shift] }), sound);
        for (const { period, isRecorded, summary } of stated)
          expect(isRecorded || summary.verdict.state !== 'clean', `${context} ${period}`).toBe(
            true,
          );
      }
    }
  });

  test('a little out of step they are lawful, at the bounds of months too', {
    timeout: 60_000,
  }, async () => {
    for (const sound of shops) {
      const entries = sound.entries.map((line, i) => ({
        ...line,
        createdAt: line.createdAt + ((i * 37) % 11) * HOUR,
      }));
      const books = { ...sound, entries, operations: sound.operations };
      expect(
        auditBooks(books).findings.filter(({ kind }) => kind === 'ENTRY_TIME_IMPOSSIBLE'),
      ).toEqual([]);
      for (const { isRecorded, impossible } of await statedOf(books, books)) {
        expect(isRecorded).toBe(true);
        expect(impossible).toEqual([]);
      }
    }
  });
});
