// A finding keeps its fingerprint for ever, because people's decisions refer to it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf } from '../../../src/core/kernel/checks/port/fingerprint.ts';
import { assertProperty } from '../../support/assert-property.ts';

/** Returns FNV-1a with 64 bits as it is defined, over the length-prefixed parts. */
function defined(parts: readonly (string | number | null)[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const part of parts) {
    const text = part === null ? 'null' : `${String(part).length}:${part}`;
    for (const unit of [...Array(text.length).keys()].map((i) => text.charCodeAt(i)).concat(0x1f)) {
      hash = ((hash ^ BigInt(unit)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
  }
  return hash.toString(16).padStart(16, '0');
}

test('it is the hash of merchant, kind and place, whatever characters these have', () => {
  const text = fc.string({ unit: 'binary', maxLength: 30 });
  const place = fc.record({
    sequence: fc.option(fc.maxSafeInteger()),
    operationReference: fc.option(text),
    inputPlace: fc.option(text),
  });
  assertProperty(
    fc.property(text, text, place, (merchant, kind, parts) => {
      const { sequence, operationReference, inputPlace } = parts;
      expect(fingerprintOf(merchant, { kind, ...parts })).toBe(
        defined([merchant, kind, sequence, operationReference, inputPlace]),
      );
    }),
    { runs: 75 },
  );
});

test('that of the example in the documents is as printed there', () => {
  const place = {
    kind: 'BALANCE_DRIFT',
    sequence: 6,
    operationReference: 'GUI-CI-EXEMPLE3',
    inputPlace: null,
  };
  expect(fingerprintOf('EPICERIE_EXEMPLE', place)).toBe('c7dd4ef1212bd192');
});
