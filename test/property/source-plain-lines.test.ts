import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createLineScanner,
  learnLine,
  scanLine,
} from '../../src/core/bytes/json-lines/scan-line.ts';
import { allocateBatch, openBatch } from '../../src/core/domain/rows/column-batch.ts';
import { BATCH_SIZE } from '../../src/io/sources/file/read-rows.ts';
import {
  ENTRY_PLAN,
  EVENT_PLAN,
  OPERATION_PLAN,
  PAYMENT_PLAN,
  type RowPlan,
} from '../../src/io/sources/file/row-plan.ts';
import { HASH_KEY } from '../../src/io/threads/hash-key.ts';
import { expectAgreement, readLines } from '../contract/quick-and-strict.ts';
import { type Raw, rawEntry, rawEvent, rawOperation } from '../contract/source-rows.ts';
import { assertProperty } from '../support/assert-property.ts';
import { rawPayment } from '../support/dashboard-rows.ts';

const spacings = fc.constantFrom<readonly [string, string]>(
  [',', ':'],
  [', ', ': '],
  [' ,', ' :\t'],
);
const endings = fc.constantFrom('\n', '\r\n', ' \n');

/**
 * Texts that tempt a quick reader: quotes, escapes, accents, control characters, dates, long texts.
 */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'Encaissement confirmé',
    '2026-01-05T08:00:00.000Z',
    'a"b',
    'a\\b',
    '😀',
    '\u0000',
    'x'.repeat(201),
  ),
  fc.constantFrom('x'.repeat(10_000), 'é'.repeat(5_001), '\t', '\u007f', '"},{"', 'null', '12'),
  fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => text.isWellFormed()),
);
const figures = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -5, max: 5 }),
  fc.constantFrom(1.5, -0, 999_999_999_999_999, 1e15, 2 ** 53, 1e300, 1e-7),
);
const dates = fc.constantFrom(
  '2026-01-05T08:00:00.000Z',
  '2026-01-05T08:00:00Z',
  '2026-01-05T08:00:00.1Z',
  '2026-01-05T08:00:00.123456Z',
  '2026-01-05T09:00:00+01:00',
  '2024-02-29T23:59:59.999Z',
  '2023-02-29T00:00:00.000Z',
  '2000-02-29T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '1600-01-01T00:00:00Z',
  '1599-12-31T00:00:00Z',
  '0099-12-31T00:00:00Z',
  '2026-13-01T00:00:00Z',
  '2026-00-10T00:00:00Z',
  '2026-04-31T00:00:00.000Z',
  '2026-01-05T24:00:00Z',
  '2026-01-05T23:60:00Z',
  '2026-01-05T23:59:60Z',
  '2026-01-05 08:00:00Z',
  '2026-01-05T08:00:00',
  '+026-01-05T08:00:00.000Z',
  'x026-01-05T08:00:00.000Z',
);
const anything = fc.oneof(
  texts,
  figures,
  dates,
  fc.constantFrom(null, true, false, [], {}, [1, { a: null }]),
);
const nested = fc.oneof(
  fc.constant(null),
  fc.record({ code: texts, message: texts }, { requiredKeys: [] }),
  fc.record({ message: texts, code: texts }),
  fc.jsonValue({ maxDepth: 3 }),
);

const entries = fc
  .record(
    {
      sequence: figures,
      amount: figures,
      balanceAfter: figures,
      id: texts,
      description: fc.option(texts),
      operationReference: fc.option(texts),
      kind: fc.constantFrom('CASHIN_CREDIT', 'CASHOUT_HOLD', 'X', 'é'),
      createdAt: dates,
    },
    { requiredKeys: [] },
  )
  .map((change) => rawEntry(change));
const operations = fc
  .record(
    {
      reference: texts,
      status: fc.constantFrom('SUCCEEDED', 'FAILED', 'DONE'),
      amount: figures,
      failure: nested,
      metadata: nested,
      externalReference: fc.option(texts),
      requiresPayerAction: fc.constantFrom(true, false, null, 'yes'),
      createdAt: dates,
      completedAt: fc.option(dates),
      expiresAt: fc.option(dates),
    },
    { requiredKeys: [] },
  )
  .map((change) => rawOperation(change));
