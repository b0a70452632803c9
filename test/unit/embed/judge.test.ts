// A program's own rows are judged as an audit judges them, from memory and from streams.

import { describe, expect, test } from 'vitest';
import { DAY } from '../../../src/core/domain/instant.ts';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { FAULTS } from '../../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../../src/sandbox/model/random.ts';
import { judge, judgeStreams } from '../../../src/service/embed/judge.ts';
import { decodeBooks, settingsOf } from '../../support/sandbox-books.ts';
import { simulateBooks } from '../../support/simulate-books.ts';

const plan = planMerchant({
  ...{ reference: 'EMBED', policy: LAWFUL_POLICIES[0]!, opensAt: Date.UTC(2026, 8, 1) },
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 12, reversalRate: 0.1 },
});
const sound = simulateBooks(plan, { seed: 'embed', until: plan.opensAt + 16 * DAY });

const given = ({ merchant, wallet, entries, operations }: Books) => ({
  ...{ merchant: 'EMBED', profile: merchant, wallet },
  ...{ lines: entries, operations },
});

function audited(books: Books) {
  const decoded = decodeBooks(books);
  const { entries, operations, wallet } = decoded;
  const small = { entries, operations, wallet, rejected: [], absent: [] };
  return reconcileInMemory(small, { ...settingsOf(decoded), adjustedAt: null });
}

/** Returns the rows in the order in which a source serves them, because a stream takes them so. */
const ascending = <Row>(rows: readonly Row[], by: (row: Row) => number | string) =>
  rows.toSorted((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0));

test('books with any fault are judged as an audit judges them, from memory and from streams', async () => {
  let judged = 0;
  for (const fault of FAULTS) {
    const books = fault.plant(sound, seedRandom(fault.name))?.books;
    if (books === undefined) continue;
    judged += 1;
    const terms = { asOf: books.asOf };
    const report = judge(given(books), terms);
    const { notChecked: _, ...wanted } = audited(books);
    expect(report, fault.name).toMatchObject(wanted);
    const { lines, operations, ...stated } = given(books);
    const streamed = await judgeStreams(
      {
        ...stated,
        lines: () => ascending(lines, ({ sequence }) => sequence),
        operations: async function* () {
          yield* ascending(operations, ({ createdAt }) => Date.parse(createdAt));
        },
      },
      terms,
    );
    expect(streamed, fault.name).toEqual(report);
  }
  expect(judged).toBeGreaterThan(60);
});

test('sound books are clean, and the report names what was not compared', () => {
  const report = judge(given(sound), { asOf: sound.asOf });
  expect(report).toMatchObject({ verdict: 'clean', findings: [] });
  expect(report.notChecked.map(({ what, incomplete }) => [what, incomplete])).toEqual(
    ['reports', 'payments', 'payouts', 'events', 'history'].map((what) => [what, false]),
  );
});

test('what is not given makes the verdict incomplete, and is named', () => {
  const { lines } = given(sound);
  const report = judge({ merchant: 'EMBED', lines }, { asOf: sound.asOf });
  expect(report.verdict).toBe('incomplete');
  expect(report.notChecked.filter(({ incomplete }) => incomplete).map(({ what }) => what)).toEqual(
    expect.arrayContaining(['merchant', 'wallet', 'operations']),
  );
});

test('a row that cannot be read is a finding that names its place, and hides no other', async () => {
  const { lines, ...rest } = given(sound);
  const damaged = lines.with(5, { ...lines[5]!, amount: 12.5 } as never);
  const report = judge({ ...rest, lines: damaged }, { asOf: sound.asOf });
  const refused = report.findings.find(({ kind }) => kind === 'INPUT_REJECTED');
  expect(refused?.message).toContain('ledger[5]');
  expect(report.verdict).toBe('incomplete');
  const streams = { ...rest, operations: () => rest.operations, lines: () => damaged };
  const streamed = await judgeStreams(streams, { asOf: sound.asOf });
  expect(streamed.findings).toEqual(report.findings);
});

test('a row that JSON has no form for is refused like any other', () => {
  const { lines, ...rest } = given(sound);
  const odd: Record<string, unknown> = { ...lines[0]!, amount: 5.5 };
  odd.self = odd;
  const extra = { ...lines[0]!, amount: 5.5, extra: 5n };
  for (const row of [odd, extra, undefined, () => 5, Symbol('row')]) {
    const report = judge({ ...rest, lines: [...lines, row] }, { asOf: sound.asOf });
    const refused = report.findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
    expect(refused).toHaveLength(1);
  }
});

describe('a call that makes no sense throws', () => {
  test('where its instant is none', async () => {
    const books = { merchant: 'A', lines: [] };
    expect(() => judge(books, { asOf: '2026-11-15' })).toThrow(/asOf must be an instant like/);
    expect(() => judge(books, { asOf: Number.NaN })).toThrow(TypeError);
    const streams = judgeStreams({ merchant: 'A', lines: () => [] }, { asOf: 'soon' });
    await expect(streams).rejects.toThrow(TypeError);
  });

  test('where streamed rows are out of order', async () => {
    const { lines, operations, ...stated } = given(sound);
    const streams = { ...stated, operations: () => operations, lines: () => lines.toReversed() };
    await expect(judgeStreams(streams, { asOf: sound.asOf })).rejects.toThrow(
      /^ledger: rows must ascend by sequence, and \d+ comes after \d+$/,
    );
  });
});
