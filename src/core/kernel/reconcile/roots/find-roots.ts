// From drafts to findings: one fault in the books gives one root, and what follows from it names
// the root. The order of the rules is here, and nowhere else.
//
// One fault shows in many places, and the report must name it once. So link rules first join into
// sets all drafts that one fault explains: drafts at one line or one operation, and a jump with the
// operation whose missing lines fill it exactly. In each set one draft is chosen as the root. Then
// follow rules run for each draft that is still a root. They work one way: a wallet figure follows
// from the drift that it is off by, but that does not make the two one fault.
//
// Example: the ledger goes from line 2 (hold of 1,000 for CO-2) to line 4, and CO-2 has SUCCEEDED.
// The drafts are LINES_MISSING at line 4 (balance −1,000, reserved −1,000), DEBIT_MISSING and
// HOLD_NOT_RELEASED of CO-2. The two of CO-2 are joined by their place. The jump is joined by
// money, because the missing debit would move just −1,000 and −1,000. LINES_MISSING comes first in
// the catalogue, so it is the root, and the two others follow from it.

import { reportFigures } from '../../../domain/figures.ts';
import type { Evidence, Finding, FindingDraft, Item } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';
import { printable } from '../../../domain/printable.ts';
import type { ReportWording } from '../../../domain/report-wording.ts';
import { valueIn } from '../../../domain/value-in.ts';
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

/**
 * The message of a finding until the report words it. That is done once, when no rule changes its
 * figures any more.
 */
const UNWORDED = '';

export interface Roots {
  /**
   * All findings, each with its root, in the order of the drafts and one for each place. Where many
   * deviate in one way, one finding may speak for all.
   */
  readonly findings: readonly Finding[];
  /**
   * Money that lines moved which were not served, and which the recorded figures rightly include.
   */
  readonly unserved: Off;
}

/**
 * Returns the findings of the given drafts. `apart` has the fingerprints of findings that must not
 * be gathered with others; `null` means that none may be gathered. A finding without an item that a
 * gathered one includes is not made at all, because there may be hundreds of thousands.
 */
export function findRoots(
  judged: Judged,
  settings: StatusTerms & { readonly wording: ReportWording },
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
      // Where newer books may explain the root, what follows from it is as unsure.
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
 * Returns for each draft the way in which it deviates (`wayOf`), or `null` where it is not gathered
 * here. A way is gathered as a whole or not at all: if some of its roots may not be gathered, the
 * way is gathered later, with what follows from them.
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
 * Returns the drafts of deviations that usually leave no drift. Where there is a drift at the line
 * of one of them, it has another cause.
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
 * Chooses a root for a set of drafts, and lets the others follow from it. Drafts that cannot follow
 * from that root become a set of their own. What is certain from notifications does not follow from
 * what is not certain, nor anything from an unread row that cannot explain it. A wrong date does
 * not follow from money that moved wrongly, nor do an operation's own details from a drift.
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
    // A line under another's number has a date that does not fit its place.
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
 * The effects that a line which could not be read may explain. An operation that could not be read
 * explains only that it is unknown.
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
 * The most evidence that one finding has, because an operation may have a hundred thousand lines.
 */
const MOST_EVIDENCE = 100;

/** Returns the first pieces of evidence, and the last one with a note of how many are left out. */
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
 * Returns the difference to show for a root that has no figure of its own, from what follows from
 * it: the sum of its balance drifts, else the difference of the wallet's balance, else the sum of
 * its drifts of the reserved amount.
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
 * Returns further evidence of roots: the jump where their line is missing, and the place of a
 * misplaced line.
 */
function evidenceBehind(
  { drafts, misplaced, places }: Material,
  roots: readonly number[],
  wording: ReportWording,
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

// Which of several findings of one fault is its root. Each rule narrows the candidates that the
// rules before it have left, unless it would leave none. Among those that are left at the end, the
// first in the catalogue is the root.

type Prefers = (draft: FindingDraft, among: Cluster) => boolean;

const unreadRows: Prefers = (draft) => declared(draft).effect === 'unread';

/**
 * Prefers a shared number to the faults of the lines that share it, because it is unknown which of
 * them is at fault.
 */
const sharedNumbers: Prefers = (draft, { faultyLines }) =>
  declared(draft).effect === 'shared-number' && faultyLines.has(draft.sequence!);

/**
 * Prefers a faulty line, because it explains the operation that lacks the right line, and the drift
 * that it leaves.
 */
const faultyLines: Prefers = (draft) => declared(draft).effect === 'faulty-line';

/** Prefers any other finding to a figure below zero, which follows from another fault. */
const notBelowZero: Prefers = (draft) => declared(draft).effect !== 'below-zero';

/** Prefers findings whose kind does not declare that it follows from another finding of the set. */
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

/**
 * What the rules must know of a set of drafts. It is computed once, because a set may hold
 * thousands.
 */
interface Cluster {
  /**
   * The first line at which each kind of the set is reported; −∞ for a finding that names no line.
   */
  readonly earliest: ReadonlyMap<FindingKind, number>;
  readonly places: ReadonlySet<number | null>;
  readonly faultyLines: ReadonlySet<number>;
  /** Lines that ought not to be there. */
  readonly surplusLines: ReadonlySet<number>;
}

/** Returns the member that is the root of the set. */
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

/** Returns the line at which the finding is reported, and the later lines that it names. */
function surplusLinesOf({ evidence }: FindingDraft, first: number): readonly number[] {
  const named = evidence.flatMap(({ what, sequence }) =>
    what === 'line' ? [Number(sequence)] : [],
  );
  return [first, ...named.filter((line) => line > first)];
}

/** Compares by the catalogue, then by line. A finding that names no line comes last in its kind. */
function compareInCatalogue(a: FindingDraft, b: FindingDraft): number {
  const place = ({ sequence }: FindingDraft): number => sequence ?? Number.MAX_SAFE_INTEGER;
  return rankOf(a.kind) - rankOf(b.kind) || place(a) - place(b);
}
