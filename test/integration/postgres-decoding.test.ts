// The fast way from PostgreSQL's bytes to the domain gives, row for row, what the decoders of all
// sources give for the same row, and refuses the same rows in the same words, wherever the bytes
// are cut.

import fc from 'fast-check';
import pgCopyStreams from 'pg-copy-streams';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCopyRows,
  feedRows,
  nextRow,
  requireEnd,
} from '../../src/core/bytes/copy-binary/copy-rows.ts';
import type { Decoded } from '../../src/core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../src/core/domain/rows/entry-fields.ts';
import { decodeOperation } from '../../src/core/domain/rows/operation-fields.ts';
import { openPostgresSource } from '../../src/io/sources/postgres/open-postgres-source.ts';
import { drain } from '../contract/source-contract.ts';
import { type Raw, rawEntry, rawMerchant, rawOperation } from '../contract/source-rows.ts';
import { assertProperty } from '../support/assert-property.ts';
import {
  insertBooks,
  insertRows,
  openPostgresBooks,
  type PostgresBooks,
} from '../support/postgres-books.ts';

let database: PostgresBooks;
beforeAll(async () => {
  database = await openPostgresBooks({
    'ledger_entries.amount': 'numeric',
    'ledger_entries.currency': 'text',
    'ledger_entries.kind': 'text',
    'ledger_entries.direction': 'text',
    'operations.amount': 'numeric',
    'operations.fees': 'bigint',
  });
});
afterAll(() => database.close());

const text = fc.oneof(
  fc
    .string({ unit: 'binary', maxLength: 60 })
    .map((value) => value.replaceAll('\u0000', '').toWellFormed()),
  fc.constantFrom(
    '',
    '\ufffd',
    "quote ' \\ \t\n",
    'é😀',
    'x'.repeat(201),
    'é'.repeat(150),
    'y'.repeat(10_001),
    'null',
    '\\N',
  ),
);
const nullable = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { freq: 8 });
const bigint = nullable(
  fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -(2n ** 53n) - 2n, max: 2n ** 53n + 2n }),
    fc.constantFrom(
      2n ** 53n - 1n,
      2n ** 53n,
      -(2n ** 53n) + 1n,
      -(2n ** 53n),
      0n,
      -1n,
      2n ** 32n,
      -(2n ** 32n),
    ),
    fc.bigInt({ min: 0n, max: 10_000n }),
  ),
);
const instant = nullable(
  fc
    .date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString()),
);

/**
 * Returns what the decoders say of the row. A bigint stands for a number of JSON, which has any
 * length.
 */
function judged<Row>(decoded: Decoded<Row>): unknown {
  return decoded.ok ? decoded.value : decoded.reason;
}

async function readBack(part: 'entries' | 'operations'): Promise<readonly unknown[]> {
  const source = openPostgresSource(database.settings);
  const snapshot = await source.open('M001', null);
  const read =
    part === 'entries'
      ? await drain(() => snapshot.entries())
      : await drain(() => snapshot.operations());
  await source.close();
  const rows = read.rows.map((row) => ('operation' in row ? row.operation : row));
  return [...rows, ...read.rejected.map((row) => row.reason)];
}

async function replaceRows(table: string, rows: readonly Raw[]): Promise<void> {
  await database.client.query('truncate merchants, wallets, ledger_entries, operations');
  await insertBooks(database.client, {
    merchant: rawMerchant({}),
    wallet: null,
    entries: [],
    operations: [],
  });
  await insertRows(
    database.client,
    table,
    rows.map((row) => ({ ...row, merchantReference: 'M001' })),
  );
}

/** Returns values in an order that does not depend on the table's. */
function sorted(values: readonly unknown[]): readonly string[] {
  return values.map((value) => JSON.stringify(value)).sort();
}

test('rows that no name tells apart are each refused by name, also where others stand between them', async () => {
  const nameless = { ...rawEntry({}), sequence: null, createdAt: null };
  const named = rawEntry({ sequence: null, id: 'between' });
  const rows = [{ ...nameless, id: '' }, named, { ...nameless, id: null }];
  await replaceRows('ledger_entries', rows);
  expect(sorted(await readBack('entries'))).toEqual(
    sorted(rows.map((one) => judged(decodeEntry(one)))),
  );
});

