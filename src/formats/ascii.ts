// Text from outside as one line of ASCII, for the formats of banks: typographic signs and ligatures take their plain forms, and
// what has none loses its accents, or is shown by the sign given.

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

const OTHERS = /[^\x20-\x7e]/gu;

export function asciiLine(text: string, instead: string): string {
  const shown = oneLine(text)
    .normalize('NFC')
    .replace(OTHERS, (sign) => bare(SPELLED[sign] ?? plainSign(sign)).replace(OTHERS, instead));
  return shown.trim();
}

function bare(character: string): string {
  return character.normalize('NFKD').replace(/\p{M}/gu, '');
}
