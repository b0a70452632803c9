// The one hash of texts, over their UTF-8 bytes: 53 bits under a key that differs in every process,
// so that no attacker can make texts that collide. Equal hashes are a suspicion; code that merges
// rows compares the bytes.

/**
 * Two words of 32 random bits each. Made where a source or a store is opened: nothing here is
 * random.
 */
export interface HashKey {
  readonly first: number;
  readonly second: number;
}

/**
 * HalfSipHash-1-3, with which Linux keys its own tables, as source to be put where bytes are read:
 * a round takes less time than a call would. It needs `key` and `LAST_BYTES`, and takes in four
 * bytes at a time; `last` is what is left of them, up to three, in the lowest bytes of a word whose
 * others do not matter. The end gives a safe integer ≥ 0.
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
 * Of the last four bytes, those that belong to a text whose length leaves none to three of them
 * over.
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

/** Three bytes after the text must be readable; what they are does not matter. */
export const hashBytes = new Function('LAST_BYTES', source)(LAST_BYTES) as (
  key: HashKey,
  view: DataView,
  start: number,
  length: number,
) => number;

const SPARE = 4;
let room = Buffer.alloc(1_024);
let roomView = viewOf(room);

/** `hashBytes` of the text's bytes. */
export function hashText(key: HashKey, text: string): number {
  makeRoom(3 * text.length);
  return hashBytes(key, roomView, 0, room.write(text, 'utf8'));
}

/** `hashBytes` of bytes after which nothing need be readable. */
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
