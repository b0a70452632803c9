// Bytes that are put one after the other in one place: a page is some ten thousand short texts, and to join them as texts
// costs more than to write them.

import { writeCode } from './glyph-codes.ts';

export interface Bytes {
  /** Each character is a byte. */
  put(text: string): void;
  /** A string of a page's content: for each character its glyph. */
  putGlyphs(text: string, glyphs: Uint16Array): void;
  /** All since it was asked last; they stand until something else is put. */
  take(): Uint8Array;
}

export function openBytes(): Bytes {
  let bytes = new Uint8Array(1 << 14);
  let length = 0;
  const roomFor = (more: number): Uint8Array => {
    if (length + more > bytes.length) {
      const larger = new Uint8Array(2 * (length + more));
      larger.set(bytes.subarray(0, length));
      bytes = larger;
    }
    return bytes;
  };
  return {
    put: (text) => {
      const into = roomFor(text.length);
      const at = length;
      for (let i = 0; i < text.length; i++) into[at + i] = text.charCodeAt(i);
      length = at + text.length;
    },
    putGlyphs: (text, glyphs) => {
      const into = roomFor(4 * text.length + 2);
      let at = length;
      into[at++] = 0x28;
      for (let i = 0; i < text.length; i++) at = writeCode(into, at, glyphs[text.charCodeAt(i)]!);
      into[at++] = 0x29;
      length = at;
    },
    take: () => {
      const taken = bytes.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}
