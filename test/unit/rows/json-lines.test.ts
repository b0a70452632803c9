// The parts of the quick reader of lines, each compared with a slow one that is plainly right.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createLastHours,
  readPlainInstant,
} from '../../../src/core/bytes/json-lines/compile-shape.ts';
import { passText, skipValue } from '../../../src/core/bytes/json-lines/plain-value.ts';
import {
  createLineScanner,
  learnLine,
  scanLine,
} from '../../../src/core/bytes/json-lines/scan-line.ts';
import { parseInstant } from '../../../src/core/domain/instant.ts';
import { allocateBatch, openBatch, textIn } from '../../../src/core/domain/rows/column-batch.ts';
import {
  createOperationCursor,
  OPERATION_TABLE,
} from '../../../src/core/domain/rows/operation-fields.ts';
import { parseStrictJson } from '../../../src/io/sources/decode/strict-json.ts';
import { BATCH_SIZE } from '../../../src/io/sources/file/read-rows.ts';
import {
  DESCRIBED_PLAN,
  ENTRY_PLAN,
  OPERATION_PLAN,
} from '../../../src/io/sources/file/row-plan.ts';
import { HASH_KEY } from '../../../src/io/threads/hash-key.ts';
import { expectAgreement } from '../../contract/quick-and-strict.ts';
import { rawEntry, rawOperation } from '../../contract/source-rows.ts';
import { assertProperty, runsOf } from '../../support/assert-property.ts';

function spanOf(bytes: Buffer) {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

test('a text ends at its quote, whatever bytes it holds', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 8; at += 1) {
      for (let start = 0; start < 4; start += 1) {
        const text = Buffer.from('~AaZ]!#[~', 'latin1');
        text[at] = byte;
        const bytes = Buffer.concat([
          Buffer.alloc(start),
          text,
          Buffer.from('","\n,,,,', 'latin1'),
        ]);
        const passed = passText(spanOf(bytes), start);
        const expected =
          byte < 0x20 || byte === 0x5c
            ? -1
            : byte === 0x22
              ? (start + at) << 2
              : ((start + 9) << 2) | (byte < 0x80 ? 0 : 1);
        expect(passed, `${byte} at ${at} from ${start}`).toBe(expected);
      }
    }
  }
});

