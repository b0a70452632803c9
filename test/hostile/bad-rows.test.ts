import { describe, expect, test } from 'vitest';
import { drain } from '../contract/source-contract.ts';
import { rawEntry, rawOperation } from '../contract/source-rows.ts';
import { openFiles, toLines } from './book-folder.ts';

const entry = (sequence: number, change = {}) => JSON.stringify(rawEntry({ sequence, ...change }));

/**
 * Each bad line of a ledger, and what must be said of it. The line has the sequence 2, or the one
 * in `sequence`, as far as that can still be read.
 */
const BAD_LINES: readonly {
  name: string;
  line: string | Buffer;
  reason: string | RegExp;
  sequence?: number | null;
}[] = [
  { name: 'not JSON at all', line: 'hello', reason: /^not JSON/, sequence: null },
  {
    name: 'binary garbage',
    line: Buffer.from([0, 1, 2, 0xff, 0xfe, 3]),
    reason: /UTF-8/,
    sequence: null,
  },
  { name: 'a line cut off', line: entry(2).slice(0, -30), reason: /^not JSON: it ends/ },
  {
    name: 'two objects on one line',
    line: `${entry(2)}${entry(3)}`,
    reason: /^not JSON/,
    sequence: null,
  },
  { name: 'two objects and a comma', line: `${entry(2)},`, reason: /^not JSON/ },
  {
    name: 'a list around the row',
    line: `[${entry(2)}]`,
    reason: 'the row is a list, not an object',
    sequence: null,
  },
  { name: 'a bare number', line: '17', reason: 'the row is 17, not an object', sequence: null },
  { name: 'null', line: 'null', reason: 'the row is null, not an object', sequence: null },
  { name: 'an empty object', line: '{}', reason: 'id is missing', sequence: null },
  {
    name: 'single quotes',
    line: entry(2).replaceAll('"', "'"),
    reason: /^not JSON/,
    sequence: null,
  },
  { name: 'a comment', line: `${entry(2)} // note`, reason: /^not JSON/ },
  { name: 'a trailing comma', line: entry(2).replace(/}$/, ',}'), reason: /^not JSON/ },
  {
    name: 'a duplicate key',
    line: entry(2).replace('{', '{"amount":1,'),
    reason: 'the key "amount" is given twice',
  },
  {
    name: 'a duplicate sequence',
    line: entry(2).replace('{', '{"sequence":9,'),
    reason: /twice/,
    sequence: null,
  },
  {
    name: 'an escaped duplicate key',
    line: entry(2).replace('{', '{"\\u0061mount":1,'),
    reason: /"amount" is given twice/,
  },
  {
    name: 'an escaped lone surrogate',
    line: entry(2, { description: 'x' }).replace('"x"', '"\\ud800"'),
    reason: /lone surrogate/,
  },
  {
    name: 'a surrogate written in UTF-8',
    line: bytesFor('x', [0xed, 0xa0, 0x80]),
    reason: /UTF-8/,
  },
  { name: 'Latin-1 text', line: bytesFor('x', [0xe9]), reason: /UTF-8/ },
  { name: 'an overlong encoding', line: bytesFor('x', [0xc0, 0xa2]), reason: /UTF-8/ },
  {
    name: 'a raw control character',
    line: entry(2, { description: 'x' }).replace('"x"', '"\u0001"'),
    reason: /^not JSON/,
  },
  { name: 'an escaped U+0000', line: entry(2, { description: '\u0000' }), reason: /U\+0000/ },
  {
    name: 'an amount with a fraction',
    line: entry(2, { amount: 12.5 }),
    reason: 'amount is 12.5, not a whole number',
  },
  {
    name: 'an amount as text',
    line: entry(2, { amount: '100' }),
    reason: 'amount is "100", not a whole number',
  },
  {
    name: 'an amount past 2^53',
    line: entry(2).replace('"amount":1000', '"amount":9007199254740993'),
    reason: /^amount is 9007199254740993, not a safe integer/,
  },
  {
    name: 'an amount just off a whole number',
    line: entry(2).replace('"amount":1000', '"amount":1.00000000000000000001'),
    reason: /^amount is 1\.00000000000000000001, not a whole/,
  },
  {
    name: 'an amount without bounds',
    line: entry(2).replace('"amount":1000', '"amount":1e999'),
    reason: /^amount is 1e999, not a safe/,
  },
  {
    name: 'a balance that is null',
    line: entry(2, { balanceAfter: null }),
    reason: 'balanceAfter is null, not a whole number',
  },
  {
    name: 'a sequence with a fraction',
    line: entry(2, { sequence: 2.5 }),
    reason: 'sequence is 2.5, not a whole number',
    sequence: null,
  },
  {
    name: 'a sequence as text',
    line: entry(2, { sequence: '2' }),
    reason: 'sequence is "2", not a whole number',
    sequence: null,
  },
  {
    name: 'a missing field',
    line: entry(2).replace('"reservedAfter":0,', ''),
    reason: 'reservedAfter is missing',
  },
  {
    name: 'a misspelt field',
    line: entry(2).replace('"amount"', '"Amount"'),
    reason: 'amount is missing',
  },
  {
    name: 'a date without a zone',
    line: entry(2, { createdAt: '2026-01-05T08:00:00' }),
    reason: /^createdAt is "2026-01-05T08:00:00", not a date-time/,
  },
  {
    name: 'a day that does not exist',
    line: entry(2, { createdAt: '2026-02-30T08:00:00Z' }),
    reason: /^createdAt is/,
  },
  {
    name: 'a date as a number',
    line: entry(2, { createdAt: 1767600000000 }),
    reason: /^createdAt is 1767600000000/,
  },
  {
    name: 'a date that breaks arithmetic',
    line: entry(2, { createdAt: '2026-01-05T08:00:00+99:99' }),
    reason: /^createdAt is/,
  },
  { name: 'an empty id', line: entry(2, { id: '' }), reason: 'id is "", not an identifier' },
  {
    name: 'an endless id',
    line: entry(2, { id: 'x'.repeat(201) }),
    reason: /^id is 201 characters long/,
  },
  {
    name: 'an endless description',
    line: entry(2, { description: 'x'.repeat(10_001) }),
    reason: /^description is 10001/,
  },
  {
    name: 'a reference that is an object',
    line: entry(2, { operationReference: { a: 1 } }),
    reason: /^operationReference is an object/,
  },
  {
    name: 'endless nesting',
    line: `{"sequence":2,"a":${'['.repeat(100_000)}`,
    reason: /^nested deeper than 64/,
  },
  {
    name: 'balanced deep nesting',
    line: entry(2).replace('{', `{"a":${'['.repeat(70)}${']'.repeat(70)},`),
    reason: /^nested deeper/,
  },
  {
    name: 'a prototype as a row',
    line: '{"__proto__":{"id":"x","sequence":2}}',
    reason: 'id is missing',
    sequence: null,
  },
  { name: 'a byte order mark inside the file', line: `\ufeff${entry(2)}`, reason: /^not JSON/ },
];

