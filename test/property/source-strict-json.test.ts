import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseStrictJsonText } from '../../src/io/sources/decode/strict-json.ts';
import { assertProperty } from '../support/assert-property.ts';

describe('strict JSON, for any text', () => {
  test('gives what JSON.parse gives for what JSON.stringify wrote', () => {
    assertProperty(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 2), (value, indent) => {
        const exact = replaceFractions(value);
        expect(parseStrictJsonText(JSON.stringify(exact, null, indent))).toEqual({
          ok: true,
          value: exact,
        });
      }),
    );
  });

  test('accepts nothing that JSON.parse refuses, and throws never', () => {
    const letters = fc.constantFrom(...'{}[]",:\\u0019eE+-. \ntrufalsn\u0000é😀');
    assertProperty(
      fc.property(fc.string({ unit: letters, maxLength: 25 }), (text) => {
        if (parseStrictJsonText(text).ok) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { runs: 750 },
    );
  });
});

/**
 * Returns the value with 0.5 in place of every fraction, and 0 in place of −0, which is read as 0.
 * Fractions of more than 15 digits and integers past 2^53 are kept as text by design, so they are
 * left out here.
 */
function replaceFractions(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : 0.5;
  if (Array.isArray(value)) return value.map(replaceFractions);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaceFractions(inner)]),
  );
}
