// Rows of the mirror that a second thread packs are, unpacked, what they were: whatever their texts are, wherever a piece
// of what was received ends, and however full a slab is.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/domain/ledger-entry.ts';
import { OPERATION_STATUSES, OPERATION_TYPES, type Operation } from '../../src/domain/operation.ts';
import { hashText } from '../../src/domain/text-hash.ts';
import { beginSlab, createPacker, hasRoom, type Packer } from '../../src/packed/pack.ts';
import { createEntryUnpacker, ENTRY_FORM, idHashOf, unpackEntry } from '../../src/packed/packed-entry.ts';
import { createOperationUnpacker, unpackOperation } from '../../src/packed/packed-operation.ts';
import { allocateSlab, openSlab, SLAB_ROWS } from '../../src/packed/slab.ts';
import { openRows } from '../../src/packed/unpack.ts';
import { packEntryRow } from '../../src/storage/entry-rows.ts';
import { packVersionRow, VERSION_FORM } from '../../src/storage/operation-rows.ts';

/** Texts that end, begin or look like something else, and texts that neighbours share. */
const texts = fc.oneof(
  fc.constantFrom('', 'a', 'XOF', 'GUI-CI-000001', 'CASHIN_CREDIT', 'CASHIN_FEE', '\\N', '\t', 'é', 'x'.repeat(3_000)),
  fc.string({ unit: 'binary', maxLength: 40 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
);
const nullable = fc.option(texts);
const numbers = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
const nullableNumbers = fc.option(numbers);

type Value = number | string | boolean | null;

/** A row of the binary format without its count of columns: "COPY", Binary Format, in PostgreSQL's manual. */
function rowOf(values: readonly Value[]): Buffer {
  return Buffer.concat(
    values.flatMap((value) => {
      const length = Buffer.alloc(4);
      if (value === null) {
        length.writeInt32BE(-1);
        return [length];
      }
      const bytes = bytesOf(value);
      length.writeInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function bytesOf(value: number | string | boolean): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  if (typeof value === 'boolean') return Buffer.from([value ? 1 : 0]);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

/** Rows in one piece, as they are received; `spare`: more bytes follow. */
function spanOf(rows: readonly Buffer[], spare: number) {
  const bytes = Buffer.concat([...rows, Buffer.alloc(spare, 0xff)]);
  let at = 0;
  const starts = rows.map(({ length }) => {
    at += length;
    return at - length;
  });
  return { span: { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) }, starts };
}

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

function entryRowOf(entry: LedgerEntry): Buffer {
  const figures = [entry.sequence, entry.amount, entry.balanceAfter, entry.reservedAfter, entry.createdAt];
  const words = [entry.kind, entry.direction, entry.currency, entry.id, entry.operationReference, entry.description];
  return rowOf([...figures, ...words]);
}

function versionRowOf(one: Operation): Buffer {
  const figures = [one.amount, one.fees, one.netAmount, one.createdAt, one.updatedAt, one.completedAt, one.expiresAt];
  const words = [one.reference, one.type, one.status, one.currency, one.country, one.operator];
  const optional = [one.externalReference, one.payerActionUrl, one.failureCode];
  return rowOf([...figures, one.requiresPayerAction, ...words, ...optional, false]);
}

const many = { minLength: 1, maxLength: 50 };
const spares = fc.integer({ min: 0, max: 9 });

describe('a row of the mirror, packed and unpacked', () => {
  test('is the line that it was, and knows the hash of its id', () => {
    fc.assert(
      fc.property(fc.array(entries, many), spares, (rows, spare) => {
        const { span, starts } = spanOf(rows.map(entryRowOf), spare);
        const slab = openSlab(allocateSlab(ENTRY_FORM));
        const packer = createPacker(ENTRY_FORM, slab);
        for (const start of starts) packEntryRow(packer, span, start);
        const unpacker = createEntryUnpacker();
        openRows(unpacker, slab, rows.length);
        rows.forEach((expected, row) => {
          expect(unpackEntry(unpacker, row)).toEqual(expected);
          const isAscii = /^[\0-\x7f]*$/.test(expected.id);
          expect(idHashOf(unpacker, row)).toBe(isAscii ? hashText(expected.id) : Number.NaN);
        });
      }),
      { numRuns: 300 },
    );
  });

  test('is the operation that it was', () => {
    fc.assert(
      fc.property(fc.array(operations, many), spares, (rows, spare) => {
        const { span, starts } = spanOf(rows.map(versionRowOf), spare);
        const slab = openSlab(allocateSlab(VERSION_FORM));
        const packer = createPacker(VERSION_FORM, slab);
        for (const start of starts) packVersionRow(packer, span, start);
        const unpacker = createOperationUnpacker(VERSION_FORM);
        openRows(unpacker, slab, rows.length);
        rows.forEach((expected, row) => {
          expect(unpackOperation(unpacker, row)).toEqual(expected);
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a slab', () => {
  const entryOf = (id: string, description: string | null): LedgerEntry => ({
    ...{ id, sequence: 1, direction: 'D', kind: 'K', amount: 2, currency: 'XOF', balanceAfter: 3, reservedAfter: 4 },
    ...{ operationReference: null, description, createdAt: 5 },
  });
  const fill = (packer: Packer, entry: (n: number) => LedgerEntry): readonly LedgerEntry[] => {
    const packed: LedgerEntry[] = [];
    for (let n = 0; ; n += 1) {
      const row = entryRowOf(entry(n));
      if (!hasRoom(packer, row.length)) return packed;
      packEntryRow(packer, spanOf([row], 0).span, 0);
      packed.push(entry(n));
    }
  };

  test.each([
    ['its rows', SLAB_ROWS, (n: number) => entryOf(`${n}`, null)],
    ['its bytes', 9, (n: number) => entryOf(`${n}`, `${n}`.padStart(100_000, 'x'))],
  ])('is full of %s, keeps them all, and may be filled again', (_, most, entry) => {
    const slab = openSlab(allocateSlab(ENTRY_FORM));
    const packer = createPacker(ENTRY_FORM, slab);
    const unpacker = createEntryUnpacker();
    for (let round = 0; round < 2; round += 1) {
      const packed = fill(packer, (n) => entry(n + round * 1_000_000));
      expect(packed.length).toBeGreaterThanOrEqual(most);
      openRows(unpacker, slab, packed.length);
      packed.forEach((expected, n) => {
        expect(unpackEntry(unpacker, n)).toEqual(expected);
      });
      beginSlab(packer, slab);
    }
  });
});