function bytesFor(text: string, bytes: readonly number[]): Buffer {
  const [before, after] = entry(2, { description: text }).split(`"${text}"`) as [string, string];
  return Buffer.concat([Buffer.from(`${before}"`), Buffer.from(bytes), Buffer.from(`"${after}`)]);
}

describe('a ledger with one bad line among good ones', () => {
  test.each(BAD_LINES)(
    'names $name, and keeps its neighbours',
    async ({ line, reason, sequence = 2 }) => {
      const before = toLines([1].map((n) => entry(n)));
      const after = toLines([3, 4].map((n) => entry(n)));
      const ledger = Buffer.concat([
        Buffer.from(before),
        Buffer.from(line),
        Buffer.from('\n'),
        Buffer.from(after),
      ]);
      const snapshot = await openFiles({ 'ledger.jsonl': ledger });
      const { rows, rejected } = await drain(() => snapshot.entries());
      expect(rows.map((row) => row.sequence)).toEqual([1, 3, 4]);
      expect(rejected).toHaveLength(1);
      expect(rejected[0]).toMatchObject({ part: 'ledger', place: 'ledger.jsonl:2', sequence });
      if (typeof reason === 'string') expect(rejected[0]!.reason).toBe(reason);
      else expect(rejected[0]!.reason).toMatch(reason);
      expect(rejected[0]!.raw.length).toBeGreaterThan(0);
      expect(rejected[0]!.raw.length).toBeLessThanOrEqual(2_000);
      expect(rejected[0]!.raw.isWellFormed()).toBe(true);
      expect(rejected[0]!.raw).not.toContain('\u0000');
    },
  );

  test('names every one of them when they all come at once, in a file out of order', async () => {
    const pieces: Buffer[] = [];
    for (const [i, { line }] of BAD_LINES.entries()) {
      pieces.push(Buffer.from(`${entry(1_000 - i)}\n`), Buffer.from(line), Buffer.from('\n'));
    }
    const snapshot = await openFiles({ 'ledger.jsonl': Buffer.concat(pieces) });
    const { rows, rejected } = await drain(() => snapshot.entries());
    expect(rows.map((row) => row.sequence)).toEqual(
      BAD_LINES.map((_, i) => 1_001 - BAD_LINES.length + i),
    );
    expect(rejected.map(({ place }) => place)).toEqual(
      BAD_LINES.map((_, i) => `ledger.jsonl:${i * 2 + 2}`),
    );
    expect((await drain(() => snapshot.entries())).rows).toEqual(rows);
  });
});