describe('any row', () => {
  test('of the ledger is read as the decoder reads it', async () => {
    const fields = {
      id: nullable(text),
      sequence: bigint,
      direction: nullable(text),
      kind: nullable(text),
      amount: bigint,
      currency: nullable(text),
      balanceAfter: bigint,
      reservedAfter: bigint,
      operationReference: nullable(text),
      description: nullable(text),
      createdAt: instant,
    };
    const row = fc.record(fields);
    const sound = fc.record(fields, { requiredKeys: [] }).map((change) => rawEntry(change));
    const property = fc.asyncProperty(
      fc.array(fc.oneof(row, sound), { minLength: 10, maxLength: 40 }),
      async (rows) => {
        await replaceRows('ledger_entries', rows);
        const expected = rows.map((one) => judged(decodeEntry(one)));
        expect(sorted(await readBack('entries'))).toEqual(sorted(expected));
      },
    );
    await assertProperty(property, { runs: 3 });
  });

  test('of the operations is read as the decoder reads it', async () => {
    const fields = {
      type: nullable(fc.constantFrom('CASHIN', 'CASHOUT', 'cashin', '')),
      status: nullable(fc.constantFrom('SUCCEEDED', 'FAILED', 'DONE')),
      amount: bigint,
      fees: bigint,
      netAmount: bigint,
      currency: nullable(text),
      country: nullable(text),
      operator: nullable(text),
      externalReference: nullable(text),
      payerActionUrl: nullable(text),
      requiresPayerAction: nullable(fc.boolean()),
      failure: nullable(fc.record({ code: text })),
      createdAt: instant,
      updatedAt: instant,
      completedAt: instant,
      expiresAt: instant,
    };
    const row = fc.record(fields);
    const sound = fc.record(fields, { requiredKeys: [] }).map((change) => rawOperation(change));
    const property = fc.asyncProperty(
      fc.array(fc.oneof(row, sound), { minLength: 10, maxLength: 40 }),
      async (rows) => {
        const named = rows.map((one, index): Raw => ({ ...one, reference: `GUI-CI-${index}` }));
        const failureCode = (one: Raw): unknown =>
          (one.failure as { code: string } | null)?.code ?? null;
        await replaceRows(
          'operations',
          named.map((one) => ({ ...one, failureCode: failureCode(one) })),
        );
        const expected = named.map((one) => judged(decodeOperation(one)));
        expect(sorted(await readBack('operations'))).toEqual(sorted(expected));
      },
    );
    await assertProperty(property, { runs: 3 });
  });
});

describe('times', () => {
  test.each([
    ['2026-01-05 08:00:00.123999+00', Date.UTC(2026, 0, 5, 8, 0, 0, 123)],
    ['1969-12-31 23:59:59.999999+00', -1],
    ['1969-12-31 23:59:59.000001+00', -1_000],
    ['1599-06-01 00:00:00+00', Date.parse('1599-06-01T00:00:00Z')],
    ['9999-12-31 23:59:59.999999+00', Date.parse('9999-12-31T23:59:59.999Z')],
  ])('%s are cut to the millisecond', async (createdAt, expected) => {
    await replaceRows('ledger_entries', [rawEntry({ createdAt })]);
    expect(await readBack('entries')).toMatchObject([{ createdAt: expected }]);
  });

  test.each([
    'infinity',
    '-infinity',
    '10000-01-01 00:00:00+00',
    '0044-03-15 12:00:00+00 BC',
    '294276-01-01 00:00:00+00',
  ])('%s are refused', async (createdAt) => {
    await replaceRows('ledger_entries', [rawEntry({ createdAt })]);
    expect(await readBack('entries')).toEqual([
      expect.stringMatching(/^createdAt is .*, not a date-time with a zone$/),
    ]);
  });
});

describe('the bytes of COPY', () => {
  test('give the same rows wherever they are cut, and none is made up when the end is missing', async () => {
    const copy = database.client.query(
      pgCopyStreams.to(
        "copy (select n::bigint, case when n % 3 = 0 then null else repeat('é', n) end from generate_series(1, 7) as n) to stdout (format binary)",
      ),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of copy) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const rowsIn = (pieces: readonly Buffer[], isWhole: boolean): readonly unknown[] => {
      const found = createCopyRows(2);
      const rows: unknown[] = [];
      for (const piece of pieces) {
        feedRows(found, piece);
        while (nextRow(found)) {
          const { bytes: held, starts, lengths } = found.slots;
          const value =
            lengths[1]! < 0 ? null : held.toString('utf8', starts[1], starts[1]! + lengths[1]!);
          rows.push([Number(held.readBigInt64BE(starts[0])), value]);
        }
      }
      if (isWhole) requireEnd(found);
      else expect(() => requireEnd(found)).toThrow('in the middle');
      return rows;
    };
    const whole = rowsIn([bytes], true);
    expect(whole).toHaveLength(7);
    expect(whole[2]).toEqual([3, null]);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      expect(rowsIn([bytes.subarray(0, cut), bytes.subarray(cut)], true)).toEqual(whole);
      const part = rowsIn([bytes.subarray(0, cut)], false);
      expect(part).toEqual(whole.slice(0, part.length));
    }
    expect(
      rowsIn(
        [...bytes].map((byte) => Buffer.from([byte])),
        true,
      ),
    ).toEqual(whole);
  });
});
