// Rows entered into a column batch are, seen through a cursor, what they were: whatever their texts
// are, on either side of the memory that threads share, and however full the batch is.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import {
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
} from '../../src/core/domain/operation.ts';
import {
  allocateBatch,
  BATCH_ROWS,
  type ColumnBatch,
  openBatch,
} from '../../src/core/domain/rows/column-batch.ts';
import {
  copyEntry,
  createEntryCursor,
  ENTRY_TABLE,
} from '../../src/core/domain/rows/entry-fields.ts';
import { hashText } from '../../src/core/domain/rows/hash-bytes.ts';
import {
  copyOperation,
  createOperationCursor,
  OPERATION_TABLE,
} from '../../src/core/domain/rows/operation-fields.ts';
import type { RowCursor } from '../../src/core/domain/rows/row-cursor.ts';
import { writeRow } from '../../src/core/domain/rows/row-store.ts';
import type { RowTable } from '../../src/core/domain/rows/row-table.ts';
import { createWordCodes, forgetOwnWords } from '../../src/core/domain/rows/word-codes.ts';
import { assertProperty } from '../support/assert-property.ts';

const KEY = { first: 1, second: 2 };

/** Texts that end, begin or look like something else, and texts that neighbours share. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'XOF',
    'XOFX',
    'GUI-CI-000001',
    'CASHIN_CREDIT',
    'CASHIN_FEE',
    '\\N',
    '\t',
    'é',
    'x'.repeat(3_000),
  ),
  fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
);
const nullable = fc.option(texts);
const numbers = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const nullableNumbers = fc.option(numbers);

const entries: fc.Arbitrary<LedgerEntry> = fc.record({
  id: texts,
  sequence: numbers,
  direction: texts,
  kind: texts,
  amount: numbers,
  currency: texts,
  balanceAfter: numbers,
  reservedAfter: numbers,
  operationReference: nullable,
  description: nullable,
  createdAt: numbers,
});

const operations: fc.Arbitrary<Operation> = fc.record({
  reference: texts,
  type: fc.constantFrom(...OPERATION_TYPES),
  status: fc.constantFrom(...OPERATION_STATUSES),
  amount: numbers,
  fees: numbers,
  netAmount: numbers,
  currency: texts,
  country: texts,
  operator: texts,
  externalReference: nullable,
  payerActionUrl: nullable,
  requiresPayerAction: fc.boolean(),
  failureCode: nullable,
  createdAt: numbers,
  updatedAt: numbers,
  completedAt: nullableNumbers,
  expiresAt: nullableNumbers,
});

const many = { minLength: 1, maxLength: 50 };

/** Returns the rows as another thread sees them, and the batch. */
function carried<Row>(
  table: RowTable<Row>,
  rows: readonly Row[],
  cursor: RowCursor<Row>,
  copy: (row: Row) => Row,
) {
  const shared = allocateBatch(table, 1_048_576);
  const written = openBatch(table, shared);
  const writer = { table, key: KEY, codes: createWordCodes(table) };
  forgetOwnWords(writer.codes);
  rows.forEach((row, i) => {
    if (!writeRow(writer, written, row, 100 * i)) throw new Error('there is room');
  });
  const batch: ColumnBatch<Row> = Object.assign(openBatch(table, shared), { rows: written.rows });
  cursor.open(batch);
  const seen = rows.map((_, i) => {
    cursor.moveTo(i);
    return copy(cursor.row);
  });
  return { seen, batch };
}

function hashesIn<Row>(batch: ColumnBatch<Row>, name: keyof Row): number[] {
  const { hashPlace } = batch.table.fields.find((field) => field.name === name)!;
  return Array.from(
    { length: batch.rows },
    (_, i) => batch.numbers[i * batch.table.numbers + hashPlace]!,
  );
}

describe('a row in a column batch', () => {
  test('is the line that it was, beside the hash of its id', () => {
    assertProperty(
      fc.property(fc.array(entries, many), (rows) => {
        const { seen, batch } = carried(ENTRY_TABLE, rows, createEntryCursor(), copyEntry);
        expect(seen).toEqual(rows);
        expect(hashesIn(batch, 'id')).toEqual(rows.map(({ id }) => hashText(KEY, id)));
        expect([...batch.places.subarray(0, rows.length)]).toEqual(rows.map((_, i) => 100 * i));
      }),
    );
  });

  test('is the operation that it was', () => {
    assertProperty(
      fc.property(fc.array(operations, many), (rows) => {
        const { seen, batch } = carried(
          OPERATION_TABLE,
          rows,
          createOperationCursor(),
          copyOperation,
        );
        expect(seen).toEqual(rows);
        expect(hashesIn(batch, 'reference')).toEqual(
          rows.map(({ reference }) => hashText(KEY, reference)),
        );
        expect(hashesIn(batch, 'externalReference')).toEqual(
          rows.map(({ externalReference: one }) =>
            one === null ? Number.NaN : hashText(KEY, one),
          ),
        );
      }),
    );
  });

  test('is copied as a plain object that does not change when the cursor moves on', () => {
    const [first, second] = fc.sample(entries, { numRuns: 2, seed: 1 });
    const { seen } = carried(ENTRY_TABLE, [first!, second!], createEntryCursor(), copyEntry);
    expect(seen[0]).toStrictEqual({ ...first });
  });
});

describe('a batch', () => {
  const writer = { table: ENTRY_TABLE, key: KEY, codes: createWordCodes(ENTRY_TABLE) };
  const [line] = fc.sample(entries, { numRuns: 1, seed: 2 });

  test('has room for so many rows, for so many bytes, and for so many words outside the document', () => {
    const rows = openBatch(ENTRY_TABLE, allocateBatch(ENTRY_TABLE, 10_000_000));
    const plain = {
      ...line!,
      id: 'a',
      kind: 'CASHIN_FEE',
      direction: 'DEBIT',
      currency: 'XOF',
      description: null,
    };
    for (let n = 0; n < BATCH_ROWS; n += 1) expect(writeRow(writer, rows, plain, n)).toBe(true);
    expect(writeRow(writer, rows, plain, 0)).toBe(false);

    const bytes = openBatch(ENTRY_TABLE, allocateBatch(ENTRY_TABLE, 1_000));
    expect(writeRow(writer, bytes, { ...plain, description: 'x'.repeat(900) }, 0)).toBe(false);
    expect(bytes.rows).toBe(0);

    const words = openBatch(ENTRY_TABLE, allocateBatch(ENTRY_TABLE, 10_000_000));
    forgetOwnWords(writer.codes);
    let written = 0;
    while (
      writeRow(
        writer,
        words,
        { ...plain, kind: `K${written}`, currency: `C${written}`, direction: `D${written}` },
        0,
      )
    )
      written += 1;
    expect(written).toBeGreaterThan(2_000);
    const cursor = createEntryCursor();
    cursor.open(words);
    cursor.moveTo(written - 1);
    expect(cursor.row).toMatchObject({ kind: `K${written - 1}`, currency: `C${written - 1}` });
  });
});
