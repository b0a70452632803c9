// Text as ISO 8859-15: one byte a character. Typographic signs outside it become their plain forms, anything else `?`.

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

/** Where ISO 8859-15 differs from the first 256 characters of Unicode. */
const BYTES: ReadonlyMap<string, number> = new Map([
  ['€', 0xa4],
  ['Š', 0xa6],
  ['š', 0xa8],
  ['Ž', 0xb4],
  ['ž', 0xb8],
  ['Œ', 0xbc],
  ['œ', 0xbd],
  ['Ÿ', 0xbe],
]);
const QUESTION_MARK = 0x3f;

/** What is not its own byte: all beyond the first 256 characters, and those of them that ISO 8859-15 replaces. */
const OTHERS = /[\u0100-\u{10ffff}¤¦¨´¸¼½¾]/gu;

export function latin9(text: string): Uint8Array {
  const plain = text.normalize('NFC').replace(OTHERS, plainSign);
  return Buffer.from(
    plain.replace(OTHERS, (character) => String.fromCharCode(BYTES.get(character) ?? QUESTION_MARK)),
    'latin1',
  );
}

/** A typographic sign in its plain form, any other character as it is. */
export function plainSign(character: string): string {
  return PLAIN[character] ?? character;
}
