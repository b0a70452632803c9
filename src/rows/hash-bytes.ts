// The one hash of texts, over their UTF-8 bytes: 53 bits under a key that is unlike in every process, so that nobody can make
// texts that meet in one place of a table. Equal hashes are a suspicion; code that merges rows compares the bytes.

/** Two words of 32 random bits each. Made where a source or a store is opened: nothing here is random. */
export interface HashKey {
  readonly first: number;
  readonly second: number;
}

/** Of the last four bytes, those that belong to a text whose length leaves none to three of them over. */
const MASKS = [0, 0xff, 0xffff, 0xffffff];

/**
 * HalfSipHash-1-3, with which Linux keys its own tables: a safe integer ≥ 0. Three bytes after the text must be readable;
 * what they are does not matter.
 */
export function hashBytes(key: HashKey, view: DataView, start: number, length: number): number {
  let v0 = key.first;
  let v1 = key.second;
  let v2 = key.first ^ 0x6c796765;
  let v3 = key.second ^ 0x74656462;
  const words = length >> 2;
  const left = view.getInt32(start + 4 * words, true) & MASKS[length & 3]!;
  // Each word, then what is left and the length, then three rounds that take nothing more in.
  for (let step = 0; step < words + 4; step += 1) {
    const word = step < words ? view.getInt32(start + 4 * step, true) : step === words ? left | (length << 24) : 0;
    if (step === words + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return ((v1 ^ v3) >>> 0) * 0x200000 + ((v0 ^ v2) >>> 11);
}

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

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
