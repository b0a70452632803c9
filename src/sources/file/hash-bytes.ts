// Hashes bytes, for tables that look texts up without making texts of them. Not for secrets.

/** 32 bits. With a seed that is unlike in every run, no file can be made whose texts all meet in one place of a table. */
export function hashBytes(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = seed ^ (end - start);
  let at = start;
  for (const last = end - 4; at <= last; at += 4) {
    hash = mix(hash, bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24));
  }
  let left = 0;
  for (; at < end; at += 1) left = (left << 8) | bytes[at]!;
  hash = mix(hash, left);
  hash = Math.imul(hash ^ (hash >>> 13), 0x2c1b3c6d);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x5bd1e995);
  return mixed ^ (mixed >>> 15);
}
