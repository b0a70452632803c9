// From drafts to findings: one fault in the books gives one root, and what follows from it names
// the root. The order of the rules is here, and nowhere else.

import { reportFigures } from '../../../domain/figures.ts';
import type { Evidence, Finding, FindingDraft, Item } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';
import { printable } from '../../../domain/printable.ts';
import { valueIn } from '../../../domain/value-in.ts';
import type { Wording } from '../../../domain/wording.ts';
import { fingerprintOf } from '../../checks/port/fingerprint.ts';
import { declared, rankOf } from '../../checks/port/kinds.ts';
import { NOTHING_OFF, type Off } from './excess.ts';
import { followAltered, followHistory } from './follow-altered.ts';
import {
  followBelowZero,
  followHead,
  followIdentity,
  followLeftover,
  followMisnamed,
  followRewritten,
  followTotals,
  followUnread,
} from './follow-wallet.ts';
import { gather, MOST_APART, type Spoken, speakFor, wayOf } from './gather.ts';
import { itemsOf, worthOf } from './items.ts';
import {
  beginLinks,
  followShort,
  isOfUnknown,
  type LinkRule,
  linkByMoney,
  linkByPlace,
  linkMisplaced,
  linkStrays,
  linkUnread,
} from './links.ts';
import {
  beginCauses,
  type Causes,
  type FollowRule,
  type Judged,
  type Material,
  materialOf,
  type StatusTerms,
} from './material.ts';
import { driftThrough } from './places.ts';

const LINK_RULES: readonly LinkRule[] = [
  linkByPlace,
  linkMisplaced,
  linkByMoney,
  linkUnread,
  linkStrays,
];

const FOLLOW_RULES: readonly FollowRule[] = [
  followAltered,
  followHistory,
  followRewritten,
  followIdentity,
  followHead,
  followLeftover,
  followTotals,
  followBelowZero,
  followMisnamed,
  followUnread,
  followShort,
];

/** The report words its findings once, when no rule changes their figures any more. */
const UNWORDED = '';

export interface Roots {
  /**
   * In the order of the drafts, one a place, each with its root. Where many deviate in one way, one
   * of them may speak for all.
   */
  readonly findings: readonly Finding[];
  /** Money that the recorded figures have rightly, from lines that were not served. */
  readonly unserved: Off;
}

/**
 * `apart`: fingerprints of findings that must stay apart; null: all must, also those of one
 * deviation. A finding without an item that a gathered one includes is not made: there may be
 * hundreds of thousands.
 */
export function findRoots(
  judged: Judged,
  settings: StatusTerms & { readonly wording: Wording },
  apart: ReadonlySet<string> | null = null,
): Roots {
  const material = materialOf(judged, settings);
  const { drafts, statuses } = material;
  const causes = causesOf(material);
  const roots = drafts.map((_, i) => causes.rootOf(i));
  const printOf = (i: number): string => fingerprintOf(settings.merchant, drafts[i]!);
  const drifts = driftsBehind(drafts, roots);
  const further = evidenceBehind(material, roots, settings.wording);
  const { byRoot, unserved } = itemsOf(material, roots);
  const mayGather = (i: number): boolean =>
    !byRoot.has(i) && (apart!.size === 0 || !apart!.has(printOf(i)));
  const ways = apart === null ? [] : waysOf(material, roots, mayGather);
  const { leaders, groups } = gather(
    ways,
    (i) => roots[i]!,
    (i) => `${drafts[i]!.kind} ${drafts[i]!.severity} ${statuses[i]!}`,
  );
  const findingAt = (i: number): Finding => {
    const draft = drafts[i]!;
    const root = roots[i]!;
    const figures = reportFigures(draft.figures);
    const difference = draft.difference ?? (root === i ? (drifts.get(i) ?? null) : null);
    return {
      fingerprint: printOf(i),
      kind: draft.kind,
      severity: draft.severity,
      // What follows from a finding that newer books may explain is as unsure.
      status: drafts[root]!.againstOlder ? 'provisional' : statuses[i]!,
      sequence: draft.sequence === null ? null : String(draft.sequence),
      operationReference: draft.operationReference,
      expected: draft.expected,
      actual: draft.actual,
      difference: difference === null ? null : difference.toString(),
      message: UNWORDED,
      figures,
      evidence: capped([...draft.evidence, ...(further.get(i) ?? [])]).map(shown),
      causedBy: root === i ? null : printOf(leaders[root] ?? root),
      item: root === i ? shownItem(byRoot.get(i)?.off ?? NOTHING_OFF) : null,
      itemParts: byRoot.get(i)?.parts ?? [],
      ...worthOf(draft, settings),
      settledBy: null,
      proposedSettlement: null,
      accepted: null,
      proposal: null,
    };
  };
  const findings = drafts.flatMap((_, i) => {
    if ((leaders[i] ?? i) !== i) return [];
    const group = groups.get(i)?.map((one) => spokenOf(drafts[one]!, settings));
    return [group === undefined ? findingAt(i) : speakFor(findingAt(i), group)];
  });
  return { findings, unserved };
}

