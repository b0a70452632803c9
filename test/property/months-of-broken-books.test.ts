// Books with several things wrong at once, whatever they are. Each month is stated without failing,
// its tables prove themselves, and its état de rapprochement leads from the recorded to the
// recomputed figure.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { assertProperty } from '../support/assert-property.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  faults: fc.array(fc.constantFrom(...FAULTS), { minLength: 2, maxLength: 12 }),
  /** Lines whose dates are moved: each by its rank in ten thousand, with the hours. */
  moved: fc.array(fc.tuple(fc.nat(9_999), fc.integer({ min: -900, max: 900 })), { maxLength: 6 }),
});

test('months of books with many faults', { timeout: 120_000 }, async () => {
  await assertProperty(
    fc.asyncProperty(worlds, async ({ seed, policy, faults, moved }) => {
      const plan = planMerchant({
        reference: 'CHAOS',
        policy,
        opensAt: Date.UTC(2026, 8, 20),
        traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.1 },
      });
      const sound = simulateBooks(plan, { seed, until: plan.opensAt + 50 * DAY });
      const planted = faults.reduce<Books>(
        (books, fault) => fault.plant(books, seedRandom(seed + fault.name))?.books ?? books,
        sound,
      );
      const decoded = decodeBooks(planted);
      const entries = [...decoded.entries];
      for (const [rank, hours] of moved) {
        const i = Math.floor((rank * entries.length) / 10_000);
        entries[i] = { ...entries[i]!, createdAt: entries[i]!.createdAt + hours * 3_600_000 };
      }
      const books = { ...decoded, entries };
      const report = auditBooks(books);
      let closing: readonly number[] | null = null;
      let confirmed: number | null = null;
      for (const period of ['2026-08', '2026-09', '2026-10']) {
        const { statement, lines } = await stateBooks(books, { period, report });
        const { summary, reconciliation } = statement;
        const opening = [summary.openingBalance, summary.openingReserved];
        expect(opening).toEqual(closing ?? opening);
        closing = [summary.closingBalance, summary.closingReserved];
        expect(lines.length).toBe(summary.entryCount);
        expect([lines.at(-1)?.balance ?? opening[0], lines.at(-1)?.reserved ?? opening[1]]).toEqual(
          closing,
        );
        for (const side of [reconciliation.balance, reconciliation.reserved]) {
          const named = side.items.reduce((sum, item) => sum + item.amount, 0);
          expect(
            side.recorded -
              side.crossing -
              side.carriedForward.amount -
              named -
              side.others.amount -
              side.remainder,
          ).toBe(side.recomputed);
          expect(side.remainder).toBe(0);
        }
        const { wallet, others } = statement.journal;
        expect(wallet.opening).toBe(confirmed ?? wallet.opening);
        expect(wallet.closing).toBe(reconciliation.balance.recorded);
        confirmed = wallet.closing;
        const entries = [...lines.flatMap((line) => line.entry ?? []), ...others];
        expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
        for (const { rows } of entries) {
          expect(rows.reduce((sum, row) => sum + row.debit - row.credit, 0)).toBe(0);
          expect(rows.every((row) => row.debit > 0 !== row.credit > 0)).toBe(true);
        }
      }
    }),
    { runs: 6 },
  );
});
