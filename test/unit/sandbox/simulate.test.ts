import { expect, test } from 'vitest';
import {
  type MerchantPlan,
  ORDINARY_TRAFFIC,
  planMerchant,
} from '../../../src/sandbox/model/plan.ts';
import { drawInteger, seedRandom } from '../../../src/sandbox/model/random.ts';
import { advance, booksOf, openSimulation } from '../../../src/sandbox/simulation/simulate.ts';
import { takeSettled } from '../../support/sandbox-bundle.ts';
import { simulateBooks } from '../../support/simulate-books.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const plan = planMerchant({
  reference: 'M1',
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 30, sequenceGapRate: 0.02, reversalRate: 0.05 },
  priceChange: {
    at: Date.UTC(2026, 7, 11),
    pricing: { cashinFeeBps: 210, cashinFeeFlat: 10, cashoutFeeBps: 90, cashoutFeeFlat: 40 },
  },
});
const until = plan.opensAt + 25 * DAY;

test('the same seed gives the same bytes; another seed or another merchant gives other books', () => {
  const bytes = (which: MerchantPlan, seed: string) =>
    JSON.stringify(simulateBooks(which, { seed, until }));
  expect(bytes(plan, 'one')).toBe(bytes(plan, 'one'));
  expect(bytes(plan, 'one')).not.toBe(bytes(plan, 'two'));
  const other = simulateBooks({ ...plan, reference: 'M2' }, { seed: 'one', until });
  const ids = new Set(simulateBooks(plan, { seed: 'one', until }).entries.map((line) => line.id));
  expect(other.entries.filter((line) => ids.has(line.id))).toEqual([]);
});

test('advancing in many steps of any length gives what one step gives', () => {
  const whole = simulateBooks(plan, { seed: 'steps', until });
  const random = seedRandom('lengths');
  const simulation = openSimulation(plan, 'steps');
  while (simulation.now < until) {
    const longest = drawInteger(random, { from: 0, to: 1 }) === 0 ? 3_000 : 20 * HOUR;
    const step = drawInteger(random, { from: 0, to: longest });
    advance(simulation, Math.min(until, Math.max(simulation.now, plan.opensAt) + step));
  }
  expect(JSON.stringify(booksOf(simulation))).toBe(JSON.stringify(whole));
});

test('taking away what is settled as time goes on loses nothing, doubles nothing and keeps the order', () => {
  const whole = simulateBooks(plan, { seed: 'taken', until });
  const simulation = openSimulation(plan, 'taken');
  const [entries, operations]: [unknown[], unknown[]] = [[], []];
  while (simulation.now < until) {
    advance(simulation, Math.min(simulation.now + DAY, until));
    const taken = takeSettled(simulation, simulation.now < until ? 'settled' : 'all');
    entries.push(...taken.entries);
    operations.push(...taken.operations);
    expect(simulation.entries).toEqual([]);
  }
  expect(JSON.stringify(entries)).toBe(JSON.stringify(whole.entries));
  expect(JSON.stringify(operations)).toBe(JSON.stringify(whole.operations));
});

test('books once taken do not change as the simulation goes on', () => {
  const simulation = openSimulation(plan, 'copy');
  advance(simulation, plan.opensAt + 3 * DAY + 12 * HOUR);
  const books = booksOf(simulation);
  const before = JSON.stringify(books);
  advance(simulation, until);
  expect(JSON.stringify(books)).toBe(before);
});

test('time does not run backward', () => {
  const simulation = openSimulation(plan, 'back');
  advance(simulation, plan.opensAt + DAY);
  expect(() => advance(simulation, plan.opensAt)).toThrow(RangeError);
});

