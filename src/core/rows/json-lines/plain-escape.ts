// Steps over one escape of a JSON text. Refuses what only the strict parser may judge: halves of surrogate pairs, U+0000,
// and whatever is no escape at all.

export const BACKSLASH = 0x5c;

/** 1 for the letters that may follow a backslash by themselves: quote, backslash, slash, b, f, n, r, t. */
const IS_ESCAPE = new Uint8Array(256);
for (const letter of '"\\/bfnrt') IS_ESCAPE[letter.charCodeAt(0)] = 1;

/** Value of each hexadecimal digit; 16 for the other bytes. */
const HEX = new Uint8Array(256).fill(16);
for (let digit = 0; digit < 16; digit += 1) {
  HEX[digit.toString(16).charCodeAt(0)] = digit;
  HEX[digit.toString(16).toUpperCase().charCodeAt(0)] = digit;
}

/** Offset after the escape whose backslash stands at `at`, or −1. */
export function passEscape(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1]!;
  if (IS_ESCAPE[letter] === 1) return at + 2;
  if (letter !== 0x75) return -1;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i += 1) {
    const digit = HEX[bytes[i]!]!;
    if (digit === 16) return -1;
    unit = unit * 16 + digit;
  }
  return unit === 0 || (unit >= 0xd800 && unit <= 0xdfff) ? -1 : at + 6;
}
