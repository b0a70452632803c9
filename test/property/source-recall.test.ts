import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Recall } from '../../src/core/domain/snapshot.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import { recallEntries } from '../../src/io/sources/port/recall-entries.ts';
import { drain } from '../contract/source-contract.ts';
import { rawEntry, rawOperation } from '../contract/source-rows.ts';
import { assertProperty } from '../support/assert-property.ts';
import { readInOrder } from '../support/read-in-order.ts';

const references = fc.constantFrom('A', 'B', 'é', 'x'.repeat(60), null);
const subset = (values: readonly string[]) =>
  fc.subarray([...values]).map((chosen) => new Set(chosen));
const requests: fc.Arbitrary<Recall> = fc.record({
  references: subset(['A', 'B', 'é', 'x'.repeat(60), 'nobody']),
  entryIds: subset(['line 0', 'line 1', 'line 2', 'line 5', 'nobody']),
  externalReferences: subset(['A', 'é', 'nobody']),
});

interface LineWish {
  readonly step: number;
  readonly reference: string | null;
  readonly id: number;
  readonly form: string;
}

/**
 * Lines that are sound, or bad after their sequence, or bad altogether, or written with escapes.
 */
const lines: fc.Arbitrary<LineWish[]> = fc.array(
  fc.record({
    step: fc.constantFrom(0, 1, 1, 2, -1),
    reference: references,
    id: fc.nat({ max: 6 }),
    form: fc.constantFrom('plain', 'plain', 'plain', 'bad tail', 'not JSON', 'escaped'),
  }),
  { maxLength: 14 },
);

function textOf(row: Record<string, unknown>, form: string): string {
  const text = JSON.stringify(row);
  if (form === 'bad tail') return text.replace('"createdAt":"2026', '"createdAt":"20x6');
  if (form === 'not JSON') return text.slice(1);
  return form === 'escaped'
    ? text.replaceAll('A', '\\u0041').replaceAll('line', '\\u006cine')
    : text;
}

const NONE = new Set<string>();
const A_LINE = { step: 0, reference: 'A', id: 0 } as const;
/**
 * Cases in which a refused row left a word behind, which must be no word of a batch without rows.
 */
const REFUSED_WITH_WORDS: [LineWish[], LineWish[], Recall, boolean] = [
  [
    { ...A_LINE, form: 'escaped' },
    { ...A_LINE, form: 'not JSON' },
  ],
  [],
  { references: NONE, entryIds: NONE, externalReferences: NONE },
  false,
];

describe('a recall from files', () => {
  test('brings back exactly what a pass over the streams would pick out', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'recall-'));
    try {
      await assertProperty(
        fc.asyncProperty(
          lines,
          lines,
          requests,
          fc.boolean(),
          async (ledger, operations, request, isInOrder) => {
            let sequence = 1;
            const ledgerText = ledger.map(({ step, reference, id, form }) => {
              sequence += isInOrder ? Math.abs(step) : step;
              return textOf(
                rawEntry({ sequence, id: `line ${id}`, operationReference: reference, amount: id }),
                form,
              );
            });
            const operationText = operations.map(({ step, reference, id, form }) =>
              textOf(
                rawOperation({
                  reference: reference ?? 'none',
                  externalReference: id === 0 ? null : ['A', 'é', 'C'][id % 3],
                  updatedAt: `2026-01-0${2 + step}T00:00:00Z`,
                  createdAt: `2026-01-01T00:0${id}:00Z`,
                  amount: step + id,
                }),
                form,
              ),
            );
            await writeFile(join(folder, 'ledger.jsonl'), ledgerText.join('\n'));
            await writeFile(join(folder, 'operations.jsonl'), operationText.join('\n'));
            const source = openFileSource(folder);
            const snapshot = await source.open((await source.merchants())[0]!, null);
            const recalled = await snapshot.recall(request);
            const entries = await readInOrder(() => recallEntries(snapshot.entries(), request));
            const versions = (await drain(() => snapshot.operations())).rows.filter(
              ({ operation: { reference, externalReference } }) =>
                request.references.has(reference) ||
                request.externalReferences.has(externalReference ?? ''),
            );
            await snapshot.close();
            const inOrder = recalled.operations.map(({ operation }) => operation.createdAt);
            expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
            // Operations of one instant may come in any order.
            const byReference = (
              a: { operation: { reference: string } },
              b: { operation: { reference: string } },
            ) => (a.operation.reference < b.operation.reference ? -1 : 1);
            expect(recalled.entries).toEqual(entries);
            expect([...recalled.operations].sort(byReference)).toEqual(
              [...versions].sort(byReference),
            );
          },
        ),
        { runs: 38, examples: [REFUSED_WITH_WORDS] },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
