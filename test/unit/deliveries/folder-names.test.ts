// Names in the folder of deliveries: no name leads out of it, and no two texts share one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameOf } from '../../../src/io/deliveries/folder.ts';
import { assertProperty } from '../../support/assert-property.ts';

test('an ordinary name stays as it is', () => {
  for (const name of ['M001', '2026-10', 'RELEVE_M001_2026-10_r1.pdf', 'Épicerie_1']) expect(nameOf(name)).toBe(name);
});

test.each(['..', '.', '', '../../etc/passwd', '/etc/passwd', 'a/b', 'a\\b', '.hidden', 'a\0b', 'x'.repeat(500), 'a b'])(
  '%j becomes one safe name',
  (text) => {
    expect(nameOf(text)).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}_.-]*$/u);
    expect(nameOf(text).length).toBeLessThanOrEqual(80);
  },
);

test('whatever the text, the name is safe, and another text has another', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[./a_\\]{0,12}$/));
  assertProperty(
    fc.property(text, text, (one, other) => {
      expect(nameOf(one)).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}_.-]*$/u);
      expect(nameOf(one) === nameOf(other)).toBe(one === other);
    }),
  );
});
