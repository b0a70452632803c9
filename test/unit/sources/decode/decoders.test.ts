import { describe, expect, test } from 'vitest';
import type { Decoded } from '../../../../src/core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../../../src/core/domain/rows/entry-fields.ts';
import { decodeEvent, decodeEventFrame } from '../../../../src/core/domain/rows/event-fields.ts';
import { decodeMerchant } from '../../../../src/core/domain/rows/merchant-fields.ts';
import {
  decodeOperation,
  decodeWallet,
} from '../../../../src/core/domain/rows/operation-fields.ts';
import { parseStrictJsonText } from '../../../../src/io/sources/decode/strict-json.ts';
import {
  type Raw,
  rawEntry,
  rawEvent,
  rawMerchant,
  rawOperation,
  rawWallet,
} from '../../../contract/source-rows.ts';

function reasonOf(decoded: Decoded<unknown>): string {
  return decoded.ok ? 'accepted' : decoded.reason;
}

function taken<T>(decoded: Decoded<T>): T {
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

describe('a ledger line', () => {
  test('is read as the document writes it, and its extra fields are ignored', () => {
    const row = { ...rawEntry({ sequence: 7 }), colour: 'blue', constructor: 1 };
    expect(taken(decodeEntry(row))).toEqual({
      ...rawEntry({ sequence: 7 }),
      createdAt: Date.UTC(2026, 0, 5, 8, 0, 0),
    });
  });

  test('is refused with the field and its value when a figure is not a whole number', () => {
    const amounts: [unknown, string][] = [
      [12.5, 'amount is 12.5, not a whole number'],
      ['100', 'amount is "100", not a whole number'],
      [null, 'amount is null, not a whole number'],
      [undefined, 'amount is missing'],
      [true, 'amount is true, not a whole number'],
      [[1], 'amount is a list, not a whole number'],
      [{}, 'amount is an object, not a whole number'],
      [2 ** 53, 'amount is 9007199254740992, not a safe integer (up to 2^53 − 1)'],
      [9007199254740993n, 'amount is 9007199254740993, not a safe integer (up to 2^53 − 1)'],
      [Number.NaN, 'amount is NaN, not a whole number'],
    ];
    for (const [amount, reason] of amounts)
      expect(reasonOf(decodeEntry(rawEntry({ amount })))).toBe(reason);
  });

  test('is refused rather than rounded when a number in its text has no exact double', () => {
    const refuse = (figure: string) => {
      const text = JSON.stringify(rawEntry({ amount: 0 })).replace(
        '"amount":0',
        `"amount":${figure}`,
      );
      const parsed = parseStrictJsonText(text);
      return parsed.ok ? reasonOf(decodeEntry(parsed.value)) : parsed.reason;
    };
    expect(refuse('9007199254740993')).toBe(
      'amount is 9007199254740993, not a safe integer (up to 2^53 − 1)',
    );
    expect(refuse('1e400')).toBe('amount is 1e400, not a safe integer (up to 2^53 − 1)');
    expect(refuse('1.00000000000000000001')).toBe(
      'amount is 1.00000000000000000001, not a whole number',
    );
    expect(refuse('1000.0')).toBe('accepted');
  });

  test('passes with what only a finding may judge', () => {
    const odd = {
      kind: 'GIFT',
      direction: 'SIDEWAYS',
      currency: 'EUR',
      amount: -5,
      balanceAfter: -9,
      reservedAfter: -1,
    };
    expect(taken(decodeEntry(rawEntry(odd)))).toMatchObject(odd);
    expect(taken(decodeEntry(rawEntry({ id: 'not a uuid', amount: 0 }))).id).toBe('not a uuid');
  });

  test('reads a negative zero as zero', () => {
    expect(Object.is(taken(decodeEntry(rawEntry({ balanceAfter: -0 }))).balanceAfter, 0)).toBe(
      true,
    );
  });

  test('may leave out operationReference and description, and nothing else', () => {
    for (const name of Object.keys(rawEntry({}))) {
      const row: Record<string, unknown> = { ...rawEntry({}) };
      delete row[name];
      const optional = name === 'operationReference' || name === 'description';
      expect(reasonOf(decodeEntry(row))).toBe(optional ? 'accepted' : `${name} is missing`);
    }
  });

  test('is refused when a text is empty where a name is wanted, too long, or holds U+0000', () => {
    expect(reasonOf(decodeEntry(rawEntry({ id: '' })))).toBe('id is "", not an identifier');
    expect(reasonOf(decodeEntry(rawEntry({ id: 'x'.repeat(200) })))).toBe('accepted');
    expect(reasonOf(decodeEntry(rawEntry({ id: 'x'.repeat(201) })))).toBe(
      'id is 201 characters long, more than 200',
    );
    expect(reasonOf(decodeEntry(rawEntry({ description: 'x'.repeat(10_001) })))).toBe(
      'description is 10001 characters long, more than 10000',
    );
    expect(reasonOf(decodeEntry(rawEntry({ description: 'a\u0000b' })))).toBe(
      'description is "a\\u0000b", not text without U+0000',
    );
  });

  test('is refused when its date has no zone, names no day, or is not text', () => {
    for (const createdAt of [
      '2026-01-05T08:00:00',
      '2026-02-30T08:00:00Z',
      '0000-13-01T00:00:00Z',
      '',
      17,
      '05/01/2026',
      '0050-01-01T00:00:00Z',
      '2026-01-05T08:00:00+99:99',
    ]) {
      expect(reasonOf(decodeEntry(rawEntry({ createdAt })))).toBe(
        `createdAt is ${JSON.stringify(createdAt)}, not a date-time with a zone`,
      );
    }
  });

  test('is refused when it is no object', () => {
    expect(reasonOf(decodeEntry(null))).toBe('the row is null, not an object');
    expect(reasonOf(decodeEntry([1]))).toBe('the row is a list, not an object');
    expect(reasonOf(decodeEntry('{}'))).toBe('the row is "{}", not an object');
  });

  test('is never refused in words longer than a line, or with control characters in them', () => {
    const reason = reasonOf(
      decodeEntry(rawEntry({ amount: `\u001b[31m\u009b${'x'.repeat(5_000)}` })),
    );
    expect(reason.length).toBeLessThan(200);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(reason).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});

describe('an operation', () => {
  test('is read with the fields that the engine uses', () => {
    const decoded = taken(
      decodeOperation(rawOperation({ failure: { code: 'NEW_CODE', message: 'x' } })),
    );
    expect(decoded).toMatchObject({
      reference: 'GUI-CI-000001',
      type: 'CASHIN',
      failureCode: 'NEW_CODE',
      fees: 20,
    });
    expect(decoded.expiresAt).toBe(Date.UTC(2026, 0, 5, 8, 30, 0));
    expect(Object.keys(decoded)).not.toContain('metadata');
  });

  test('has null for what may be absent', () => {
    const row: Record<string, unknown> = rawOperation({});
    for (const name of [
      'externalReference',
      'payerActionUrl',
      'requiresPayerAction',
      'failure',
      'completedAt',
      'expiresAt',
    ]) {
      delete row[name];
    }
    expect(taken(decodeOperation(row))).toMatchObject({
      externalReference: null,
      payerActionUrl: null,
      requiresPayerAction: false,
      failureCode: null,
      completedAt: null,
      expiresAt: null,
    });
  });

  test('is refused when its type or status is outside the document, or its failure has no code', () => {
    expect(reasonOf(decodeOperation(rawOperation({ type: 'LOAN' })))).toBe(
      'type is "LOAN", not one of CASHIN, CASHOUT',
    );
    expect(reasonOf(decodeOperation(rawOperation({ status: 'succeeded' })))).toMatch(
      /^status is "succeeded", not one of/,
    );
    expect(reasonOf(decodeOperation(rawOperation({ failure: {} })))).toBe(
      'failure.code is missing',
    );
    expect(reasonOf(decodeOperation(rawOperation({ failure: 'x' })))).toBe(
      'failure is "x", not an object',
    );
    expect(reasonOf(decodeOperation(rawOperation({ requiresPayerAction: 'no' })))).toMatch(
      /not true or false$/,
    );
  });

  test('passes with a country, operator and currency outside the document', () => {
    expect(
      reasonOf(
        decodeOperation(rawOperation({ country: 'FR', operator: 'PIGEON', currency: 'EUR' })),
      ),
    ).toBe('accepted');
  });
});

const BESIDE = {
  integers: ['fees', 'netAmount'],
  texts: ['currency', 'country', 'operator', 'externalReference', 'payerActionUrl'],
  flags: ['requiresPayerAction'],
  instants: ['createdAt', 'updatedAt', 'completedAt', 'expiresAt'],
};

describe('the operation that a notification carries', () => {
  const reasonFor = (change: Raw) => reasonOf(decodeEvent(rawEvent(change)));

  test('may lack all that nothing is compared with, or have it null', () => {
    const beside = [
      ...Object.values(BESIDE).flat(),
      'failure',
      'counterparty',
      'description',
      'metadata',
    ];
    for (const nothing of [undefined, null]) {
      const change = Object.fromEntries(beside.map((name) => [name, nothing]));
      expect(taken(decodeEvent(rawEvent(change))).operationAmount).toBe(1_000);
    }
    expect(taken(decodeEvent(rawEvent({ failure: { message: 'refused' } }))).operationAmount).toBe(
      1_000,
    );
  });

  test('is refused where that is there and of another type', () => {
    const path = 'data.operation';
    expect(reasonFor({ fees: { a: 1 } })).toBe(`${path}.fees is an object, not a whole number`);
    expect(reasonFor({ fees: 12.5 })).toBe(`${path}.fees is 12.5, not a whole number`);
    expect(reasonFor({ netAmount: '2000' })).toBe(
      `${path}.netAmount is "2000", not a whole number`,
    );
    for (const name of BESIDE.texts)
      expect(reasonFor({ [name]: 7 })).toBe(`${path}.${name} is 7, not text`);
    for (const name of BESIDE.flags)
      expect(reasonFor({ [name]: 'no' })).toMatch(/is "no", not true or false$/);
    for (const name of BESIDE.instants)
      expect(reasonFor({ [name]: 'soon' })).toMatch(/is "soon", not a date-time/);
    expect(reasonFor({ failure: 'none' })).toBe(`${path}.failure is "none", not an object`);
    expect(reasonFor({ failure: { code: 7 } })).toBe(`${path}.failure.code is 7, not text`);
  });
});

test('every field of a row is found where the document has it', () => {
  const code = { code: 'PAYER_LIMIT_REACHED', message: '' };
  const rows: readonly object[] = [
    taken(decodeEntry(rawEntry({ description: 'x' }))),
    taken(
      decodeOperation(rawOperation({ externalReference: 'x', payerActionUrl: 'x', failure: code })),
    ),
    taken(decodeWallet(rawWallet({}))),
  ];
  for (const row of rows) {
    const missed = Object.entries(row).filter(([, value]) => value === null);
    expect(missed).toEqual([]);
  }
});

describe('a wallet, a profile, an event', () => {
  test('are read as the document writes them', () => {
    expect(taken(decodeWallet(rawWallet({}))).available).toBe(9_980);
    expect(taken(decodeMerchant(rawMerchant({}))).pricing).toEqual({
      cashin: { bps: 200, flat: 0 },
      cashout: { bps: 150, flat: 25 },
    });
    const event = {
      id: 'evt_1',
      type: 'wallet.adjusted',
      createdAt: '2026-01-05T08:00:00Z',
      merchantReference: 'M001',
    };
    expect(taken(decodeEventFrame({ ...event, data: {} }))).toEqual({
      ...event,
      createdAt: Date.UTC(2026, 0, 5, 8),
    });
  });

  test('are refused by the path of the field', () => {
    expect(reasonOf(decodeWallet(rawWallet({ status: 'LOST' })))).toBe(
      'status is "LOST", not one of ACTIVE, FROZEN, CLOSED',
    );
    expect(reasonOf(decodeMerchant(rawMerchant({ pricing: { cashinFeeBps: 2.5 } })))).toBe(
      'pricing.cashinFeeBps is 2.5, not a whole number',
    );
    expect(reasonOf(decodeMerchant(rawMerchant({ limits: null })))).toBe(
      'limits is null, not an object',
    );
    expect(reasonOf(decodeMerchant(rawMerchant({ allowedCountries: ['CI', 7] })))).toBe(
      'allowedCountries.1 is 7, not text',
    );
    expect(reasonOf(decodeEventFrame({ id: 'evt_1' }))).toBe('type is missing');
  });
});
