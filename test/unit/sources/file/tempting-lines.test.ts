import { describe, test } from 'vitest';
import {
  ENTRY_PLAN,
  EVENT_PLAN,
  OPERATION_PLAN,
} from '../../../../src/io/sources/file/row-plan.ts';
import { expectAgreement } from '../../../contract/quick-and-strict.ts';
import { rawEntry, rawEvent, rawOperation } from '../../../contract/source-rows.ts';

const ENTRY = JSON.stringify({
  ...rawEntry({ sequence: 12, amount: 345, description: 'texte' }),
  extra: null,
});
const OPERATION = JSON.stringify(rawOperation({ amount: 345 }));

const EVENT = JSON.stringify(rawEvent({ amount: 345 }));

/**
 * Returns the sound line, then the same line with each of `values` in the place of `found`, then
 * the sound line again.
 */
function withEach(sound: string, found: string, values: readonly string[]): Buffer[] {
  if (!sound.includes(found)) throw new Error(`${found} is not in the line`);
  const lines = values.map((value) => sound.replace(found, () => value));
  return [sound, ...lines, sound].map((line) => Buffer.from(`${line}\n`));
}

const NUMBERS = [
  ...[
    '0',
    '-0',
    '00',
    '01',
    '-01',
    '-1',
    '-',
    '+1',
    '1.',
    '1.0',
    '1.5',
    '.5',
    '1e2',
    '1E+2',
    '1e-2',
    '0x1',
    '1 ',
    ' 1',
  ],
  ...[
    '999999999999999',
    '-999999999999999',
    '1000000000000000',
    '9007199254740991',
    '9007199254740993',
    '1'.repeat(40),
  ],
  ...['null', 'true', 'false', 'nul', 'nullx', '"1"', '[]', '{}', '', '1,"a":1', '1}'],
];
const TEXTS = [
  ...[
    '""',
    '"a"',
    '"ab"',
    '"abc"',
    '"abcd"',
    '"é"',
    '"aé"',
    '"abcé"',
    '"😀"',
    '"\\u00e9"',
    '"\\n"',
    '"\\\\"',
    '"\\""',
  ],
  ...[
    '"a\\"',
    '"a\tb"',
    '"abc\tdefg"',
    '"abcd\u0000efg"',
    '"a\u007fb"',
    '"\\ud800"',
    `"${'x'.repeat(10_000)}"`,
  ],
  ...[
    `"${'x'.repeat(10_001)}"`,
    `"${'é'.repeat(6_000)}"`,
    'null',
    '12',
    '[]',
    '{}',
    'true',
    '"a""b"',
    "'a'",
    '"a',
  ],
];
/** Texts after a backslash between quotes, lawful ones and others. */
const ESCAPES = [
  ...[
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\b\\f\\r\\t',
    'é\\né',
    '\\u00e9',
    '\\u00E9',
    '\\u000a',
    '\\u0022',
    '\\u005c',
  ],
  ...[
    '\\',
    '\\\\\\',
    '\\x',
    '\\N',
    '\\u',
    '\\u00e',
    '\\u00g9',
    '\\u 0e9',
    '\\u-001',
    '\\U00e9',
    '\\\u0000',
    '\\\r',
  ],
  ...[
    '\\u0000',
    '\\ud800',
    '\\udfff',
    '\\ud83d\\ude00',
    '\\ude00\\ud83d',
    '\\ud83d😀',
    '\\ud7ff',
    '\\ue000',
    '\\uffff',
  ],
  ...[
    `${'x'.repeat(9_998)}\\n`,
    `${'x'.repeat(10_000)}\\n`,
    `\\u00e9${'x'.repeat(9_999)}`,
    '\\u00e9'.repeat(1_700),
  ],
];
const DATES = [
  ...[
    '2024-02-29T00:00:00.000Z',
    '2023-02-29T00:00:00.000Z',
    '2024-03-01T00:00:00.000Z',
    '2023-03-01T00:00:00.000Z',
  ],
  ...[
    '1900-03-01T00:00:00Z',
    '2000-03-01T00:00:00Z',
    '2000-12-31T23:59:59.999Z',
    '2100-02-29T00:00:00Z',
    '2400-02-29T00:00:00Z',
  ],
  ...[
    '1600-01-01T00:00:00Z',
    '1600-02-29T00:00:00Z',
    '1601-01-01T00:00:00Z',
    '1969-12-31T23:59:59.999Z',
    '1599-12-31T00:00:00Z',
  ],
  ...[
    '2026-04-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
  ],
  ...[
    '2026-01-05T24:00:00Z',
    '2026-01-05T23:60:00Z',
    '2026-01-05T23:59:60Z',
    '2026-01-05t08:00:00z',
    '2026-01-05 08:00:00Z',
  ],
  ...[
    '2026-01-05T08:00:00',
    '2026-01-05T08:00:00.0000Z',
    '2026-01-05T08:00:00.00Z',
    '2026-01-05T08:00:00,000Z',
  ],
  ...[
    '2026/01/05T08:00:00.000Z',
    '2026-01-05T08-00-00.000Z',
    '2026-01-05T08:00:00.000+',
    'a026-01-05T08:00:00.000Z',
  ],
  ...[
    '2026-01-05T08:00:00+00:00',
    '2026-01-05T08:00:00-01:00',
    '2026-01-05T08:00:0:Z',
    '2026-01-05T08:00:00.00/Z',
    '',
  ],
  ...Array.from(
    { length: 12 },
    (_, month) => `2027-${String(month + 1).padStart(2, '0')}-28T01:02:03.456Z`,
  ),
];
const NESTED = [
  ...[
    '{}',
    '[]',
    '{"a":1}',
    '{"a":1,"b":2}',
    '{"a":1,"a":2}',
    '{"ab":1,"ac":2}',
    '{"a":{"b":1,"b":2}}',
    '{"a":{"a":1}}',
  ],
  ...[
    '[{"a":1},{"a":2}]',
    '[{"a":1,"a":2}]',
    '{"é":1,"é":2}',
    '{"a":1,"\\u0061":2}',
    '{"a":"\\n"}',
    '{"a":"\\x"}',
    '{"a":"\t"}',
  ],
  ...[
    '{"a":01}',
    '{"a":-}',
    '{"a":-0.5}',
    '{"a":1.}',
    '{"a":1.50}',
    '{"a":1e5}',
    '{"a":1e}',
    '{"a":--1}',
    '{"a":}',
    '{"a"}',
  ],
  ...[
    '{a:1}',
    '{"a":tru}',
    '{"a":true}',
    '{"a":nulL}',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1',
    '{"a":1',
    '{"a":1]',
    '[1}',
    '{"a":1,}',
  ],
  ...[
    '{ "a" : 1 , "b" : [ 1 , 2 ] }',
    '{"a":\t1}',
    '{"a" "b"}',
    '{"a":"b}',
    '{"":1,"":2}',
    '[[[[[[[[[1]]]]]]]]]',
    '[null,false]',
  ],
  ...[
    '['.repeat(63) + ']'.repeat(63),
    '['.repeat(64) + ']'.repeat(64),
    `{${keys(24)}}`,
    `{${keys(25)}}`,
    `{${keys(30)},"k3":1}`,
  ],
  ...[
    `{${keys(10)},"k3":1}`,
    `{${keys(10)},"k33":1}`,
    '{"a":"x"}}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":"\ud800"}',
  ],
];
const FAILURES = [
  ...[
    '{"code":"X","message":"\\"\\n"}',
    '{"code":"X\\n"}',
    '{"code":"X\\"Y"}',
    '{"message":"\\"","code":"X"}',
    '{"c\\u006fde":"X"}',
  ],
  ...[
    '{"code":"X"}',
    '{"code": "X"}',
    '{ "code" : "X" }',
    '{"code" :"é"}',
    '{"code":"X","code":"Y"}',
    '{"code":""}',
  ],
  ...[
    '{"message":"m","code":"X"}',
    '{"co de":"X"}',
    '{" code":"X"}',
    '{"code ":"X"}',
    '{"Code":"X"}',
    '{"code":null}',
  ],
  ...[
    '{"code":1}',
    '{"code":"\\u0041"}',
    '{"code":["X"]}',
    '{"codes":"X"}',
    '{}',
    '[]',
    '["code","X"]',
    '"X"',
    '1',
    'true',
  ],
  ...[
    '{"code":"OPERATOR_REFUSED","message":"l\u2019op\u00e9rateur"}',
    `{"code":"${'x'.repeat(10_001)}"}`,
    '{"code":"X"',
  ],
];

