// Findings about the mirror itself: a stored line no longer fits the engine's own hash chain, or another row its digest.

import type { FindingDraft } from '../../domain/finding.ts';
import type { TamperedLines } from '../../domain/snapshot.ts';
import { draftOf, lineEvidence } from '../port/check.ts';

export function judgeStoredLines({ first, last, until, table = null }: TamperedLines): FindingDraft {
  if (table !== null) return draftOf('MIRROR_TAMPERED', { first, last, until, table }, {});
  const evidence = [
    lineEvidence(first ?? until, 'first of the lines among which the change is'),
    ...(last === null || last === first ? [] : [lineEvidence(last, 'last of them')]),
  ];
  return draftOf('MIRROR_TAMPERED', { first, last, until, table }, { sequence: first, evidence });
}
