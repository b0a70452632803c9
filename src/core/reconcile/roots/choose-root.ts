// Which of several findings that one fault explains is its root. Each rule prefers some of those that the rules before it
// have left, where there are any; what is left at the end is decided by the order of the catalogue.

import { declared, rankOf } from '../../checks/kinds/catalogue.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';

type Prefers = (draft: FindingDraft, among: Cluster) => boolean;

const unreadRows: Prefers = (draft) => declared(draft).effect === 'unread';

/** Which of two lines under one number is at fault is not known: the number is, before anything that one of them says. */
const sharedNumbers: Prefers = (draft, { faultyLines }) =>
  declared(draft).effect === 'shared-number' && faultyLines.has(draft.sequence!);

/** A faulty line explains the operation that lacks it and the drift that it leaves. */
const faultyLines: Prefers = (draft) => declared(draft).effect === 'faulty-line';

/** A figure below zero follows from an earlier or a missing line; it leads only where one line shows it all. */
const notBelowZero: Prefers = (draft, { places }) => declared(draft).effect !== 'below-zero' || places.size === 1;

/** What follows, by its own declaration, from another that is there. */
const notFollowing: Prefers = (draft, { earliest, surplusLines }) => {
  const { follows, followsEarlier, followsSurplus } = declared(draft);
  const isEarlier = (kind: FindingKind): boolean =>
    (earliest.get(kind) ?? Number.POSITIVE_INFINITY) < (draft.sequence ?? Number.NEGATIVE_INFINITY);
  if (follows?.some((kind) => earliest.has(kind)) || followsEarlier?.some(isEarlier)) return false;
  return followsSurplus !== true || !surplusLines.has(draft.sequence!);
};

const RULES: readonly Prefers[] = [unreadRows, sharedNumbers, faultyLines, notBelowZero, notFollowing];

/** What the members of a set are, taken once: a set may hold thousands. */
interface Cluster {
  /** Every kind, with the first line that it is reported at; −∞ where it names none. */
  readonly earliest: ReadonlyMap<FindingKind, number>;
  readonly places: ReadonlySet<number | null>;
  readonly faultyLines: ReadonlySet<number>;
  /** Lines that ought not to be there. */
  readonly surplusLines: ReadonlySet<number>;
}

/** The index, among `members`, of the finding that explains the others. */
export function chooseRoot(drafts: readonly FindingDraft[], members: readonly number[]): number {
  if (members.length === 1) return members[0]!;
  const cluster = clusterOf(members.map((member) => drafts[member]!));
  const left = RULES.reduce((some, prefers) => {
    const preferred = some.filter((member) => prefers(drafts[member]!, cluster));
    return preferred.length > 0 ? preferred : some;
  }, members);
  return left.reduce((first, one) => (compareInCatalogue(drafts[one]!, drafts[first]!) < 0 ? one : first));
}

function clusterOf(drafts: readonly FindingDraft[]): Cluster {
  const earliest = new Map<FindingKind, number>();
  const faulty = new Set<number>();
  const surplus = new Set<number>();
  for (const draft of drafts) {
    const { kind, sequence } = draft;
    const { effect } = declared(draft);
    const at = sequence ?? Number.NEGATIVE_INFINITY;
    earliest.set(kind, Math.min(earliest.get(kind) ?? at, at));
    if (sequence === null) continue;
    if (effect === 'faulty-line') faulty.add(sequence);
    if (effect === 'surplus') for (const line of surplusLinesOf(draft, sequence)) surplus.add(line);
  }
  const places = new Set(drafts.map(({ sequence }) => sequence));
  return { earliest, places, faultyLines: faulty, surplusLines: surplus };
}

/** The line that a finding is reported at, and the later ones that it names. */
function surplusLinesOf({ evidence }: FindingDraft, first: number): readonly number[] {
  const named = evidence.flatMap(({ what, sequence }) => (what === 'line' ? [Number(sequence)] : []));
  return [first, ...named.filter((line) => line > first)];
}

/** Of one kind, the one at the first line; a finding that names no line stands behind those that do. */
function compareInCatalogue(a: FindingDraft, b: FindingDraft): number {
  const place = ({ sequence }: FindingDraft): number => sequence ?? Number.MAX_SAFE_INTEGER;
  return rankOf(a.kind) - rankOf(b.kind) || place(a) - place(b);
}
