// Rows that are out of order in their file are delivered in order, wherever they stand and however
// often they are asked for.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Batch } from '../../src/core/domain/snapshot.ts';
import { rawEntry, rawOperation } from '../contract/source-rows.ts';
import { openFiles, toLines } from '../hostile/book-folder.ts';
import { assertProperty } from '../support/assert-property.ts';
import { readInOrder } from '../support/read-in-order.ts';

async function rowsOf<Row>(
  stream: () => AsyncIterable<Batch<Row>>,
): Promise<{ rows: Row[]; refused: string[] }> {
  return readInOrder(async () => {
    const found = { rows: [] as Row[], refused: [] as string[] };
    for await (const { rows, rejected } of stream()) {
      found.rows.push(...rows);
      found.refused.push(...rejected.map(({ place, reason }) => `${place}: ${reason}`));
    }
    return found;
  });
}

/** Some lines are longer than what is read at a time around one of them. */
const paddings = fc.constantFrom(0, 0, 0, 100, 3_000, 300_000);

describe('rows that are out of order', () => {
  test('are lines by sequence, equal ones as they came, and what is refused comes with every look', async () => {
    const lines = fc.array(
      fc.record({ sequence: fc.integer({ min: -20, max: 20 }), padding: paddings, bad: fc.nat(9) }),
      {
        maxLength: 40,
      },
    );
    await assertProperty(
      fc.asyncProperty(lines, async (some) => {
        const raw = some.map(({ sequence, padding, bad }, i) =>
          bad === 0 ? 'bad' : rawEntry({ sequence, id: `row ${i}`, note: 'é'.repeat(padding) }),
        );
        const snapshot = await openFiles({ 'ledger.jsonl': toLines(raw) });
        const sound = some
          .map(({ sequence }, i) => ({ sequence, id: `row ${i}` }))
          .filter((_, i) => raw[i] !== 'bad');
        const expected = sound.toSorted((a, b) => a.sequence - b.sequence);
        const bad = raw.flatMap((line, i) => (line === 'bad' ? [`ledger.jsonl:${i + 1}`] : []));
        for (let look = 0; look < 2; look += 1) {
          const { rows, refused } = await rowsOf(() => snapshot.entries());
          expect(rows.map(({ sequence, id }) => ({ sequence, id }))).toEqual(expected);
          expect(refused.map((one) => one.split(': ')[0])).toEqual(bad);
        }
        await snapshot.close();
      }),
      { runs: 15 },
    );
  });

  test('are operations by creation, each in its newest version, and none that contradicts the one before it', async () => {
    const versions = fc.array(
      fc.record({
        operation: fc.nat(6),
        minute: fc.nat(3),
        amount: fc.constantFrom(1_000, 1_000, 1_000, 2_000),
      }),
      { maxLength: 30 },
    );
    await assertProperty(
      fc.asyncProperty(versions, async (some) => {
        const raw = some.map(({ operation, minute, amount }) =>
          rawOperation({
            reference: `GUI-CI-${operation}`,
            amount,
            createdAt: `2026-01-05T08:0${operation}:00Z`,
            updatedAt: `2026-01-05T09:0${minute}:00Z`,
          }),
        );
        const newest = new Map<number, (typeof some)[number]>();
        let contradictions = 0;
        for (const version of some) {
          const known = newest.get(version.operation);
          if (known === undefined || version.minute > known.minute)
            newest.set(version.operation, version);
          else if (version.minute === known.minute && version.amount !== known.amount)
            contradictions += 1;
        }
        const snapshot = await openFiles({ 'operations.jsonl': toLines(raw) });
        const { rows, refused } = await rowsOf(() => snapshot.operations());
        const expected = [...newest.values()].sort((a, b) => a.operation - b.operation);
        expect(
          rows.map(({ operation }) => ({
            reference: operation.reference,
            amount: operation.amount,
          })),
        ).toEqual(
          expected.map(({ operation, amount }) => ({ reference: `GUI-CI-${operation}`, amount })),
        );
        expect(refused.length).toBe(contradictions);
        const references = new Set(['GUI-CI-1', 'GUI-CI-4']);
        const recalled = await snapshot.recall({
          references,
          entryIds: new Set(),
          externalReferences: new Set(),
        });
        expect(recalled.operations.map(({ operation }) => operation)).toEqual(
          rows
            .map(({ operation }) => operation)
            .filter(({ reference }) => references.has(reference)),
        );
        await snapshot.close();
      }),
      { runs: 15 },
    );
  });
});
