import { expect, test } from 'vitest';
import {
  chance,
  drawInteger,
  drawLetters,
  drawUint32,
  drawUnit,
  drawUuid,
  seedRandom,
} from '../../../src/sandbox/model/random.ts';

test('the generator is xoshiro128**: its first outputs from the state 1, 2, 3, 4', () => {
  const random = { state: Uint32Array.of(1, 2, 3, 4) };
  const outputs = Array.from({ length: 8 }, () => drawUint32(random));
  expect(outputs).toEqual([
    11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849,
  ]);
});

test('a seed gives one sequence, another seed another', () => {
  const draw = (seed: string) =>
    Array.from({ length: 5 }, (_, i) => drawUint32({ state: seedRandom(`${seed}${i}`).state }));
  expect(draw('a')).toEqual(draw('a'));
  expect(new Set([...draw('a'), ...draw('b')]).size).toBe(10);
});

test('draws stay within their bounds and reach them', () => {
  const random = seedRandom('bounds');
  const integers = Array.from({ length: 2_000 }, () => drawInteger(random, { from: -2, to: 3 }));
  expect([...new Set(integers)].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
  const units = Array.from({ length: 2_000 }, () => drawUnit(random));
  expect(Math.min(...units)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...units)).toBeLessThan(1);
  const mean = units.reduce((sum, unit) => sum + unit, 0) / units.length;
  expect(mean).toBeGreaterThan(0.47);
  expect(mean).toBeLessThan(0.53);
  expect(chance(random, 0)).toBe(false);
  expect(chance(random, 1)).toBe(true);
});

test('identifiers are UUIDs of version 4 and do not repeat', () => {
  const random = seedRandom('ids');
  const ids = Array.from({ length: 5_000 }, () => drawUuid(random));
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(ids.filter((id) => !form.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(drawLetters(random, 12)).toMatch(/^[0-9A-HJKMNP-TV-Z]{12}$/);
});
