// One deviation, reported once: where more than twenty operations deviate in one way, one finding is for all. It judges nothing,
// and leaves alone grave findings, followers of a finding that is not gathered, and kinds that each operation has for itself.

import { operationEvidence } from '../../checks/port/check.ts';
import { KINDS } from '../../checks/port/kinds.ts';
import type { NamedFigures, Reported } from '../../domain/figures.ts';
import type { Finding, FindingStatus, Item } from '../../domain/finding.ts';
import type { GatheredFigures } from '../../domain/finding-kind.ts';
import { ENGLISH, wordFinding } from '../../words/finding.ts';

/** Up to here each operation has its own finding. */
const MOST_APART = 20;
/** The one finding names so many of them, and the last. */
const MOST_NAMED = 20;

type Deviating = Pick<Finding, 'kind' | 'severity' | 'operationReference'> & { readonly figures: NamedFigures };

/** Equal for findings of one deviation; null for findings that are never gathered, as those without an operation. */
export function wayOf(
  { kind, severity, figures, operationReference }: Deviating,
  status: FindingStatus,
): string | null {
  const { sharedWhen } = KINDS[kind];
  const isGrave = severity === 'critical' || severity === 'error';
  if (sharedWhen === undefined || operationReference === null || isGrave) return null;
  return [kind, status, ...sharedWhen.map((name) => String(figures[name] ?? null))].join('\n');
}

export interface Gathered {
  /** Of each finding the gathered one that includes it, or itself. */
  readonly leaders: readonly number[];
  /** By the first of them, which is for all. */
  readonly groups: ReadonlyMap<number, readonly number[]>;
}

/**
 * Roots by their way, then the followers of gathered roots. `ways`: null is gathered with nothing. `rootOf`: itself
 * for a root, −1 where the root is not there.
 */
export function gather(ways: readonly (string | null)[], rootOf: (self: number) => number): Gathered {
  const leaders = ways.map((_, i) => i);
  const groups = new Map<number, readonly number[]>();
  const gatherBy = (keyOf: (self: number) => string | null): void => {
    for (const [key, members] of Map.groupBy(ways.keys(), keyOf)) {
      if (key === null || members.length <= MOST_APART) continue;
      for (const member of members) leaders[member] = members[0]!;
      groups.set(members[0]!, members);
    }
  };
  gatherBy((self) => (rootOf(self) === self ? ways[self]! : null));
  const gatheredRoots = new Set(groups.keys());
  if (gatheredRoots.size === 0) return { leaders, groups };
  gatherBy((self) => {
    const root = rootOf(self);
    const leader = root === self || root < 0 ? -1 : leaders[root]!;
    return ways[self] === null || !gatheredRoots.has(leader) ? null : `${leader}\n${ways[self]}`;
  });
  return { leaders, groups };
}

/** `findings` in the order of the operations. The first of each group stays, with its place and its fingerprint. */
export function gatherDeviations(findings: readonly Finding[]): readonly Finding[] {
  const byFingerprint = new Map(findings.map(({ fingerprint }, i) => [fingerprint, i]));
  const ways = findings.map((one) => (one.settledBy === null && one.accepted === null ? wayOf(one, one.status) : null));
  const rootOf = (self: number): number => {
    const { causedBy } = findings[self]!;
    return causedBy === null ? self : (byFingerprint.get(causedBy) ?? -1);
  };
  const { leaders, groups } = gather(ways, rootOf);
  if (groups.size === 0) return findings;
  return findings.flatMap((finding, i) => {
    if (leaders[i] !== i) return [];
    const root = rootOf(i);
    const causedBy = root === i || root < 0 ? finding.causedBy : findings[leaders[root]!]!.fingerprint;
    const members = groups.get(i)?.map((member) => findings[member]!);
    return [{ ...(members === undefined ? finding : speakFor(finding, members)), causedBy }];
  });
}

export type Spoken = Pick<
  Finding,
  'operationReference' | 'difference' | 'item' | 'itemParts' | 'concerned' | 'currency'
>;

/** `group`: `first` is the first of it. */
export function speakFor(first: Finding, group: readonly Spoken[]): Finding {
  const last = group.at(-1)!;
  const differences = group.flatMap(({ difference }) => (difference === null ? [] : [BigInt(difference)]));
  const sum = differences.length === 0 ? null : differences.reduce((a, b) => a + b).toString();
  const gathered: Reported<GatheredFigures> = { count: String(group.length), last: last.operationReference, sum };
  const figures = { ...first.figures, gathered };
  const named = [...group.slice(1, MOST_NAMED), last].map((one) => operationEvidence(one.operationReference!));
  return {
    ...first,
    difference: sum,
    item: first.item === null ? null : sumOfItems(group),
    itemParts: group.flatMap((one) => one.itemParts),
    concerned: concernedBy(first, group),
    figures,
    message: wordFinding(ENGLISH, first.kind, figures),
    evidence: [...first.evidence, ...named],
  };
}

/** Amounts of another currency are left out. */
function concernedBy({ currency }: Finding, group: readonly Spoken[]): string | null {
  const known = group.flatMap((one) =>
    one.concerned === null || one.currency !== currency ? [] : [BigInt(one.concerned)],
  );
  return known.length === 0 ? null : known.reduce((a, b) => a + b).toString();
}

function sumOfItems(group: readonly Spoken[]): Item {
  const sum = (side: keyof Item): string =>
    group.reduce((total, { item }) => total + BigInt(item?.[side] ?? 0), 0n).toString();
  return { balance: sum('balance'), reserved: sum('reserved') };
}