/**
 * Of each draft. A way is gathered here as a whole or not at all: roots of which some may not be
 * are gathered later, with what follows.
 */
function waysOf(
  { drafts, statuses }: Material,
  roots: readonly number[],
  mayGather: (root: number) => boolean,
): readonly (string | null)[] {
  const ways = drafts.map((draft, i) => wayOf(draft, statuses[i]!));
  const later = new Set(ways.filter((way, i) => way !== null && roots[i] === i && !mayGather(i)));
  return ways.map((way, i) => (later.has(ways[roots[i]!]!) ? null : way));
}

function spokenOf(draft: FindingDraft, settings: StatusTerms): Spoken {
  const { operationReference, difference, evidence } = draft;
  const sequence = draft.sequence === null ? null : String(draft.sequence);
  const off = { difference: difference?.toString() ?? null, item: null, itemParts: [] };
  return { sequence, operationReference, evidence, ...off, ...worthOf(draft, settings) };
}

function shownItem({ balance, reserved }: Off): Item {
  return { balance: balance.toString(), reserved: reserved.toString() };
}

function causesOf(material: Material): Causes {
  const { drafts } = material;
  const links = beginLinks(drafts.length);
  for (const link of LINK_RULES) link(links, material);
  const causes = beginCauses(drafts.length);
  const common = commonIn(material);
  const isDrift = (member: number): boolean => declared(drafts[member]!).effect === 'drift';
  for (const members of links.sets()) {
    const drifting = members.some((member) => common.has(member)) ? members.filter(isDrift) : [];
    const others = drifting.length === 0 ? members : members.filter((member) => !isDrift(member));
    for (const some of [drifting, others])
      if (some.length > 0) chooseCauses(some, material, causes);
  }
  for (const rule of FOLLOW_RULES) {
    const causeOf = rule(material, causes);
    for (const self of drafts.keys()) {
      const cause = causes.isRoot(self) ? causeOf(self) : null;
      if (cause !== null) causes.follow(self, cause);
    }
  }
  return causes;
}

/**
 * Findings of one deviation that hardly ever leaves a drift: where there is one at such a line, it
 * is of another cause.
 */
function commonIn({ drafts, statuses, places }: Material): ReadonlySet<number> {
  const byWay = Map.groupBy(drafts.keys(), (i) => wayOf(drafts[i]!, statuses[i]!));
  const drifts = (members: readonly number[]) =>
    members.filter((i) => places.driftAt.has(drafts[i]!.sequence!)).length;
  const common = [...byWay].filter(
    ([way, members]) =>
      way !== null && members.length > MOST_APART && drifts(members) * 2 <= members.length,
  );
  return new Set(common.flatMap(([, members]) => members));
}

/**
 * What notifications show for certain does not follow from what is not certain yet; nor what was
 * read from what was not. A wrong date does not follow from money that moved wrongly, nor do an
 * operation's own details from figures that leave the chain.
 */
