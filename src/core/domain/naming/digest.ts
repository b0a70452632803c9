// A digest of texts that needs no library, the same on every machine.

/**
 * Of FNV-1a, 64 bits: the offset basis in two halves, and the low part of the prime, which is 2^40
 * + 0x1b3.
 */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 } as const;
const PRIME = 0x1b3;
const SEPARATOR = 0x1f;

/**
 * Returns FNV-1a, 64 bits in two halves, over the length-prefixed UTF-16 units of each part. It is
 * no proof against forgery.
 */
export function digestOf(parts: readonly (string | number | null)[]): {
  readonly high: number;
  readonly low: number;
} {
  let { high, low }: { high: number; low: number } = OFFSET;
  const take = (unit: number): void => {
    const mixed = (low ^ unit) >>> 0;
    // Each product stays below 2^53: exact.
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
