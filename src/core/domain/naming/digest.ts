// A hash of texts that needs no library and is the same on every machine.

/** FNV-1a, 64 bits: the offset basis in two halves. */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 } as const;
/** The low part of the prime of FNV-1a, which is 2^40 + 0x1b3. */
const PRIME = 0x1b3;
const SEPARATOR = 0x1f;

/**
 * Returns FNV-1a, 64 bits in two halves, over the UTF-16 units of each part, preceded by its
 * length. It does not protect against forgery.
 */
export function digestOf(parts: readonly (string | number | null)[]): {
  readonly high: number;
  readonly low: number;
} {
  let { high, low }: { high: number; low: number } = OFFSET;
  const take = (unit: number): void => {
    const mixed = (low ^ unit) >>> 0;
    // Each product stays below 2^53, so it is exact.
    const product = mixed * PRIME;
    low = product >>> 0;
    high =
      (high * PRIME + Math.floor(product / 0x1_0000_0000) + ((mixed << 8) >>> 0)) % 0x1_0000_0000;
  };
  for (const part of parts) {
    const text = part === null ? 'null' : `${String(part).length}:${part}`;
    for (let i = 0; i < text.length; i++) take(text.charCodeAt(i));
    take(SEPARATOR);
  }
  return { high, low };
}