test('an instant from 1600 on is what parseInstant reads, or is refused, whatever was read before it', () => {
  const last = createLastHours(2);
  const usual = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;
  const instants = fc
    .date({
      min: new Date('1600-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    .map((date) => date.toISOString());
  const near = fc
    .integer({ min: 0, max: 999_999 })
    .map((ms) => new Date(1_767_600_000_000 + 97 * ms).toISOString());
  const forms = fc
    .tuple(fc.oneof(instants, near), fc.boolean())
    .map(([text, isShort]) => (isShort ? `${text.slice(0, 19)}Z` : text));
  const damage = fc.array(fc.tuple(fc.nat(23), fc.integer({ min: 0x20, max: 0x7e })), {
    maxLength: 2,
  });
  let read = 0;
  const RUNS = 3_000;
  assertProperty(
    fc.property(forms, damage, fc.nat(1), (form, damaged, field) => {
      const bytes = Buffer.from(`"${form}"\n,,,,,,,,`);
      for (const [at, byte] of damaged) if (at < form.length) bytes[1 + at] = byte;
      const text = bytes.toString('latin1', 1, bytes.indexOf('"', 1));
      const numbers = new Float64Array(1);
      const after = readPlainInstant({ ...spanOf(bytes), numbers }, 1, last, field, 0);
      const isUsual = usual.test(text) && text >= '1600';
      const expected = isUsual ? (parseInstant(text) ?? Number.NaN) : Number.NaN;
      expect(after < 0 ? Number.NaN : numbers[0], text).toBe(expected);
      if (after < 0) return;
      expect(after).toBe(1 + text.length + 1);
      read += 1;
    }),
    { runs: RUNS },
  );
  expect(read).toBeGreaterThan(runsOf(RUNS) / 4);
});

const inside = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
const keyed = (count: number) =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',')}}`;

test.each([
  ...[
    '{"a":1,"a":2}',
    '{"a":1,"b":{"a":1},"a":null}',
    '{"é":1,"é":2}',
    '{"ab":1,"ac":2}',
    '{"\\u0061":1,"a":2}',
  ],
  ...[
    inside(8),
    inside(10),
    keyed(24),
    keyed(25),
    '{"__proto__":1}',
    '{}',
    '[]',
    '{ }',
    '[ ]',
    '{"a" : [ 1 , 2 ] }',
  ],
  ...[
    '1e5',
    '-0',
    '01',
    '-01',
    '1.',
    '.5',
    '-',
    '1.5',
    '9007199254740993',
    '+1',
    'nul',
    'nulls',
    'tru',
    'truE',
    'falsy',
  ],
  ...[
    'falsx',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '[1 2]',
    '"\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
  ],
  ...[
    '"\t"',
    '["\\u00e9","\\n"]',
    '[true,false,null]',
    '[[],[{}]]',
    '"\u007f"',
    '',
    '{"a":[1,"}"],"b":"]"}',
    '\ufeff1',
  ],
])('a value that nobody asks for is stepped over only where it is sound: %s', (value) => {
  const bytes = Buffer.concat([Buffer.from(value), Buffer.from(',\n,,,,')]);
  const end = skipValue(spanOf(bytes), 0, 0);
  if (end >= 0 && bytes[end] === 0x2c)
    expect(parseStrictJson(bytes.subarray(0, end)).ok).toBe(true);
  const sound = JSON.stringify(rawOperation({ metadata: null }));
  const line = sound.replace('"metadata":null', `"metadata":${value}`);
  expectAgreement(
    OPERATION_PLAN,
    [sound, line, sound].map((text) => Buffer.from(`${text}\n`)),
  );
});

test('lines with keys beyond ASCII, of any length, and with more of them than a shape may have, are read all the same', () => {
  const sound = rawEntry({});
  const extras = [
    'é',
    '\u007f',
    'ключ',
    '😀',
    'k'.repeat(2_020),
    'k'.repeat(3_500),
    '\u0080\u00ff',
    'a"b',
    'a\\',
  ];
  const rows = extras.flatMap((key) => [
    { [key]: 1, ...sound },
    { ...sound, [key]: 'x' },
    { ...sound, [`${key}1`]: 1 },
  ]);
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, i]));
  const lines = [...rows, { ...sound, ...many }].map((row) =>
    Buffer.from(`${JSON.stringify(row)}\n`),
  );
  // A literal that differs from a known one in one byte.
  const near = lines.map((line) =>
    Buffer.from(line.toString('latin1').replace('"sequence"', '"sequencf"'), 'latin1'),
  );
  expectAgreement(ENTRY_PLAN, [...lines, ...lines, ...near]);
});

test('similar words, known or not, escaped or not, are distinct', () => {
  const known = [
    'CREDIT',
    'XOF',
    'CASHIN_CREDIT',
    'CASHOUT_RELEASE',
    'CASHOUT_RELEASE_FEE',
    'CASHOUT_HOLD',
  ];
  const own = [
    '',
    'X',
    'XO',
    'a\\',
    'a\\"',
    '"',
    '\\',
    'a\\",',
    'é',
    'éé',
    'MTN',
    'MTNA',
    '\t',
    'k'.repeat(44),
    'k'.repeat(45),
  ];
  const near = known.flatMap((word) => [
    word,
    word.slice(0, -1),
    `${word}S`,
    `${word}"`,
    `${word.slice(0, -1)}É`,
  ]);
  const words = fc.constantFrom(...near, ...own);
  /** An exponent sends the whole line to the strict reader, which writes its words anew. */
  const written = fc.record({
    direction: words,
    kind: words,
    currency: words,
    isEscaped: fc.boolean(),
    isOdd: fc.boolean(),
  });
  assertProperty(
    fc.property(fc.array(written, { minLength: 5, maxLength: 60 }), (rows) => {
      const lines = rows.map(({ isEscaped, isOdd, ...change }) => {
        const line = JSON.stringify(rawEntry({ ...change, amount: 100 }));
        const escaped = isEscaped ? line.replace('"CRED', '"\\u0043RED') : line;
        return Buffer.from(
          `${isOdd ? escaped.replace('"amount":100', '"amount":1e2') : escaped}\n`,
        );
      });
      expectAgreement(ENTRY_PLAN, lines);
    }),
    { runs: 40 },
  );
});

