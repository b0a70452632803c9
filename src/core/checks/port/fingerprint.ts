// A finding's fingerprint: depends on merchant, kind and place only, so that the same finding has the same fingerprint in
// every run and a second run adds nothing.

import type { FindingDraft } from '../../domain/finding.ts';

/** Of FNV-1a, 64 bits: the offset basis in two halves, and the low part of the prime, which is 2^40 + 0x1b3. */
const OFFSET = { high: 0xcbf29ce4, low: 0x84222325 } as const;
const PRIME = 0x1b3;
const SEPARATOR = 0x1f;

/** The place of a finding of a kind: all that tells it from others. */
type Place = Pick<FindingDraft, 'sequence' | 'operationReference' | 'inputPlace'> & { readonly kind: string };

/** 16 hexadecimal digits: FNV-1a, 64 bits, over the length-prefixed UTF-16 units of each part. */
export function fingerprintOf(merchant: string, place: Place): string {
  const parts = [merchant, place.kind, place.sequence, place.operationReference, place.inputPlace];
  let { high, low }: { high: number; low: number } = OFFSET;
  const take = (unit: number): void => {
    const mixed = (low ^ unit) >>> 0;
    // Each product stays below 2^53: exact.
    const product = mixed * PRIME;
    low = product >>> 0;
    high = (high * PRIME + Math.floor(product / 0x1_0000_0000) + ((mixed << 8) >>> 0)) % 0x1_0000_0000;
  };
  for (const part of parts) {
    const text = part === null ? 'null' : `${String(part).length}:${part}`;
    for (let i = 0; i < text.length; i++) take(text.charCodeAt(i));
    take(SEPARATOR);
  }
  return hexOf(high) + hexOf(low);
}

function hexOf(half: number): string {
  return half.toString(16).padStart(8, '0');
}