test('all states, gaps and out-of-step times that the documents allow do occur', () => {
  const { entries, operations, merchant } = simulateBooks(plan, {
    seed: 'all',
    until: plan.opensAt + 60 * DAY,
  });
  expect(new Set(operations.map(({ status }) => status))).toEqual(
    new Set(['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED']),
  );
  const pairs = entries.slice(1).map((line, i) => ({ line, before: entries[i]! }));
  expect(pairs.some(({ line, before }) => line.sequence > before.sequence + 1)).toBe(true);
  expect(pairs.every(({ line, before }) => line.sequence > before.sequence)).toBe(true);
  const back = pairs.map(
    ({ line, before }) => Date.parse(before.createdAt) - Date.parse(line.createdAt),
  );
  expect(Math.max(...back)).toBeGreaterThan(0);
  expect(Math.max(...back)).toBeLessThanOrEqual(2_000);
  expect(merchant.pricing).toEqual(plan.priceChange!.pricing);
  const references = operations.flatMap(({ externalReference }) => externalReference ?? []);
  const live = operations.filter(({ status }) => status === 'SUCCEEDED' || status === 'REVERSED');
  const liveReferences = live.flatMap(({ externalReference }) => externalReference ?? []);
  expect(new Set(references).size, 'a lapsed request is sometimes made again').toBeLessThan(
    references.length,
  );
  expect(new Set(liveReferences).size).toBe(liveReferences.length);
});

test('an open operation waits for the payer, and what is final stays as it is but for a reversal', () => {
  const simulation = openSimulation(planMerchant({ ...plan, reference: 'M3' }), 'open');
  const seen = new Set<string>();
  const finals = new Map<string, string>();
  const wrong: unknown[] = [];
  for (let at = plan.opensAt; at < plan.opensAt + 4 * DAY; at += 20_000) {
    advance(simulation, at);
    for (const { operation } of simulation.lives.slice(-40)) {
      seen.add(operation.status);
      const waits = operation.status === 'AWAITING_PAYER';
      const known = finals.get(operation.reference) ?? operation.status;
      const moved = known !== operation.status && operation.status !== 'REVERSED';
      if (
        operation.requiresPayerAction !== waits ||
        (waits && operation.payerActionUrl === null) ||
        moved
      ) {
        wrong.push({ ...operation });
      }
      if (operation.completedAt !== null) finals.set(operation.reference, operation.status);
    }
  }
  expect(wrong).toEqual([]);
  for (const status of ['CREATED', 'PENDING', 'AWAITING_PAYER', 'SUCCEEDED'])
    expect(seen).toContain(status);
});

test('a rolling 24 hours of cash-outs stays under the daily ceiling, by any way of counting', () => {
  const limits = { ...plan.limits, dailyCashoutLimit: 60_000 };
  const { operations } = simulateBooks(
    { ...plan, limits },
    { seed: 'limit', until: plan.opensAt + 40 * DAY },
  );
  const cashouts = operations.filter(({ type }) => type === 'CASHOUT');
  expect(cashouts.length).toBeGreaterThan(50);
  for (const field of ['createdAt', 'completedAt'] as const) {
    const done = cashouts.filter((operation) => operation[field] !== null);
    const sums = done.map((last) => {
      const end = Date.parse(last[field]!);
      const inside = done.filter(
        (o) => Date.parse(o[field]!) <= end && Date.parse(o[field]!) > end - DAY,
      );
      return inside.reduce((sum, o) => sum + o.netAmount, 0);
    });
    expect(Math.max(...sums)).toBeLessThanOrEqual(60_000);
    expect(Math.max(...sums)).toBeGreaterThan(30_000);
  }
});

test('a plan that contradicts itself is refused', () => {
  expect(() =>
    openSimulation(
      planMerchant({ reference: 'X', country: 'CI', allowedCountries: ['CI', 'CM'] }),
      's',
    ),
  ).toThrow(/do not share a currency/);
  const pricing = { ...plan.pricing, cashinFeeFlat: 200 };
  expect(() => openSimulation({ ...plan, pricing }, 's')).toThrow(/leaves nothing to credit/);
});
