import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createHashTable,
  enter,
  firstPlace,
  type HashTable,
  nextPlace,
} from '../../../src/core/domain/rows/hash-table.ts';
import { assertProperty } from '../../support/assert-property.ts';

/** Few hashes, many of which want the same slot, so that collisions of every kind occur. */
const hashes = fc.oneof(
  fc.constantFrom(0, 1, 2, 63, 64, 127, 128, 2 ** 52, 2 ** 53 - 1, 2 ** 53 - 64),
  fc.integer({ min: 0, max: 500 }).map((n) => n * 64 + 62),
);
const entered = fc.array(fc.record({ hash: hashes, value: fc.nat({ max: 3 }) }), {
  maxLength: 400,
});

function valuesUnder(table: HashTable, hash: number): number[] {
  const values: number[] = [];
  for (let place = firstPlace(table, hash); place >= 0; place = nextPlace(table, hash, place)) {
    values.push(table.values[place]!);
  }
  return values.sort();
}

test('holds every value that was entered, however many hashes want one place', () => {
  assertProperty(
    fc.property(entered, (some) => {
      const table = createHashTable();
      const model = new Map<number, number[]>();
      for (const { hash, value } of some) {
        enter(table, hash, value);
        model.set(hash, [...(model.get(hash) ?? []), value]);
      }
      for (const [hash, values] of model) expect(valuesUnder(table, hash)).toEqual(values.sort());
      expect(table.size).toBe(some.length);
    }),
  );
});

test('grows with what is entered', () => {
  const table = createHashTable();
  for (let n = 0; n < 10_000; n += 1) enter(table, n * 1_000_003, n);
  for (let n = 0; n < 10_000; n += 1) expect(valuesUnder(table, n * 1_000_003)).toEqual([n]);
  expect(firstPlace(table, 5)).toBe(-1);
});
