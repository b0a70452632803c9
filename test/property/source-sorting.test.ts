import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/domain/ledger-entry.ts';
import { mergeRuns } from '../../src/sources/file/merge-runs.ts';
import { ENTRY_PLAN } from '../../src/sources/file/row-plan.ts';
import { createRowReader, readRow } from '../../src/sources/file/row-reader.ts';
import { collectRow, createRunWriter, finishRuns, writeRunIfFull } from '../../src/sources/file/sorted-runs.ts';
import { spanOf } from '../contract/quick-and-strict.ts';
import { rawEntry } from '../contract/source-rows.ts';

/** Sorts through the temporary file, a run every `runSize` bytes, looking whether one is full after each row. */
async function sortThroughFile(rows: readonly LedgerEntry[], runSize: number): Promise<readonly LedgerEntry[]> {
  const reader = createRowReader(ENTRY_PLAN);
  const writer = createRunWriter(runSize, 0);
  try {
    for (const row of rows) {
      const line = JSON.stringify({ ...row, createdAt: new Date(row.createdAt).toISOString() });
      const span = spanOf([Buffer.from(`${line}\n`)], true);
      const next = readRow(reader, span, 0);
      collectRow(writer, { span, at: 0, next, offset: 0 }, row.sequence);
      await writeRunIfFull(writer);
    }
    const isWritten = writer.handle !== null;
    const sorted = await finishRuns(writer);
    // What never filled a run is written nowhere.
    expect(sorted.handle !== null).toBe(isWritten);
    const merged: LedgerEntry[] = [];
    for await (const batch of mergeRuns(sorted, reader, (entry) => entry.sequence)) merged.push(...batch);
    return merged;
  } finally {
    await writer.handle?.close();
  }
}

describe('sorting through a temporary file', () => {
  test('gives every row once, in order, equal keys as they came, whatever the number of runs', async () => {
    const sequences = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sequences, fc.constantFrom(1, 300, 1_000, 4_000, 1_000_000), async (keys, runSize) => {
        const rows = keys.map((sequence, i) => {
          const decoded = ENTRY_PLAN.decode(rawEntry({ sequence, id: `row ${i}`, description: 'é'.repeat(i % 7) }));
          if (!decoded.ok) throw new Error(decoded.reason);
          return decoded.value;
        });
        const expected = rows.toSorted((a, b) => a.sequence - b.sequence);
        expect(await sortThroughFile(rows, runSize)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
