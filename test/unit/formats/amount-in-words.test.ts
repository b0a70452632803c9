// Balances in words, as a person would write them.

import { expect, test } from 'vitest';
import { LABELS } from '../../../src/core/words/tree.ts';
import {
  amountInWords,
  elided,
  sumInWords,
} from '../../../src/io/formats/sentences/amount-in-words.ts';

test.each([
  [0, 'zéro franc CFA', 'zero CFA francs'],
  [1, 'un franc CFA', 'one CFA franc'],
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
  expect(amountInWords(amount, LABELS.fr.due.nouns.XOF, 'fr')).toBe(french);
  expect(amountInWords(amount, LABELS.en.due.nouns.XOF, 'en')).toBe(english);
});

test('a sum is elided where French elides it', () => {
  const closed = (amount: number) =>
    elided(`à la somme de ${sumInWords(amount, 'GNF', { labels: LABELS.fr, language: 'fr' })}.`);
  expect(closed(1_000_000)).toBe('à la somme d’un million de francs guinéens.');
  expect(closed(11)).toBe('à la somme de onze francs guinéens.');
});
