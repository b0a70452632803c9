// Leaves out of a report what lies at or after an instant that was asked for: books judged by all that is known today, as of
// the end of a month that is over. Refuses to leave out anything whose place is not known to be later.

import { movedLines } from '../checks/lines/dates.ts';
import type { Finding } from '../domain/finding.ts';
import { formatInstant, type Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { CodedNote } from '../domain/snapshot.ts';

/** Which places lie at or after `from`. */
export interface AfterCutOff {
  readonly from: Instant;
  isLaterLine(sequence: number): boolean;
  isLaterOperation(reference: string): boolean;
}

/** A line of an impossible date lies where the line does that it is counted with. */
export function placeMoved(later: AfterCutOff, findings: readonly Finding[]): AfterCutOff {
  const moved = movedLines(findings);
  const isLaterLine = (sequence: number): boolean => {
    const line = moved.get(sequence);
    return line === undefined ? later.isLaterLine(sequence) : line.at >= later.from;
  };
  return { ...later, isLaterLine };
}

export interface LeftOut {
  readonly kept: readonly Finding[];
  /** Nothing when nothing was left out. */
  readonly notes: readonly CodedNote[];
}

/**
 * A finding lies where its line does, else where its operation was created; one that names neither (the wallet's) lies where
 * its root does. A finding that is kept without its root is a root itself.
 */
export function leaveOutLater(findings: readonly Finding[], later: AfterCutOff): LeftOut {
  const byFingerprint = new Map(findings.map((finding) => [finding.fingerprint, finding]));
  const isLater = (finding: Finding): boolean => {
    const { sequence, operationReference, causedBy } = finding;
    if (sequence !== null) return later.isLaterLine(Number(sequence));
    if (operationReference !== null) return later.isLaterOperation(operationReference);
    const root = causedBy === null ? undefined : byFingerprint.get(causedBy);
    return root !== undefined && isLater(root);
  };
  const kept = findings.filter((finding) => !isLater(finding));
  const left = findings.length - kept.length;
  if (left === 0) return { kept, notes: [] };
  const here = new Set(kept.map((finding) => finding.fingerprint));
  const figures = { count: left, from: formatInstant(later.from) };
  return {
    kept: kept.map((finding) =>
      finding.causedBy === null || here.has(finding.causedBy) ? finding : { ...finding, causedBy: null },
    ),
    notes: [{ what: 'later findings', code: 'FINDINGS_LATER', figures }],
  };
}

/** A root that was put right at or after the instant was still open then. */
export function openedBefore(findings: readonly Finding[], later: AfterCutOff): readonly Finding[] {
  const isLater = (lines: readonly string[] | undefined): boolean =>
    lines?.some((line) => later.isLaterLine(Number(line))) === true;
  return findings.map((finding) => ({
    ...finding,
    settledBy: isLater(finding.settledBy?.lines) ? null : finding.settledBy,
    proposedSettlement: isLater(finding.proposedSettlement?.lines) ? null : finding.proposedSettlement,
  }));
}

/**
 * Which lines lie at or after `from`, without keeping them: they come in their order, so that one sequence and the few that
 * stand out of the order of time are enough.
 */
export interface LineWatch {
  readonly from: Instant;
  /** The first line at or after `from`. */
  first: number;
  /** Lines after it that are older. */
  readonly olderAfter: Set<number>;
}

export function beginWatch(from: Instant): LineWatch {
  return { from, first: Number.POSITIVE_INFINITY, olderAfter: new Set() };
}

export function watchEntries(watch: LineWatch, entries: readonly LedgerEntry[]): void {
  for (const { sequence, createdAt } of entries) {
    if (createdAt >= watch.from) watch.first = Math.min(watch.first, sequence);
    else if (sequence > watch.first) watch.olderAfter.add(sequence);
  }
}
