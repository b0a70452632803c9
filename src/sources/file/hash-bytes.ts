// Hashes bytes, for tables that look texts up without making texts of them. Not for secrets.

/** 32 bits. With a seed that is unlike in every run, no file can be made whose texts all meet in one place of a table. */
export function hashBytes(seed: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = seed;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ bytes[at]!, 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash ^ (hash >>> 13), 0x2c1b3c6d);
  return (hash ^ (hash >>> 16)) >>> 0;
}
