// Whether a night found exactly what was planted: at its place, and nothing else.

import type { AuditReport, Finding } from '../../../core/domain/finding.ts';
import type { Expected } from '../../../sandbox/faults/fault.ts';

export interface Compared {
  /** Planted, and not found at its place. */
  readonly missed: readonly Expected[];
  /** Found, and not planted. */
  readonly surplus: readonly Finding[];
}

/** Roots alone: what follows from one is its own. What is only worth knowing counts where it was planted. */
export function compareFound(expected: readonly Expected[], { findings }: Pick<AuditReport, 'findings'>): Compared {
  const kinds = new Set(expected.map(({ kind }) => kind));
  const roots = findings.filter(
    ({ causedBy, severity, kind }) => causedBy === null && (severity !== 'info' || kinds.has(kind)),
  );
  const left = [...roots];
  const missed = expected.filter((one) => {
    const at = left.findIndex((root) => isAt(root, one));
    if (at === -1) return true;
    left.splice(at, 1);
    return false;
  });
  return { missed, surplus: left };
}

/**
 * The two ways of counting a day may pass the ceiling with different cash-outs: then no place is expected. Of the lines of
 * one group, the report names the one that went too far, and the sandbox the last.
 */
function isAt(root: Finding, { kind, sequence, operationReference, about }: Expected): boolean {
  if (root.kind !== kind) return false;
  if (about !== undefined && root.evidence[0]?.reference !== about) return false;
  if (kind === 'DAILY_CASHOUT_LIMIT_EXCEEDED' && operationReference === null) return true;
  if (root.operationReference !== operationReference) return false;
  if (sequence === null || root.sequence === null) return sequence === root.sequence;
  return kind === 'AVAILABLE_NEGATIVE'
    ? Math.abs(sequence - Number(root.sequence)) <= 1
    : String(sequence) === root.sequence;
}