function keys(count: number): string {
  return Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join(',');
}

describe('a line that tempts the quick way is read as the strict way reads it, where', () => {
  test('a number is odd', () => {
    for (const field of ['"amount":345', '"sequence":12', '"reservedAfter":0']) {
      const values = NUMBERS.map((number) => `${field.slice(0, field.indexOf(':'))}:${number}`);
      expectAgreement(ENTRY_PLAN, withEach(ENTRY, field, values));
    }
  });

  test('a text is odd', () => {
    for (const field of [
      '"description":"texte"',
      '"operationReference":"GUI-CI-000001"',
      '"kind":"CASHIN_CREDIT"',
    ]) {
      const values = TEXTS.map((text) => `${field.slice(0, field.indexOf(':'))}:${text}`);
      expectAgreement(ENTRY_PLAN, withEach(ENTRY, field, values));
    }
    const ids = [
      '""',
      '"a"',
      `"${'x'.repeat(200)}"`,
      `"${'x'.repeat(201)}"`,
      `"${'é'.repeat(150)}"`,
      'null',
    ];
    expectAgreement(
      ENTRY_PLAN,
      withEach(
        ENTRY,
        `"id":"${rawEntry({ sequence: 12 }).id}"`,
        ids.map((id) => `"id":${id}`),
      ),
    );
  });

  test('a text has escapes, sound ones or others', () => {
    const places = [
      '"description":"texte"',
      '"extra":null',
      '"operationReference":"GUI-CI-000001"',
    ];
    for (const place of places) {
      const name = place.slice(0, place.indexOf(':'));
      const values = ESCAPES.flatMap((text) => [
        `"${text}"`,
        `"a${text}b"`,
        `{"a":"${text}"}`,
        `{"a${text}":1}`,
      ]);
      expectAgreement(
        ENTRY_PLAN,
        withEach(
          ENTRY,
          place,
          values.map((value) => `${name}:${value}`),
        ),
      );
    }
  });

  test("a text of the partner's has escapes, sound ones or others", () => {
    for (const place of ['"externalReference":', '"payerActionUrl":']) {
      const found = new RegExp(`${place}(?:null|"[^"]*")`).exec(OPERATION)![0];
      const values = ESCAPES.flatMap((text) => [`"${text}"`, `"a${text}b"`]);
      expectAgreement(
        OPERATION_PLAN,
        withEach(
          OPERATION,
          found,
          values.map((value) => `${place}${value}`),
        ),
      );
    }
  });

  test('a date is odd', () => {
    const found = '"createdAt":"2026-01-05T08:00:00.000Z"';
    expectAgreement(
      ENTRY_PLAN,
      withEach(
        ENTRY,
        found,
        DATES.map((date) => `"createdAt":"${date}"`),
      ),
    );
    expectAgreement(
      OPERATION_PLAN,
      withEach(
        OPERATION,
        found,
        DATES.map((date) => `"createdAt":"${date}"`),
      ),
    );
  });

  test('a date is in a field for texts, or a text in one for dates', () => {
    expectAgreement(
      ENTRY_PLAN,
      withEach(
        ENTRY,
        '"texte"',
        DATES.map((date) => `"${date}"`),
      ),
    );
    expectAgreement(ENTRY_PLAN, withEach(ENTRY, '"2026-01-05T08:00:00.000Z"', TEXTS));
  });

  test('unexpected nested data is odd', () => {
    expectAgreement(
      ENTRY_PLAN,
      withEach(
        ENTRY,
        '"extra":null',
        NESTED.map((value) => `"extra":${value}`),
      ),
    );
    expectAgreement(
      OPERATION_PLAN,
      withEach(
        OPERATION,
        '"metadata":null',
        NESTED.map((value) => `"metadata":${value}`),
      ),
    );
  });

  test('the failure of an operation is odd', () => {
    expectAgreement(
      OPERATION_PLAN,
      withEach(
        OPERATION,
        '"failure":null',
        FAILURES.map((value) => `"failure":${value}`),
      ),
    );
  });

  test('a closed list or a flag has another value', () => {
    const statuses = [
      '"DONE"',
      '"CREATED"',
      '"created"',
      '""',
      'null',
      '1',
      '"SUCCEEDED "',
      '"\\u0053UCCEEDED"',
    ];
    expectAgreement(OPERATION_PLAN, withEach(OPERATION, '"SUCCEEDED"', statuses));
    expectAgreement(
      OPERATION_PLAN,
      withEach(OPERATION, '"CASHIN"', ['"CASHOUT"', '"LOAN"', 'null', '"CASH"']),
    );
    expectAgreement(
      OPERATION_PLAN,
      withEach(OPERATION, ':false', [':true', ':null', ':fals', ':falsy', ':"false"', ':0']),
    );
  });

  test('a field is left out by some lines and given by others', () => {
    const without = (name: string) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(JSON.parse(ENTRY)).filter(([key]) => key !== name)),
      );
    const variants = Object.keys(JSON.parse(ENTRY)).map(without);
    const lines = [ENTRY, ...variants, ENTRY, ...variants.reverse(), ENTRY, ENTRY];
    expectAgreement(
      ENTRY_PLAN,
      lines.map((line) => Buffer.from(`${line}\n`)),
    );
  });

  test('a key is given twice, at either end', () => {
    const lines = [
      ENTRY,
      `{"amount":1,${ENTRY.slice(1)}`,
      `${ENTRY.slice(0, -1)},"amount":1}`,
      `${ENTRY.slice(0, -1)},"Amount":1}`,
    ];
    expectAgreement(
      ENTRY_PLAN,
      [...lines, ENTRY].map((line) => Buffer.from(`${line}\n`)),
    );
  });

  test('the line is blank, padded, or ends in its own way', () => {
    const lines = [
      ENTRY,
      '',
      ' ',
      '\t\r',
      `${ENTRY}\r`,
      ` ${ENTRY}`,
      `${ENTRY} `,
      `${ENTRY}\r\r`,
      `${ENTRY}x`,
      `${ENTRY}}`,
      ENTRY,
    ];
    expectAgreement(
      ENTRY_PLAN,
      lines.map((line) => Buffer.from(`${line}\n`)),
    );
  });

  test('the bytes are not UTF-8, and the lines around them are', () => {
    const bad = [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]].map(
      (bytes) => {
        const [before, after] = ENTRY.split('texte') as [string, string];
        return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(`${after}\n`)]);
      },
    );
    const sound = Buffer.from(`${ENTRY.replace('texte', 'é')}\n`);
    expectAgreement(ENTRY_PLAN, [sound, ...bad, sound]);
  });

  test('an operation that a notification carries is odd, in what is compared or beside it', () => {
    const dates = ['null', '7', ...DATES.map((date) => `"${date}"`)];
    const places: readonly (readonly [string, string, readonly string[]])[] = [
      ['amount', '345', NUMBERS],
      ['fees', '20', NUMBERS],
      ['netAmount', '980', NUMBERS],
      ['currency', '"XOF"', TEXTS],
      ['country', '"CI"', TEXTS],
      ['operator', '"ORANGE"', TEXTS],
      ['externalReference', 'null', TEXTS],
      ['payerActionUrl', 'null', TEXTS],
      ['createdAt', '"2026-01-05T08:00:00.000Z"', dates],
      ['completedAt', '"2026-01-05T08:01:00.000Z"', dates],
      ['expiresAt', '"2026-01-05T08:30:00.000Z"', dates],
      [
        'requiresPayerAction',
        'false',
        ['true', 'null', '0', '"false"', 'fals', '{}', '[]', 'falsey'],
      ],
      ['failure', 'null', [...FAILURES, ...NESTED]],
    ];
    for (const [name, value, values] of places) {
      const others = values.map((other) => `"${name}":${other}`);
      expectAgreement(EVENT_PLAN, withEach(EVENT, `"${name}":${value}`, others));
    }
  });
});
