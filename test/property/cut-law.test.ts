// The law of the cut: what is said of October does not depend on what November posts. `state(books,
// M) = state(books cut at the end of M, M)` in verdict, kinds, places, items, due and recorded; and
// the audit as of the end says what the statement says.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PLAIN_POLICY } from '../../src/sandbox/model/policy.ts';
import { assertProperty } from '../support/assert-property.ts';
import { judgeAtCut, saidBy, stateBooks } from '../support/month-of-books.ts';
import {
  interpretationsOf,
  naiveBooksUntold,
  saidByEngine,
  saidByNaive,
} from '../support/naive-comparison.ts';
import type { DecodedBooks } from '../support/sandbox-books.ts';
import { END, READ_AT, straddlingBooks, straddlingWorlds } from '../support/straddling-books.ts';

async function stateOf(books: DecodedBooks) {
  return saidBy((await stateBooks(books, { period: '2026-10' })).statement);
}

test('nothing that November posts changes what is said of October', async () => {
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, async (world) => {
      const { books, cut } = straddlingBooks(world);
      expect(await stateOf(books)).toEqual(await stateOf(cut));
    }),
    { runs: 150 },
  );
}, 300_000);

test('the audit as of the end of October says what its statement says', async () => {
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, async (world) => {
      const { books } = straddlingBooks(world);
      const { statement } = await stateBooks(books, { period: '2026-10' });
      const { report } = judgeAtCut(books, {
        end: END,
        closed: [],
        withWallet: true,
        opening: null,
      });
      expect(report.verdict).toBe(statement.summary.verdict.state);
      expect([report.recorded.balance, report.recorded.reserved].map(Number)).toEqual([
        statement.due.recorded.balance,
        statement.due.recorded.reserved,
      ]);
      expect([report.due!.balance, report.due!.reserved].map(Number)).toEqual([
        statement.due.due!.balance,
        statement.due.due!.reserved,
      ]);
      expect(report.due!.unexplained).toEqual({ balance: '0', reserved: '0' });
    }),
    { runs: 100 },
  );
}, 300_000);

const IS_LATE = /^(OPERATION_OVERDUE|HOLD_PAST_EXPIRY) /;

test('the naive model, given the books as they were, finds what is open at the cut of what they became', async () => {
  await assertProperty(
    fc.asyncProperty(straddlingWorlds, async (world) => {
      const { books, cut } = straddlingBooks(world);
      const { report, cut: at } = judgeAtCut(books, {
        end: END,
        closed: [],
        withWallet: false,
        opening: null,
      });
      const saidAt = (asOf: number) =>
        saidByNaive({ ...naiveBooksUntold(cut), asOf }, interpretationsOf(report));
      // What is late must be late by the end. Lines that are on their way are dated after the end.
      const naive = [
        ...saidAt(READ_AT).filter((said) => !IS_LATE.test(said)),
        ...saidAt(END).filter((said) => IS_LATE.test(said)),
      ].sort();
      // Recorded figures are those up to the head. Lines that November posted between leave their
      // numbers free in the books of October.
      const isOfFigures = (said: string): boolean =>
        /^\w+_(NEGATIVE|DRIFT|AVAILABLE) /.test(said) &&
        Number(said.split(' ')[1]) > (at.head ?? 0);
      const ofBooks = (said: string): boolean =>
        !/^(TOTAL_|WALLET_|OPEN_HOLDS|SEQUENCE_GAP)/.test(said) && !isOfFigures(said);
      // The model does not know what was late and is right by now. Of that, the engine keeps what
      // was put right.
      const settled = new Set(
        report.findings.flatMap((one) => (one.settledBy === null ? [] : [one.fingerprint])),
      );
      const open = report.findings.filter((one) => !settled.has(one.causedBy ?? one.fingerprint));
      expect(naive).toEqual(
        expect.arrayContaining(saidByEngine({ ...report, findings: open }).filter(ofBooks)),
      );
      expect(saidByEngine(report)).toEqual(expect.arrayContaining(naive.filter(ofBooks)));
    }),
    { runs: 100 },
  );
}, 300_000);

test('a wallet that has not moved since the cut is judged with it, and what it states is explained', () => {
  const right = { how: 'right', late: 0, later: 0 } as const;
  const odd = {
    type: 'CASHIN',
    ending: 'SUCCEEDED',
    thousands: 5,
    endsAt: 0,
    lasts: 60_000,
    reversedAfter: 0,
  } as const;
  const wish = { ...odd, isOneDate: false, touchedAfter: 0, settling: right, reversal: right };
  const { books } = straddlingBooks({ policy: PLAIN_POLICY, sound: 3, odd: [wish] });
  const { balance, available } = books.wallet;
  const off = {
    ...books,
    wallet: { ...books.wallet, balance: balance + 47, available: available + 47 },
  };
  const end = books.wallet.updatedAt + 1;
  const { report } = judgeAtCut(off, { end, closed: [], withWallet: true, opening: null });
  expect(report.findings.map(({ kind }) => kind)).toContain('WALLET_BALANCE_MISMATCH');
  const unexplained = { balance: '0', reserved: '0' };
  expect([report.recorded.balance, report.due!.balance]).toEqual([
    String(balance + 47),
    String(balance),
  ]);
  expect([report.unexplained, report.due!.unexplained]).toEqual([unexplained, unexplained]);
});
