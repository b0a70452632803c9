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
const REPLACED: ReadonlySet<number> = new Set(BYTES.values());
const QUESTION_MARK = 0x3f;

export function latin9(text: string): Uint8Array {
  const characters = [...text.normalize('NFC')].flatMap((character) => [...plainSign(character)]);
  return Uint8Array.from(characters, byteOf);
}

/** A typographic sign in its plain form, any other character as it is. */
export function plainSign(character: string): string {
  return PLAIN[character] ?? character;
}

function byteOf(character: string): number {
  const code = character.codePointAt(0)!;
  return BYTES.get(character) ?? (code > 0xff || REPLACED.has(code) ? QUESTION_MARK : code);
}
