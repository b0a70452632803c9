// What a service published beside the ledger, judged: a part for each sort of it, which a session concludes and reports with. It comes
// after the ledger's own: nothing in it changes what is replayed, and a checkpoint does not keep it.

import { fingerprintOf } from '../../checks/port/fingerprint.ts';
import type { Sought } from '../../checks/port/judgement.ts';
import { LINK_KINDS, PAYOUT_KINDS } from '../../checks/port/kinds.ts';
import { reportSummaryMismatch } from '../../checks/reports/report-summary.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { NotChecked, RejectedRow } from '../../domain/snapshot.ts';

export interface JudgedPart {
  readonly drafts: readonly FindingDraft[];
  readonly rejected: readonly RejectedRow[];
  readonly notChecked: readonly NotChecked[];
  /** Places that were judged: of the others nothing is known. */
  readonly sought: readonly Sought[];
}

export function joinParts(parts: readonly JudgedPart[]): JudgedPart {
  return {
    drafts: parts.flatMap(({ drafts }) => drafts),
    rejected: parts.flatMap(({ rejected }) => rejected),
    notChecked: parts.flatMap(({ notChecked }) => notChecked),
    sought: parts.flatMap(({ sought }) => sought),
  };
}

/** Looked for only where the service answers, so that a finding which is not found may still be there. */
const KINDS_IN_PART: readonly string[] = [
  reportSummaryMismatch.kind,
  ...Object.keys(LINK_KINDS),
  ...Object.keys(PAYOUT_KINDS),
];

/** By kind, the fingerprints that were looked for: what a conclusion must know so that no other finding is taken for gone. */
export function judgedFingerprints(
  merchant: string,
  part: JudgedPart | null,
): ReadonlyMap<string, ReadonlySet<string>> {
  const byKind = Map.groupBy(part?.sought ?? [], ({ kind }) => kind as string);
  return new Map(
    KINDS_IN_PART.map((kind) => {
      const places = (byKind.get(kind) ?? []).map((place) => ({ ...place, sequence: null, operationReference: null }));
      return [kind, new Set(places.map((place) => fingerprintOf(merchant, place)))];
    }),
  );
}
