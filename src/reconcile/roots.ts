// From drafts to findings: one fault in the books gives one root, and what follows from it names the root. A wallet total
// that is off by a root's amount, and a figure below zero that would not be so without it, are consequences.

import { reportFigures } from '../domain/figures.ts';
import type { Evidence, Finding, FindingDraft, FindingStatus } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import { printable } from '../domain/printable.ts';
import { ENGLISH } from '../words/english/all.ts';
import { wordFinding } from '../words/words.ts';
import { beginClusters, type Clusters, clusterOf, rootAmong, ultimateRoot } from './clusters.ts';
import { isDrift } from './draft-index.ts';
import { fingerprintOf } from './fingerprint.ts';
import { followMoney } from './follow-money.ts';
import { followNotified } from './follow-notified.ts';
import { type LinkMaterial, liesAt, linkFindings } from './links.ts';
import { driftThrough } from './misplaced.ts';

export interface RootSettings {
  readonly merchant: string;
  readonly watermark: Instant;
  readonly grace: number;
  readonly clockTolerance: number;
}

/** Findings in the order of the drafts, each with its root. `material.drafts` must be merged. */
export function findRoots(material: LinkMaterial, settings: RootSettings): readonly Finding[] {
  const { drafts } = material;
  const clusters = beginClusters(drafts.length);
  linkFindings(clusters, material);
  const statuses = drafts.map((draft) => statusOf(draft, settings));
  const rootOf = rootsOf(clusters, drafts, statuses);
  followMoney(rootOf, material);
  followNotified(rootOf, material, statuses);
  followGaps(rootOf, material);
  const fingerprints = drafts.map((draft) => fingerprintOf(settings.merchant, draft));
  const roots = drafts.map((_, i) => ultimateRoot(rootOf, i));
  const drifts = driftsBehind(drafts, roots);
  const further = evidenceBehind(material, roots);
  return drafts.map((draft, i) => {
    const root = roots[i]!;
    const figures = reportFigures(draft.figures);
    const difference = draft.difference ?? (root === i ? (drifts.get(i) ?? null) : null);
    return {
      fingerprint: fingerprints[i]!,
      kind: draft.kind,
      severity: draft.severity,
      status: statuses[i]!,
      sequence: draft.sequence === null ? null : String(draft.sequence),
      operationReference: draft.operationReference,
      expected: draft.expected,
      actual: draft.actual,
      difference: difference === null ? null : difference.toString(),
      message: wordFinding(ENGLISH, draft.kind, figures),
      figures,
      evidence: [...draft.evidence, ...(further.get(i) ?? [])].map(shown),
      causedBy: root === i ? null : fingerprints[root]!,
    };
  });
}

function shown(evidence: Evidence): Evidence {
  return evidence.note === null ? evidence : { ...evidence, note: printable(evidence.note) };
}

/** What a root without a figure of its own makes off: the drifts that it leaves, or the wallet that has what was not read. */
function driftsBehind(drafts: readonly FindingDraft[], roots: readonly number[]): ReadonlyMap<number, bigint> {
  const sums = [new Map<number, bigint>(), new Map<number, bigint>(), new Map<number, bigint>()] as const;
  drafts.forEach(({ kind, difference }, i) => {
    const rank = kind === 'RESERVED_DRIFT' ? 2 : isDrift(kind) ? 0 : kind === 'WALLET_BALANCE_MISMATCH' ? 1 : null;
    if (rank === null || difference === null) return;
    sums[rank].set(roots[i]!, (sums[rank].get(roots[i]!) ?? 0n) + difference);
  });
  return new Map([...sums[2], ...sums[1], ...sums[0]]);
}

/** What roots are told by besides their own place: the gap that lacks a line, and where a line stands that is not there. */
function evidenceBehind(
  { drafts, misplaced, index }: LinkMaterial,
  roots: readonly number[],
): ReadonlyMap<number, readonly Evidence[]> {
  const behind = new Map<number, Evidence[]>();
  const add = (root: number, evidence: Evidence): void => {
    const known = behind.get(root);
    if (known === undefined) behind.set(root, [evidence]);
    else known.push(evidence);
  };
  drafts.forEach((draft, i) => {
    if (draft.kind !== 'SEQUENCE_GAP' || roots[i] === i) return;
    add(roots[i]!, {
      what: 'gap',
      sequence: String(draft.sequence),
      reference: null,
      note: wordFinding(ENGLISH, draft.kind, reportFigures(draft.figures)),
    });
  });
  for (const { sequence, operationReference, home, belongs } of misplaced) {
    const drift = driftThrough(home, index);
    if (drift === undefined) continue;
    add(roots[drift]!, { what: 'line', sequence: String(sequence), reference: operationReference, note: belongs });
  }
  return behind;
}

/** A harmless jump where an operation lacks a line is evidence of that, and no news of its own. */
function followGaps(rootOf: number[], material: LinkMaterial): void {
  const { harmlessJumps, index, foremost } = material;
  const lacking = foremost.filter((one) => one.needs.length > 0);
  if (lacking.length === 0) return;
  for (const jump of harmlessJumps) {
    const self = index.harmlessAt.get(jump.sequence);
    const cause = self === undefined ? undefined : lacking.find((one) => liesAt(jump, one));
    if (self === undefined || cause === undefined) continue;
    rootOf[self] = ultimateRoot(rootOf, index.byOperation.get(cause.reference)!);
  }
}

/**
 * For each draft the index of its root; a root points at itself. What notifications show for certain does not follow from
 * what is not certain yet.
 */
function rootsOf(clusters: Clusters, drafts: readonly FindingDraft[], statuses: readonly FindingStatus[]): number[] {
  const members = new Map<number, number[]>();
  drafts.forEach((_, i) => {
    const cluster = clusterOf(clusters, i);
    const known = members.get(cluster);
    if (known === undefined) members.set(cluster, [i]);
    else known.push(i);
  });
  const rootOf = drafts.map((_, i) => i);
  for (const some of members.values()) {
    const root = rootAmong(drafts, some);
    for (const member of some) rootOf[member] = root;
    if (statuses[root] === 'confirmed') continue;
    const sure = some.filter((one) => statuses[one] === 'confirmed' && drafts[one]!.kind.startsWith('EVENT_'));
    for (const member of sure) rootOf[member] = rootAmong(drafts, sure);
  }
  return rootOf;
}

/** Confirmed unless some evidence is younger than the watermark less grace; an impossible time proves nothing. */
function statusOf({ newestEvidence: newest, againstOlder }: FindingDraft, settings: RootSettings): FindingStatus {
  if (againstOlder) return 'provisional';
  if (newest === null || newest > settings.watermark + settings.clockTolerance) return 'confirmed';
  return newest <= settings.watermark - settings.grace ? 'confirmed' : 'provisional';
}