test('the texts of an operation are read as the strict decoder reads them, whatever is in their place', () => {
  const remarks = fc.oneof(
    fc.constantFrom<unknown>(
      undefined,
      null,
      '',
      'Awa',
      'é\\"\n',
      'x\u0000',
      'x'.repeat(10_001),
      7,
      1.5,
      true,
      [],
      {},
      [{}],
    ),
    fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
    fc.jsonValue().filter((value) => JSON.stringify(value).isWellFormed()),
  );
  const inside = fc.record({ phoneNumber: remarks, name: remarks, other: remarks });
  const failures = fc.constantFrom(
    null,
    { code: 'X' },
    { code: 'X', message: 'Awa' },
    { code: 'X', message: 7 },
  );
  const changes = fc.record({
    counterparty: fc.oneof(remarks, inside),
    failure: failures,
    description: remarks,
    metadata: remarks,
  });
  assertProperty(
    fc.property(fc.array(changes, { minLength: 3, maxLength: 20 }), (rows) => {
      const lines = rows.map((change) => Buffer.from(`${JSON.stringify(rawOperation(change))}\n`));
      expectAgreement(DESCRIBED_PLAN, lines);
    }),
    { runs: 40 },
  );
});

test('a line that is refused at its end enters no word', () => {
  const scanner = createLineScanner(OPERATION_TABLE, HASH_KEY);
  const batch = openBatch(OPERATION_TABLE, allocateBatch(OPERATION_TABLE, BATCH_SIZE));
  const cursor = createOperationCursor();
  const scan = (change: object, end = '}\n') => {
    const start = batch.used;
    batch.used += batch.bytes.write(
      `${JSON.stringify(rawOperation(change as never)).slice(0, -1)}${end}`,
      start,
    );
    return scanLine(scanner, batch, start);
  };
  learnLine(scanner, Buffer.from(JSON.stringify(rawOperation({}))));
  learnLine(
    scanner,
    Buffer.from(JSON.stringify(rawOperation({ failure: { code: 'X', message: null } }))),
  );
  expect(scan({ operator: 'FIRST' })).toBe(batch.used);
  const { ownWordCount } = batch;
  expect(scan({ operator: 'SECOND', currency: 'ABC' }, '"}\n')).toBe(-1);
  expect(scan({ operator: 'SECOND', status: 'NONE' })).toBe(-1);
  expect(batch.ownWordCount).toBe(ownWordCount);
  expect(scan({ operator: 'THIRD', failure: { code: 'Y', message: null } })).toBe(batch.used);
  expect(scan({ operator: 'SECOND' })).toBe(batch.used);
  cursor.open(batch);
  const seen = [0, 1, 2].map((row) => {
    cursor.moveTo(row);
    return [cursor.row.operator, cursor.row.currency, cursor.row.failureCode];
  });
  expect(seen).toEqual([
    ['FIRST', 'XOF', null],
    ['THIRD', 'XOF', 'Y'],
    ['SECOND', 'XOF', null],
  ]);
  expect(textIn(batch, batch.texts[0]!, batch.texts[1]!)).toBe('GUI-CI-000001');
});
