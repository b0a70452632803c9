// A finding's fingerprint: depends on merchant, kind and place only, so that the same finding has
// the same fingerprint in every run and a second run adds nothing.

import type { FindingDraft } from '../../../domain/finding.ts';
import { digestOf } from '../../../domain/naming/digest.ts';

/** The kind and place of a finding, which tell it from all other findings of the merchant. */
type Place = Pick<FindingDraft, 'sequence' | 'operationReference' | 'inputPlace'> & {
  readonly kind: string;
};

/** Returns the fingerprint, 16 hexadecimal digits. */
export function fingerprintOf(merchant: string, place: Place): string {
  const { high, low } = digestOf([
    merchant,
    place.kind,
    place.sequence,
    place.operationReference,
    place.inputPlace,
  ]);
  return hexOf(high) + hexOf(low);
}

function hexOf(half: number): string {
  return half.toString(16).padStart(8, '0');
}
