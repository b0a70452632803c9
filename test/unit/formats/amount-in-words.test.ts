// Balances in words, as a person would write them.

import { expect, test } from 'vitest';
import { amountInWords } from '../../../src/formats/amount-in-words.ts';

test.each([
  [0, 'zéro francs CFA', 'zero CFA francs'],
  [80, 'quatre-vingts francs CFA', 'eighty CFA francs'],
  [271, 'deux cent soixante et onze francs CFA', 'two hundred and seventy-one CFA francs'],
  [1_000, 'mille francs CFA', 'one thousand CFA francs'],
  [2_000_000, 'deux millions de francs CFA', 'two million CFA francs'],
  [
    5_081_054,
    'cinq millions quatre-vingt-un mille cinquante-quatre francs CFA',
    'five million eighty-one thousand and fifty-four CFA francs',
  ],
  [-200, 'moins deux cents francs CFA', 'minus two hundred CFA francs'],
])('%i', (amount, french, english) => {
  expect(amountInWords(amount, 'francs CFA', 'fr')).toBe(french);
  expect(amountInWords(amount, 'CFA francs', 'en')).toBe(english);
});