test('bad lines far down a file are named by their numbers, however many are read at a time', async () => {
  const bad = [1, 512, 513, 514, 1_025, 2_600];
  const numbers = Array.from({ length: 2_600 }, (_, i) => i + 1);
  const lines = numbers.map((n) => (bad.includes(n) ? 'hello' : entry(n)));
  const snapshot = await openFiles({ 'ledger.jsonl': `${lines.join('\n')}\n` });
  const { rows, rejected } = await drain(() => snapshot.entries());
  expect(rejected.map(({ place }) => place)).toEqual(bad.map((n) => `ledger.jsonl:${n}`));
  expect(rows.map((row) => row.sequence)).toEqual(numbers.filter((n) => !bad.includes(n)));
});

describe('operations with a bad row among good ones', () => {
  const operation = (reference: string, change = {}) =>
    JSON.stringify(rawOperation({ reference, createdAt: '2026-01-05T08:00:00Z', ...change }));
  const BAD_OPERATIONS: readonly { name: string; line: string; reason: string | RegExp }[] = [
    {
      name: 'an unknown status',
      line: operation('BAD', { status: 'DONE' }),
      reason: /^status is "DONE", not one of/,
    },
    {
      name: 'an unknown type',
      line: operation('BAD', { type: 'LOAN' }),
      reason: /^type is "LOAN"/,
    },
    {
      name: 'fees as text',
      line: operation('BAD', { fees: '20' }),
      reason: 'fees is "20", not a whole number',
    },
    {
      name: 'a failure without a code',
      line: operation('BAD', { failure: {} }),
      reason: 'failure.code is missing',
    },
    {
      name: 'a failure that is text',
      line: operation('BAD', { failure: 'x' }),
      reason: 'failure is "x", not an object',
    },
    {
      name: 'a key given twice in the metadata',
      line: operation('BAD').replace('"metadata":null', '"metadata":{"a":1,"a":2}'),
      reason: /twice/,
    },
    {
      name: 'an endless partner reference',
      line: operation('BAD', { externalReference: 'x'.repeat(10_001) }),
      reason: /10001/,
    },
    {
      name: 'an ill-typed updatedAt',
      line: operation('BAD', { updatedAt: null }),
      reason: /^updatedAt is null/,
    },
    { name: 'a line cut off', line: operation('BAD').slice(0, -9), reason: /^not JSON/ },
  ];

  test.each(BAD_OPERATIONS)('names $name, and keeps the others', async ({ line, reason }) => {
    const snapshot = await openFiles({
      'operations.jsonl': toLines([operation('A'), line, operation('B')]),
    });
    const { rows, rejected } = await drain(() => snapshot.operations());
    expect(rows.map((row) => row.operation.reference)).toEqual(['A', 'B']);
    expect(rejected).toMatchObject([
      { part: 'operations', place: 'operations.jsonl:2', reference: 'BAD' },
    ]);
    if (typeof reason === 'string') expect(rejected[0]!.reason).toBe(reason);
    else expect(rejected[0]!.reason).toMatch(reason);
  });

  test('passes what only a finding may judge', async () => {
    const odd = {
      currency: 'EUR',
      country: 'FR',
      operator: 'PIGEON',
      amount: 0,
      fees: -1,
      failure: { code: 'NEW' },
    };
    const snapshot = await openFiles({ 'operations.jsonl': toLines([operation('A', odd)]) });
    const { rows, rejected } = await drain(() => snapshot.operations());
    expect(rejected).toEqual([]);
    expect(rows[0]!.operation).toMatchObject({
      amount: 0,
      fees: -1,
      failureCode: 'NEW',
      country: 'FR',
    });
  });

  test('keeps the sound version of an operation when a newer one is bad', async () => {
    const bad = operation('A', { updatedAt: '2026-02-01T00:00:00Z', amount: 1.5 });
    const good = operation('A', { status: 'PENDING' });
    for (const lines of [
      [good, bad],
      [bad, good],
    ]) {
      const snapshot = await openFiles({ 'operations.jsonl': toLines(lines) });
      const { rows, rejected } = await drain(() => snapshot.operations());
      expect(rows.map((row) => row.operation.status)).toEqual(['PENDING']);
      expect(rejected).toMatchObject([
        { reference: 'A', reason: 'amount is 1.5, not a whole number' },
      ]);
    }
  });

  test('rejects the later of two versions that claim one updatedAt and differ', async () => {
    const lines = [operation('A'), operation('B'), operation('A', { amount: 7 }), operation('A')];
    const snapshot = await openFiles({ 'operations.jsonl': toLines(lines) });
    const { rows, rejected } = await drain(() => snapshot.operations());
    expect(rows.map(({ operation: { reference, amount } }) => [reference, amount])).toEqual([
      ['A', 1_000],
      ['B', 1_000],
    ]);
    expect(rejected).toMatchObject([
      {
        place: 'operations.jsonl:3',
        reference: 'A',
        reason: 'A was given before with updatedAt 2026-01-05T08:01:00.000Z and other content',
      },
    ]);
  });

  test('names the operation of each of them, whatever was read before', async () => {
    const lines = [
      operation('A'),
      operation('B'),
      operation('C'),
      operation('B', { amount: 7 }),
      operation('C', { fees: 1 }),
    ];
    const snapshot = await openFiles({ 'operations.jsonl': toLines(lines) });
    const { rejected } = await drain(() => snapshot.operations());
    expect(rejected.map(({ place, reference }) => [place, reference])).toEqual([
      ['operations.jsonl:4', 'B'],
      ['operations.jsonl:5', 'C'],
    ]);
  });

  test('tells apart references that differ in writing alone, and joins those that are equal', async () => {
    const escaped = operation('A').replace('"A"', '"\\u0041"');
    const lines = [
      operation('A'),
      escaped,
      operation('a'),
      operation('A '),
      operation('é'),
      operation('e\u0301'),
    ];
    const snapshot = await openFiles({ 'operations.jsonl': toLines(lines) });
    const { rows, rejected } = await drain(() => snapshot.operations());
    expect(rows.map((row) => row.operation.reference)).toEqual(['A', 'a', 'A ', 'é', 'e\u0301']);
    expect(rejected).toEqual([]);
  });
});
