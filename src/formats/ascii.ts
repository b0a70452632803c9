// Text from outside as one line of ASCII, for the formats of banks: accents go, typographic signs and ligatures take their
// plain forms, and what has none is shown by the sign given.

import { plainSign } from './latin9.ts';
import { oneLine } from './one-line.ts';

const SPELLED: Readonly<Record<string, string>> = {
  '«': '"',
  '»': '"',
  '×': 'x',
  '÷': '/',
  '€': 'EUR',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  ß: 'ss',
};

export function asciiLine(text: string, instead: string): string {
  const plain = [...oneLine(text)].map((character) => SPELLED[character] ?? plainSign(character)).join('');
  const bare = plain.normalize('NFKD').replace(/\p{M}/gu, '');
  return bare.replace(/[^\x20-\x7e]/gu, instead).trim();
}
