// Reports one deviation once: where more than twenty lines, operations or rows deviate in one way,
// one finding speaks for all. It judges nothing. Kinds that are about one operation each are not
// gathered, nor is what follows from them.

import type { NamedFigures, Reported } from '../../../domain/figures.ts';
import {
  type Evidence,
  type Finding,
  type FindingStatus,
  type Item,
  standingOf,
} from '../../../domain/finding.ts';
import type { GatheredFigures } from '../../../domain/finding-kind.ts';
import { lineEvidence, operationEvidence } from '../../checks/port/check.ts';
import { KINDS } from '../../checks/port/kinds.ts';

/** Up to this many lines, operations or rows each have their own finding. */
export const MOST_APART = 20;
/** A gathered finding names this many of its first members, and the last. */
const MOST_NAMED = 20;

type Deviating = Pick<Finding, 'kind' | 'severity'> & { readonly figures: NamedFigures };

/**
 * Returns the way in which a finding deviates: equal texts for findings of one deviation. `null`
 * for findings that are never gathered, such as one that was corrected in part.
 */
export function wayOf(
  { kind, severity, figures }: Deviating,
  status: FindingStatus,
): string | null {
  const { sharedWhen = () => null } = KINDS[kind];
  const isList = typeof sharedWhen !== 'function';
  const shared = isList ? sharedWhen.map((name) => figures[name] ?? null) : sharedWhen(figures);
  if (shared === null || figures.corrected !== undefined) return null;
  return [kind, status, severity, ...shared.map(String)].join('\n');
}

export interface Gathered {
  /** For each finding, the index of the gathered finding that includes it, or its own. */
  readonly leaders: readonly number[];
  /** The members of each gathered finding, by the first of them, which speaks for all. */
  readonly groups: ReadonlyMap<number, readonly number[]>;
}

/**
 * Gathers roots of one way, then followers. Followers of one root, or of gathered roots, are
 * gathered by their own way; those without one by `kindOf`, provided that their root has a way.
 * `ways` has `null` for what is not gathered with other roots. `rootOf` returns the finding itself
 * for a root, and −1 where its root is not among the findings.
 */
export function gather(
  ways: readonly (string | null)[],
  rootOf: (self: number) => number,
  kindOf: (self: number) => string | null,
): Gathered {
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
  gatherBy((self) => {
    const root = rootOf(self);
    if (root === self || root < 0) return null;
    const way = ways[self] ?? (ways[root] === null ? null : kindOf(self));
    return way === null ? null : `${leaders[root]}\n${way}`;
  });
  return { leaders, groups };
}

/**
 * Gathers the findings of a report, which must be in the order of their places. The first of each
 * group stays, with its place and its fingerprint.
 */
export function gatherDeviations(findings: readonly Finding[]): readonly Finding[] {
  const byFingerprint = new Map(findings.map(({ fingerprint }, i) => [fingerprint, i]));
  const ways = findings.map((one) => (standingOf(one) === 'open' ? wayOf(one, one.status) : null));
  const rootOf = (self: number): number => {
    const { causedBy } = findings[self]!;
    return causedBy === null ? self : (byFingerprint.get(causedBy) ?? -1);
  };
  const kindOf = (self: number): string => {
    const { kind, severity, status } = findings[self]!;
    return `${kind} ${severity} ${status}`;
  };
  const { leaders, groups } = gather(ways, rootOf, kindOf);
  if (groups.size === 0) return findings;
  return findings.flatMap((finding, i) => {
    if (leaders[i] !== i) return [];
    const root = rootOf(i);
    const causedBy =
      root === i || root < 0 ? finding.causedBy : findings[leaders[root]!]!.fingerprint;
    const members = groups.get(i)?.map((member) => findings[member]!);
    return [{ ...(members === undefined ? finding : speakFor(finding, members)), causedBy }];
  });
}

export type Spoken = Pick<
  Finding,
  | 'sequence'
  | 'operationReference'
  | 'difference'
  | 'item'
  | 'itemParts'
  | 'concerned'
  | 'currency'
  | 'evidence'
>;

/** Makes the finding that speaks for a group. `first` must be the first of the group. */
export function speakFor(first: Finding, group: readonly Spoken[]): Finding {
  const last = group.at(-1)!;
  const difference = sumIn(first, group, 'difference');
  const ways = new Set(
    group.flatMap((one) => (one.difference === null ? [] : BigInt(one.difference) < 0n)),
  );
  // Where some are too high and others too low, the sum says nothing.
  const sum = ways.size > 1 ? null : difference;
  const of = gatheredOf(first);
  const gathered: Reported<GatheredFigures> = {
    of,
    count: String(group.length),
    last: placeIn(last, of),
    sum,
  };
  const figures = { ...first.figures, gathered };
  const named = [...group.slice(1, MOST_NAMED), last].map((one) => evidenceOf(one, of));
  return {
    ...first,
    difference,
    item: first.item === null ? null : sumOfItems(group),
    itemParts: group.flatMap((one) => one.itemParts),
    concerned: sumIn(first, group, 'concerned'),
    figures,
    evidence: [...first.evidence, ...named],
  };
}

function gatheredOf({ kind, sequence, operationReference }: Finding): GatheredFigures['of'] {
  if (KINDS[kind].subject === 'input') return 'rows';
  return sequence !== null && (KINDS[kind].subject === 'line' || operationReference === null)
    ? 'lines'
    : 'operations';
}

function placeIn(
  { sequence, operationReference, evidence }: Spoken,
  of: GatheredFigures['of'],
): string | null {
  if (of === 'rows') return evidence[0]?.reference ?? null;
  return of === 'lines' ? sequence : operationReference;
}

function evidenceOf(one: Spoken, of: GatheredFigures['of']): Evidence {
  if (of === 'rows') return one.evidence[0]!;
  return of === 'lines'
    ? lineEvidence(Number(one.sequence))
    : operationEvidence(one.operationReference!);
}

/** Sums the amounts in the currency of the first finding; `null` where there is none. */
function sumIn(
  { currency }: Finding,
  group: readonly Spoken[],
  of: 'difference' | 'concerned',
): string | null {
  const known = group.flatMap((one) =>
    one[of] === null || one.currency !== currency ? [] : [BigInt(one[of])],
  );
  return known.length === 0 ? null : known.reduce((a, b) => a + b).toString();
}

function sumOfItems(group: readonly Spoken[]): Item {
  const sum = (side: keyof Item): string =>
    group.reduce((total, { item }) => total + BigInt(item?.[side] ?? 0), 0n).toString();
  return { balance: sum('balance'), reserved: sum('reserved') };
}
