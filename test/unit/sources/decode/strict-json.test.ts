import { describe, expect, test } from 'vitest';
import { inexactTextOf } from '../../../../src/core/domain/rows/decode-object.ts';
import {
  parseStrictJson,
  parseStrictJsonText,
} from '../../../../src/io/sources/decode/strict-json.ts';

function parsed(text: string): unknown {
  const result = parseStrictJsonText(text);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
}

function reasonOf(text: string): string {
  const result = parseStrictJsonText(text);
  return result.ok ? `accepted ${JSON.stringify(result.value)}` : result.reason;
}

describe('strict JSON', () => {
  test('reads what JSON.parse reads', () => {
    for (const text of [
      '{"a":[1,-2,3.5,"x",null,true,false,{}],"b":{"c":[]}}',
      ' \t\r\n[ 1 , 2 ] \n',
      '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00é😀"',
      '0',
      '{"":1}',
    ]) {
      expect(parsed(text)).toEqual(JSON.parse(text));
    }
  });

  test('refuses what is not JSON, and says where', () => {
    expect(reasonOf('')).toBe('not JSON: it ends at offset 0, where a value is wanted');
    expect(reasonOf('{"a":1')).toMatch(/it ends at offset 6/);
    expect(reasonOf('{"a":01}')).toMatch(/"1" at offset 6/);
    for (const text of [
      '{',
      '[1,]',
      '{"a":1,}',
      "{'a':1}",
      '{a:1}',
      'NaN',
      'Infinity',
      '-',
      '1.',
      '.5',
      '+1',
      '1e',
      'tru',
      'nul',
      '"abc',
      '"a\nb"',
      '"\\x"',
      '"\\u12g4"',
      '"\\u12"',
      '1 2',
      '{"a" 1}',
      '{1:2}',
      '[1 2]',
      '\ufeff{}',
      '\u00a0{}',
      '{}\u0000',
      '/* c */{}',
      '"\u0000"',
    ]) {
      expect(reasonOf(text), text).toMatch(/^not JSON/);
    }
  });

  test('refuses a key given twice at any depth, however it is written', () => {
    expect(reasonOf('{"amount":1,"amount":1}')).toBe('the key "amount" is given twice');
    expect(reasonOf('[{"m":{"a":1,"\\u0061":2}}]')).toBe('the key "a" is given twice');
    expect(reasonOf('{"__proto__":1,"__proto__":2}')).toBe('the key "__proto__" is given twice');
    expect(parsed('[{"a":1},{"a":2}]')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('keeps a key called __proto__ as plain data', () => {
    const value = parsed('{"__proto__":{"amount":5}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value.amount).toBeUndefined();
  });

  test('refuses invalid UTF-8 and lone surrogates, raw or escaped', () => {
    const bytes = (...codes: number[]) => new Uint8Array([0x22, ...codes, 0x22]);
    for (const bad of [
      bytes(0xff),
      bytes(0xc3),
      bytes(0xc0, 0xaf),
      bytes(0xed, 0xa0, 0x80),
      bytes(0xf5, 0x80, 0x80, 0x80),
    ]) {
      expect(parseStrictJson(bad)).toMatchObject({
        ok: false,
        reason: 'the bytes are not valid UTF-8',
      });
    }
    expect(parseStrictJson(bytes(0xc3, 0xa9))).toEqual({ ok: true, value: 'é' });
    expect(reasonOf('"\ud800"')).toMatch(/lone surrogate/);
    for (const text of ['"\\ud800"', '"\\udc00\\ud800"', '"\\ud83dx\\ude00"', '{"\\ud800":1}']) {
      expect(reasonOf(text), text).toMatch(/lone surrogate/);
    }
  });

  test('refuses a byte order mark, which only the reader of a file may take off', () => {
    expect(parseStrictJson(new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])).ok).toBe(false);
  });

  test('reads 64 levels of nesting, refuses 65, and survives a million', () => {
    const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parseStrictJsonText(nest(64)).ok).toBe(true);
    expect(reasonOf(nest(65))).toBe('nested deeper than 64 levels');
    expect(reasonOf('{"a":'.repeat(1_000_000))).toBe('nested deeper than 64 levels');
  });

  test('reads whole numbers exactly, in whatever notation', () => {
    expect(parsed('[9007199254740991,-9007199254740991,1000.0,1e3,1.5e1,120e-1,0e999999]')).toEqual(
      [9007199254740991, -9007199254740991, 1000, 1000, 15, 12, 0],
    );
    for (const zero of ['-0', '-0.0', '-0e5', '0.000'])
      expect(Object.is(parsed(zero), 0), zero).toBe(true);
  });

  test('keeps the text of a number that would have been rounded', () => {
    for (const text of [
      '9007199254740992',
      '9007199254740993',
      '-9007199254740993',
      '1.00000000000000000001',
      '0.99999999999999999999999',
      '1e400',
      '1e-400',
      '9.007199254740993e15',
      '123456789012345678901234567890',
    ]) {
      expect(inexactTextOf(parsed(text)), text).toBe(text);
    }
    expect(parsed('5.359952')).toBe(5.359952);
  });

  test('takes time in proportion to the length of what it reads', () => {
    const started = performance.now();
    for (const text of [
      `"${'\\u0041'.repeat(300_000)}"`,
      `[${'0'.repeat(2_000_000)}1]`,
      `1${'0'.repeat(1_000_000)}.${'0'.repeat(1_000_000)}1`,
      `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    ]) {
      parseStrictJsonText(text);
    }
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
