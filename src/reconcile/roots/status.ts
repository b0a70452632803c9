// Whether a finding is certain yet, or rests on evidence that may still change.

import type { FindingDraft, FindingStatus } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';

export interface StatusTerms {
  readonly watermark: Instant;
  /** Milliseconds. */
  readonly grace: number;
  readonly latest: Instant;
}

/** Confirmed unless some evidence is younger than the watermark less grace; an impossible time proves nothing. */
export function statusOf({ newestEvidence: newest, againstOlder }: FindingDraft, terms: StatusTerms): FindingStatus {
  if (againstOlder) return 'provisional';
  if (newest === null || newest > terms.latest) return 'confirmed';
  return newest <= terms.watermark - terms.grace ? 'confirmed' : 'provisional';
}
