// Text from outside as one line of few characters, for formats of banks and of older bookkeeping programs: typographic signs and
// ligatures take their plain forms, and what has none loses its accents, or is shown by the sign given.

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

/** No accents. */
export function asciiLine(text: string, instead: string): string {
  return narrowed(text, /[^\x20-\x7e]/gu, instead);
}

/** What ISO 8859-1, ISO 8859-15 and Windows-1252 write alike: Western accents, one byte a character. */
export function westernLine(text: string, instead: string): string {
  return narrowed(text, /[^\x20-\x7e\u00a7\u00b0\u00c0-\u00ff]/gu, instead);
}

function narrowed(text: string, refused: RegExp, instead: string): string {
  const shown = oneLine(text)
    .normalize('NFC')
    .replace(/[^\x20-\x7e]/gu, (sign) => {
      const plain = SPELLED[sign] ?? plainSign(sign);
      return plain.replace(refused, (character) => bare(character).replace(refused, instead));
    });
  return shown.trim();
}

function bare(character: string): string {
  return character.normalize('NFKD').replace(/\p{M}/gu, '');
}
