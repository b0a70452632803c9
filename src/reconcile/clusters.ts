// Disjoint sets of findings that one fault explains, and which of a set is the root.

import { rankOf } from '../checks/registry.ts';
import type { FindingDraft } from '../domain/finding.ts';

export interface Clusters {
  readonly parents: number[];
}

export function beginClusters(size: number): Clusters {
  return { parents: Array.from({ length: size }, (_, i) => i) };
}

export function clusterOf(clusters: Clusters, member: number): number {
  const { parents } = clusters;
  let root = member;
  while (parents[root] !== root) {
    // Each step halves the way for the next search.
    parents[root] = parents[parents[root]!]!;
    root = parents[root]!;
  }
  return root;
}

export function join(clusters: Clusters, a: number, b: number): void {
  clusters.parents[clusterOf(clusters, a)] = clusterOf(clusters, b);
}

/** A faulty line explains the operation that lacks it and the drift that it leaves: it is the root of both. */
const FAULTY_LINES = new Set([
  'AMOUNT_NOT_POSITIVE',
  'KIND_DIRECTION_MISMATCH',
  'UNKNOWN_KIND',
  'OPERATION_UNKNOWN',
  'REFERENCE_MISSING',
  'REFERENCE_TYPE_MISMATCH',
]);

const BELOW_ZERO = new Set(['RESERVED_NEGATIVE', 'BALANCE_NEGATIVE', 'AVAILABLE_NEGATIVE']);

/** The open hold behind an unfinished settlement, and a fee behind its principal, follow; they do not explain. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  HOLD_NOT_RELEASED: [
    'DEBIT_MISSING',
    'DEBIT_AMOUNT_MISMATCH',
    'DEBIT_DUPLICATED',
    'DEBIT_WITHOUT_HOLD',
    'RELEASE_EXCEEDS_HOLD',
  ],
  FEE_MISSING: ['DEBIT_MISSING', 'HOLD_MISSING'],
  FEE_WITHOUT_SUCCESS: ['DEBIT_WITHOUT_SUCCESS'],
  // What the first line carries in is told by its balance; where the reserved amount is back, that drift ends.
  RESERVED_DRIFT: ['OPENING_BALANCE_UNEXPLAINED'],
  // The notification that is missing is the one that says something else.
  EVENT_MISSING: ['EVENT_CONTRADICTS_OPERATION', 'EVENT_ID_REUSED', 'EVENT_UNKNOWN_OPERATION', 'EVENT_TYPE_MISMATCH'],
};

export function isWalletKind(kind: string): boolean {
  return kind.startsWith('WALLET_') || kind.startsWith('TOTAL_') || kind === 'OPEN_HOLDS_MISMATCH';
}

export function isBelowZero(kind: string): boolean {
  return BELOW_ZERO.has(kind);
}

function isFaultyAt({ kind, sequence }: FindingDraft, place: FindingDraft): boolean {
  return FAULTY_LINES.has(kind) && sequence === place.sequence;
}

/** The index, among `members`, of the finding that explains the others: faulty lines first, then catalogue order. */
export function rootAmong(drafts: readonly FindingDraft[], members: readonly number[]): number {
  const kinds = new Set(members.map((member) => drafts[member]!.kind));
  const sequences = new Set(members.map((member) => drafts[member]!.sequence));
  // A debit that does not consume its hold follows from the hold that was wrong before it.
  const firstWrongHold = members.reduce(
    (first, member) =>
      /^HOLD_(AMOUNT|DUPL)/.test(drafts[member]!.kind) ? Math.min(first, drafts[member]!.sequence ?? 0) : first,
    Number.POSITIVE_INFINITY,
  );
  const weight = (member: number): number => {
    const { kind } = drafts[member]!;
    if (kind === 'INPUT_REJECTED') return -2_000;
    // Which of two lines under one number is at fault is not known: the number is, before anything that one of them says.
    if (kind === 'SEQUENCE_DUPLICATE' && members.some((one) => isFaultyAt(drafts[one]!, drafts[member]!)))
      return -1_500;
    if (FAULTY_LINES.has(kind)) return rankOf(kind) - 1_000;
    if (kind === 'RESERVED_DRIFT' && firstWrongHold < drafts[member]!.sequence!) return rankOf(kind) + 1_000;
    // A figure below zero follows from an earlier or a missing line; it leads only where one line shows it all.
    if (BELOW_ZERO.has(kind) && sequences.size > 1) return rankOf(kind) + 2_000;
    if (FOLLOWS[kind]?.some((leader) => kinds.has(leader))) return rankOf(kind) + 1_000;
    return rankOf(kind);
  };
  const place = (member: number): number => drafts[member]!.sequence ?? Number.MAX_SAFE_INTEGER;
  return members
    .map((member) => ({ member, weight: weight(member), place: place(member) }))
    .reduce((first, one) => {
      const order = one.weight - first.weight || one.place - first.place || one.member - first.member;
      return order < 0 ? one : first;
    }).member;
}

/** Follows `rootOf`, in which a root points at itself. */
export function ultimateRoot(rootOf: readonly number[], member: number): number {
  let root = member;
  for (let steps = 0; rootOf[root] !== root && steps < rootOf.length; steps++) root = rootOf[root]!;
  return root;
}
