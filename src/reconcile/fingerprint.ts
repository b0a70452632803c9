// A finding's fingerprint: depends on merchant, kind and place only, so that the same finding has the same fingerprint in
// every run and a second run adds nothing.

import type { FindingDraft } from '../domain/finding.ts';

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;
const MASK = (1n << 64n) - 1n;

/** 16 hexadecimal digits: FNV-1a, 64 bits, over the length-prefixed UTF-16 units of each part. */
export function fingerprintOf(merchant: string, draft: FindingDraft): string {
  const parts = [merchant, draft.kind, draft.sequence, draft.operationReference, draft.inputPlace];
  let hash = OFFSET;
  for (const part of parts) {
    const text = part === null ? 'null' : `${String(part).length}:${part}`;
    for (let i = 0; i < text.length; i++) hash = ((hash ^ BigInt(text.charCodeAt(i))) * PRIME) & MASK;
    hash = ((hash ^ 0x1fn) * PRIME) & MASK;
  }
  return hash.toString(16).padStart(16, '0');
}