const carried = fc
  .record(
    {
      reference: fc.oneof({ weight: 3, arbitrary: fc.constant('GUI-CI-1') }, texts),
      type: fc.constantFrom('CASHIN', 'CASHOUT', 'LOAN'),
      status: fc.constantFrom('SUCCEEDED', 'FAILED', 'DONE'),
      amount: fc.oneof(fc.nat(), figures),
      fees: fc.oneof(figures, anything),
      netAmount: fc.oneof(figures, anything),
      currency: fc.oneof(texts, anything),
      operator: fc.option(texts),
      externalReference: fc.option(texts),
      requiresPayerAction: fc.constantFrom(true, false, null, 'yes'),
      failure: nested,
      metadata: nested,
      description: fc.option(texts),
      createdAt: fc.option(dates),
      updatedAt: fc.option(dates),
      completedAt: fc.option(dates),
      expiresAt: fc.oneof(dates, anything),
    },
    { requiredKeys: [] },
  )
  .map((change) => ({ operation: rawOperation(change), beside: [] }));
/**
 * Notifications whose frame is sound more often than not, because only then is the content looked
 * at.
 */
const events = fc.record({
  id: fc.oneof({ weight: 3, arbitrary: fc.constant('evt_1') }, texts),
  type: fc.oneof(texts, {
    weight: 3,
    arbitrary: fc.constantFrom('cashin.succeeded', 'operation.reversed', 'wallet.adjusted', 'ping'),
  }),
  merchantReference: fc.oneof({ weight: 3, arbitrary: fc.constant('M001') }, texts),
  createdAt: fc.oneof({ weight: 3, arbitrary: fc.constant('2026-01-05T08:00:00.000Z') }, dates),
  data: fc.oneof({ weight: 3, arbitrary: carried }, { weight: 1, arbitrary: nested }),
});

const payments = fc
  .record(
    {
      reference: fc.oneof(
        texts,
        texts.map((text) => `PAY${text}`),
      ),
      amount: figures,
      senderOperateur: fc.oneof(fc.option(texts), fc.constantFrom('Wave', ' MTN ', 'ÉTÉ', 'İ')),
      order_id: fc.option(texts),
      status: fc.constantFrom('SUCCESS', 'PENDING', 'DONE'),
      metadata: nested,
      createdAt: dates,
    },
    { requiredKeys: [] },
  )
  .map((change) => rawPayment(change));

/**
 * Damages that a file may do to a line: leave a key out, add one, change a type, cut, splice or
 * overwrite bytes.
 */
const damages = fc.option(
  fc.oneof(
    fc.record({
      kind: fc.constant('byte' as const),
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
    }),
    fc.record({
      kind: fc.constant('insert' as const),
      at: fc.nat(),
      text: fc.constantFrom(
        '"',
        '0',
        '-',
        '.',
        '\\',
        ' ',
        'e5',
        '\u0000',
        '}',
        ',"sequence":9',
        ',"a":1',
      ),
    }),
    fc.record({
      kind: fc.constant('cut' as const),
      at: fc.nat(),
      length: fc.integer({ min: 1, max: 6 }),
    }),
    fc.record({ kind: fc.constant('field' as const), at: fc.nat(), value: anything }),
  ),
);

type Damage = NonNullable<ReturnType<typeof damages.generate>['value']>;

interface Line {
  readonly row: Raw;
  readonly spacing: readonly [string, string];
  readonly ending: string;
  readonly damage: Damage | null;
}

function toBytes({ row, spacing, ending, damage }: Line): Buffer {
  const fields = Object.entries(row);
  if (damage?.kind === 'field') fields[damage.at % fields.length]![1] = damage.value;
  const [comma, colon] = spacing;
  const members = fields.map(
    ([key, value]) => `${JSON.stringify(key)}${colon}${JSON.stringify(value)}`,
  );
  const bytes = Buffer.from(`{${members.join(comma)}}`);
  return Buffer.concat([damageBytes(bytes, damage), Buffer.from(ending)]);
}

function damageBytes(bytes: Buffer, damage: Damage | null): Buffer {
  if (damage === null || damage.kind === 'field') return bytes;
  const at = damage.at % bytes.length;
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  if (damage.kind === 'insert') return Buffer.concat([before, Buffer.from(damage.text), after]);
  if (damage.kind === 'cut') return Buffer.concat([before, after.subarray(damage.length)]);
  // A line feed would make two lines of it.
  return damage.byte === 0x0a
    ? bytes
    : Buffer.concat([before, Buffer.from([damage.byte]), after.subarray(1)]);
}

function agree<Row>(plan: RowPlan<Row>, lines: readonly Line[]): void {
  const sound = lines.map((line) => toBytes({ ...line, damage: null }));
  expectAgreement(plan, [...sound, ...lines.map(toBytes), ...sound]);
}

/**
 * Keys that read like the path of a field, or of an object around one, but lead nowhere, beside
 * some that lead there.
 */
