// The index of a file's operations against a map: rows are entered many at once, whatever their hashes share.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addOperation,
  createOperationIndex,
  enterOperations,
  lastRow,
  NONE,
  type OperationIndex,
  offsetsOfExternals,
  rowBefore,
} from '../../src/sources/file/operation-index.ts';

/** Few, so that operations share them. */
const HASHES = 40;
const hashOf = (operation: number): number => Math.imul(operation % HASHES, 0x9e3779b1) >>> 0;

function rowsOf(index: OperationIndex, hash: number): readonly number[] {
  const rows: number[] = [];
  for (let row = lastRow(index, hash); row !== NONE; row = rowBefore(index, hash, row)) rows.push(row);
  return rows;
}

test('each operation is found where it came first, and one that came again is passed over', () => {
  const batches = fc.array(fc.array(fc.nat({ max: 3_000 }), { maxLength: 900, size: 'max' }), {
    maxLength: 8,
    size: 'max',
  });
  fc.assert(
    fc.property(batches, (given) => {
      // Room for 1,024 rows at first: the table grows.
      const index = createOperationIndex(0);
      const came: number[] = [];
      const repeated: number[] = [];
      for (const batch of given) {
        for (const operation of batch) {
          addOperation(index, { hash: hashOf(operation), external: operation + 1, offset: came.length });
          came.push(operation);
        }
        enterOperations(index, (row) => {
          const isKnown = rowsOf(index, hashOf(came[row]!)).some((earlier) => came[earlier] === came[row]);
          if (isKnown) repeated.push(row);
          return isKnown;
        });
      }
      const firsts = new Map(came.map((operation, row) => [operation, row] as const).reverse());
      for (const [operation, row] of firsts) {
        const found = rowsOf(index, hashOf(operation)).filter((one) => came[one] === operation);
        expect(found).toEqual([row]);
      }
      const externals = new Set([...firsts.keys()].map((operation) => operation + 1));
      expect(offsetsOfExternals(index, externals)).toEqual([...firsts.values()].sort((a, b) => a - b));
      expect(repeated.length).toBe(came.length - firsts.size);
    }),
    { numRuns: 30 },
  );
});
