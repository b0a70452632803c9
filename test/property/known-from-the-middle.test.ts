// A ledger that is known only from some line on, with its opening declared, is judged from there as
// in the whole books. Of a ledger without a line only what its wallet says is said.

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { hasSettled, type Operation } from '../../src/core/domain/operation.ts';
import { StatementRefused } from '../../src/core/statements/exact.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import {
  type Fault,
  ORDINARY_TRAFFIC,
  planMerchant,
  totalsOf,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { assertProperty, runsOf } from '../support/assert-property.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12'] as const;

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  operationsPerDay: fc.integer({ min: 1, max: 6 }),
  reversalRate: fc.constantFrom(0, 0.1),
  /** Where the first known line lies, as a share of all lines. */
  part: fc.double({ min: 0.01, max: 0.95, noNaN: true }),
  /** Whether earlier operations are still served. */
  servesEarlier: fc.boolean(),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/**
 * Returns the whole books, with the fault, and the same books from a line on; `null`: the fault has
 * no place in them, or does not lie after the cut alone.
 */
function cutWorld(
  { seed, policy, part, servesEarlier, ...traffic }: World,
  fault: Fault | null = null,
) {
  const plan = planMerchant({
    reference: 'REPRIS',
    country: 'CI',
    policy,
    opensAt: Date.UTC(2026, 8, 3),
    traffic: { ...ORDINARY_TRAFFIC, ...traffic, cashoutShare: 0.4 },
  });
  const sound = simulateBooks(plan, { seed, until: Date.UTC(2027, 0, 4) });
  const served = fault === null ? sound : fault.plant(sound, seedRandom(seed))?.books;
  if (served === undefined) return null;
  const whole = decodeBooks(served);
  const entries = whole.entries.toSorted((a, b) => a.sequence - b.sequence);
  const at = Math.max(1, Math.floor(entries.length * part));
  const [before, first] = [entries[at - 1], entries[at]];
  if (before === undefined || first === undefined) return null;
  const places = new Map(entries.map(({ operationReference }, i) => [operationReference, i]));
  // A line may be posted a moment before the operation says that it ended.
  const isEarlier = ({ reference, completedAt }: Operation): boolean =>
    (places.get(reference) ?? 0) < at && completedAt !== null && completedAt < first.createdAt;
  const beforeIn = (books: DecodedBooks) => {
    const lines = books.entries.filter(({ sequence }) => sequence <= before.sequence);
    const references = new Set(lines.map(({ operationReference }) => operationReference));
    const isBegun = (one: Operation) =>
      one.createdAt < first.createdAt || references.has(one.reference);
    return { lines, operations: books.operations.filter(isBegun) };
  };
  if (fault !== null && !isDeepStrictEqual(beforeIn(decodeBooks(sound)), beforeIn(whole)))
    return null;
  // The totals count what had ended when the first known line was posted.
  const earlier = served.operations.filter(
    ({ status, completedAt }) =>
      hasSettled(status as Operation['status']) &&
      completedAt !== null &&
      Date.parse(completedAt) < first.createdAt,
  );
  const opening = {
    balance: before.balanceAfter,
    reserved: before.reservedAfter,
    ...totalsOf(earlier, policy),
  };
  const operations = whole.operations.filter((operation) => servesEarlier || !isEarlier(operation));
  return { whole, cut: { ...whole, entries: entries.slice(at), operations }, opening, first };
}

const rootsIn = ({ findings }: AuditReport) =>
  findings
    .filter(({ severity }) => severity !== 'info')
    .map(({ kind, sequence, operationReference }) => `${kind} ${sequence} ${operationReference}`);

async function saysOf(
  books: DecodedBooks,
  opening: NonNullable<ReturnType<typeof cutWorld>>['opening'] | null,
) {
  const said: Record<string, string | number> = {};
  for (const period of MONTHS) {
    try {
      const { statement } = await stateBooks(books, { period, month: { opening } });
      const { summary } = statement;
      const { openingBalance, closingBalance, closingReserved, due } = summary;
      said[period] = [
        summary.verdict.state,
        openingBalance,
        closingBalance,
        closingReserved,
        due?.balance,
      ].join(' ');
    } catch (failure) {
      if (!(failure instanceof StatementRefused)) throw failure;
      said[period] = failure.code;
    }
  }
  return said;
}

/** Faults without those in which lines or operations before the cut have a part. */
const PLANTED = FAULTS.filter(
  ({ name }) =>
    !/^(ENTRY_ID_REUSED|DAILY_CASHOUT_LIMIT_EXCEEDED|OPERATED_WHILE_BLOCKED|PRICING_CHANGED|RELEASE_EXCEEDS_HOLD)/.test(
      name,
    ),
);

