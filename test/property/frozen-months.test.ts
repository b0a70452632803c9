// A month that is over stays as it was stated. Whatever happens in the service afterwards, the same
// month read again has the same content, down to the hash. Only a late line makes another revision.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { assertProperty } from '../support/assert-property.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  operationsPerDay: fc.integer({ min: 3, max: 14 }),
  reversalRate: fc.constantFrom(0.05, 0.3),
  /** Days after the month's end at which it is read a second time. */
  later: fc.integer({ min: 1, max: 60 }),
});

const NOVEMBER = Date.UTC(2026, 10, 1);

test('a month read again later has the same content, and stays the same revision', {
  timeout: 60_000,
}, async () => {
  await assertProperty(
    fc.asyncProperty(worlds, async ({ seed, policy, operationsPerDay, reversalRate, later }) => {
      const plan = planMerchant({
        reference: 'FIGE',
        policy,
        opensAt: Date.UTC(2026, 8, 25),
        traffic: { ...ORDINARY_TRAFFIC, operationsPerDay, reversalRate, cashoutShare: 0.4 },
      });
      const readAt = (until: number) => decodeBooks(simulateBooks(plan, { seed, until }));
      // The month is first read at its very end, when its last operations are still open.
      const first = await stateBooks(readAt(NOVEMBER), { period: '2026-10' });
      const books = readAt(NOVEMBER + later * DAY);
      const again = await stateBooks(books, { period: '2026-10', issued: first.statement });
      expect(again.statement.summary).toEqual(first.statement.summary);
      expect(again.statement.integrity).toEqual(first.statement.integrity);
      expect([again.statement.revision, again.statement.generatedAt]).toEqual([
        { number: 1, previous: null, changes: [], entries: null },
        first.statement.generatedAt,
      ]);
      expect(again.lines).toEqual(first.lines);
    }),
    { runs: 2 },
  );
});

test('any figure of any line that changes, changes the hashes', { timeout: 60_000 }, async () => {
  const plan = planMerchant({ reference: 'FIGE', opensAt: Date.UTC(2026, 8, 25) });
  const books = decodeBooks(simulateBooks(plan, { seed: 'frozen', until: NOVEMBER + DAY }));
  const report = auditBooks(books);
  const { statement } = await stateBooks(books, { period: '2026-10', report });
  const inMonth = books.entries.findIndex((entry) => entry.createdAt > Date.UTC(2026, 9, 10));
  const changes = [
    { id: 'another' },
    { createdAt: books.entries[inMonth]!.createdAt + 1 },
    { operationReference: 'GUI-CI-OTHER' },
    { currency: 'XAF' },
    { balanceAfter: books.entries[inMonth]!.balanceAfter + 1 },
    { reservedAfter: books.entries[inMonth]!.reservedAfter + 1 },
  ];
  for (const change of changes) {
    const entries = books.entries.with(inMonth, { ...books.entries[inMonth]!, ...change });
    const changed = await stateBooks(
      { ...books, entries },
      { period: '2026-10', report, issued: statement },
    );
    expect(changed.statement.integrity.chainHead, JSON.stringify(change)).not.toBe(
      statement.integrity.chainHead,
    );
    expect(changed.statement.integrity.contentHash).not.toBe(statement.integrity.contentHash);
    expect(changed.statement.revision).toMatchObject({ number: 2, previous: { number: 1 } });
    expect(changed.statement.revision.changes.length).toBeGreaterThan(0);
  }
  const described = books.entries.with(inMonth, {
    ...books.entries[inMonth]!,
    description: 'other words',
  });
  const same = await stateBooks({ ...books, entries: described }, { period: '2026-10', report });
  expect(same.statement.integrity).toEqual(statement.integrity);
});
