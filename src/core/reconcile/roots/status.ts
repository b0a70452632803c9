// Whether a finding is certain yet, or rests on evidence that may still change.

import type { FindingDraft, FindingStatus } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import { fingerprintOf } from '../fingerprint.ts';

export interface StatusTerms {
  readonly watermark: Instant;
  /** Milliseconds. */
  readonly grace: number;
  readonly latest: Instant;
  /** As `ReconcileSettings`. */
  readonly unread?: ReadonlySet<string> | undefined;
  readonly merchant: string;
}

/** Confirmed unless some evidence is younger than the watermark less grace; an impossible time proves nothing. */
export function statusOf(draft: FindingDraft, terms: StatusTerms): FindingStatus {
  if (terms.unread?.has(fingerprintOf(terms.merchant, draft)) || draft.againstOlder) return 'provisional';
  const { newestEvidence: newest } = draft;
  if (newest === null || newest > terms.latest) return 'confirmed';
  return newest <= terms.watermark - terms.grace ? 'confirmed' : 'provisional';
}
