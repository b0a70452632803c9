// Rows that are written into the mirror by COPY come out as they were, whichever way they are read,
// also at the limits of every type.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import {
  type DescribedOperation,
  OPERATION_STATUSES,
  OPERATION_TYPES,
  type Operation,
} from '../../src/core/domain/operation.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openMirrorSnapshot } from '../../src/io/storage/mirror/read/mirror-snapshot.ts';
import { savePage } from '../../src/io/storage/mirror/save/save-page.ts';
import { assertProperty } from '../support/assert-property.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

const any = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((text) => text.replaceAll('\u0000', '').toWellFormed());
const text = fc.oneof(
  any,
  fc.constantFrom(
    '',
    '\ufffd',
    '\\N',
    '\\.',
    '\t\n\r',
    'XOF',
    'CASHIN_CREDIT',
    'é',
    '😀'.repeat(5_000),
    'x'.repeat(10_000),
  ),
);
const id = fc
  .oneof(any, fc.constantFrom('é'.repeat(200), '😀'.repeat(100), 'x'.repeat(200)))
  .filter((one) => one !== '');
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.constantFrom(
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    0,
    -1,
    1,
    2 ** 32,
    -(2 ** 32),
    2 ** 31,
    -(2 ** 31),
  ),
);
const minus = fc.constantFrom(0, -0);
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(1, 0, 1), max: Date.UTC(9999, 11, 31) }),
  fc.constantFrom(-1, 0, -62_135_596_800_000, 253_402_300_799_999),
);
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary);

const entry: fc.Arbitrary<LedgerEntry> = fc.record({
  id,
  sequence: integer,
  direction: text,
  kind: text,
  amount: fc.oneof(integer, minus),
  currency: text,
  balanceAfter: integer,
  reservedAfter: integer,
  operationReference: nullable(id),
  description: nullable(text),
  createdAt: instant,
});
const operation: fc.Arbitrary<DescribedOperation> = fc.record({
  reference: id,
  type: fc.constantFrom(...OPERATION_TYPES),
  status: fc.constantFrom(...OPERATION_STATUSES),
  amount: integer,
  fees: fc.oneof(integer, minus),
  netAmount: integer,
  currency: text,
  country: text,
  operator: text,
  externalReference: nullable(text),
  payerActionUrl: nullable(text),
  requiresPayerAction: fc.boolean(),
  failureCode: nullable(text),
  createdAt: instant,
  updatedAt: instant,
  completedAt: nullable(instant),
  expiresAt: nullable(instant),
  counterpartyNumber: nullable(text),
  counterpartyName: nullable(text),
  description: nullable(text),
  failureMessage: nullable(text),
  metadata: nullable(text),
});

/** Returns what an audit reads of an operation. */
function judged(whole: DescribedOperation): Operation {
  const {
    counterpartyNumber: _a,
    counterpartyName: _b,
    description: _c,
    failureMessage: _d,
    metadata: _e,
    ...rest
  } = whole;
  return rest;
}

/** Returns a row with 0 in place of −0, which is read back as 0. */
function plain<Row extends object>(row: Row): Row {
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    Object.is(value, -0) ? 0 : value,
  ]);
  return Object.fromEntries(fields) as Row;
}

const bySequence = (a: LedgerEntry, b: LedgerEntry) => a.sequence - b.sequence;
const byReference = (a: Operation, b: Operation) => (a.reference < b.reference ? -1 : 1);

async function readBack(
  merchant: string,
  threadFrom: number,
  after: { sequence: number; intake: number } | null,
) {
  const snapshot = await openMirrorSnapshot(opened.store, {
    merchant,
    after,
    watermark: null,
    threadFrom,
    described: after === null && threadFrom > 1,
  });
  const entries: LedgerEntry[] = [];
  const operations: Operation[] = [];
  for await (const { rows } of snapshot.entries()) entries.push(...rows);
  for await (const { rows } of snapshot.operations())
    operations.push(...rows.map((row) => row.operation));
  const { entries: recalled, operations: versions } = await snapshot.recall({
    references: new Set([...operations.map(({ reference }) => reference)]),
    entryIds: new Set(entries.map((one) => one.id)),
    externalReferences: new Set(),
  });
  await snapshot.close();
  return {
    entries,
    operations: operations.toSorted(byReference),
    recalledEntries: recalled.map((one) => one.entry),
    recalledOperations: versions.map((one) => one.operation).toSorted(byReference),
  };
}

let merchants = 0;

test('any lawful row comes back as it was written', async () => {
  const entries = fc.uniqueArray(entry, {
    selector: (one) => one.sequence,
    minLength: 1,
    maxLength: 30,
  });
  const operations = fc.uniqueArray(operation, {
    selector: (one) => one.reference,
    minLength: 1,
    maxLength: 30,
  });
  const property = fc.asyncProperty(entries, operations, async (lines, versions) => {
    merchants += 1;
    const merchant = `M${merchants}`;
    await withMerchantLock(opened.store, merchant, async (lease) => {
      await savePage(opened.store, lease, { entries: lines, operations: versions });
      // Rows that are stored are recognized, so that the same page again adds nothing.
      const again = await savePage(opened.store, lease, { entries: lines, operations: versions });
      expect(again).toEqual({ entriesAdded: 0, operationsChanged: 0, lateEntries: 0 });
    });
    const wanted = lines.map(plain).sort(bySequence);
    const undescribed = wanted.map((one) =>
      one.kind.startsWith('ADJUSTMENT_') ? one : { ...one, description: null },
    );
    const whole = versions.map(plain).sort(byReference);
    const audited = whole.map(judged);
    const read = { recalledEntries: wanted, operations: audited, recalledOperations: audited };
    const described = { recalledEntries: wanted, operations: whole, recalledOperations: whole };
    const infinity = Number.POSITIVE_INFINITY;
    expect(await readBack(merchant, infinity, null)).toEqual({ ...described, entries: wanted });
    expect(await readBack(merchant, 1, null)).toEqual({ ...read, entries: undescribed });
    const before = { sequence: Number.MIN_SAFE_INTEGER, intake: 0 };
    const since = await readBack(merchant, infinity, before);
    expect(since.operations).toEqual(audited);
  });
  await assertProperty(property, { runs: 10 });
});