function chooseCauses(members: readonly number[], material: Material, causes: Causes): void {
  const { drafts } = material;
  const moving = members.filter((member) => declared(drafts[member]!).effect !== 'date');
  const root = chooseRoot(
    drafts,
    moving.some((member) => movesMoney(drafts[member]!)) ? moving : members,
  );
  const isApart = standsApart(root, members, material);
  const apart = members.filter(isApart);
  for (const member of members) if (!isApart(member)) causes.follow(member, root);
  if (apart.length > 0) chooseCauses(apart, material, causes);
}

function standsApart(
  root: number,
  members: readonly number[],
  { drafts, statuses, misplacedAt }: Material,
): (member: number) => boolean {
  const unread = members.filter((member) => declared(drafts[member]!).effect === 'unread');
  if (unread.length > 0) {
    return (member) =>
      !unread.some((row) => row === member || mayExplain(drafts[row]!, drafts[member]!));
  }
  const isUnsure = statuses[root] !== 'confirmed';
  const { effect } = declared(drafts[root]!);
  return (member) => {
    const own = declared(drafts[member]!);
    if (isUnsure && statuses[member] === 'confirmed' && own.subject === 'notification') return true;
    // A line in another's place is out of step there.
    if (own.effect === 'date')
      return movesMoney(drafts[root]!) && !misplacedAt.has(drafts[member]!.sequence!);
    return effect === 'drift' && own.subject === 'operation' && !movesMoney(drafts[member]!);
  };
}

function movesMoney(draft: FindingDraft): boolean {
  const { effect, figure } = declared(draft);
  return (effect !== 'none' && effect !== 'date') || figure !== undefined;
}

/**
 * What a line that could not be read may explain. Of an operation that could not be read, that it
 * is not known.
 */
const OF_UNREAD_LINE: readonly string[] = [
  'lack',
  'amount',
  'drift',
  'uncovered',
  'below-zero',
  'leftover',
  'statement',
];

function mayExplain({ figures }: FindingDraft, found: FindingDraft): boolean {
  const { effect, lacksHold } = declared(found);
  if (figures.part === 'ledger') return lacksHold === true || OF_UNREAD_LINE.includes(effect);
  return figures.part !== 'operations' || isOfUnknown(found);
}

/**
 * What a person or a program reads of one finding; an operation may have a hundred thousand lines.
 */
const MOST_EVIDENCE = 100;

/** The first ones, and the last with how many are left out between. */
function capped(evidence: readonly Evidence[]): readonly Evidence[] {
  if (evidence.length <= MOST_EVIDENCE) return evidence;
  const last = evidence.at(-1)!;
  const left = `${evidence.length - MOST_EVIDENCE} more before it are left out`;
  return [
    ...evidence.slice(0, MOST_EVIDENCE - 1),
    { ...last, note: last.note === null ? left : `${last.note}; ${left}` },
  ];
}

function shown(evidence: Evidence): Evidence {
  return evidence.note === null ? evidence : { ...evidence, note: printable(evidence.note) };
}

/**
 * What a root without a figure of its own makes off: the drifts that it leaves, or the wallet that
 * has what was not read.
 */
function driftsBehind(
  drafts: readonly FindingDraft[],
  roots: readonly number[],
): ReadonlyMap<number, bigint> {
  const [balance, wallet, reserved] = [
    new Map<number, bigint>(),
    new Map<number, bigint>(),
    new Map<number, bigint>(),
  ];
  drafts.forEach((draft, i) => {
    const { effect, figure } = declared(draft);
    const drifting = effect === 'drift' ? (figure === '+reserved' ? reserved : balance) : null;
    const sums = effect === 'statement' && figure === '+balance' ? wallet : drifting;
    if (draft.difference !== null)
      sums?.set(roots[i]!, (sums.get(roots[i]!) ?? 0n) + draft.difference);
  });
  return new Map([...reserved, ...wallet, ...balance]);
}

