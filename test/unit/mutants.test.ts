// What `npm run mutate` changes, and what it leaves alone.

import { expect, test } from 'vitest';
import { findMutants, mutated } from '../../bench/mutation/mutants.ts';

const shown = (text: string): readonly string[] =>
  findMutants('x.ts', text).map((one) => mutated(text, one));

test('a comparison, a condition, a number and a statement are changed one at a time', () => {
  expect(shown('if (a < 1) b();')).toEqual([
    'if (true) b();',
    'if (false) b();',
    'if (a <= 1) b();',
    'if (a >= 1) b();',
    'if (a < 2) b();',
    'if (a < 1) ;',
  ]);
  expect(shown('const c = list.some(f) ?? true;')).toEqual([
    'const c = list.every(f) ?? true;',
    'const c = list.some(f);',
    'const c = list.some(f) ?? false;',
  ]);
});

test('types, texts and what an invariant asserts stay', () => {
  expect(shown("type A = 1 | true; const a: 2 = b as never; const t = 'x' + y;")).toEqual([]);
  expect(shown("const z = invariant(a > 1, 'a');")).toEqual([]);
});