const ownKeys = fc.oneof(
  fc.constantFrom('failure.code', 'data.operation', 'data.operation.amount'),
  fc.constantFrom(
    'failure.',
    '.failure',
    'failure\u0000code',
    'code',
    'metadata.a',
    'operation',
    'failure',
    'data',
  ),
);
const ownMembers = fc.dictionary(
  ownKeys,
  fc.oneof(fc.constantFrom('OPERATOR_TIMEOUT', 7, null), nested),
  {
    maxKeys: 4,
    noNullPrototype: true,
  },
);

function linesOf(rows: fc.Arbitrary<Raw>): fc.Arbitrary<Line[]> {
  const line = fc.record({ row: rows, spacing: spacings, ending: endings, damage: damages });
  return fc.array(line, { minLength: 1, maxLength: 6 });
}

describe('the quick way of reading a line', () => {
  test('gives the same ledger lines, and refuses the same ones, as the strict way', () => {
    assertProperty(
      fc.property(linesOf(entries), (lines) => agree(ENTRY_PLAN, lines)),
      { runs: 80 },
    );
  });

  test('gives the same operations, and refuses the same ones, as the strict way', () => {
    assertProperty(
      fc.property(linesOf(operations), (lines) => agree(OPERATION_PLAN, lines)),
      { runs: 80 },
    );
  });

  test('gives the same payments, and refuses the same ones, as the strict way', () => {
    assertProperty(
      fc.property(linesOf(payments), (lines) => agree(PAYMENT_PLAN, lines)),
      { runs: 55 },
    );
  });

  test('gives the same notifications, and refuses the same ones, as the strict way', () => {
    assertProperty(
      fc.property(linesOf(events), (lines) => agree(EVENT_PLAN, lines)),
      { runs: 45 },
    );
  });

  test('takes no key for the way to a field, however it is spelled', () => {
    const rows: readonly [RowPlan<never>, Raw][] = [
      [OPERATION_PLAN, rawOperation({ failure: undefined })],
      [OPERATION_PLAN, rawOperation({ failure: { code: 'OPERATOR_REFUSED', message: 'refusé' } })],
      [EVENT_PLAN, rawEvent({})],
      [ENTRY_PLAN, rawEntry({ sequence: 1 })],
    ] as never;
    assertProperty(
      fc.property(
        ownMembers,
        ownMembers,
        fc.constantFrom(...rows),
        (first, second, [plan, row]) => {
          const members = [{ ...first, ...row }, { ...row, ...second }, row];
          const lines = members.map((member) => Buffer.from(`${JSON.stringify(member)}\n`));
          expectAgreement(plan, [...lines, ...lines]);
        },
      ),
      { runs: 150 },
    );
  });

  test('is the way that plain lines really take', () => {
    const failure = { code: 'OPERATOR_REFUSED', message: 'refusé' };
    const rows: readonly [RowPlan<never>, Raw, Raw][] = [
      [
        ENTRY_PLAN,
        rawEntry({ sequence: 1 }),
        rawEntry({ sequence: 1_234, description: 'Encaissement confirmé' }),
      ],
      [
        ENTRY_PLAN,
        rawEntry({ sequence: 1 }),
        rawEntry({ sequence: 2, description: 'voir\nla "pièce"' }),
      ],
      [
        OPERATION_PLAN,
        rawOperation({}),
        rawOperation({ metadata: { a: [1, 2.5], b: null }, currency: 'EUR' }),
      ],
      [
        OPERATION_PLAN,
        rawOperation({ failure }),
        rawOperation({ failure: { ...failure, code: 'NEW' }, metadata: { a: ['\t\\'] } }),
      ],
      [
        EVENT_PLAN,
        rawEvent({}),
        rawEvent({ metadata: { a: ['}', 'a\\"'], b: null }, amount: -5, description: 'été' }),
      ],
    ] as never;
    for (const [plan, first, second] of rows) {
      const scanner = createLineScanner(plan.table, HASH_KEY);
      learnLine(scanner, Buffer.from(JSON.stringify(first)));
      const batch = openBatch(plan.table, allocateBatch(plan.table, BATCH_SIZE));
      const end = batch.bytes.write(`${JSON.stringify(second)}\n`);
      expect(scanLine(scanner, batch, 0)).toBe(end);
      expect(plan.isPlain === null || plan.isPlain(batch, 0)).toBe(true);
    }
  });

  test('keeps no text alive that belongs to the buffer it was read from', () => {
    const line = `${JSON.stringify(rawEntry({ sequence: 5, description: 'Encaissement confirmé' }))}\n`;
    const [first, second] = readLines(
      ENTRY_PLAN,
      Buffer.from(`${line}${line}${'x'.repeat(1_000_000)}`),
    ).rows;
    expect(first).toEqual(second);
    expect(second).toMatchObject({
      sequence: 5,
      description: 'Encaissement confirmé',
      operationReference: 'GUI-CI-000001',
    });
  });
});
