// From drafts to findings: one fault in the books gives one root, and what follows from it names the root. The order in which
// the rules are asked is said here, and nowhere else.

import { declared } from '../../checks/kinds/catalogue.ts';
import { reportFigures } from '../../domain/figures.ts';
import type { Evidence, Finding, FindingDraft, Item } from '../../domain/finding.ts';
import { printable } from '../../domain/printable.ts';
import { ENGLISH } from '../../words/english.ts';
import { wordFinding } from '../../words/finding.ts';
import { NOTHING_OFF, type Off } from '../due/excess.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { followShort, linkByMoney } from './by-money.ts';
import { linkByPlace, linkMisplaced } from './by-place.ts';
import { linkStrays, linkUnread } from './by-row.ts';
import { beginCauses, type Causes, type FollowRule } from './causes.ts';
import { chooseRoot } from './choose-root.ts';
import { followBelowZero } from './follow-below-zero.ts';
import { followMisnamed, followUnread } from './follow-notified.ts';
import { followRewritten } from './follow-rewritten.ts';
import { followHead, followIdentity, followLeftover, followTotals } from './follow-wallet.ts';
import { itemsOf } from './items.ts';
import { beginLinks, type LinkRule } from './links.ts';
import { type Judged, type Material, materialOf } from './material.ts';
import { driftThrough } from './places.ts';
import type { StatusTerms } from './status.ts';

const LINK_RULES: readonly LinkRule[] = [linkByPlace, linkMisplaced, linkByMoney, linkUnread, linkStrays];

const FOLLOW_RULES: readonly FollowRule[] = [
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

export interface Roots {
  /** In the order of the drafts, one a place, each with its root. */
  readonly findings: readonly Finding[];
  /** What is in the recorded figures rightly, and in no line that was served. */
  readonly unserved: Off;
}

export function findRoots(judged: Judged, settings: StatusTerms): Roots {
  const material = materialOf(judged, settings);
  const { drafts, statuses } = material;
  const causes = causesOf(material);
  const roots = drafts.map((_, i) => causes.rootOf(i));
  const fingerprints = drafts.map((draft) => fingerprintOf(settings.merchant, draft));
  const drifts = driftsBehind(drafts, roots);
  const further = evidenceBehind(material, roots);
  const { byRoot, unserved } = itemsOf(material, roots);
  const findings = drafts.map((draft, i): Finding => {
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
      evidence: capped([...draft.evidence, ...(further.get(i) ?? [])]).map(shown),
      causedBy: root === i ? null : fingerprints[root]!,
      item: root === i ? shownItem(byRoot.get(i)?.off ?? NOTHING_OFF) : null,
      itemParts: byRoot.get(i)?.parts ?? [],
      settledBy: null,
      proposedSettlement: null,
      accepted: null,
      proposal: null,
    };
  });
  return { findings, unserved };
}

function shownItem({ balance, reserved }: Off): Item {
  return { balance: balance.toString(), reserved: reserved.toString() };
}

function causesOf(material: Material): Causes {
  const { drafts } = material;
  const links = beginLinks(drafts.length);
  for (const link of LINK_RULES) link(links, material);
  const causes = beginCauses(drafts.length);
  for (const members of links.sets()) chooseCauses(members, material, causes);
  for (const rule of FOLLOW_RULES) {
    const causeOf = rule(material, causes);
    for (const self of drafts.keys()) {
      const cause = causes.isRoot(self) ? causeOf(self) : null;
      if (cause !== null) causes.follow(self, cause);
    }
  }
  return causes;
}

/** What notifications show for certain does not follow from what is not certain yet. */
function chooseCauses(members: readonly number[], { drafts, statuses }: Material, causes: Causes): void {
  const root = chooseRoot(drafts, members);
  const isSure = (member: number): boolean =>
    statuses[member] === 'confirmed' && declared(drafts[member]!).subject === 'notification';
  const sure = new Set(statuses[root] === 'confirmed' ? [] : members.filter(isSure));
  const sureRoot = sure.size === 0 ? root : chooseRoot(drafts, [...sure]);
  for (const member of members) causes.follow(member, sure.has(member) ? sureRoot : root);
}

/** What a person or a program reads of one finding; an operation may have a hundred thousand lines. */
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

/** What a root without a figure of its own makes off: the drifts that it leaves, or the wallet that has what was not read. */
function driftsBehind(drafts: readonly FindingDraft[], roots: readonly number[]): ReadonlyMap<number, bigint> {
  const [balance, wallet, reserved] = [new Map<number, bigint>(), new Map<number, bigint>(), new Map<number, bigint>()];
  drafts.forEach((draft, i) => {
    const { effect, figure } = declared(draft);
    const drifting = effect === 'drift' ? (figure === '+reserved' ? reserved : balance) : null;
    const sums = effect === 'statement' && figure === '+balance' ? wallet : drifting;
    if (draft.difference !== null) sums?.set(roots[i]!, (sums.get(roots[i]!) ?? 0n) + draft.difference);
  });
  return new Map([...reserved, ...wallet, ...balance]);
}

/** What roots are known by besides their own place: the jump that lacks a line, and where a line stands that is not there. */
function evidenceBehind(
  { drafts, misplaced, places }: Material,
  roots: readonly number[],
): ReadonlyMap<number, readonly Evidence[]> {
  const behind = new Map<number, Evidence[]>();
  const add = (root: number, evidence: Evidence): void => {
    const known = behind.get(root);
    if (known === undefined) behind.set(root, [evidence]);
    else known.push(evidence);
  };
  for (const jump of places.byKind.get('SEQUENCE_GAP') ?? []) {
    if (roots[jump] === jump) continue;
    const { kind, sequence, figures } = drafts[jump]!;
    const note = wordFinding(ENGLISH, kind, reportFigures(figures));
    add(roots[jump]!, { what: 'gap', sequence: String(sequence), reference: null, note });
  }
  for (const { sequence, operationReference, home, belongs } of misplaced) {
    const drift = driftThrough(home, places);
    if (drift === undefined) continue;
    add(roots[drift]!, { what: 'line', sequence: String(sequence), reference: operationReference, note: belongs });
  }
  return behind;
}
