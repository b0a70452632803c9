// The one hash of texts, over their UTF-8 bytes: 53 bits under a key that differs in every process,
// so that no attacker can make texts that collide. Equal hashes do not prove equal texts: code that
// merges rows must compare the bytes.

/**
 * Two random words of 32 bits each. The caller makes them when a source or a store is opened,
 * because the core has no randomness.
 */
export interface HashKey {
  readonly first: number;
  readonly second: number;
}

/**
 * HalfSipHash-1-3 (Linux hashes its own tables with it) as pieces of source, which are put into the
 * loops that read bytes, because a call for each word would take longer than the hash itself. The
 * pieces need the variables `key`, `LAST_BYTES` and `length`. HASH_WORD takes four bytes in `word`;
 * END_HASH takes the remaining zero to three bytes in the lowest bytes of `last`, whose other bytes
 * do not matter. The result, `hash`, is a safe integer ≥ 0.
 */
const ROUND = `v0 = (v0 + v1) | 0; v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0; v0 = (v0 << 16) | (v0 >>> 16);
v2 = (v2 + v3) | 0; v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
v0 = (v0 + v3) | 0; v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
v2 = (v2 + v1) | 0; v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2; v2 = (v2 << 16) | (v2 >>> 16);`;
export const BEGIN_HASH =
  'let v0 = key.first | 0, v1 = key.second | 0, v2 = v0 ^ 0x6c796765, v3 = v1 ^ 0x74656462;';
export const HASH_WORD = `v3 ^= word; ${ROUND} v0 ^= word;`;
export const END_HASH = `word = (last & LAST_BYTES[length & 3]) | (length << 24); ${HASH_WORD}
v2 ^= 0xff; ${ROUND} ${ROUND} ${ROUND}
const hash = ((v1 ^ v3) >>> 0) * 0x200000 + ((v0 ^ v2) >>> 11);`;
/**
 * Masks for the last bytes of a text, by how many remain after its last group of four: none to
 * three.
 */
export const LAST_BYTES = [0, 0xff, 0xffff, 0xffffff];

const source = `return (key, view, start, length) => {
${BEGIN_HASH}
const end = start + (length & ~3);
let word = 0;
for (let at = start; at < end; at += 4) { word = view.getInt32(at, true); ${HASH_WORD} }
const last = view.getInt32(end, true);
${END_HASH}
return hash;
};`;

/**
 * Hashes `length` bytes from `start`. Three bytes after the text must be readable; their values do
 * not matter. Made with `new Function` from the pieces of source above.
 */
export const hashBytes = new Function('LAST_BYTES', source)(LAST_BYTES) as (
  key: HashKey,
  view: DataView,
  start: number,
  length: number,
) => number;

const SPARE = 4;
let room = Buffer.alloc(1_024);
let roomView = viewOf(room);

/** Hashes the UTF-8 bytes of a text, as `hashBytes` does. */
export function hashText(key: HashKey, text: string): number {
  makeRoom(3 * text.length);
  return hashBytes(key, roomView, 0, room.write(text, 'utf8'));
}

/** Hashes bytes as `hashBytes` does, but needs no readable bytes after them. */
export function hashAlone(key: HashKey, bytes: Uint8Array): number {
  makeRoom(bytes.length);
  room.set(bytes);
  return hashBytes(key, roomView, 0, bytes.length);
}

function makeRoom(length: number): void {
  if (length + SPARE <= room.length) return;
  room = Buffer.alloc(length + SPARE);
  roomView = viewOf(room);
}

export function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
