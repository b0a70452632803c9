// Text for programs that read few characters: as ISO 8859-15, one byte a character, or as one line
// of ASCII or of Western characters. Typographic signs take their plain forms. A character without
// one loses its accents, or becomes `?`.

import { oneLine } from './one-line.ts';

const PLAIN: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u2013': '-',
  '\u2014': '-',
  '\u2212': '-',
  '\u2026': '...',
  '\u2022': '*',
  '\u202f': ' ',
  '\u2009': ' ',
};

/** Bytes at which ISO 8859-15 differs from the first 256 characters of Unicode. */
const REPLACED = [0xa4, 0xa6, 0xa8, 0xb4, 0xb8, 0xbc, 0xbd, 0xbe];
const DECODER = new TextDecoder('iso-8859-15');
const BYTES = new Map(REPLACED.map((byte) => [DECODER.decode(Uint8Array.of(byte)), byte]));

/**
 * Characters that are not their own byte: all beyond the first 256, and those among the first 256
 * that ISO 8859-15 replaces.
 */
const OTHERS = /[\u0100-\u{10ffff}¤¦¨´¸¼½¾]/gu;

export function latin9(text: string): Uint8Array {
  return Buffer.from(
    latin9Text(text).replace(OTHERS, (character) => String.fromCharCode(BYTES.get(character)!)),
    'latin1',
  );
}

/** Returns the text as its bytes will be read. */
export function latin9Text(text: string): string {
  const plain = text.normalize('NFC').replace(OTHERS, plainSign);
  return plain.replace(OTHERS, (character) => (BYTES.has(character) ? character : '?'));
}

/** Returns the plain form of a typographic sign, and any other character as it is. */
function plainSign(character: string): string {
  return PLAIN[character] ?? character;
}

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

/** Returns one line of ASCII. A character that cannot be spelled in ASCII becomes `instead`. */
export function asciiLine(text: string, instead: string): string {
  return narrowed(text, /[^\x20-\x7e]/gu, instead);
}

/**
 * Returns one line of the characters that ISO 8859-1, ISO 8859-15 and Windows-1252 encode alike,
 * one byte each: ASCII and Western accents. Others become `instead`.
 */
export function westernLine(text: string, instead: string): string {
  return narrowed(text, /[^\x20-\x7e\u00a7\u00b0\u00c0-\u00ff]/gu, instead);
}

function narrowed(text: string, refused: RegExp, instead: string): string {
  const line = oneLine(text);
  if (/^[\x20-\x7e]*$/.test(line)) return line;
  const shown = line.normalize('NFC').replace(/[^\x20-\x7e]/gu, (sign) => {
    const plain = SPELLED[sign] ?? plainSign(sign);
    return plain.replace(refused, (character) =>
      character.normalize('NFKD').replace(/\p{M}/gu, '').replace(refused, instead),
    );
  });
  return shown.trim();
}
