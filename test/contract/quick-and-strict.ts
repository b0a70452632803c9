// Reads lines out of a file, as a source does, and the strict way, and demands that both say the
// same of each.

import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { allocateBatch, clearBatch, openBatch } from '../../src/core/domain/rows/column-batch.ts';
import type { Decoded } from '../../src/core/domain/rows/decode-object.ts';
import type { EventRow } from '../../src/core/domain/rows/event-fields.ts';
import { hashText } from '../../src/core/domain/rows/hash-bytes.ts';
import type { RejectedRow } from '../../src/core/domain/snapshot.ts';
import { parseStrictJson } from '../../src/io/sources/decode/strict-json.ts';
import { BATCH_SIZE, createRowReader, fillBatch } from '../../src/io/sources/file/read-rows.ts';
import type { RowPlan } from '../../src/io/sources/file/row-plan.ts';
import { HASH_KEY } from '../../src/io/threads/hash-key.ts';
import { notificationFrom } from '../support/notification-from.ts';

export interface ReadLines<Row> {
  readonly rows: readonly Row[];
  /** Offset in the file of each row. */
  readonly places: readonly number[];
  readonly rejected: readonly RejectedRow[];
  /** Of each row and each field that is hashed. */
  readonly hashes: readonly Readonly<Record<string, number>>[];
}

/** The rows of a file of these bytes. */
export function readLines<Row>(plan: RowPlan<Row>, bytes: Buffer): ReadLines<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-test-'));
  const path = join(folder, 'rows.jsonl');
  writeFileSync(path, bytes);
  const fd = openSync(path, 'r');
  const reader = createRowReader(
    { name: 'rows', handle: { fd, close: async () => {} }, size: bytes.length, cutOff: null },
    plan,
  );
  const batch = openBatch(plan.table, allocateBatch(plan.table, BATCH_SIZE));
  const cursor = plan.createCursor();
  const read = {
    rows: [] as Row[],
    places: [] as number[],
    rejected: [] as RejectedRow[],
    hashes: [] as Record<string, number>[],
  };
  try {
    while (!reader.isDone) {
      clearBatch(batch);
      read.rejected.push(...fillBatch(reader, batch));
      cursor.open(batch);
      for (let row = 0; row < batch.rows; row += 1) {
        cursor.moveTo(row);
        read.rows.push(plan.copy(cursor.row));
        read.places.push(batch.places[row]!);
        const hashed = plan.table.fields.filter(({ hashPlace }) => hashPlace >= 0);
        read.hashes.push(
          Object.fromEntries(
            hashed.map((one) => [
              one.name,
              batch.numbers[row * plan.table.numbers + one.hashPlace]!,
            ]),
          ),
        );
      }
    }
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
  return read;
}

function decodeStrictly<Row>(plan: RowPlan<Row>, line: Buffer): Decoded<Row> | 'blank' {
  const text = line.subarray(0, -1);
  if (/^[ \t\r]*$/.test(text.toString('latin1'))) return 'blank';
  const parsed = parseStrictJson(text);
  return parsed.ok ? plan.decode(parsed.value) : parsed;
}

/**
 * Each line ends with its line feed. Put sound lines first: their shapes are then known when the
 * others come. `meant`: what of a row has to be equal.
 */
export function expectAgreement<Row>(
  plan: RowPlan<Row>,
  lines: readonly Buffer[],
  meant: (row: Row) => unknown = plan.part === 'events'
    ? (row) => notificationFrom(row as EventRow)
    : (row) => row,
): void {
  const read = readLines(plan, Buffer.concat(lines));
  let row = 0;
  let refused = 0;
  let offset = 0;
  lines.forEach((line, i) => {
    const expected = decodeStrictly(plan, line);
    const shown = line.toString('latin1').slice(0, 600);
    if (expected === 'blank') {
      // Nothing is said of it.
    } else if (expected.ok) {
      expect(meant(read.rows[row]!), shown).toEqual(meant(expected.value as Row));
      expect(read.places[row], shown).toBe(offset);
      for (const [name, hash] of Object.entries(read.hashes[row]!)) {
        const text = (expected.value as Readonly<Record<string, unknown>>)[name] as string | null;
        if (text !== null) expect(hash, `${name} of ${shown}`).toBe(hashText(HASH_KEY, text));
      }
      row += 1;
    } else {
      expect(read.rejected[refused], shown).toMatchObject({
        place: `rows:${i + 1}`,
        reason: expected.reason,
      });
      refused += 1;
    }
    offset += line.length;
  });
  expect(row).toBe(read.rows.length);
  expect(refused).toBe(read.rejected.length);
}