test('wherever the first known line is, faults behind it are judged as in the whole books, and what is before it is not stated', {
  timeout: 120_000,
}, async () => {
  let faulty = 0;
  await assertProperty(
    fc.asyncProperty(worlds, fc.constantFrom(null, ...PLANTED), async (world, fault) => {
      const made = cutWorld(world, fault);
      if (made === null) return;
      const { whole, cut, opening, first } = made;
      const [judged, report] = [auditBooks(whole), auditBooks(cut, opening)];
      faulty += judged.verdict === 'broken' ? 1 : 0;
      expect(rootsIn(report)).toEqual(rootsIn(judged));
      expect(report.due).toEqual(judged.due);
      const { balance, reserved, available } = judged.recomputed;
      // Only totals that are right show how totals are counted.
      expect(report.recomputed).toMatchObject(
        fault === null ? judged.recomputed : { balance, reserved, available },
      );
      const [all, some] = [await saysOf(whole, null), await saysOf(cut, opening)];
      const beginning = new Date(first.createdAt).toISOString().slice(0, 7);
      for (const period of MONTHS) {
        const state = String(all[period]).startsWith('broken ') ? 'broken' : 'incomplete';
        if (period < beginning) expect(some[period]).toBe('BEFORE_FIRST_LINE');
        else if (period === beginning) expect(some[period]).toMatch(new RegExp(`^${state} `));
        else expect([period, some[period]]).toEqual([period, all[period]]);
      }
    }),
    { runs: 60, endOnFailure: true },
  );
  expect(faulty).toBeGreaterThan(runsOf(10));
});

test('a total that was declared wrongly is found, and one that was not declared is not compared', async () => {
  await assertProperty(
    fc.property(
      worlds,
      fc.constantFrom('totalCollected', 'totalDisbursed', 'totalFees'),
      (world, total) => {
        const made = cutWorld(world);
        if (made === null) return;
        const { cut, opening } = made;
        const kinds = (declared: Parameters<typeof auditBooks>[1]) =>
          auditBooks(cut, declared).findings.map(({ kind }) => kind);
        const wrong = kinds({ ...opening, [total]: opening[total] + 1 });
        expect(wrong.filter((kind) => kind.startsWith('TOTAL_'))).toHaveLength(1);
        const { balance, reserved } = opening;
        const report = auditBooks(cut, { balance, reserved });
        expect(report.findings.filter(({ kind }) => kind.startsWith('TOTAL_'))).toEqual([]);
        expect(report.notChecked).toContainEqual(
          expect.objectContaining({ code: 'OPENING_WITHOUT_TOTALS', incomplete: false }),
        );
        expect(report.recomputed[total]).toBeNull();
      },
    ),
    { runs: 12 },
  );
});

const figures = fc.constantFrom(0, 0, 0, 1, 500, -3);

test('a ledger without a line is clean exactly where its wallet has nothing, and its months are stated so', async () => {
  const wallets = fc.record({
    balance: figures,
    reserved: figures,
    totalCollected: figures,
    status: fc.constantFrom('ACTIVE', 'FROZEN', 'CLOSED'),
    isThere: fc.boolean(),
  });
  const { whole } = cutWorld({
    seed: 'néant',
    policy: LAWFUL_POLICIES[0]!,
    operationsPerDay: 1,
    reversalRate: 0,
    part: 0.5,
    servesEarlier: true,
  })!;
  await assertProperty(
    fc.asyncProperty(wallets, async ({ balance, reserved, totalCollected, status, isThere }) => {
      const totals = { totalCollected, totalDisbursed: 0, totalFees: 0 };
      const wallet = {
        ...whole.wallet,
        balance,
        reserved,
        available: balance - reserved,
        ...totals,
        status,
      };
      const books = {
        ...whole,
        entries: [],
        operations: [],
        payments: [],
        reports: [],
        notifications: [],
        wallet,
      } as DecodedBooks;
      const hasNothing = balance === 0 && reserved === 0;
      const report = auditBooks(books);
      expect(report.verdict).toBe(hasNothing && totalCollected === 0 ? 'clean' : 'broken');
      expect(report.due?.balance).toBe(hasNothing ? '0' : undefined);
      const stated = stateBooks(isThere ? books : { ...books, wallet: { ...wallet, balance: 7 } }, {
        period: '2026-10',
      });
      if (hasNothing && isThere)
        expect((await stated).statement.summary).toMatchObject({
          closingBalance: 0,
          due: { balance: 0 },
          verdict: { state: 'clean' },
        });
      else await expect(stated).rejects.toMatchObject({ code: 'NOTHING_READ' });
    }),
    { runs: 40 },
  );
});
