import { expect, test } from 'vitest';
import { hashBytes, hashText } from '../../../src/core/domain/rows/hash-bytes.ts';

const KEY = { first: 0x12345678, second: 0x0abcdef1 };
const TEXTS = [
  '',
  'a',
  'ab',
  'abc',
  'abcd',
  'abcde',
  'GUI-CI-PHEREK00001',
  'a2d4f91b-8499-4efe',
  '~\u007f ',
  'é',
  '😀',
];

test('the bytes of a text have the hash of the text, wherever they stand and whatever follows them', () => {
  for (const text of TEXTS) {
    for (const start of [0, 1, 2, 3, 7]) {
      const bytes = Buffer.from(`${'#'.repeat(start)}${text}"}\n,,`);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      expect(hashBytes(KEY, view, start, Buffer.byteLength(text)), text).toBe(hashText(KEY, text));
    }
  }
});

test('texts that differ have other hashes: in a character, in length, in a zero at their end, beyond ASCII', () => {
  const texts = [
    ...TEXTS,
    'a\u0000',
    'e\u0301',
    '\u00e9\u0000',
    'Ā',
    '\u4e00\u4e01',
    '\u4e01\u4e00',
  ];
  for (let n = 0; n < 100_000; n += 1) texts.push(`led-${n}`);
  expect(new Set(texts.map((text) => hashText(KEY, text))).size).toBe(texts.length);
});

test('hashes are safe integers from 0, spread over all their bits', () => {
  const hashes = Array.from({ length: 2_000 }, (_, n) => hashText(KEY, String(n)));
  expect(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  for (let bit = 0; bit < 53; bit += 1) {
    const set = hashes.filter((hash) => Math.floor(hash / 2 ** bit) % 2 === 1).length;
    expect(set, `bit ${bit}`).toBeGreaterThan(850);
    expect(set, `bit ${bit}`).toBeLessThan(1_150);
  }
});

test('another key gives other hashes, also to texts that meet under one key in their lowest bits', () => {
  const low = (key: typeof KEY, text: string) => hashText(key, text) % 4_096;
  const meeting = Array.from({ length: 400_000 }, (_, n) => `led-${n}`).filter(
    (text) => low(KEY, text) === 7,
  );
  expect(meeting.length).toBeGreaterThan(50);
  const apart = new Set(meeting.map((text) => low({ first: 99, second: KEY.second }, text)));
  expect(apart.size).toBeGreaterThan(0.9 * meeting.length);
});