/**
 * Other places of roots: the jump that lacks a line, and the place of a line that is missing
 * elsewhere.
 */
function evidenceBehind(
  { drafts, misplaced, places }: Material,
  roots: readonly number[],
  wording: Wording,
): ReadonlyMap<number, readonly Evidence[]> {
  const behind = new Map<number, Evidence[]>();
  const add = (root: number, evidence: Evidence): void =>
    void valueIn(behind, root, () => []).push(evidence);
  for (const jump of places.byKind.get('SEQUENCE_GAP') ?? []) {
    if (roots[jump] === jump) continue;
    const { kind, sequence, figures } = drafts[jump]!;
    const note = wording.finding(kind, reportFigures(figures));
    add(roots[jump]!, { what: 'gap', sequence: String(sequence), reference: null, note });
  }
  for (const { sequence, operationReference, home, belongs } of misplaced) {
    const drift = driftThrough(home, places);
    if (drift === undefined) continue;
    add(roots[drift]!, {
      what: 'line',
      sequence: String(sequence),
      reference: operationReference,
      note: belongs,
    });
  }
  return behind;
}

// Which of several findings that one fault explains is its root. Each rule prefers some of those
// that the rules before it have left, where there are any; what is left at the end is decided by
// the order of the catalogue.

type Prefers = (draft: FindingDraft, among: Cluster) => boolean;

const unreadRows: Prefers = (draft) => declared(draft).effect === 'unread';

/**
 * It is unknown which of two lines under one number is at fault: the shared number comes before the
 * faults of each.
 */
const sharedNumbers: Prefers = (draft, { faultyLines }) =>
  declared(draft).effect === 'shared-number' && faultyLines.has(draft.sequence!);

/** A faulty line explains the operation that lacks it and the drift that it leaves. */
const faultyLines: Prefers = (draft) => declared(draft).effect === 'faulty-line';

/** A figure below zero follows from another fault. */
const notBelowZero: Prefers = (draft) => declared(draft).effect !== 'below-zero';

/** Not a kind that follows, by its declaration, from another one in the set. */
const notFollowing: Prefers = (draft, { earliest, surplusLines }) => {
  const { follows, followsEarlier, followsSurplus } = declared(draft);
  const isEarlier = (kind: FindingKind): boolean =>
    (earliest.get(kind) ?? Number.POSITIVE_INFINITY) < (draft.sequence ?? Number.NEGATIVE_INFINITY);
  if (follows?.some((kind) => earliest.has(kind)) || followsEarlier?.some(isEarlier)) return false;
  return followsSurplus !== true || !surplusLines.has(draft.sequence!);
};

const RULES: readonly Prefers[] = [
  unreadRows,
  sharedNumbers,
  faultyLines,
  notBelowZero,
  notFollowing,
];

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
function chooseRoot(drafts: readonly FindingDraft[], members: readonly number[]): number {
  if (members.length === 1) return members[0]!;
  const cluster = clusterOf(members.map((member) => drafts[member]!));
  const left = RULES.reduce((some, prefers) => {
    const preferred = some.filter((member) => prefers(drafts[member]!, cluster));
    return preferred.length > 0 ? preferred : some;
  }, members);
  return left.reduce((first, one) =>
    compareInCatalogue(drafts[one]!, drafts[first]!) < 0 ? one : first,
  );
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
  const named = evidence.flatMap(({ what, sequence }) =>
    what === 'line' ? [Number(sequence)] : [],
  );
  return [first, ...named.filter((line) => line > first)];
}

/**
 * Of one kind, the one at the first line; a finding that names no line comes after those that do.
 */
function compareInCatalogue(a: FindingDraft, b: FindingDraft): number {
  const place = ({ sequence }: FindingDraft): number => sequence ?? Number.MAX_SAFE_INTEGER;
  return rankOf(a.kind) - rankOf(b.kind) || place(a) - place(b);
}
