// Turns bytes into texts that do not hold on to the buffer they came from, and gives one and the same text for equal bytes
// seen shortly before: kinds, currencies and the references that neighbouring lines share.

/**
 * A table of recent texts; a newer one takes the place of an older one with the same hash, so it never grows. The bytes
 * of text `slot` stand in `bytes` from `slot * LONGEST` on.
 */
export interface TextCache {
  readonly bytes: Buffer;
  readonly lengths: Uint8Array;
  readonly texts: string[];
}

const SIZE = 2_048;
const LONGEST = 48;

/** `known` are texts that will surely be met, so that they are the very texts that the rest of the program compares with. */
export function createTextCache(known: readonly string[]): TextCache {
  const cache: TextCache = {
    bytes: Buffer.alloc(SIZE * LONGEST),
    lengths: new Uint8Array(SIZE),
    texts: new Array<string>(SIZE).fill(''),
  };
  for (const text of known) {
    const bytes = Buffer.from(text, 'latin1');
    keepText(cache, { slot: slotOf(bytes, 0, bytes.length), bytes, start: 0, length: bytes.length, text });
  }
  return cache;
}

/** A text that is probably unlike its neighbours. `isAscii` must be true only when every byte is below 0x80. */
export function ownText(bytes: Buffer, start: number, end: number, isAscii: boolean): string {
  return bytes.toString(isAscii ? 'latin1' : 'utf8', start, end);
}

/** As `ownText`, for a text that has probably been met before. */
export function sharedText(cache: TextCache, bytes: Buffer, start: number, end: number, isAscii: boolean): string {
  const length = end - start;
  if (length > LONGEST || length === 0) return ownText(bytes, start, end, isAscii);
  const slot = slotOf(bytes, start, end);
  if (cache.lengths[slot] === length) {
    const known = slot * LONGEST;
    let same = 0;
    while (same < length && cache.bytes[known + same] === bytes[start + same]) same += 1;
    if (same === length) return cache.texts[slot]!;
  }
  const text = ownText(bytes, start, end, isAscii);
  keepText(cache, { slot, bytes, start, length, text });
  return text;
}

interface Kept {
  readonly slot: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

function keepText(cache: TextCache, kept: Kept): void {
  const first = kept.slot * LONGEST;
  for (let i = 0; i < kept.length; i += 1) cache.bytes[first + i] = kept.bytes[kept.start + i]!;
  cache.lengths[kept.slot] = kept.length;
  cache.texts[kept.slot] = kept.text;
}

/** Ends differ more than beginnings: references share a prefix; kinds share endings, but then differ in length. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = Math.max(start, end - 8); at < end; at += 1) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return (hash ^ (hash >>> 11)) & (SIZE - 1);
}
