import { expect, test } from 'vitest';
import { hashText } from '../../../src/domain/text-hash.ts';

const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'abcd',
  'abcde',
  'GUI-CI-PHEREK00001',
  'a2d4f91b-8499-4efe-b56b-53dc5b3097e0',
  '~\u007f ',
];

test('texts that differ have other hashes: in a character, in length, in a zero at their end, beyond ASCII', () => {
  const texts = [...TEXTS, 'a\u0000', 'é', 'e\u0301', '\u00e9\u0000', 'Ā', '\u{1f600}', '\u4e00\u4e01', '\u4e01\u4e00'];
  for (let n = 0; n < 100_000; n += 1) texts.push(`led-${n}`);
  expect(new Set(texts.map(hashText)).size).toBe(texts.length);
});
